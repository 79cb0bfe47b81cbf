/** Artifacts: what a workspace declares, what is wrong with it, how it hangs together, and how it is doing. */
import { z } from "zod";
import type { Card, Group, Model, Unit } from "../artifacts/artifact.ts";
import { Dag } from "../artifacts/drawing/dag_shape.ts";
import type { NamedKind } from "../artifacts/graph/names.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import {
  ArtifactKind,
  ArtifactSummary,
  CardDetail,
  GroupDetail,
  UnitDetail,
} from "../artifacts/report/artifact_shape.ts";
import { Report } from "../artifacts/report/report_shape.ts";
import { ServiceError } from "../core/error.ts";
import type { ContainerRuntime } from "../core/runtime.ts";
import { etagOf, holds } from "../http/etag.ts";
import { flag, text } from "../http/query.ts";
import { cached, json, problems, raw, reply, route, type Router, router } from "../http/router.ts";

const InWorkspace = z.object({ id: text(200) });
const Named = z.object({ id: text(200), name: text(300) });
const missing = problems("workspace_not_found", "workspace_unavailable");
const missingOne = problems(
  "workspace_not_found",
  "artifact_not_found",
  "workspace_unavailable",
  "ambiguous_name",
);

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
    ...missing,
  },
});

const group = route({
  method: "get",
  path: "/workspaces/{id}/artifacts/groups/{name}",
  summary: "A group with its YAML, references both ways, diagnostics and state",
  permission: "artifacts:read",
  params: Named,
  answers: { 200: json(GroupDetail, "The group"), ...missingOne },
});

const unit = route({
  method: "get",
  path: "/workspaces/{id}/artifacts/units/{name}",
  summary: "A unit with its YAML, references both ways, diagnostics, containers and drift",
  description: "By its qualified name, `shop.web`, or the bare one where that is unique.",
  permission: "artifacts:read",
  params: Named,
  answers: { 200: json(UnitDetail, "The unit"), ...missingOne },
});

const card = route({
  method: "get",
  path: "/workspaces/{id}/artifacts/cards/{name}",
  summary: "A card with its YAML, what it describes, and diagnostics",
  permission: "artifacts:read",
  params: Named,
  answers: { 200: json(CardDetail, "The card"), ...missingOne },
});

const Edits = z.strictObject({
  files: z.record(z.string().min(1).max(4_096), z.string().max(1024 * 1024))
    .refine((files) => Object.keys(files).length <= 1_000, "At most 1000 files")
    .describe("Unsaved texts by their path in the workspace").optional(),
}).optional();

const validate = route({
  method: "post",
  path: "/workspaces/{id}/artifacts/validate",
  summary: "Check a workspace, also with unsaved files laid over it",
  description: "Invalid artifacts are a 200 with `valid: false`.",
  permission: "artifacts:read",
  audited: false,
  params: InWorkspace,
  query: z.object({
    format: z.enum(["json", "sarif"]).default("json"),
    live: flag.describe("Also what only shows beside the engine: drift, orphans, ports in use").default(
      false,
    ),
  }),
  body: Edits,
  bodyLimit: 8 * 1024 * 1024,
  answers: {
    200: raw("The report", { "application/json": Report, "application/sarif+json": null }),
    ...problems("workspace_not_found", "workspace_unavailable", "invalid_request"),
  },
});

const dag = route({
  method: "get",
  path: "/workspaces/{id}/artifacts/dag",
  summary: "The graph, to be drawn",
  permission: "artifacts:read",
  params: InWorkspace,
  query: z.object({
    format: z.enum(["json", "mermaid", "dot"]).default("json"),
    group: text(300).describe("Only this group and its neighbours").optional(),
    live: flag.describe("With the state of what runs").default(false),
  }),
  answers: {
    200: raw("The drawing; its tag stays while the artifacts do", {
      "application/json": Dag,
      "text/vnd.mermaid": null,
      "text/vnd.graphviz": null,
    }),
    ...missingOne,
  },
});

export interface ArtifactsOptions {
  readonly registry: Pick<Registry, "model" | "overlaid" | "models">;
  /** Asked on every call: a plugin may start later than the routes. */
  readonly runtime: () => ContainerRuntime | null;
  readonly version: string;
}

