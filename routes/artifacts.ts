/** Artifacts: what a workspace declares, as a list and one by one. */
import { z } from "zod";
import {
  ArtifactKind,
  ArtifactSummary,
  CardDetail,
  GroupDetail,
  UnitDetail,
} from "../artifacts/report/artifact_shape.ts";
import { holds } from "../http/etag.ts";
import { count, text } from "../http/query.ts";
import { type CoreRouter, json, raw, reply, route, router } from "../http/router.ts";
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
    limit: count(1, 10_000).describe("How many at most; all of them unless given").optional(),
    offset: count(0, 10_000_000).describe("How many to leave out at the beginning").default(0),
    format: z.enum(["json", "ndjson"]).describe("`ndjson`: one artifact a line, sent as it is made").default(
      "json",
    ),
  }),
  answers: {
    200: raw("In the order they were read; `total` counts those of all pages", {
      "application/json": z.object({ items: z.array(ArtifactSummary), total: z.int(), revision: z.string() }),
      "application/x-ndjson": null,
    }),
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
  const { registry, runtime } = options;
  return router()
    .on(list, async ({ params, query, request }) => {
      const model = await registry.model(params.id);
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
      const headers = { etag: text.etag, "cache-control": "private, no-cache" };
      if (holds(request, text.etag)) return new Response(null, { status: 304, headers });
      return new Response(text.text, { headers: { ...headers, "content-type": "application/json" } });
    })
    .on(group, async ({ params }) => {
      const model = await registry.model(params.id);
      const found = await find(model, "group", params.name);
      const { groupDetail } = await import("../artifacts/report/detail.ts");
      const view = await lookAt(model, runtime(), true, found.units.map(({ id }) => id));
      const live = view?.live.get(found.id);
      const detail = groupDetail(model, found, view?.findings ?? []);
      return reply(200, live === undefined ? detail : { ...detail, live });
    })
    .on(unit, async ({ params }) => {
      const model = await registry.model(params.id);
      const found = await find(model, "unit", params.name);
      const { unitDetail } = await import("../artifacts/report/detail.ts");
      const view = await lookAt(model, runtime(), true, [found.id]);
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
