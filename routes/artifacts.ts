/** Artifacts: what a workspace declares, as a list and one by one. */
import { z } from "zod";
import type { UnitLive } from "../artifacts/live/live.ts";
import {
  ArtifactKind,
  ArtifactSummary,
  CardDetail,
  GroupDetail,
  UnitDetail,
} from "../artifacts/report/artifact_shape.ts";
import { may } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import type { Call } from "../http/call.ts";
import { flag, text } from "../http/query.ts";
import { type CoreRouter, json, reply, route, router } from "../http/router.ts";
import { artifactGraph } from "./artifact_graph.ts";
import {
  type ArtifactsOptions,
  cachedText,
  find,
  InWorkspace,
  lookAt,
  type Looked,
  missingArtifact,
  missingWorkspace,
} from "./artifact_lookup.ts";
import { artifactValidation } from "./artifact_validation.ts";

const Named = z.object({ id: text(200), name: text(300) });
const Reveal = z.object({
  reveal: flag.describe("Show secrets, too: needs `artifacts:reveal`, and is an entry of the audit log")
    .default(false),
});

const list = route({
  method: "get",
  path: "/workspaces/{id}/artifacts",
  summary: "The groups, units and cards of a workspace",
  permission: "artifacts:read",
  params: InWorkspace,
  query: z.object({
    kind: ArtifactKind.optional(),
    q: text(200).describe("Part of a name, title or image").optional(),
  }),
  answers: {
    200: json(
      z.object({ items: z.array(ArtifactSummary), total: z.int(), revision: z.string() }),
      "In the order they were read",
    ),
    ...missingWorkspace,
  },
});

const group = route({
  method: "get",
  path: "/workspaces/{id}/artifacts/groups/{name}",
  summary: "A group with its YAML, references both ways, diagnostics and state",
  permission: "artifacts:read",
  params: Named,
  query: Reveal,
  answers: { 200: json(GroupDetail, "The group"), ...missingArtifact },
});

const unit = route({
  method: "get",
  path: "/workspaces/{id}/artifacts/units/{name}",
  summary: "A unit with its YAML, references both ways, diagnostics, containers and drift",
  description: "By its qualified name, `shop.web`, or the bare one where that is unique.",
  permission: "artifacts:read",
  params: Named,
  query: Reveal,
  answers: { 200: json(UnitDetail, "The unit"), ...missingArtifact },
});

const card = route({
  method: "get",
  path: "/workspaces/{id}/artifacts/cards/{name}",
  summary: "A card with its YAML, what it describes, and diagnostics",
  permission: "artifacts:read",
  params: Named,
  query: Reveal,
  answers: { 200: json(CardDetail, "The card"), ...missingArtifact },
});

/** The modules behind these routes are loaded by the first caller: a start needs none of them. */
export function artifacts(options: ArtifactsOptions): CoreRouter {
  const { registry, runtime } = options;
  return router()
    .on(list, async ({ params, query, request }) => {
      const model = await registry.model(params.id);
      const text = await cachedText(model, `list ${query.kind ?? ""} ${query.q ?? ""}`, async () => {
        const { summariesOf } = await import("../artifacts/report/summary.ts");
        const items = summariesOf(model, {
          ...(query.kind !== undefined && { kind: query.kind }),
          ...(query.q !== undefined && { q: query.q }),
        });
        return JSON.stringify({ items, total: items.length, revision: model.revision });
      });
      return await text.answer(request);
    })
    .on(group, async (call) => {
      const model = await registry.model(call.params.id);
      const found = await find(model, "group", call.params.name);
      const reveal = await mayReveal(call, found);
      const { groupDetail } = await import("../artifacts/report/detail.ts");
      const looked = await lookAt(model, { runtime: runtime(), principal: call.principal, drift: false });
      const detail = groupDetail(model, found, { live: looked.view?.findings ?? [], reveal });
      return reply(200, { ...detail, ...liveOf(looked, found.id) });
    })
    .on(unit, async (call) => {
      const model = await registry.model(call.params.id);
      const found = await find(model, "unit", call.params.name);
      const reveal = await mayReveal(call, found);
      const { unitDetail } = await import("../artifacts/report/detail.ts");
      const { principal } = call;
      const looked = await lookAt(model, { runtime: runtime(), principal, drift: true, only: found.id });
      const detail = unitDetail(model, found, { live: looked.view?.findings ?? [], reveal });
      return reply(200, { ...detail, ...liveOf(looked, found.id) });
    })
    .on(card, async (call) => {
      const model = await registry.model(call.params.id);
      const found = await find(model, "card", call.params.name);
      const reveal = await mayReveal(call, found);
      const { cardDetail } = await import("../artifacts/report/detail.ts");
      return reply(200, cardDetail(model, found, { reveal }));
    })
    .add(artifactValidation(options))
    .add(artifactGraph(options));
}

/** The live part of one artifact: nothing without a runtime, null for who may not see what runs. */
function liveOf(
  { view, liveNeeds }: Looked,
  id: string,
): { live?: UnitLive | null; liveNeeds?: typeof liveNeeds } {
  if (liveNeeds !== undefined) return { live: null, liveNeeds };
  const live = view?.live.get(id);
  return live === undefined ? {} : { live };
}

type NamedCall = Call<z.output<typeof Named>, z.output<typeof Reveal>>;

/** Whether secrets are to be shown; resolves once that is in the audit log. Throws `forbidden`. */
async function mayReveal(call: NamedCall, { id }: { readonly id: string }): Promise<boolean> {
  if (!call.query.reveal) return false;
  if (!may(call.principal, "artifacts:reveal")) {
    throw new ServiceError(
      "forbidden",
      `Cannot show "${id}": "reveal" needs the permission "artifacts:reveal"`,
    );
  }
  await call.shows({ artifact: id });
  return true;
}