/** The modules behind these routes are loaded by the first who asks: a start needs none of them. */
export function artifacts({ registry, runtime, version }: ArtifactsOptions): Router {
  return router()
    .on(list, async ({ params, query }) => {
      const model = await registry.model(params.id);
      const text = await keptText(model, `list ${query.kind ?? ""} ${query.q ?? ""}`, async () => {
        const { summariesOf } = await import("../artifacts/report/summary.ts");
        const items = summariesOf(model, {
          ...(query.kind !== undefined && { kind: query.kind }),
          ...(query.q !== undefined && { q: query.q }),
        });
        return JSON.stringify({ items, total: items.length, revision: model.revision });
      });
      return cached(text.text, text.etag);
    })
    .on(group, async ({ params }) => {
      const model = await registry.model(params.id);
      const found = await find(model, "group", params.name) as Group; // looked up among groups
      const { groupDetail } = await import("../artifacts/report/detail.ts");
      const view = await lookAt(model, runtime(), false);
      const live = view?.live.get(found.id);
      const detail = groupDetail(model, found, view?.findings ?? []);
      return reply(200, live === undefined ? detail : { ...detail, live });
    })
    .on(unit, async ({ params }) => {
      const model = await registry.model(params.id);
      const found = await find(model, "unit", params.name) as Unit; // looked up among units
      const { unitDetail } = await import("../artifacts/report/detail.ts");
      const view = await lookAt(model, runtime(), true, found.id);
      const live = view?.live.get(found.id);
      const detail = unitDetail(model, found, view?.findings ?? []);
      return reply(200, live === undefined ? detail : { ...detail, live });
    })
    .on(card, async ({ params }) => {
      const model = await registry.model(params.id);
      const found = await find(model, "card", params.name) as Card; // looked up among cards
      const { cardDetail } = await import("../artifacts/report/detail.ts");
      return reply(200, cardDetail(model, found));
    })
    .on(validate, async ({ params, query, body }) => {
      const files = body?.files;
      const model = files === undefined
        ? await registry.model(params.id)
        : await registry.overlaid(params.id, files);
      const { reportOn } = await import("../artifacts/report/report.ts");
      const { checkInTurns } = await import("../artifacts/rules/check.ts");
      await checkInTurns(model);
      const { nestedIn } = await import("../artifacts/rules/workspace.ts");
      const view = query.live ? await lookAt(model, runtime(), true) : null;
      const more = [...nestedIn(model, await registry.models()), ...view?.findings ?? []];
      const report = reportOn(model, params.id, more);
      if (query.format === "json") return Response.json(report);
      const { sarifOf } = await import("../artifacts/report/sarif.ts");
      return new Response(JSON.stringify(sarifOf(report, version)), {
        headers: { "content-type": "application/sarif+json" },
      });
    })
    .on(dag, async ({ params, query, request }) => {
      const model = await registry.model(params.id);
      const only = query.group === undefined ? undefined : (await find(model, "group", query.group)).id;
      const draw = async () => {
        const { dagOf } = await import("../artifacts/drawing/dag.ts");
        const view = query.live ? await lookAt(model, runtime(), true) : null;
        const drawn = dagOf(model, params.id, {
          ...(only !== undefined && { group: only }),
          ...(view !== null && { live: view.live }),
        });
        if (query.format === "mermaid") {
          return (await import("../artifacts/drawing/mermaid.ts")).mermaidOf(drawn);
        }
        if (query.format === "dot") return (await import("../artifacts/drawing/dot.ts")).dotOf(drawn);
        return JSON.stringify(drawn);
      };
      // What runs changes without the files: only a drawing of the files alone is worth keeping.
      const { text, etag } = query.live
        ? withTag(await draw())
        : await keptText(model, `dag ${params.id} ${query.format} ${only ?? ""}`, draw);
      const headers = { etag, "cache-control": "private, no-cache" };
      if (holds(request, etag)) return new Response(null, { status: 304, headers });
      return new Response(text, { headers: { ...headers, "content-type": TYPES[query.format] } });
    });
}

const TYPES = {
  json: "application/json",
  mermaid: "text/vnd.mermaid; charset=utf-8",
  dot: "text/vnd.graphviz; charset=utf-8",
} as const;

interface Tagged {
  readonly text: string;
  readonly etag: string;
}

const texts = new WeakMap<Model, Map<string, Tagged>>();
/** Texts kept for one revision of a workspace. */
const MOST_TEXTS = 64;

/** A text that only a new revision changes: serialised once, then kept. */
async function keptText(model: Model, key: string, make: () => Promise<string>): Promise<Tagged> {
  let own = texts.get(model);
  if (own === undefined) texts.set(model, own = new Map());
  const known = own.get(key);
  if (known !== undefined) return known;
  const made = withTag(await make());
  if (own.size >= MOST_TEXTS) own.delete(own.keys().next().value!); // there is one at least
  own.set(key, made);
  return made;
}

const withTag = (text: string): Tagged => ({ text, etag: etagOf(text) });

async function lookAt(model: Model, runtime: ContainerRuntime | null, drift: boolean, only?: string) {
  if (runtime === null) return null;
  const { look } = await import("../artifacts/live/look.ts");
  return await look(model, runtime, { drift, ...(only !== undefined && { only: new Set([only]) }) });
}

async function find(model: Model, kind: NamedKind, name: string): Promise<Group | Unit | Card> {
  const { findByName } = await import("../artifacts/graph/names.ts");
  const found = findByName(model, kind, name);
  if ("candidates" in found) {
    throw new ServiceError(
      "ambiguous_name",
      `Cannot tell which ${kind} is meant: "${name}" fits ${found.candidates.length}`,
      { errors: found.candidates.slice(0, 20).map((id) => ({ path: "path.name", message: id })) },
    );
  }
  const all: readonly (Group | Unit | Card)[] = kind === "group"
    ? model.groups
    : kind === "unit"
    ? model.units
    : model.cards;
  const artifact = "id" in found ? all.find(({ id }) => id === found.id) : undefined;
  if (artifact === undefined) {
    throw new ServiceError("artifact_not_found", `Cannot find the ${kind} "${name}": the workspace has none`);
  }
  return artifact;
}
