/** Newer versions as a change of the file: its text with the change in place, to be written as any other edit. */
import * as z from "../core/schema.ts";
import { type Registry, unknownWorkspace } from "../artifacts/registry/registry.ts";
import { type Principal, type Reach, reachOf } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { readReference } from "../core/image_reference.ts";
import { WorkspaceFile } from "../core/workspace.ts";
import { etagOf, tagsToMatch } from "../http/declare/etag.ts";
import { type CoreRouter, json, problems, reply, route, router } from "../http/declare/router.ts";
import { find } from "./artifact_lookup.ts";
import { currentFor, textOf } from "./file_tags.ts";
import { LineChange } from "./line_change.ts";
import type { ProjectList } from "./project_list.ts";

const ProposedUpdate = WorkspaceFile.pick({ path: true, kind: true }).extend({
  workspace: z.string().describe("The id of the workspace that the file is of"),
  sha256: z.string().describe("Of the text as it would be, without masks"),
  text: z.string().describe("All of it, with `********` for every secret and the change in place"),
  editable: z.boolean().describe("True if berth may write the file"),
  changes: z.array(LineChange).describe("The lines that differ"),
}).meta({ id: "ProposedUpdate" });

const propose = route({
  method: "post",
  path: "/updates/propose",
  summary: "The file's text with another version of an image in place",
  description:
    "Nothing is written. Save the text with `PUT /api/workspaces/{id}/files/{path}` and the `ETag` of this answer as " +
    "`If-Match`, then plan and apply the project. The line is changed where the version stands: in the Compose file or " +
    "in the `.env` file that a variable comes from. With `If-Match`, 412 `file_changed` unless the file is that one. " +
    "Needs `artifacts:read`, too.",
  headers: ["If-Match"],
  permission: "workspaces:files",
  subject: "found",
  audited: false,
  body: z.strictObject({
    project: z.string().min(1).max(500).describe("The project's id"),
    reference: z.string().min(1).max(1_024).describe("The image as `GET /api/updates` names it"),
    candidate: z.string().min(1).max(1_024).describe(
      "The `reference` of one of its candidates of kind `tag`, or of `back`",
    ),
  }).meta({
    id: "UpdateProposal",
    examples: [{
      project: "shop@2f1c9a",
      reference: "docker.io/library/nginx:1.27.1",
      candidate: "docker.io/library/nginx:1.27.3",
    }],
  }),
  answers: {
    200: json(ProposedUpdate, "The file as it would be"),
    ...problems(
      "workspace_not_found",
      "workspace_unavailable",
      "artifact_not_found",
      "update_not_found",
      "image_not_editable",
      "file_changed",
    ),
  },
});

interface ProposedOptions {
  readonly registry: Pick<Registry, "model" | "get" | "parsed">;
  readonly listOf: (principal: Principal, reach: Reach) => Promise<ProjectList>;
}

export function proposedUpdates({ registry, listOf }: ProposedOptions): CoreRouter {
  return router().on(propose, async ({ body, principal, reach, request }) => {
    const at = body.project.lastIndexOf("@");
    const [name, workspace] = [body.project.slice(0, Math.max(at, 0)), body.project.slice(at + 1)];
    // A file may concern all of the workspace.
    const readable = reachOf(principal, "artifacts:read");
    if (!reach.has({ workspace }) || !readable.has({ workspace })) throw unknownWorkspace();
    const { updates } = await listOf(principal, readable);
    const item = updates.items.get(body.project)?.find(({ reference, candidates, back }) =>
      reference === body.reference && (back?.reference === body.candidate ||
        candidates.some(({ kind, reference }) => kind === "tag" && reference === body.candidate))
    );
    const tag = readReference(body.candidate)?.tag ?? null;
    if (item === undefined || tag === null) {
      throw new ServiceError(
        "update_not_found",
        `Cannot propose "${body.candidate}": berth does not know it as a newer version of "${body.reference}" there, nor as the one before; ` +
          "look for newer images first",
      );
    }
    const model = await registry.model(workspace);
    const group = await find(model, "group", name);
    const { proposeTag } = await import("../projects/updates/propose.ts");
    const { file, text, shown, changes } = proposeTag(
      group,
      group.units.filter(({ label }) => item.units.includes(label)),
      tag,
      model,
    );
    if (tagsToMatch(request) !== null) await currentFor(request)(file, model);
    const { kind, path } = file;
    const { hash: sha256 } = await registry.parsed(workspace, path, kind, text);
    const { editable } = await registry.get(workspace);
    const etag = etagOf(await textOf(file, model, false));
    return reply(200, { workspace, path, kind, sha256, text: shown, editable, changes: [...changes] }, {
      etag,
    });
  });
}
