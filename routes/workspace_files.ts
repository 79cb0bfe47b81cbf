/** The files that a workspace was read from, in full, with their secrets masked; to read, to write to, and to create. */
import * as z from "../core/schema.ts";
import type { ArtifactFile, Model } from "../artifacts/artifact.ts";
import type { FileEditor } from "../artifacts/registry/file_editor.ts";
import { type Registry, unknownWorkspace } from "../artifacts/registry/registry.ts";
import { unknownFile } from "../artifacts/registry/snapshot.ts";
import { WorkspaceFileText } from "../artifacts/report/file_text_shape.ts";
import { may, type Principal, type Reach } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { reachOfRunning } from "../core/runtime.ts";
import { MASK } from "../core/secrets.ts";
import { runtimeSeen } from "../core/sight.ts";
import { WorkspaceFile } from "../core/workspace.ts";
import type { Call } from "../http/declare/call.ts";
import { etagOf } from "../http/declare/etag.ts";
import { flag, text } from "../http/declare/query.ts";
import { cached, type CoreRouter, json, problems, reply, route, router } from "../http/declare/router.ts";
import {
  type ArtifactsOptions,
  cachedText,
  findModel,
  InWorkspace,
  missingWorkspace,
} from "./artifact_lookup.ts";
import { currentFor, textOf } from "./file_tags.ts";
import { NamedVersion } from "./file_versions.ts";

const Named = InWorkspace.extend({
  path: text(4_096).describe("Below the workspace's folder, with `%2F` or `/` between its parts"),
});

