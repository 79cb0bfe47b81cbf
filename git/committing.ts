/** Turns edits in a folder into a commit of the branch, and pushes it; a branch that moved is never overwritten. */
import type { ArtifactFile, Model } from "../artifacts/artifact.ts";
import { namedFiles } from "../artifacts/compose/named_files.ts";
import { isInside } from "../artifacts/files/inside.ts";
import { folderOf, join } from "../artifacts/files/paths.ts";
import type { WorkspaceFolder } from "../artifacts/registry/registry.ts";
import { maskedFile } from "../artifacts/report/masked_file.ts";
import type { AuditActor, NewAuditEntry } from "../core/audit_entry.ts";
import { ServiceError } from "../core/error.ts";
import type { CommitMade, CommitRequest, SourceRecord, SourceStore } from "../core/source.ts";
import { isBranch, isFolder } from "./address.ts";
import { authorOf, buildCommit, type CommittedFile, isTouched } from "./commit.ts";
import { reasonOf, SourceFailure } from "./failure.ts";
import { blobId, bytesAt, stateOf } from "./folder_state.ts";
import type { Followed } from "./followed.ts";
import type { Lease } from "./lease.ts";
import type { Tree, TreeEntry } from "./tree.ts";

interface CommittingOptions {
  readonly store: Pick<SourceStore, "note" | "sync">;
  readonly registry: {
    folder(id: string): Promise<WorkspaceFolder>;
    comparedModel(id: string): Promise<Model>;
    parsed(id: string, path: string, kind: ArtifactFile["kind"], text: string): Promise<ArtifactFile>;
  };
  readonly entryOf: (
    told: {
      readonly workspace: string;
      readonly by: Pick<AuditActor, "kind" | "id" | "name">;
      readonly from: string | null;
      readonly to: string;
      readonly files: number;
      readonly result: string;
    },
  ) => NewAuditEntry;
  readonly now: () => number;
  readonly isHeld: Lease["isHeld"];
  /** Throws unless the committer may read what berth shows masked or not at all; it says what of the commit is. */
  readonly mustReveal: (what: string) => Promise<void>;
}

export interface Committer extends Pick<AuditActor, "kind" | "id" | "name"> {
  readonly email?: string | undefined;
}

/** The branch may move this often before somebody has to look. */
const MOST_TRIES = 3;
/** Bytes of the files of one commit. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Paths and lines that are named in one refusal. */
const MOST_TOLD = 20;

/**
 * Throws `source_conflict`, `source_moved`, `secret_in_commit`, `invalid_request`, `git_failed`, `forbidden` and
 * `sign_in_again`: then nothing was pushed.
 */
export async function commitFiles(
  options: CommittingOptions,
  followed: Followed,
  record: SourceRecord,
  request: CommitRequest,
  by: Committer,
): Promise<CommitMade> {
  const { branch } = request;
  // A push shows it to all readers of the branch.
  if (request.withSecrets === true) await options.mustReveal("`withSecrets`");
  if (record.syncing !== null) {
    throw conflict("a commit is being written into the folder; try again when that is done");
  }
  if (branch !== undefined && (!isBranch(branch) || branch === record.branch)) {
    throw invalid("body.branch", "Expected the name of a new branch");
  }
  if (branch === undefined && record.signers.length > 0) {
    throw invalid(
      "body.branch",
      "This branch takes signed commits alone, and berth signs none: name a new branch, and let a signer merge it",
    );
  }
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const made = await tryOnce(options, followed, record, request, by);
    if (made !== null) return made;
    if (branch !== undefined) throw conflict(`the repository has a branch "${branch}" already`);
  }
  throw new ServiceError(
    "source_moved",
    `Cannot commit: the branch moved ${MOST_TRIES} times meanwhile; try again`,
  );
}

