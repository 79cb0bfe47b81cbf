/** Validation: what is wrong with a workspace, also with texts that are not saved yet. */
import * as z from "../core/schema.ts";
import { Report } from "../artifacts/report/report_shape.ts";
import { ServiceError } from "../core/error.ts";
import { flag } from "../http/declare/query.ts";
import { type CoreRouter, problems, raw, route, router } from "../http/declare/router.ts";
import { Turns } from "../http/declare/turns.ts";
import {
  type ArtifactsOptions,
  findComparedModel,
  InWorkspace,
  lookAt,
  type Looked,
  ownSide,
} from "./artifact_lookup.ts";

const Edits = z.strictObject({
  files: z.record(z.string().min(1).max(4_096), z.string().max(1024 * 1024))
    .refine((files) => Object.keys(files).length <= 1_000, "At most 1000 files")
    .meta({ maxProperties: 1_000 })
    .describe("Unsaved texts by their path in the workspace").optional(),
}).meta({
  id: "UnsavedFiles",
  examples: [{ files: { "compose.yaml": "services:\n  web:\n    image: nginx:1.27\n" } }],
}).optional();

const Sarif = z.object({
  $schema: z.string().describe("The address of SARIF's own schema"),
  version: z.literal("2.1.0").describe("The version of SARIF"),
  runs: z.array(z.record(z.string(), z.unknown())).describe("One run of berth, with its rules and results"),
}).meta({ id: "Sarif", description: "The same findings as SARIF 2.1.0, for code scanning and editors" });

const validate = route({
  method: "post",
  path: "/workspaces/{id}/artifacts/validate",
  summary: "Check a workspace, also with unsaved files laid over it",
  description:
    "Invalid artifacts are a 200 with `valid: false`. One at a time for a caller: four more may wait.",
  permission: "artifacts:read",
  subject: "found",
  audited: false,
  params: InWorkspace,
  query: z.object({
    format: z.enum(["json", "sarif"]).default("json").describe("Format of the findings"),
    live: flag.describe("Also what only shows beside the engine: drift, orphans, ports in use").default(
      false,
    ),
  }),
  body: Edits,
  bodyLimit: 8 * 1024 * 1024,
  answers: {
    200: raw("The report", { "application/json": Report, "application/sarif+json": Sarif }),
    ...problems(
      "forbidden",
      "workspace_not_found",
      "workspace_unavailable",
      "invalid_request",
      "too_many_requests",
    ),
  },
});

/** `POST /workspaces/{id}/artifacts/validate`. */
export function artifactValidation(options: ArtifactsOptions): CoreRouter {
  const { registry, runtime, sights, version } = options;
  // A check may take seconds: two of a pipeline wait for each other, a flood is refused.
  const turns = new Turns("check", 4);
  return router().on(
    validate,
    ({ params, query, body, principal, reach, left }) =>
      turns.take(principal, left, async () => {
        const files = body?.files;
        const saved = await findComparedModel(registry, params.id, reach);
        if (files !== undefined && !reach.has({ workspace: params.id })) {
          throw new ServiceError(
            "forbidden",
            'Cannot check unsaved files: this needs the permission "artifacts:read" for the whole workspace',
          );
        }
        const model = files === undefined
          ? saved
          : await registry.overlaid(params.id, await registry.withSecrets(params.id, saved, files));
        const { reportOn } = await import("../artifacts/report/report.ts");
        const { checkInTurns } = await import("../artifacts/rules/check.ts");
        await checkInTurns(model);
        const { nestedIn } = await import("../artifacts/rules/workspace.ts");
        const { view, liveNeeds }: Looked = query.live
          ? await lookAt(model, {
            runtime: runtime(),
            sights,
            principal,
            own: await ownSide(options, params.id),
          })
          : { view: null };
        const others = (await registry.models()).filter(({ workspace }) =>
          reach.has({ workspace: workspace.id })
        );
        const more = [...nestedIn(model, others), ...await view?.findings() ?? []];
        const report = {
          ...reportOn(model, params.id, more),
          ...(liveNeeds !== undefined && { liveNeeds }),
        };
        if (query.format === "json") return Response.json(report);
        const { sarifOf } = await import("../artifacts/report/sarif.ts");
        return new Response(JSON.stringify(sarifOf(report, version)), {
          headers: { "content-type": "application/sarif+json" },
        });
      }),
  );
}
