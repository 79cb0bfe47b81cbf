/** A PostgreSQL database: its connections, transactions and hints. */
import { pause } from "../../core/pause.ts";
import { ServiceError } from "../../core/error.ts";
import {
  asStoreError,
  isConnectionLost,
  isDropped,
  isLackOfRoom,
  isToBeRepeated,
  unavailable,
} from "./errors.ts";
import {
  type Client,
  newClient,
  newPool,
  optionsOf,
  type Pool,
  type PooledClient,
  type PostgresSettings,
  type Result,
} from "./connection.ts";
import { Listener } from "./listener.ts";
import { migrate, STEP_MS, tooOld } from "./migrate.ts";
import { MIGRATIONS, type Step } from "./migrations.ts";
import { LOCK_SPACE, LOCKS, type Queries, type Transaction } from "./transaction.ts";
import type { Value } from "../sql/steps.ts";

const CHANNEL = "berth";

const IDLE_MS = 30_000;
/** Health waits no longer than two seconds itself, and would not say why. */
const CHECK_MS = 1_800;
const PROBE_MS = 5_000;
const REPEATS = 8;
const REPEAT_TOTAL_MS = 5_000;
const REPEAT_PAUSE_MS = 10;

export class PostgresDatabase implements Queries, AsyncDisposable {
  readonly #pool: Pool;
  readonly #listener: Listener;
  /** The schema that this berth knows. */
  readonly #known: number;
  readonly #names = new Map<string, string>();
  /** The schema that was found and brought up to date; null if it was new, or up to date. */
  upgradedFrom: number | null = null;
  #retries = 0;
  #isClosed = false;
  #probedAt = -Infinity;
  /** The error of the last change if the disk was full. */
  #lacksRoom: unknown = null;

  private constructor(options: Record<string, unknown>, pool: number, known: number) {
    this.#known = known;
    this.#pool = newPool({ ...options, max: pool, idleTimeoutMillis: IDLE_MS });
    // An idle connection that dies would end the process; the next call opens another one.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client: Client) => client.on("error", () => {}));
    this.#listener = new Listener(() => newClient(options), CHANNEL);
  }

  /** Connects and brings the schema up to date. Throws `store_unavailable` with a sentence that says what to do. */
  static async open(
    settings: PostgresSettings,
    steps: readonly Step[] = MIGRATIONS,
  ): Promise<PostgresDatabase> {
    const database = new PostgresDatabase(await optionsOf(settings), settings.pool, steps.length);
    try {
      database.upgradedFrom = await database.write((tx) => migrate(tx, steps), STEP_MS);
      return database;
    } catch (thrown) {
      await database[Symbol.asyncDispose]();
      throw thrown;
    }
  }

  async all<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    return (await this.#read(sql, values)).rows as Row[];
  }

  async get<Row>(sql: string, ...values: Value[]): Promise<Row | undefined> {
    return (await this.all<Row>(sql, ...values))[0];
  }

  /** One statement that is all there is to do. */
  run(sql: string, ...values: Value[]): Promise<number> {
    return this.write((tx) => tx.run(sql, ...values));
  }

  /**
   * Writes all or nothing. `work` is repeated when others were in the way, so it must do nothing else. `answerMs` is
   * the time that the server may take for a statement of it, where that is longer than for others.
   */
  async write<T>(work: (tx: Transaction) => Promise<T>, answerMs?: number): Promise<T> {
    const deadline = performance.now() + REPEAT_TOTAL_MS;
    for (let attempt = 1;; attempt++) {
      try {
        const value = await this.#attempt(work, answerMs);
        this.#lacksRoom = null;
        return value;
      } catch (thrown) {
        if (isLackOfRoom(thrown)) this.#lacksRoom = thrown;
        const mayRepeat = attempt < REPEATS && performance.now() < deadline && !this.#isClosed;
        if (!mayRepeat || !isToBeRepeated(thrown)) throw asStoreError(thrown);
        this.#retries += 1;
        await pause(Math.random() * attempt * REPEAT_PAUSE_MS);
      }
    }
  }

  /** The number of attempts to write that failed and were repeated. */
  get retries(): number {
    return this.#retries;
  }

  /** Calls back for every hint, and with null when hints may have been missed: then everything may have changed. */
  listen(heard: (hint: string | null) => void): Disposable {
    return this.#listener.add(heard);
  }

