/** Artifacts: what a workspace declares, as a list and one by one. */
import { z } from "zod";
import {
  ArtifactKind,
  ArtifactSummary,
  CardDetail,
  GroupDetail,
  UnitDetail,
} from "../artifacts/report/artifact_shape.ts";
import { text } from "../http/query.ts";
import { type CoreRouter, json, reply, route, router } from "../http/router.ts";
import { artifactGraph } from "./artifact_graph.ts";
import {
  type ArtifactsOptions,
  cachedText,
  find,
  InWorkspace,
  lookAt,
  missingArtifact,
  missingWorkspace,
} from "./artifact_lookup.ts";
import { artifactValidation } from "./artifact_validation.ts";

const Named = z.object({ id: text(200), name: text(300) });

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
  answers: { 200: json(GroupDetail, "The group"), ...missingArtifact },
});

const unit = route({
  method: "get",
  path: "/workspaces/{id}/artifacts/units/{name}",
  summary: "A unit with its YAML, references both ways, diagnostics, containers and drift",
  description: "By its qualified name, `shop.web`, or the bare one where that is unique.",
  permission: "artifacts:read",
  params: Named,
  answers: { 200: json(UnitDetail, "The unit"), ...missingArtifact },
});

const card = route({
  method: "get",
  path: "/workspaces/{id}/artifacts/cards/{name}",
  summary: "A card with its YAML, what it describes, and diagnostics",
  permission: "artifacts:read",
  params: Named,
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
    .on(group, async ({ params }) => {
      const model = await registry.model(params.id);
      const found = await find(model, "group", params.name);
      const { groupDetail } = await import("../artifacts/report/detail.ts");
      const view = await lookAt(model, runtime(), false);
      const live = view?.live.get(found.id);
      const detail = groupDetail(model, found, view?.findings ?? []);
      return reply(200, live === undefined ? detail : { ...detail, live });
    })
    .on(unit, async ({ params }) => {
      const model = await registry.model(params.id);
      const found = await find(model, "unit", params.name);
      const { unitDetail } = await import("../artifacts/report/detail.ts");
      const view = await lookAt(model, runtime(), true, found.id);
      const live = view?.live.get(found.id);
      const detail = unitDetail(model, found, view?.findings ?? []);
      return reply(200, live === undefined ? detail : { ...detail, live });
    })
    .on(card, async ({ params }) => {
      const model = await registry.model(params.id);
      const { cardDetail } = await import("../artifacts/report/detail.ts");
      return reply(200, cardDetail(model, await find(model, "card", params.name)));
    })
    .add(artifactValidation(options))
    .add(artifactGraph(options));
}
