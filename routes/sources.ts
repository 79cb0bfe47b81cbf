/** Sources: the branch of a Git repository that a workspace follows, and what its newest commit would change. */
import * as z from "../core/schema.ts";
import { type Registry, unknownWorkspace } from "../artifacts/registry/registry.ts";
import { may, type Principal, type Reach, reachOf } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { CommitMade, CommitRequest, NewSource, Source, SyncRequest } from "../core/source.ts";
import {
  type CoreRouter,
  empty,
  json,
  particularsOf,
  problems,
  reply,
  route,
  router,
} from "../http/declare/router.ts";
import { type HookRoutes, hookRoutes } from "./hooks.ts";
import { findModel } from "./artifact_lookup.ts";

const Id = z.object({ id: z.string().min(1).max(100).describe("The workspace's id") });
const missing = problems("workspace_not_found", "source_not_found");

const set = route({
  method: "put",
  path: "/workspaces/{id}/source",
  summary: "Let a workspace follow a branch of a Git repository",
  description:
    "The branch is checked at once, and every few minutes from then on; nothing is written to the folder before a sync. " +
    "Requires a recent sign-in.",
  permission: "workspaces:manage",
  subject: "found",
  proof: true,
  audited: "change",
  params: Id,
  body: NewSource,
  answers: {
    200: json(Source, "The source, checked"),
    ...problems(
      "workspace_not_found",
      "source_refused",
      "source_conflict",
      "sign_in_again",
      "git_failed",
      "forbidden",
    ),
  },
});

const remove = route({
  method: "delete",
  path: "/workspaces/{id}/source",
  summary: "Follow the repository no longer, and leave all files",
  description:
    "berth forgets the address, the credential and its copy of the repository. Files and containers stay as they are.",
  permission: "workspaces:manage",
  subject: "found",
  proof: true,
  audited: "change",
  params: Id,
  answers: { 204: empty("It is forgotten"), ...missing, ...problems("source_conflict", "sign_in_again") },
});

const read = route({
  method: "get",
  path: "/workspaces/{id}/source",
  summary: "The repository that a workspace follows, and what its newest commit would change",
  description: "Callers with a scope on a part of the workspace are told of the groups in it.",
  permission: "workspaces:read",
  subject: "found",
  params: Id,
  answers: {
    200: json(Source, "The source"),
    ...missing,
    ...problems("workspace_unavailable", "git_failed"),
  },
});

const check = route({
  method: "post",
  path: "/workspaces/{id}/source/check",
  summary: "Ask the repository for new commits now",
  description: "A check that fails is an answer, too: `error` says why.",
  permission: "projects:plan",
  subject: "found",
  audited: false,
  params: Id,
  answers: { 200: json(Source, "The source after the check"), ...missing, ...problems("git_failed") },
});

const sync = route({
  method: "post",
  path: "/workspaces/{id}/source/sync",
  summary: "Write a commit of the repository into the folder",
  description:
    "All or nothing: one file in the way, and nothing is written. Files that are not Git's are never touched, and files " +
    "that a container has mounted by themselves keep their inode. Nothing is applied. `overwrite` needs " +
    "`workspaces:files`, too.",
  permission: "projects:apply",
  subject: "found",
  audited: "change",
  params: Id,
  body: SyncRequest,
  answers: {
    200: json(Source, "The source after the sync"),
    ...missing,
    ...problems(
      "workspace_unavailable",
      "source_moved",
      "source_conflict",
      "git_failed",
      "file_not_written",
      "disk_full",
      "forbidden",
    ),
  },
});

const commit = route({
  method: "post",
  path: "/workspaces/{id}/source/commit",
  summary: "Commit files of the folder, and push them",
  description:
    "The commit is built on the branch's newest one and changes these files alone; a branch that has changed them, too, " +
    "is a conflict. The author is the caller. Values that berth would mask need `withSecrets`. That, and files that berth " +
    "does not show and the branch does not have, need `artifacts:reveal` and a recent sign-in, too.",
  permission: "workspaces:files",
  subject: "found",
  params: Id,
  body: CommitRequest,
  particulars: ({ body: { paths, branch, message, withSecrets } }) =>
    particularsOf({ paths, branch, message, withSecrets }),
  answers: {
    201: json(CommitMade, "The commit, pushed"),
    ...missing,
    ...problems(
      "invalid_request",
      "workspace_unavailable",
      "source_conflict",
      "source_moved",
      "secret_in_commit",
      "git_failed",
      "forbidden",
      "sign_in_again",
    ),
  },
});

