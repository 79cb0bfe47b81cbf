/** The files that a workspace was read from, in full, with their secrets masked. */
import { z } from "zod";
import type { ArtifactFile } from "../artifacts/artifact.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import { WorkspaceFileText } from "../artifacts/report/file_text_shape.ts";
import { may } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { WorkspaceFile } from "../core/workspace.ts";
import { flag, text } from "../http/query.ts";
import { cached, type CoreRouter, json, problems, route, router } from "../http/router.ts";
import { cachedText, findModel, InWorkspace, missingWorkspace } from "./artifact_lookup.ts";

const Named = InWorkspace.extend({
  path: text(4_096).describe("Below the workspace's folder, with `%2F` or `/` between its parts"),
});

const list = route({
  method: "get",
  path: "/workspaces/{id}/files",
  summary: "The files that a workspace was read from",
  headers: ["If-None-Match"],
  permission: "artifacts:read",
  subject: "found",
  params: InWorkspace,
  answers: {
    200: json(
      z.object({
        items: z.array(WorkspaceFile).describe("The files, in the order of their paths"),
        total: z.int().describe("How many there are"),
      }).meta({ id: "WorkspaceFileList" }),
      "All of them",
    ),
    ...missingWorkspace,
  },
});

const read = route({
  method: "get",
  path: "/workspaces/{id}/files/{path...}",
  summary: "A file in full, with its secrets masked",
  headers: ["If-None-Match"],
  permission: "artifacts:read",
  subject: "found",
  params: Named,
  query: z.object({
    reveal: flag.describe("Show secrets, too: needs `artifacts:reveal`, and is an entry of the audit log")
      .default(false),
  }),
  answers: {
    200: json(WorkspaceFileText, "The file as it was last read"),
    ...problems("workspace_not_found", "workspace_unavailable", "file_not_found", "sign_in_again"),
  },
});

/** The file as its readers see it, in JSON. */
async function textOf(file: ArtifactFile, reveal: boolean): Promise<string> {
  const { fileText } = await import("../artifacts/report/file_text.ts");
  return JSON.stringify(fileText(file, reveal));
}

export function workspaceFiles({ registry }: { readonly registry: Pick<Registry, "model"> }): CoreRouter {
  return router()
    .on(list, async ({ params, reach, request }) => {
      const model = await findModel(registry, params.id, reach);
      const text = await cachedText(model, "files", () => {
        const items = model.files.map(({ path, kind, hash, stale }) => ({ path, kind, sha256: hash, stale }));
        return Promise.resolve(JSON.stringify({ items, total: items.length }));
      });
      return await text.answer(request);
    })
    .on(read, async (call) => {
      const { params: { id, path }, query: { reveal } } = call;
      const model = await findModel(registry, id, call.reach);
      const file = model.files.find((one) => one.path === path);
      if (file === undefined) {
        throw new ServiceError("file_not_found", "No file of this path was read in this workspace");
      }
      if (reveal) {
        if (!may(call.principal, "artifacts:reveal", { workspace: id })) {
          throw new ServiceError(
            "forbidden",
            'Cannot show the file: "reveal" needs the permission "artifacts:reveal"',
          );
        }
        await call.mustBeProved();
        await call.shows({ file: path });
      }
      return cached(await textOf(file, reveal));
    });
}