/** Returns null where the branch moved before the push. */
async function tryOnce(
  options: CommittingOptions,
  followed: Followed,
  record: SourceRecord,
  request: CommitRequest,
  by: Committer,
): Promise<CommitMade | null> {
  const { message, branch } = request;
  const { mirror } = followed;
  try {
    const head = await followed.check(record);
    const { from, to } = await followed.trees(record, head);
    const files = await filesOf(options, record, request, { head: to, synced: from });
    if (request.withSecrets !== true) await mustBeWithoutSecrets(options, record, files, to, followed);
    const author = authorOf(by);
    const commit = await buildCommit({
      mirror,
      folder: record.folder,
      parent: head,
      files,
      message,
      author,
      now: options.now(),
    });
    await followed.push(record, commit, branch ?? record.branch, branch !== undefined);
    if (branch === undefined) await settle(options, record, { head, commit }, by, files.length);
    return { id: commit, branch: branch ?? record.branch };
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    if (error.isMoved) return null;
    throw new ServiceError("git_failed", `Cannot commit: ${reasonOf(error)}`, { cause: error });
  }
}

/** Notes the new head. A folder that had the one before has the new one now. */
async function settle(
  { store, entryOf, now, isHeld }: CommittingOptions,
  record: SourceRecord,
  { head, commit }: { readonly head: string; readonly commit: string },
  { kind, id, name }: Committer,
  files: number,
): Promise<void> {
  if (!isHeld()) return; // the next check finds it
  const { workspace, synced, policy } = record;
  await store.note(record, { head: commit, checkedAt: now(), error: null, failures: 0 });
  if (synced !== head) return;
  const told = { workspace, by: { kind, id, name }, from: synced, to: commit, files, result: "committed" };
  await store.sync(workspace, { synced: commit, syncing: null, policy }, entryOf(told));
}

async function filesOf(
  { registry, mustReveal }: CommittingOptions,
  { workspace }: SourceRecord,
  { paths }: CommitRequest,
  { head, synced }: { readonly head: Tree; readonly synced: Tree | null },
): Promise<CommittedFile[]> {
  const { root, hidden } = await registry.folder(workspace);
  const model = await registry.comparedModel(workspace);
  const shown = new Set([...model.files.map(({ path }) => path), ...namedFiles(model).keys()]);
  const files: CommittedFile[] = [];
  const touched: string[] = [];
  let bytes = 0;
  for (const path of new Set(paths)) {
    const full = `${root === "/" ? "" : root}/${path}`;
    if (path === "" || !isFolder(path) || hidden.some((one) => isInside(full, one))) {
      throw invalid("body.paths", `"${path}" is no file of this folder`);
    }
    const known = head.entries.get(path);
    if (known === undefined && !shown.has(path)) {
      await mustReveal(`"${path}", which berth does not show and the branch does not have,`);
    }
    const content = await contentAt(root, path, known);
    if (content === null && known === undefined) throw invalid("body.paths", `There is no file "${path}"`);
    bytes += content?.length ?? 0;
    if (bytes > MOST_BYTES) {
      throw invalid(
        "body.paths",
        `These files have over ${MOST_BYTES / 1024 / 1024} MiB; commit them with git`,
      );
    }
    const id = content === null ? null : blobId(content, [...head.entries.values()][0]?.id ?? "");
    if (isTouched(path, { synced: synced?.entries ?? null, head: head.entries }, id)) touched.push(path);
    if (id === (known?.id ?? null)) continue;
    const executable = known?.executable ?? await isExecutable(full);
    files.push({ path, content: content === null ? null : new Uint8Array(content), executable });
  }
  if (touched.length > 0) {
    const named = touched.length === 1 ? `"${touched[0]}"` : `${touched.length} of these files`;
    throw conflict(
      `the branch has changed ${named}, too; sync first`,
      touched.slice(0, MOST_TOLD).map((path) => ({ path, message: "the branch has changed it" })),
    );
  }
  if (files.length === 0) throw invalid("body.paths", "The branch has all of it already");
  return files;
}

