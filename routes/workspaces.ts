/** Workspaces: list, register, fetch and forget the folders berth reads. */

import * as z from "../core/schema.ts";
import { type Registry, unknownWorkspace } from "../artifacts/registry/registry.ts";
import { EVERYTHING, may, type Reach } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import type { NewSource } from "../core/source.ts";
import type { Sources } from "../git/sources.ts";
import { mustMayApply } from "./sources.ts";
import type { Call } from "../http/declare/call.ts";
import { NewWorkspace, Workspace, WorkspaceChange, WorkspaceDetail } from "../core/workspace.ts";
import {
  cached,
  type CoreRouter,
  empty,
  json,
  located,
  problems,
  reply,
  route,
  router,
} from "../http/declare/router.ts";

const Id = z.object({ id: z.string().min(1).max(100).describe("The workspace's id") });

const list = route({
  method: "get",
  path: "/workspaces",
  summary: "List the registered workspaces",
  description:
    "Lists the folders that berth reads, each with its state and the numbers of artifacts and findings. " +
    "Callers with scopes see the workspaces in them.",
  headers: ["If-None-Match"],
  permission: "workspaces:read",
  subject: "listed",
  answers: {
    200: json(
      z.object({
        items: z.array(Workspace).describe("The workspaces"),
        total: z.int().describe("Number of all workspaces"),
      }).meta({ id: "WorkspaceList" }),
      "All of them, by name",
    ),
  },
});

const register = route({
  method: "post",
  path: "/workspaces",
  summary: "Register a folder as a workspace",
  description:
    "The folder must exist and lie in one of the allowed folders of `BERTH_ROOTS`. berth reads it, " +
    "keeps watching it, and never writes to it unless it is made editable. With `source` it follows a branch of a Git " +
    "repository from the beginning, and is made if it is not there; this requires `workspaces:manage` and a recent " +
    "sign-in, too.",
  permission: "workspaces:write",
  subject: "everything",
  audited: "change",
  body: NewWorkspace,
  answers: {
    201: located(Workspace, "The workspace as registered"),
    ...problems(
      "workspace_exists",
      "path_refused",
      "path_unreadable",
      "forbidden",
      "sign_in_again",
      "source_refused",
      "source_conflict",
      "git_failed",
    ),
  },
});

const fetchOne = route({
  method: "get",
  path: "/workspaces/{id}",
  summary: "Fetch a workspace with its files and projects",
  description:
    "Returns the state of the folder, the files that berth read, and the Compose projects found in it.",
  permission: "workspaces:read",
  subject: "found",
  params: Id,
  answers: { 200: json(WorkspaceDetail, "The workspace"), ...problems("workspace_not_found") },
});

const change = route({
  method: "put",
  path: "/workspaces/{id}",
  summary: "Say how a workspace is read",
  description:
    "Allows or forbids saving files in berth (`editable`), and reading files that have several names " +
    "(`allowHardLinks`). Allowing either requires a recent sign-in.",
  permission: "workspaces:manage",
  subject: "found",
  audited: "change",
  params: Id,
  body: WorkspaceChange,
  answers: {
    200: json(Workspace, "The workspace, read anew"),
    ...problems("workspace_not_found", "not_editable", "sign_in_again"),
  },
});

const unregister = route({
  method: "delete",
  path: "/workspaces/{id}",
  summary: "Forget a workspace, and touch nothing on disk",
  description:
    "berth stops reading the folder, and forgets the file versions that it kept. Files and containers " +
    "stay as they are.",
  permission: "workspaces:write",
  subject: "found",
  audited: "change",
  params: Id,
  answers: { 204: empty("It is forgotten"), ...problems("workspace_not_found") },
});

interface WorkspacesRoutes {
  readonly registry: Registry;
  /** Loads what follows repositories. */
  readonly sources: () => Promise<Sources>;
  /** Deletes the copy of the repository that a workspace followed. */
  readonly forgetSource: (workspace: string) => Promise<void>;
}

export function workspaces({ registry, sources, forgetSource }: WorkspacesRoutes): CoreRouter {
  const texts = new WeakMap<readonly Workspace[], string>();
  /** Throws `workspace_not_found` for what is out of reach, as for what is not there. */
  const inReach = (reach: Reach, workspace: string) => {
    if (!reach.has({ workspace })) throw unknownWorkspace();
    return workspace;
  };
  return router()
    .on(list, async ({ reach }) => {
      const all = await registry.list();
      if (!reach.everywhere) {
        const items = all.filter(({ id }) => reach.has({ workspace: id }));
        return reply(200, { items, total: items.length });
      }
      let text = texts.get(all);
      if (text === undefined) texts.set(all, text = JSON.stringify({ items: all, total: all.length }));
      return cached(text);
    })
    .on(register, async (call) => {
      const mayManage = may(call.principal, "workspaces:manage", EVERYTHING);
      const { source } = call.body;
      const workspace = source === undefined
        ? await registry.register(call.body, call.entry(), mayManage)
        : await registerFollowing({ registry, sources, forgetSource }, call, { ...call.body, source });
      return reply(201, workspace, { location: `/api/workspaces/${workspace.id}` });
    })
    .on(fetchOne, async ({ params, reach }) => reply(200, await registry.get(inReach(reach, params.id))))
    .on(change, async (call) => {
      const id = inReach(call.reach, call.params.id);
      // With either of them a stolen session could change what runs.
      if (call.body.editable === true || call.body.allowHardLinks === true) await call.mustBeProved();
      return reply(200, await registry.change(id, call.body, call.entry()));
    })
    .on(unregister, async (call) => {
      const id = inReach(call.reach, call.params.id);
      await registry.unregister(id, call.entry());
      await forgetSource(id);
      return reply(204);
    });
}

/** Registers a folder that follows a repository; what is refused leaves neither folder nor workspace behind. */
async function registerFollowing(
  { registry, sources, forgetSource }: WorkspacesRoutes,
  call: Pick<Call<unknown, unknown, unknown>, "principal" | "entry" | "mustBeProved">,
  wanted: NewWorkspace & { readonly source: NewSource },
): Promise<Workspace> {
  if (!may(call.principal, "workspaces:manage", EVERYTHING)) {
    throw new ServiceError(
      "forbidden",
      'Cannot follow the repository: this needs the permission "workspaces:manage", too',
    );
  }
  await call.mustBeProved();
  const { mustBeSource } = await import("../git/address.ts");
  mustBeSource(wanted.source);
  mustMayApply(call.principal, NEW, wanted.source);
  await using undo = new AsyncDisposableStack();
  if (await registry.makeFolder(wanted.path)) undo.defer(() => Deno.remove(wanted.path).catch(() => {}));
  const workspace = await registry.register(wanted, call.entry(), true);
  const target = `/api/workspaces/${workspace.id}`;
  undo.defer(() => forgetSource(workspace.id));
  undo.defer(() => registry.unregister(workspace.id, call.entry({ target, particulars: UNDONE })));
  const entry = call.entry({ target: `${target}/source` });
  await (await sources()).set(workspace.id, wanted.source, call.principal, entry);
  undo.move();
  return workspace;
}

/** No workspace has this id, so that no scope holds it. */
const NEW = "";
const UNDONE = { undone: "its repository was refused" };