const list = route({
  method: "get",
  path: "/workspaces/{id}/files",
  summary: "The files that a workspace was read from",
  description:
    "Lists every file that berth read, with its checksum and what it was read as, and the files of secrets and configs " +
    "and those mounted by themselves that projects name: 200 at most, text of at most 1 MiB below the workspace's " +
    "folder. `stale` marks a file whose newest text cannot be read.",
  headers: ["If-None-Match"],
  permission: "artifacts:read",
  subject: "found",
  params: InWorkspace,
  answers: {
    200: json(
      z.object({
        items: z.array(WorkspaceFile).describe("The files, in the order of their paths"),
        total: z.int().describe("Number of files"),
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
  description:
    "Returns the text with secrets replaced by masks; of a secret's file all of it. Of an environment file, values are shown that an engine shows anyway, as in an image or a port, unless their name, form or a use says that they are secrets. The `ETag` of the answer is what a later save " +
    "sends as `If-Match`.",
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

const Written = json(
  WorkspaceFileText.extend({
    staleIn: z.array(z.object({
      container: z.string().describe("The container's name"),
      target: z.string().describe("The path of the file in the container"),
      group: z.string().describe("The group to plan; `up` restarts the container"),
      unit: z.string().describe("The unit to plan, by its name"),
    })).optional().describe(
      "Containers that mount this very file and still read the text before; absent if the caller sees none",
    ),
  }).meta({ id: "WrittenFile" }),
  "The file as it is now",
);
const WRITING = [
  "workspace_not_found",
  "workspace_unavailable",
  "file_not_found",
  "file_changed",
  "tag_required",
  "not_editable",
  "file_not_written",
  "disk_full",
  "store_unavailable",
] as const;

const write = route({
  method: "put",
  path: "/workspaces/{id}/files/{path...}",
  summary: "Write to a file, or create one",
  description:
    "With `If-Match`, masks stay where they are and mean what they stood for, and the text before is kept: the last " +
    "twenty of a file. With `If-None-Match: *` the file is created, with at most three new folders, which get the " +
    "owner and mode of the folder that they are in; 412 `file_exists` if anything is there. Of hidden names only " +
    "`.env` can be created. Only where an admin has made the workspace editable.",
  headers: ["If-Match", "If-None-Match"],
  permission: "workspaces:files",
  subject: "found",
  params: Named,
  body: z.strictObject({
    text: z.string().max(1024 * 1024).regex(/^[^\0]*$/, "Expected text without NUL").describe(
      "All of its text",
    ),
  }).meta({ id: "FileText", examples: [{ text: "services:\n  web:\n    image: nginx:1.27\n" }] }),
  bodyLimit: 8 * 1024 * 1024,
  answers: {
    200: Written,
    201: { ...Written, isLocated: true },
    ...problems(...WRITING, "mask_moved", "file_exists"),
  },
});

const restore = route({
  method: "post",
  path: "/workspaces/{id}/versions/{version}/restore",
  summary: "Put a text that a file had before back in its place",
  description: "With the secrets that were in it. The text that it replaces is kept in turn.",
  headers: ["If-Match"],
  permission: "workspaces:files",
  subject: "found",
  params: NamedVersion,
  answers: { 200: Written, ...problems(...WRITING, "file_version_not_found") },
});

const loadNamed = () => import("../artifacts/compose/named_files.ts");

/** Returns true if the file is to be created. Throws `tag_required` for another `If-None-Match`. */
function mustBeAbsent({ headers }: Request): boolean {
  const given = headers.get("if-none-match");
  if (given === null) return false;
  if (given.trim() === "*" && !headers.has("if-match")) return true;
  throw new ServiceError(
    "tag_required",
    "Cannot save the file: send `If-Match` with the tag that it was read with, or `If-None-Match: *` to create it",
  );
}

/**
 * Returns the caller as writer of the workspace's files: a scope on a part of it is not enough, since a file
 * may concern all of it.
 */
function writerOf({ principal, reach, params, request }: Call<{ readonly id: string }, unknown, unknown>) {
  if (!reach.has({ workspace: params.id })) throw unknownWorkspace();
  const { kind, id, name } = principal;
  return { workspace: params.id, by: { kind, id, name }, mustBeCurrent: currentFor(request) };
}

export function workspaceFiles(
  { registry, editor, runtime, sights }:
    & Pick<ArtifactsOptions, "runtime" | "sights">
    & {
      readonly registry: Pick<Registry, "model" | "get" | "create" | "named">;
      readonly editor: FileEditor;
    },
): CoreRouter {
  const staleIn = async (workspace: string, path: string, principal: Principal) => {
    const engines = runtime();
    const sight = sights.of(reachOfRunning(principal));
    if (engines === null || sight.reach.nowhere) return [];
    const { staleReaders } = await import("../projects/drift/stale_readers.ts");
    return await staleReaders(await registry.model(workspace), runtimeSeen(engines, sight), path);
  };
  const written = async (workspace: string, file: ArtifactFile, principal: Principal) => {
    const [{ fileText }, model] = await Promise.all([
      import("../artifacts/report/file_text.ts"),
      registry.model(workspace).catch(() => null),
    ]);
    // The file is saved: an engine that fails now takes nothing back.
    const stale = await staleIn(workspace, file.path, principal).catch(() => []);
    return reply(200, { ...fileText(file, model), ...(stale.length > 0 && { staleIn: stale }) }, {
      etag: etagOf(await textOf(file, model, false)),
    });
  };
  const created = async (workspace: string, path: string, text: string, reach: Reach) => {
    if (!reach.has({ workspace })) throw unknownWorkspace();
    const mask = text.split("\n").findIndex((line) => line.includes(MASK));
    if (mask !== -1) {
      throw new ServiceError(
        "mask_moved",
        `Cannot create the file: line ${
          mask + 1
        } has a mask, which stands for nothing here; write the value itself`,
      );
    }
    const file = await registry.create(workspace, path, text);
    const [{ fileText }, model] = await Promise.all([
      import("../artifacts/report/file_text.ts"),
      registry.model(workspace).catch(() => null),
    ]);
    return reply(201, fileText(file, model), {
      location: `/api/workspaces/${workspace}/files/${path.split("/").map(encodeURIComponent).join("/")}`,
      etag: etagOf(await textOf(file, model, false)),
    });
  };
  /** Throws `file_not_found` for a file that no project names, and for one that is no text. */
  const named = async (workspace: string, model: Model, path: string): Promise<ArtifactFile> => {
    const kind = (await loadNamed()).namedFiles(model).get(path);
    const [file] = kind === undefined ? [] : await registry.named(workspace, new Map([[path, kind]]));
    if (file === undefined) throw unknownFile();
    return file;
  };
  return router()
    .on(list, async ({ params, reach, request }) => {
      const model = await findModel(registry, params.id, reach);
      const named = await registry.named(params.id, (await loadNamed()).listedFiles(model));
      const key = JSON.stringify(["files", ...named.map(({ path, hash }) => [path, hash])]);
      const text = await cachedText(model, key, () => {
        const items = [...model.files, ...named]
          .map(({ path, kind, hash, stale }) => ({ path, kind, sha256: hash, stale }))
          .sort((one, other) => one.path < other.path ? -1 : 1);
        return Promise.resolve(JSON.stringify({ items, total: items.length }));
      });
      return await text.answer(request);
    })
    .on(read, async (call) => {
      const { params: { id, path }, query: { reveal } } = call;
      const model = await findModel(registry, id, call.reach);
      const file = model.files.find((one) => one.path === path) ?? await named(id, model, path);
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
      // The whole of it decides, also for callers with a part in scope.
      return cached(await textOf(file, await registry.model(id), reveal));
    })
    .on(write, async (call) => {
      const { params: { id, path }, body: { text }, request } = call;
      if (mustBeAbsent(request)) return await created(id, path, text, call.reach);
      return await written(id, await editor.save({ ...writerOf(call), path }, text), call.principal);
    })
    .on(restore, async (call) => {
      const file = await editor.restore(writerOf(call), call.params.version);
      return await written(call.params.id, file, call.principal);
    });
}
