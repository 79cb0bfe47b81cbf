/** Brings a folder to a commit: all or nothing, and after a crash to the same folder as without it. */
import type { Model } from "../artifacts/artifact.ts";
import { namedFiles } from "../artifacts/compose/named_files.ts";
import { isInside } from "../artifacts/files/inside.ts";
import type { WorkspaceFolder } from "../artifacts/registry/registry.ts";
import { asRefusal } from "../artifacts/files/writing.ts";
import type { AuditActor, NewAuditEntry } from "../core/audit_entry.ts";
import { ServiceError } from "../core/error.ts";
import type { SourceRecord, SourceStore, Syncing } from "../core/source.ts";
import { changesBetween, decide, type Decision, type MountedPaths } from "./changes.ts";
import { type Choices, chosen } from "./choices.ts";
import type { Followed } from "./followed.ts";
import { bytesAt } from "./folder_state.ts";
import { Unwritten } from "./in_place.ts";
import { SourceFailure } from "./failure.ts";
import type { Lease } from "./lease.ts";
import { discardStaged, Writer } from "./writer.ts";

type Actor = Pick<AuditActor, "kind" | "id" | "name">;

export interface SyncParts {
  readonly store: Pick<SourceStore, "sync" | "note">;
  readonly registry: {
    comparedModel(id: string): Promise<Model>;
    exclusively<T>(id: string, work: () => Promise<T>): Promise<T>;
  };
  readonly folder: WorkspaceFolder;
  readonly followed: Followed;
  readonly mustHold: Lease["mustHold"];
  /** Keeps a text that is overwritten. */
  readonly keep: (
    of: { readonly workspace: string; readonly path: string; readonly kind: string; readonly by: Actor },
    text: string,
  ) => Promise<void>;
  readonly entryOf: (told: SyncTold) => NewAuditEntry;
}

/** What the audit log is told of the end of a sync. */
interface SyncTold {
  readonly workspace: string;
  readonly by: Actor;
  readonly from: string | null;
  readonly to: string;
  readonly result: string;
  readonly files: number;
}

export interface SyncWanted {
  readonly commit: string;
  readonly choices: Choices;
  /** The policy once it is done. */
  readonly policy: SourceRecord["policy"];
  readonly by: Actor;
  /** Records the beginning. */
  readonly entry: NewAuditEntry;
}

/** Throws `source_conflict`, `git_failed` and `disk_full`; then nothing was written, unless `syncing` stays set. */
export async function syncFolder(parts: SyncParts, record: SourceRecord, wanted: SyncWanted): Promise<void> {
  const { followed, folder, registry } = parts;
  const { workspace, syncing } = record;
  const begun = { ...record, synced: syncing === null ? record.synced : syncing.from };
  const { from, to } = await followed.trees(begun, wanted.commit);
  const base = await registry.comparedModel(workspace);
  const { mounted, model } = await followed.outlook(begun, wanted.commit);
  const changes = changesBetween(from, to);
  await registry.exclusively(workspace, async () => {
    if (syncing !== null) await discardStaged(folder.root, changes.map(({ path }) => path));
    const found = withoutHidden(await decide(folder.root, changes, mounted), folder);
    const { decisions, overwritten } = await chosen(found, wanted.choices, {
      syncing,
      bytesAt: (path) => bytesAt(folder.root, path),
      contents: (ids) => followed.mirror.objects.blobs(ids),
    });
    await keepTexts(parts, record, overwritten, base, wanted.by);
    const inPlace = decisions.filter((one) => isInPlace(one, mounted, [base, model])).map(({ path }) => path);
    await write(parts, record, wanted, decisions, {
      from: begun.synced,
      to: wanted.commit,
      inPlace: [...new Set([...inPlace, ...syncing?.inPlace ?? []])],
      keep: [...new Set([...wanted.choices.keep, ...syncing?.keep ?? []])],
      overwrite: { ...syncing?.overwrite, ...overwritten },
      policy: syncing?.policy ?? wanted.policy,
    }, mounted);
  });
}

