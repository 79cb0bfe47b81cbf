/** One SQLite file, opened so that acknowledged writes survive, with its errors mapped to ours. */
import { pause } from "../../core/pause.ts";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { ServiceError } from "../../core/error.ts";
import { writeBackup } from "./backup.ts";
import { FilePlace } from "./file_place.ts";
import { APPLICATION_ID, MIGRATIONS } from "./migrations.ts";

/**
 * The time for which one attempt blocks the process, and for which attempts are repeated while another
 * process writes.
 */
const BUSY_ATTEMPT_MS = 200;
const BUSY_TOTAL_MS = 5_000;
const BUSY_PAUSE_MS = 25;
/** The time for which a write is taken as a sign that others will succeed. */
const PROBE_MS = 5_000;

/** Asserted after opening: a build of SQLite that ignores one of them must not be trusted with acknowledged writes. */
const SETTINGS: readonly (readonly [name: string, value: string, holds: string | number])[] = [
  ["busy_timeout", String(BUSY_ATTEMPT_MS), BUSY_ATTEMPT_MS],
  ["journal_mode", "WAL", "wal"],
  ["synchronous", "FULL", 2],
  ["foreign_keys", "ON", 1],
  ["trusted_schema", "OFF", 0],
  ["secure_delete", "ON", 1],
];

