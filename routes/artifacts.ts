/** Artifacts: what a workspace declares, as a list and one by one. */
import * as z from "../core/schema.ts";
import type { UnitLive } from "../artifacts/live/live.ts";
import {
  ArtifactKind,
  ArtifactSummary,
  CardDetail,
  GroupDetail,
  UnitDetail,
} from "../artifacts/report/artifact_shape.ts";
import { may } from "../core/access.ts";
import type { Model } from "../artifacts/artifact.ts";
import { ServiceError } from "../core/error.ts";
import type { Call } from "../http/declare/call.ts";
import { count, flag, text } from "../http/declare/query.ts";
import { type CoreRouter, json, problems, raw, reply, route, router } from "../http/declare/router.ts";
import { artifactGraph } from "./artifact_graph.ts";
import {
  type ArtifactsOptions,
  cachedText,
  find,
  findModel,
  InWorkspace,
  lookAt,
  type Looked,
  missingArtifact,
  missingWorkspace,
  ownSide,
} from "./artifact_lookup.ts";
import { artifactValidation } from "./artifact_validation.ts";

const Named = z.object({
  id: text(200).describe("The workspace's id"),
  name: text(300).describe("The artifact's name or id; a short name where only one has it"),
});
const Reveal = z.object({
  reveal: flag.describe("Show secrets, too: needs `artifacts:reveal`, and is an entry of the audit log")
    .default(false),
});

const list = route({
  method: "get",
  path: "/workspaces/{id}/artifacts",
  summary: "The groups, units and cards of a workspace",
  description: "Lists what the files declare: groups (Compose projects), units (services) and cards " +
    "(descriptions). Filter by kind or by a part of the name, title or image.",
  headers: ["If-None-Match"],
  permission: "artifacts:read",
  subject: "found",
  params: InWorkspace,
  query: z.object({
    kind: ArtifactKind.optional().describe("Only artifacts of this kind"),
    q: text(200).describe("Part of a name, title or image").optional(),
    limit: count(1, 10_000).describe("Maximum number of items; all if left out").optional(),
    offset: count(0, 10_000_000).describe("Number of items to skip at the beginning").default(0),
    format: z.enum(["json", "ndjson"]).describe("`ndjson`: one artifact a line, sent as it is made").default(
      "json",
    ),
  }),
  answers: {
    200: raw("In the order they were read; `total` counts those of all pages", {
      "application/json": z.object({
        items: z.array(ArtifactSummary).describe("The artifacts"),
        total: z.int().describe("Number of all items"),
        revision: z.string().describe("Changes whenever the folder's meaning does"),
      }),
      "application/x-ndjson": null,
    }),
    ...missingWorkspace,
  },
});

const group = route({
  method: "get",
  path: "/workspaces/{id}/artifacts/groups/{name}",
  summary: "A group with its YAML, references both ways, diagnostics and state",
  description:
    "Returns one Compose project: its text, what it refers to and what refers to it, its findings, and " +
    "the state of its containers.",
  permission: "artifacts:read",
  subject: "found",
  params: Named,
  query: Reveal,
  answers: { 200: json(GroupDetail, "The group"), ...missingArtifact, ...problems("sign_in_again") },
});

const unit = route({
  method: "get",
  path: "/workspaces/{id}/artifacts/units/{name}",
  summary: "A unit with its YAML, references both ways, diagnostics, containers and drift",
  description: "By its qualified name, `shop.web`, or the bare one where that is unique.",
  permission: "artifacts:read",
  subject: "found",
  params: Named,
  query: Reveal,
  answers: { 200: json(UnitDetail, "The unit"), ...missingArtifact, ...problems("sign_in_again") },
});

const card = route({
  method: "get",
  path: "/workspaces/{id}/artifacts/cards/{name}",
  summary: "A card with its YAML, what it describes, and diagnostics",
  description:
    "A card is a document that describes units, for example a Backstage component. Returns its text, " +
    "what it describes, and its findings.",
  permission: "artifacts:read",
  subject: "found",
  params: Named,
  query: Reveal,
  answers: { 200: json(CardDetail, "The card"), ...missingArtifact, ...problems("sign_in_again") },
});

/** Artifacts that are sent in one piece. */
const PIECE = 200;

