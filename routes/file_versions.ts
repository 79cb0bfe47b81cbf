/** The texts that files of a workspace had before they were saved in berth. */
import * as z from "../core/schema.ts";
import type { FileEditor } from "../artifacts/registry/file_editor.ts";
import { type Registry, unknownWorkspace } from "../artifacts/registry/registry.ts";
import { WorkspaceFileText } from "../artifacts/report/file_text_shape.ts";
import type { Reach } from "../core/access.ts";
import { count, text } from "../http/declare/query.ts";
import { type CoreRouter, json, problems, reply, route, router } from "../http/declare/router.ts";
import { Author } from "./author.ts";
import { InWorkspace } from "./artifact_lookup.ts";

const Version = z.object({
  id: z.int().describe("Its id"),
  path: z.string().describe("The file that it was the text of"),
  at: z.iso.datetime().describe("When another text took its place"),
  by: Author.describe("The user or key that saved the other text"),
  sha256: z.string().describe("The checksum of the text"),
  size: z.int().describe("In bytes"),
}).meta({ id: "FileVersion" });

export const NamedVersion = InWorkspace.extend({
  version: count(1, Number.MAX_SAFE_INTEGER).describe("The id of the earlier text"),
});

const versions = route({
  method: "get",
  path: "/workspaces/{id}/versions",
  summary: "The texts that a file had before",
  description:
    "berth keeps the last twenty texts of each file that is saved in berth. Changes by other programs " +
    "are not in this list.",
  permission: "workspaces:files",
  subject: "found",
  params: InWorkspace,
  query: z.object({ path: text(4_096).describe("The file") }),
  answers: {
    200: json(
      z.object({
        items: z.array(Version).describe("The earlier texts"),
        total: z.int().describe("Number of versions"),
      }).meta({ id: "FileVersionList" }),
      "The newest first, twenty at most",
    ),
    ...problems("workspace_not_found"),
  },
});

const version = route({
  method: "get",
  path: "/workspaces/{id}/versions/{version}",
  summary: "A text that a file had before, with its secrets masked",
  description: "For comparing an earlier text with the current one before it is restored.",
  permission: "workspaces:files",
  subject: "found",
  params: NamedVersion,
  answers: {
    200: json(WorkspaceFileText, "The text"),
    ...problems("workspace_not_found", "workspace_unavailable", "file_version_not_found"),
  },
});

interface FileVersionsOptions {
  readonly registry: Pick<Registry, "get">;
  readonly editor: FileEditor;
}

export function fileVersions({ registry, editor }: FileVersionsOptions): CoreRouter {
  const inReach = async (workspace: string, reach: Reach) => {
    if (!reach.has({ workspace })) throw unknownWorkspace();
    await registry.get(workspace);
    return workspace;
  };
  return router()
    .on(versions, async ({ params, query, reach }) => {
      const items = await editor.versions(await inReach(params.id, reach), query.path);
      return reply(200, {
        items: items.map(({ id, path, at, by, sha256, size }) => ({
          id,
          path,
          at: new Date(at).toISOString(),
          by,
          sha256,
          size,
        })),
        total: items.length,
      });
    })
    .on(version, async ({ params, reach }) => {
      const { file } = await editor.version(await inReach(params.id, reach), params.version);
      const { fileText } = await import("../artifacts/report/file_text.ts");
      return reply(200, fileText(file, null));
    });
}