  /** Resolves while it can be read and written. */
  async check(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(unavailable("its database does not answer; look at the server and the way to it")),
        CHECK_MS,
      );
    });
    try {
      await Promise.race([this.#probe(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#listener[Symbol.asyncDispose]();
    await this.#pool.end();
  }

  async #probe(): Promise<void> {
    const now = performance.now();
    if (now - this.#probedAt < PROBE_MS) return void await this.#read("SELECT 1", []);
    // On a full disk an existing row can still be changed; only a write of more than a page tells.
    if (this.#lacksRoom !== null) await this.#needRoom();
    // The number that it has: a real write, which a standby or a lost right refuses.
    const schema = await this.write((tx) =>
      tx.get<{ version: number; oldest: number }>(
        "UPDATE schema_version SET version = version RETURNING version, oldest",
      )
    );
    const { version, oldest } = schema ?? { version: 0, oldest: 0 };
    if (oldest > this.#known) throw tooOld(version, oldest, this.#known);
    this.#probedAt = now;
  }

  async #needRoom(): Promise<void> {
    const undone = new ServiceError("store_unavailable", "There is room again");
    await this.write(async (tx) => {
      await tx.run("INSERT INTO room (filler) VALUES ($1)", crypto.getRandomValues(new Uint8Array(65_536)));
      throw undone;
    }).catch((thrown) => {
      if (thrown !== undone) throw thrown;
    });
  }

  async #read(sql: string, values: readonly Value[]): Promise<Result> {
    for (let attempt = 1;; attempt++) {
      try {
        const client = await this.#connect();
        return await this.#with(client, () => client.query(this.#statement(sql, values)));
      } catch (thrown) {
        // A server that was restarted has left dead connections behind, each of which is found once.
        if (attempt > 2 || this.#isClosed || !isDropped(thrown)) throw asStoreError(thrown);
      }
    }
  }

  async #attempt<T>(work: (tx: Transaction) => Promise<T>, answerMs?: number): Promise<T> {
    const client = await this.#begin();
    const longer = answerMs === undefined ? {} : { query_timeout: answerMs };
    const ask = (sql: string, values: readonly Value[]) =>
      client.query({ ...this.#statement(sql, values), ...longer });
    return await this.#with(client, async () => {
      const all = async <Row>(sql: string, ...values: Value[]) => (await ask(sql, values)).rows as Row[];
      const value = await work({
        all,
        get: async <Row>(sql: string, ...values: Value[]) => (await all<Row>(sql, ...values))[0],
        run: async (sql, ...values) => (await ask(sql, values)).rowCount ?? 0,
        lock: async (what) => void await all("SELECT pg_advisory_xact_lock($1, $2)", LOCK_SPACE, LOCKS[what]),
        tell: async (hint) => void await all("SELECT pg_notify($1, $2)", CHANNEL, hint),
      });
      await client.query({ text: "COMMIT" });
      return value;
    }, () => client.query({ text: "ROLLBACK" }));
  }

  /** A transaction that could not begin has done nothing, so a dead connection is only replaced. */
  async #begin(): Promise<PooledClient> {
    for (let attempt = 1;; attempt++) {
      let client: PooledClient | undefined;
      try {
        client = await this.#connect();
        await client.query({ text: "BEGIN" });
        return client;
      } catch (thrown) {
        client?.release(asError(thrown));
        if (attempt > 2 || this.#isClosed || !isDropped(thrown)) throw thrown;
      }
    }
  }

  async #connect(): Promise<PooledClient> {
    if (this.#isClosed) throw unavailable("it is closed");
    return await this.#pool.connect();
  }

  /** Gives the connection back, or closes it where it cannot be trusted any more. */
  async #with<T>(client: PooledClient, work: () => Promise<T>, undo?: () => Promise<unknown>): Promise<T> {
    let broken: Error | undefined;
    try {
      return await work();
    } catch (thrown) {
      if (isConnectionLost(thrown)) broken = asError(thrown);
      else await undo?.().catch((failed) => broken = asError(failed));
      throw thrown;
    } finally {
      client.release(broken);
    }
  }

  #statement(text: string, values: readonly Value[]) {
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `berth${this.#names.size}`;
      this.#names.set(text, name);
    }
    for (const value of values) {
      if (typeof value === "string" && value.includes("\0")) {
        throw new ServiceError("invalid_request", "Cannot save that: a text holds the character NUL");
      }
    }
    return { name, text, values };
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("a value was thrown");
}