/** Throws `secret_in_commit` with the lines of values that berth would mask, and that the branch does not have. */
async function mustBeWithoutSecrets(
  { registry }: CommittingOptions,
  { workspace }: SourceRecord,
  files: readonly CommittedFile[],
  { entries }: Tree,
  { mirror }: Followed,
): Promise<void> {
  const model = await registry.comparedModel(workspace);
  const before = await mirror.objects.blobs(files.flatMap(({ path }) => entries.get(path)?.id ?? []));
  const found: { readonly path: string; readonly message: string }[] = [];
  for (const { path, content } of files) {
    if (content === null) continue;
    const kind = kindOf(model, path);
    const masks = async (bytes: Uint8Array) => {
      const text = new TextDecoder().decode(bytes);
      const saved = model.files.find((file) => file.path === path && file.text === text);
      return maskedFile(saved ?? await registry.parsed(workspace, path, kind, text), model);
    };
    const id = entries.get(path)?.id;
    const old = id === undefined ? [] : (await masks(before.get(id)!)).masks; // `blobs` gives all or throws
    const known = new Set(old.map(({ hidden }) => hidden));
    const masked = await masks(content);
    for (const { at, hidden } of masked.masks) {
      if (known.has(hidden)) continue;
      found.push({ path, message: `Line ${masked.text.slice(0, at).split("\n").length} holds a secret` });
    }
  }
  if (found.length === 0) return;
  throw new ServiceError(
    "secret_in_commit",
    `Cannot commit: "${
      found[0]!.path
    }" holds a value that berth would mask; whoever reads the repository would see it. ` +
      "Leave it out, or send `withSecrets`",
    { errors: found.slice(0, MOST_TOLD) },
  );
}

/** Returns the file's content; null if it is gone. Throws `invalid_request` for what no commit of berth's changes. */
async function contentAt(
  root: string,
  path: string,
  known: TreeEntry | undefined,
): Promise<Uint8Array | null> {
  const state = await stateOf(root, path, known?.id ?? "");
  if (state.kind === "link" || known?.kind === "link") {
    throw invalid("body.paths", `"${path}" is a link; commit it with git`);
  }
  if (state.kind === "folder") throw invalid("body.paths", `"${path}" is a folder`);
  if (state.kind === "other") throw invalid("body.paths", `Cannot read "${path}": ${state.why}`);
  if (state.kind === "absent") {
    await mustNotBeBehindLink(root, path);
    return null;
  }
  const { size } = await Deno.lstat(join(root, path));
  if (size > MOST_BYTES) throw invalid("body.paths", `"${path}" has over ${MOST_BYTES / 1024 / 1024} MiB`);
  const content = await bytesAt(root, path);
  if (content === null) throw invalid("body.paths", `"${path}" was changed while it was read`);
  return content;
}

/** A file behind a link is not gone. */
async function mustNotBeBehindLink(root: string, path: string): Promise<void> {
  for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) {
    if ((await Deno.lstat(join(root, folder)).catch(() => null))?.isSymlink !== true) continue;
    throw invalid("body.paths", `"${path}" is behind a link; commit it with git`);
  }
}

/** A file of variables is one by its name as well: whoever names it may be in another folder. */
function kindOf(model: Model, path: string): ArtifactFile["kind"] {
  const known = model.files.find((file) => file.path === path)?.kind ?? namedFiles(model).get(path);
  return known ?? (/(?:^|\/)(?:\.env(?:\.[^/]*)?|[^/]*\.env)$/.test(path) ? "env" : "other");
}

const isExecutable = async (full: string): Promise<boolean> =>
  (((await Deno.lstat(full).catch(() => null))?.mode ?? 0) & 0o100) !== 0;

const invalid = (path: string, message: string) =>
  new ServiceError("invalid_request", `Cannot commit: ${message}`, { errors: [{ path, message }] });

const conflict = (why: string, errors?: { readonly path: string; readonly message: string }[]) =>
  new ServiceError("source_conflict", `Cannot commit: ${why}`, errors === undefined ? {} : { errors });