async function write(
  { store, folder, followed, entryOf, mustHold }: SyncParts,
  record: SourceRecord,
  { by, entry }: SyncWanted,
  decisions: readonly Decision[],
  syncing: Syncing,
  mounted: MountedPaths,
): Promise<void> {
  const { workspace, synced } = record;
  const { from, to } = syncing;
  const files = decisions.filter(({ act }) => act === "write" || act === "delete").length;
  const told = { workspace, by, from, to, files };
  mustHold();
  await store.sync(workspace, { synced, syncing, policy: record.policy }, entry);
  const contents = (ids: readonly string[]) => followed.mirror.objects.blobs(ids);
  const writer = new Writer({ root: folder.root, mounted, contents }, decisions, new Set(syncing.inPlace));
  /** Nothing has changed, so that there is nothing to go on with. */
  const undo = async (error: unknown) => {
    if (record.syncing !== null) throw asFailure(error, writer.at);
    mustHold();
    await writer.discard();
    await store.sync(
      workspace,
      { synced, syncing: null, policy: record.policy },
      entryOf({ ...told, result: "failed" }),
    );
    throw asFailure(error, writer.at);
  };
  try {
    await writer.stage(mustHold);
  } catch (error) {
    await undo(error);
  }
  try {
    for await (const _ of writer.act(mustHold)) mustHold();
  } catch (error) {
    if (error instanceof Unwritten) await undo(error.cause);
    throw asFailure(error, writer.at);
  }
  await store.sync(
    workspace,
    { synced: to, syncing: null, policy: syncing.policy ?? record.policy },
    entryOf({ ...told, result: "done" }),
  );
}

/** Mounted by itself, and not as a config or secret, whose change makes a new container anyway. */
function isInPlace(
  { path, act, now, to }: Decision,
  mounted: MountedPaths,
  models: readonly Model[],
): boolean {
  if (act !== "write" || now.kind !== "file" || to?.kind !== "file" || !mounted.has(path)) return false;
  const kinds = models.map((model) => namedFiles(model).get(path));
  return !kinds.some((kind) => kind === "secret" || kind === "config");
}

/** berth's own folder is never written to, wherever a workspace lies. */
function withoutHidden(decisions: readonly Decision[], { root, hidden }: WorkspaceFolder): Decision[] {
  return decisions.map((one) => {
    const full = `${root === "/" ? "" : root}/${one.path}`;
    return one.act !== "nothing" && hidden.some((folder) => isInside(full, folder))
      ? { ...one, act: "conflict", why: "berth keeps that folder for itself" }
      : one;
  });
}

/** Keeps what is overwritten as earlier texts. Throws `source_conflict` for what cannot be kept. */
async function keepTexts(
  { keep, folder }: SyncParts,
  { workspace }: SourceRecord,
  overwritten: Readonly<Record<string, string>>,
  base: Model,
  by: Actor,
): Promise<void> {
  for (const path of Object.keys(overwritten)) {
    const bytes = await bytesAt(folder.root, path);
    const text = bytes === null ? null : textOf(bytes);
    if (text === null) {
      throw new ServiceError(
        "source_conflict",
        `Cannot sync: "${path}" is no text that berth could keep; nothing was written. Move it away, or keep it`,
      );
    }
    const kind = base.files.find((file) => file.path === path)?.kind ?? namedFiles(base).get(path) ?? "other";
    await keep({ workspace, path, kind, by }, text);
  }
}

const MOST_KEPT = 1024 * 1024;

function textOf(bytes: Uint8Array): string | null {
  if (bytes.length > MOST_KEPT || bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** `at` is the path that was worked on. */
function asFailure(error: unknown, at: string | null): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof SourceFailure) {
    return new ServiceError("git_failed", `Cannot sync: ${error.message}`, { cause: error });
  }
  const refusal = asRefusal(error);
  const isFull = refusal.code === "disk_full";
  const where = isFull || at === null ? "" : ` "${at}":`;
  const message = refusal.message.replace(/^Cannot [^:]+:/, `Cannot sync:${where}`);
  return new ServiceError(isFull ? "disk_full" : "file_not_written", message, { cause: error });
}
