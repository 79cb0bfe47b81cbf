/** The graph of a workspace, to be drawn: JSON, Mermaid, DOT. */
import * as z from "../core/schema.ts";
import type { Model } from "../artifacts/artifact.ts";
import { Dag } from "../artifacts/drawing/dag_shape.ts";
import { CachedText } from "../http/declare/cached_text.ts";
import { flag, text } from "../http/declare/query.ts";
import { type CoreRouter, raw, route, router } from "../http/declare/router.ts";
import {
  type ArtifactsOptions,
  cachedText,
  find,
  findModel,
  InWorkspace,
  lookAt,
  type Looked,
  missingArtifact,
  ownSide,
} from "./artifact_lookup.ts";

const dag = route({
  method: "get",
  path: "/workspaces/{id}/artifacts/dag",
  summary: "The graph, to be drawn",
  description:
    "Returns groups, units and their references as JSON for programs, or as Mermaid or Graphviz text " +
    "for drawing.",
  headers: ["If-None-Match"],
  permission: "artifacts:read",
  subject: "found",
  params: InWorkspace,
  query: z.object({
    format: z.enum(["json", "mermaid", "dot"]).default("json").describe("Format of the graph"),
    view: z.enum(["all", "groups"]).describe(
      "`groups`: only groups, and what lies between them. Unless given, that is what a workspace of more than 5,000 nodes is drawn as",
    ).optional(),
    group: text(300).describe("Only this group and its neighbours").optional(),
    live: flag.describe("With the state of what runs").default(false),
  }),
  answers: {
    200: raw("The drawing; its tag stays while the artifacts do", {
      "application/json": Dag,
      "text/vnd.mermaid": null,
      "text/vnd.graphviz": null,
    }),
    ...missingArtifact,
  },
});

const TYPES = {
  json: "application/json",
  mermaid: "text/vnd.mermaid; charset=utf-8",
  dot: "text/vnd.graphviz; charset=utf-8",
} as const;

/** `GET /workspaces/{id}/artifacts/dag`. */
export function artifactGraph(options: ArtifactsOptions): CoreRouter {
  const { registry, runtime, sights } = options;
  return router().on(dag, async ({ params: { id }, query, request, principal, reach }) => {
    const { format, view: wanted } = query;
    const model = await findModel(registry, id, reach);
    const group = query.group === undefined ? undefined : (await find(model, "group", query.group)).id;
    const drawn = query.live
      // Running containers change without the files, so only a drawing of the files alone is cached.
      ? new CachedText(
        await draw(model, {
          id,
          format,
          wanted,
          group,
          looked: await lookAt(model, {
            runtime: runtime(),
            sights,
            principal,
            own: await ownSide(options, id),
          }),
        }),
      )
      : await cachedText(
        model,
        `dag ${id} ${format} ${wanted ?? ""} ${group ?? ""}`,
        () => draw(model, { id, format, wanted, group, looked: { view: null } }),
      );
    return await drawn.response(request, TYPES[format]);
  });
}

interface Drawing {
  readonly id: string;
  readonly format: keyof typeof TYPES;
  readonly wanted: Dag["view"] | undefined;
  readonly group: string | undefined;
  readonly looked: Looked;
}

async function draw(
  model: Model,
  { id, format, wanted, group, looked: { view, liveNeeds } }: Drawing,
): Promise<string> {
  const { dagOf } = await import("../artifacts/drawing/dag.ts");
  const dag = dagOf(model, id, {
    ...(wanted !== undefined && { view: wanted }),
    ...(group !== undefined && { group }),
    ...(view !== null && { live: view.live }),
    ...(liveNeeds !== undefined && { liveNeeds }),
  });
  if (format === "mermaid") return (await import("../artifacts/drawing/mermaid.ts")).mermaidOf(dag);
  if (format === "dot") return (await import("../artifacts/drawing/dot.ts")).dotOf(dag);
  return JSON.stringify(dag);
}
