/** Copies a SQLite store into one file, which has its name only once it is whole. */
import { backup, DatabaseSync } from "node:sqlite";
import { ServiceError } from "../../core/error.ts";
import { inspectStoreFile, NEWEST_SCHEMA } from "./inspection.ts";

/** Throws `store_unavailable`, and leaves nothing, where the copy cannot be written. */
export async function writeBackup(database: DatabaseSync, file: string): Promise<void> {
  const partial = `${file}.${crypto.randomUUID()}.partial`;
  try {
    // Made here and not by SQLite, so that it is never readable for others, not even for a moment.
    (await Deno.open(partial, { createNew: true, write: true, mode: 0o600 })).close();
    // Every page in one step is one consistent read; in smaller steps each write would start it again.
    await backup(database, partial, { rate: 1_000_000_000 });
    await flush(partial);
    // The log of a store that had this name would be taken for the backup's own.
    for (const end of ["-wal", "-shm"]) await removeIfThere(file + end);
    await Deno.rename(partial, file);
    await flush(folderOf(file));
  } catch (cause) {
    await Deno.remove(partial).catch(() => {});
    throw new ServiceError(
      "store_unavailable",
      `Cannot write the backup "${file}": the folder is missing, full or not ours`,
      { cause },
    );
  }
}

/**
 * Copies the store with the schema that it has, so that the berth that wrote it can use the copy. Other
 * processes may go on using it.
 *
 * @throws ServiceError `store_unavailable` with a sentence that says what to do.
 */
export async function backUpStoreFile(path: string, file: string): Promise<void> {
  const refuse = (why: string, cause?: unknown) =>
    new ServiceError("store_unavailable", `Cannot back up "${path}": ${why}`, { cause });
  const { state, schema } = await inspectStoreFile(path);
  if (state === "foreign") throw refuse("it belongs to another program");
  if (state === "newer") {
    throw refuse(`it has schema ${schema} and this berth knows up to ${NEWEST_SCHEMA}; use the newer berth`);
  }
  if (state !== "whole") throw refuse("it is damaged or cannot be read; restore a backup");
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(path, { timeout: 5_000, allowExtension: false });
  } catch (cause) {
    throw refuse("it cannot be opened", cause);
  }
  try {
    await writeBackup(database, file);
  } finally {
    database.close();
  }
}

async function removeIfThere(path: string): Promise<void> {
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

function folderOf(file: string): string {
  const end = file.lastIndexOf("/");
  return end < 0 ? "." : end === 0 ? "/" : file.slice(0, end);
}

async function flush(path: string): Promise<void> {
  using file = await Deno.open(path);
  await file.sync();
}