export class SqliteDatabase {
  /** The schema that was found and brought up to date; null if it was new, or up to date. */
  upgradedFrom: number | null = null;
  readonly #database: DatabaseSync;
  readonly #place: FilePlace;
  #probedAt = -Infinity;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(database: DatabaseSync, place: FilePlace) {
    this.#database = database;
    this.#place = place;
  }

  /** Opens or makes the file; throws `store_unavailable` with a sentence that says what to do about it. */
  static async open(path: string): Promise<SqliteDatabase> {
    try {
      // Made here and not by SQLite, so that it is never readable for others, not even for a moment.
      (await Deno.open(path, { create: true, write: true, mode: 0o600 })).close();
    } catch (cause) {
      throw unavailable(`Cannot open the store: the file "${path}" cannot be made or written`, cause);
    }
    const deadline = performance.now() + BUSY_TOTAL_MS;
    while (true) {
      let raw: DatabaseSync | undefined;
      try {
        raw = new DatabaseSync(path, { timeout: BUSY_ATTEMPT_MS, allowExtension: false });
        const database = new SqliteDatabase(raw, new FilePlace(path));
        database.#prepare(path);
        return database;
      } catch (thrown) {
        raw?.close();
        if (!isBusy(thrown) || performance.now() > deadline) throw asStoreError(thrown);
        await pause(BUSY_PAUSE_MS);
      }
    }
  }

  #prepare(path: string): void {
    for (const [name, value] of SETTINGS) this.#database.exec(`PRAGMA ${name} = ${value}`);
    for (const [name, , holds] of SETTINGS) {
      if (this.#pragma(name) !== holds) {
        throw unavailable(`Cannot open the store: this SQLite does not keep the setting "${name}"`);
      }
    }
    if (this.#pragma("quick_check(1)") !== "ok") {
      throw unavailable(`Cannot open the store: the file "${path}" is damaged; restore a backup`);
    }
    const version = Number(this.#pragma("user_version"));
    if (version > 0 && version < MIGRATIONS.length) this.#mustBeAlone(version);
    this.#migrate(path);
    this.#place.remember();
  }

  /** Throws while another process has the file open: an older berth would go on writing as it knows the tables. */
  #mustBeAlone(version: number): void {
    try {
      // SQLite grants this to the last connection alone.
      this.#database.exec("PRAGMA journal_mode = DELETE");
    } catch (cause) {
      if (!isBusy(cause)) throw cause;
      throw passing(
        `Cannot open the store: another process uses it, and its schema ${version} has to become ` +
          `${MIGRATIONS.length} for this berth; stop the other one first`,
        cause,
      );
    }
    this.#database.exec("PRAGMA journal_mode = WAL");
    if (this.#pragma("journal_mode") !== "wal") {
      throw unavailable("Cannot open the store: this SQLite does not go back to its write-ahead log");
    }
  }

  #migrate(path: string): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const version = Number(this.#pragma("user_version"));
      const owner = Number(this.#pragma("application_id"));
      const tables = this.#database.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.n;
      if (owner !== APPLICATION_ID && (owner !== 0 || tables !== 0)) {
        throw unavailable(`Cannot open the store: the file "${path}" belongs to another program`);
      }
      if (version > MIGRATIONS.length) {
        throw newer(`Cannot open the store: the file "${path}"`, version);
      }
      for (const step of MIGRATIONS.slice(version)) this.#database.exec(step);
      if (version > 0 && version < MIGRATIONS.length) this.upgradedFrom = version;
      this.#database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      this.#database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
      this.#database.exec("COMMIT");
    } catch (thrown) {
      this.#rollBack();
      throw thrown;
    }
  }

  #pragma(name: string): unknown {
    return Object.values(this.#database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  }

  /** A statement for the life of the database; closing ends it. */
  prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** One row. The caller names its shape: all tables are STRICT, so a column holds what its migration says. */
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.prepared(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.prepared(sql).all(...values) as Row[];
  }

  /** Row by row, for tables that may be large. */
  each<Row>(sql: string): Iterable<Row> {
    return this.#database.prepare(sql).iterate() as Iterable<Row>;
  }

  /** Runs a change. Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.prepared(sql).run(...values).changes);
  }

  /** Reads. A reader never waits for a writer. */
  // deno-lint-ignore require-await -- a throw must become a rejection: callers hold a promise
  async read<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (thrown) {
      throw asStoreError(thrown);
    }
  }

  /** Reads as of the first row that is read, however long it takes. A writer never waits for it. */
  // deno-lint-ignore require-await -- as above
  async readAsOfOneMoment<T>(work: () => T): Promise<T> {
    try {
      this.#place.check();
      this.#database.exec("BEGIN");
      const value = work();
      this.#database.exec("COMMIT");
      this.#place.check();
      return value;
    } catch (thrown) {
      this.#rollBack();
      throw asStoreError(thrown);
    }
  }

  /** Throws `store_unavailable` where a change would be lost or refused. */
  check(): void {
    this.#place.check();
    const now = performance.now();
    if (now - this.#probedAt < PROBE_MS) return;
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      const version = Number(this.#pragma("user_version"));
      if (version > MIGRATIONS.length) throw newer("Cannot use the store: it", version);
      // The number that it has: a real write, so that a disk that takes none any more is noticed.
      this.#database.exec(`PRAGMA user_version = ${version}`);
      this.#database.exec("COMMIT");
      this.#probedAt = now;
    } catch (thrown) {
      this.#rollBack();
      // Somebody else writes: then it can be written to.
      if (!isBusy(thrown)) throw asStoreError(thrown);
    }
  }

  /** Writes all or nothing. Waits for another process's write without blocking this one for long. */
  async write<T>(work: () => T): Promise<T> {
    const deadline = performance.now() + BUSY_TOTAL_MS;
    while (true) {
      try {
        this.#place.check();
        this.#database.exec("BEGIN IMMEDIATE");
        break;
      } catch (thrown) {
        // One that could not be rolled back would stand in the way of all that come after it.
        if (!isBusy(thrown)) this.#rollBack();
        if (!isBusy(thrown) || performance.now() > deadline) throw asStoreError(thrown);
        await pause(BUSY_PAUSE_MS);
      }
    }
    // Nothing is awaited from here on, so no other call can slip into this transaction.
    try {
      const value = work();
      this.#database.exec("COMMIT");
      this.#place.check(); // again: what went away meanwhile took this change with it
      return value;
    } catch (thrown) {
      this.#rollBack();
      throw asStoreError(thrown);
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // SQLite rolls back by itself on some errors (disk full); then there is nothing left to undo.
    }
  }

  async backup(file: string): Promise<void> {
    await writeBackup(this.#database, file);
  }

  close(): void {
    if (!this.#database.isOpen) return;
    this.#statements.clear();
    this.#database.close();
  }
}

// The error's `code` is the same for everything that SQLite says, so only its text tells one failure from another.
function saying(thrown: unknown, words: RegExp): boolean {
  return thrown instanceof Error && words.test(thrown.message);
}

function isBusy(thrown: unknown): boolean {
  return saying(thrown, /database (table )?is locked|database is busy/i);
}

function unavailable(message: string, cause?: unknown): ServiceError {
  return new ServiceError("store_unavailable", message, { cause });
}

/** A state that may pass by itself in a moment: a supervisor starts berth again after it. */
function passing(message: string, cause: unknown): ServiceError {
  return new ServiceError("store_unavailable", message, { cause, headers: { "retry-after": "1" } });
}

function newer(subject: string, version: number): ServiceError {
  return unavailable(
    `${subject} has schema ${version} and this berth knows up to ${MIGRATIONS.length}; ` +
      "start the newer berth that wrote it",
  );
}

function asStoreError(thrown: unknown): unknown {
  if (thrown instanceof ServiceError) return thrown;
  const temporary = isBusy(thrown)
    ? "another process keeps it locked"
    : saying(thrown, /disk is full/i)
    ? "the disk is full"
    : undefined;
  if (temporary !== undefined) return passing(`Cannot use the store: ${temporary}`, thrown);
  const why = thrown instanceof SyntaxError || saying(thrown, /malformed|not a database|corrupt/i)
    ? "its file is damaged; restore a backup"
    : saying(thrown, /readonly|read-only/i)
    ? "its file is read-only"
    : saying(thrown, /not open/i)
    ? "it is closed"
    : thrown instanceof Error && "code" in thrown && thrown.code === "ERR_SQLITE_ERROR"
    ? "its database failed"
    : undefined;
  return why === undefined ? thrown : unavailable(`Cannot use the store: ${why}`, thrown);
}