interface SourcesRoutes extends HookRoutes {
  readonly registry: Pick<Registry, "model" | "get">;
}

/** The room of Git is loaded by the first caller. */
export function sourceRoutes({ registry, sources, ...others }: SourcesRoutes): CoreRouter {
  /** Throws `workspace_not_found` for what is out of reach, as for what is not there. */
  const whole = async (reach: Reach, id: string) => {
    if (!reach.has({ workspace: id })) throw unknownWorkspace();
    await registry.get(id);
    return id;
  };
  return router()
    .add(hookRoutes({ registry, sources, ...others }))
    .on(set, async (call) => {
      const { reach, params, body, principal } = call;
      const id = await whole(reach, params.id);
      mustMayApply(principal, id, body);
      const all = await sources();
      await all.set(id, body, principal, call.entry());
      return reply(200, await all.show(id));
    })
    .on(remove, async (call) => {
      await (await sources()).remove(await whole(call.reach, call.params.id), call.entry());
      return reply(204);
    })
    .on(read, async ({ reach, params }) => {
      const isWhole = reach.has({ workspace: params.id });
      if (!isWhole) await findModel(registry, params.id, reach);
      else await whole(reach, params.id);
      const source = await (await sources()).show(params.id);
      return reply(200, isWhole ? source : partOf(source, reach));
    })
    .on(sync, async (call) => {
      const id = await whole(call.reach, call.params.id);
      mustMayWrite(call.principal, id, call.body);
      const all = await sources();
      const told = { commit: call.body.commit, via: "person" };
      await all.sync(id, call.body, call.principal, call.entry({ particulars: told }));
      return reply(200, await all.show(id));
    })
    .on(commit, async (call) => {
      const id = await whole(call.reach, call.params.id);
      const { kind, id: actor, name, email } = call.principal;
      const by = { kind, id: actor, name, email };
      return reply(
        201,
        await (await sources()).commit(id, call.body, by, (what) => mustReveal(call, id, what)),
      );
    })
    .on(check, async ({ reach, params }) => {
      const id = await whole(reach, params.id);
      const all = await sources();
      await all.check(id);
      return reply(200, await all.show(id));
    });
}

/** The policy `auto` acts with the rights of whoever sets it. Throws `forbidden`. */
export function mustMayApply(principal: Principal, workspace: string, { policy }: NewSource): void {
  if (policy === "manual" || reachOf(principal, "projects:apply").has({ workspace })) return;
  throw new ServiceError(
    "forbidden",
    'Cannot set the policy "auto": it applies with your rights, and you lack "projects:apply" on the whole folder',
  );
}

/** A commit shows what it holds to all who read the repository. Throws `forbidden` and `sign_in_again`. */
async function mustReveal(
  call: { readonly principal: Principal; mustBeProved(): Promise<void> },
  workspace: string,
  what: string,
): Promise<void> {
  if (!may(call.principal, "artifacts:reveal", { workspace })) {
    throw new ServiceError(
      "forbidden",
      `Cannot commit: ${what} needs the permission "artifacts:reveal", too`,
    );
  }
  await call.mustBeProved();
}

/** Overwriting files takes the right to write them. Throws `forbidden`. */
function mustMayWrite(principal: Principal, workspace: string, { overwrite }: SyncRequest): void {
  if (overwrite.length === 0 || may(principal, "workspaces:files", { workspace })) return;
  throw new ServiceError(
    "forbidden",
    'Cannot sync: overwriting files needs the permission "workspaces:files", too',
  );
}

/** Returns the groups that are in reach, and nothing of the rest. */
function partOf(source: Source, reach: Reach): Source {
  const { workspace, pending } = source;
  // Reasons name groups and files.
  const reason = (why: string | null) => why && "whoever sees the whole folder is told why";
  const own = { ...source, waiting: reason(source.waiting), error: reason(source.error) };
  if (pending === null) return { ...own, history: [], uncommitted: [] };
  const groups = pending.groups.filter(({ project }) => reach.has({ workspace, project }))
    .map((group) => ({ ...group, files: [], file: null, line: null }));
  return {
    ...own,
    history: [],
    uncommitted: [],
    pending: { commits: [], groups, conflicts: [], skipped: [], files: 0, isPart: true },
  };
}