/** One artifact a line, a piece at a time as the reader takes them. */
function lines(items: readonly ArtifactSummary[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const piece = items.slice(at, at += PIECE);
      if (piece.length === 0) controller.close();
      else controller.enqueue(encoder.encode(piece.map((item) => `${JSON.stringify(item)}\n`).join("")));
    },
  });
}

/** The modules behind these routes are loaded by the first caller: a start needs none of them. */
export function artifacts(options: ArtifactsOptions): CoreRouter {
  const { registry, runtime, sights } = options;
  return router()
    .on(list, async ({ params, query, request, reach }) => {
      const model = await findModel(registry, params.id, reach);
      const { kind, q, offset, limit, format } = query;
      const items = async () => {
        const { summariesOf } = await import("../artifacts/report/summary.ts");
        return summariesOf(model, { ...(kind !== undefined && { kind }), ...(q !== undefined && { q }) });
      };
      const page = (all: readonly ArtifactSummary[]) =>
        all.slice(offset, limit === undefined ? undefined : offset + limit);
      if (format === "ndjson") {
        const headers = { "content-type": "application/x-ndjson", "cache-control": "private, no-cache" };
        return new Response(lines(page(await items())), { headers });
      }
      const text = await cachedText(
        model,
        `list ${kind ?? ""} ${offset} ${limit ?? ""} ${q ?? ""}`,
        async () => {
          const all = await items();
          return JSON.stringify({ items: page(all), total: all.length, revision: model.revision });
        },
      );
      return await text.response(request, "application/json");
    })
    .on(group, async (call) => {
      const model = await findModel(registry, call.params.id, call.reach);
      const found = await find(model, "group", call.params.name);
      const reveal = await mayReveal(call, model, found);
      const { groupDetail } = await import("../artifacts/report/detail.ts");
      const { principal } = call;
      const only = found.units.map(({ id }) => id);
      const own = await ownSide(options, call.params.id);
      const looked = await lookAt(model, { runtime: runtime(), sights, principal, only, own });
      const detail = groupDetail(model, found, { live: await looked.view?.findings() ?? [], reveal });
      return reply(200, { ...detail, ...liveOf(looked, found.id) });
    })
    .on(unit, async (call) => {
      const model = await findModel(registry, call.params.id, call.reach);
      const found = await find(model, "unit", call.params.name);
      const reveal = await mayReveal(call, model, found);
      const { unitDetail } = await import("../artifacts/report/detail.ts");
      const { principal } = call;
      const looked = await lookAt(model, {
        runtime: runtime(),
        sights,
        principal,
        only: [found.id],
        own: await ownSide(options, call.params.id),
      });
      const detail = unitDetail(model, found, { live: await looked.view?.findings() ?? [], reveal });
      return reply(200, { ...detail, ...liveOf(looked, found.id) });
    })
    .on(card, async (call) => {
      const model = await findModel(registry, call.params.id, call.reach);
      const found = await find(model, "card", call.params.name);
      const reveal = await mayReveal(call, model, found);
      const { cardDetail } = await import("../artifacts/report/detail.ts");
      return reply(200, cardDetail(model, found, { reveal }));
    })
    .add(artifactValidation(options))
    .add(artifactGraph(options));
}

/**
 * Returns the live part of one artifact: nothing without a runtime, null for callers who may not see running
 * containers.
 */
function liveOf(
  { view, liveNeeds }: Looked,
  id: string,
): { live?: UnitLive | null; liveNeeds?: typeof liveNeeds } {
  if (liveNeeds !== undefined) return { live: null, liveNeeds };
  const live = view?.live.get(id);
  return live === undefined ? {} : { live };
}

interface Revealed {
  readonly id: string;
  /** Of a unit. */
  readonly group?: string | null;
}

type NamedCall = Call<z.output<typeof Named>, z.output<typeof Reveal>>;

/**
 * Returns true if secrets are to be shown; resolves once that is in the audit log. Throws `forbidden`,
 * `sign_in_again`.
 */
async function mayReveal(call: NamedCall, model: Model, { id, group }: Revealed): Promise<boolean> {
  if (!call.query.reveal) return false;
  const project = model.groups.find((one) => one.id === (group ?? id))?.project ?? null;
  if (!may(call.principal, "artifacts:reveal", { workspace: call.params.id, project })) {
    throw new ServiceError(
      "forbidden",
      `Cannot show "${id}": "reveal" needs the permission "artifacts:reveal"`,
    );
  }
  await call.mustBeProved();
  await call.shows({ artifact: id });
  return true;
}
