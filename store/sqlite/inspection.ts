/** Inspects the file of a SQLite store without changing it. */
import { DatabaseSync } from "node:sqlite";
import type { JournalEntry, KnownApply } from "../../core/applies.ts";
import type { ChainState } from "../../core/audit_store.ts";
import { ServiceError } from "../../core/error.ts";
import { AUDIT_CHAINS, type AuditChain } from "../../core/store.ts";
import { APPLICATION_ID, MIGRATIONS } from "./migrations.ts";

export interface StoreFile {
  /** Null: there is no file. `damaged` also stands for one that cannot be read. */
  readonly state: "whole" | "absent" | "foreign" | "damaged" | "newer";
  /** The schema's version, where it could be read. */
  readonly schema: number | null;
  readonly isSetUp: boolean;
  /** The folders of the registered workspaces. */
  readonly folders: readonly string[];
  /** The number of workspaces that follow a repository. */
  readonly sources: number;
  readonly applies: readonly KnownApply[];
  /** The ends of the audit log; null where none could be read. */
  readonly chains: Readonly<Record<AuditChain, ChainState>> | null;
}

/** The newest schema that this berth knows. */
export const NEWEST_SCHEMA = MIGRATIONS.length;

const APPLIES = "SELECT id, project, state, iif(state = 'paused', work, NULL) AS work FROM applies";
const LINES = "SELECT seq, at, kind, step, body FROM apply_lines WHERE apply_id = ? ORDER BY seq";

const CHAINS =
  'SELECT chain, seq, mac, floor_seq AS "floorSeq", floor_mac AS "floorMac", proof FROM audit_chains';

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const APPLICATION_ID_AT = 68;

/** Looks at the file and reads it whole; other processes may go on using it. */
export async function inspectStoreFile(path: string): Promise<StoreFile> {
  const bare = (state: StoreFile["state"], schema: number | null = null): StoreFile => ({
    state,
    schema,
    isSetUp: false,
    folders: [],
    sources: 0,
    applies: [],
    chains: null,
  });
  const header = await headerOf(path);
  if (header === null || header === "absent") return bare(header ?? "damaged");
  if (!isSqlite(header)) return bare("foreign");
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 1_000, allowExtension: false });
    const pragma = (name: string) => Object.values(database!.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    // The file's own header may be older than this: what a running berth wrote first is in the write-ahead log.
    if (pragma("application_id") !== APPLICATION_ID) return bare("foreign");
    const schema = Number(pragma("user_version"));
    if (pragma("integrity_check(1)") !== "ok") return bare("damaged", schema);
    if (schema > NEWEST_SCHEMA) return bare("newer", schema);
    const all = (query: string) => database!.prepare(query).all();
    const hasApplies = all("SELECT 1 FROM sqlite_master WHERE name = 'applies'").length > 0;
    return {
      state: "whole",
      schema,
      isSetUp: database.prepare("SELECT 1 FROM setup").get() !== undefined,
      folders: all("SELECT path FROM workspaces").map(({ path }) => String(path)),
      sources: all("SELECT 1 FROM sqlite_master WHERE name = 'sources'").length === 0
        ? 0
        : all("SELECT 1 FROM sources").length,
      applies: hasApplies ? knownApplies(database) : [],
      chains: all("SELECT 1 FROM sqlite_master WHERE name = 'audit_chains'").length === 0
        ? null
        : chainsOf(database),
    };
  } catch {
    return bare(isOurs(header) ? "damaged" : "foreign");
  } finally {
    database?.close();
  }
}

function knownApplies(database: DatabaseSync): KnownApply[] {
  const found = database.prepare(APPLIES).all() as unknown as Omit<KnownApply, "lines">[];
  const lines = database.prepare(LINES);
  return found.map((apply) => ({
    ...apply,
    lines: apply.work === null ? [] : lines.all(apply.id) as unknown as JournalEntry[],
  }));
}

function chainsOf(database: DatabaseSync): StoreFile["chains"] {
  const found = database.prepare(CHAINS).all() as unknown as (ChainState & { readonly chain: AuditChain })[];
  const [changes, refusals] = AUDIT_CHAINS.map((chain) => found.find((one) => one.chain === chain));
  return changes === undefined || refusals === undefined ? null : { changes, refusals };
}

/** Null for what cannot be read, or is too short to be any database. */
async function headerOf(path: string): Promise<Uint8Array | "absent" | null> {
  try {
    using file = await Deno.open(path);
    const bytes = new Uint8Array(HEADER_BYTES);
    return (await file.read(bytes)) === HEADER_BYTES ? bytes : null;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "absent" : null;
  }
}

function isSqlite(header: Uint8Array): boolean {
  return new TextDecoder().decode(header.subarray(0, MAGIC.length)) === MAGIC;
}

function isOurs(header: Uint8Array): boolean {
  return new DataView(header.buffer).getUint32(APPLICATION_ID_AT) === APPLICATION_ID;
}

/**
 * Puts a backup in the place of the store, once it was found whole. Returns the name of what was there: `kept`, with
 * a number where that is taken; null if there was nothing. Nothing is changed when it throws.
 *
 * @throws ServiceError `store_unavailable` with a sentence that says what to do.
 */
export async function restoreStoreFile(backup: string, path: string, kept: string): Promise<string | null> {
  const refuse = (why: string, cause?: unknown) =>
    new ServiceError("store_unavailable", `Cannot restore "${backup}": ${why}`, { cause });
  const partial = `${path}.${crypto.randomUUID()}.partial`;
  try {
    try {
      (await Deno.open(partial, { createNew: true, write: true, mode: 0o600 })).close();
      await Deno.copyFile(backup, partial);
      await Deno.chmod(partial, 0o600);
      await takeLog(backup, partial);
      using file = await Deno.open(partial);
      await file.sync();
    } catch (cause) {
      throw refuse(reasonNotCopied(cause), cause);
    }
    const { state, schema } = await inspectStoreFile(partial);
    if (state === "foreign") throw refuse("it is no backup of berth");
    if (state === "newer") {
      throw refuse(
        `it has schema ${schema} and this berth knows up to ${NEWEST_SCHEMA}; use the newer berth`,
      );
    }
    if (state !== "whole") throw refuse("it is damaged; take another backup");
    if (await sizeOf(`${partial}-wal`) > 0) {
      throw refuse("the write-ahead log beside it cannot be read; copy both while berth is stopped");
    }
    if (!isAlone(path)) throw refuse("berth still runs on this data folder; stop it first");
    const aside = await setAside(path, kept);
    await Deno.rename(partial, path);
    return aside;
  } finally {
    for (const end of ["", "-wal", "-shm"]) await Deno.remove(partial + end).catch(() => {});
  }
}

function reasonNotCopied(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  return error instanceof Deno.errors.PermissionDenied
    ? "permission denied; the user of the service must be able to read it, and to write into the data folder"
    : "it cannot be copied into the data folder";
}

/**
 * Returns true if no other process has the store open. A damaged one tells nothing, and must not be in the
 * way.
 */
export function isAlone(path: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    Deno.statSync(path);
    database = new DatabaseSync(path, { timeout: 200, allowExtension: false });
    // Only the last connection may leave the write-ahead log, which is folded in by that.
    database.exec("PRAGMA journal_mode = DELETE");
    return true;
  } catch (error) {
    return !(error instanceof Error && /locked|busy/i.test(error.message));
  } finally {
    database?.close();
  }
}

/** Folds in the write-ahead log of a store that was copied as it lay: it holds what was written last. */
async function takeLog(backup: string, partial: string): Promise<void> {
  if (await sizeOf(`${backup}-wal`) === 0) return;
  await Deno.copyFile(`${backup}-wal`, `${partial}-wal`);
  await Deno.chmod(`${partial}-wal`, 0o600);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(partial, { timeout: 1_000, allowExtension: false });
    database.exec("PRAGMA journal_mode = DELETE");
  } catch {
    // It is no store, or a damaged one, which is said when it is looked at.
  } finally {
    database?.close();
  }
}

/** 0 for a file that is not there. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

/** Moves what is there to the first name that is free, and returns that; null if there is nothing. */
async function setAside(path: string, kept: string): Promise<string | null> {
  let name = kept;
  for (let n = 2; await isTaken(name); n++) name = `${kept}-${n}`;
  let isMoved = false;
  for (const end of ["-wal", "-shm", ""]) {
    try {
      await Deno.rename(path + end, name + end);
      isMoved = true;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return isMoved ? name : null;
}

async function isTaken(name: string): Promise<boolean> {
  const found = await Promise.all(
    ["", "-wal", "-shm"].map((end) => Deno.lstat(name + end).then(() => true, () => false)),
  );
  return found.includes(true);
}
