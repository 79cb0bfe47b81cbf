/** One engine's images, volumes or networks in memory: they change seldom and are listed whole. */
import { ServiceError } from "../../core/error.ts";
import type { Engine } from "../calls/engine.ts";
import { unreadable } from "../calls/failure.ts";
import { Rechecks } from "./rechecks.ts";
import { RefreshQueue } from "./refresh_queue.ts";
import { Rows } from "./rows.ts";

/** All rows of one kind, each with its key. */
type ListRows<Row> = (engine: Engine) => Promise<readonly (readonly [key: string, row: Row])[]>;

export class ListedMirror<Row> implements Disposable {
  readonly rows = new Rows<Row>();
  readonly #rechecks = new Rechecks(() => this.#queue.need("check"));
  readonly #queue = new RefreshQueue(() => this.#refresh());

  /** True if there are rows to show, though they may be old. */
  known = false;
  /** The reason that the rows are not current, because the list failed or hangs; null while they are. */
  problem: string | null = null;

  /** `failed` is called with the first of several failures in a row. */
  constructor(
    private readonly engine: Engine,
    private readonly list: ListRows<Row>,
    private readonly failed: (error: unknown) => void,
  ) {}

  get settled(): boolean {
    return this.#queue.settled;
  }

  fresh(): Promise<void> {
    return this.#queue.fresh();
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Berth changed something of this kind: lists wait from now on until it was read. */
  touch(): void {
    this.#queue.need("own");
    this.#rechecks.schedule("");
  }

  /** An event tells that something of this kind changed: lists wait a moment for it. */
  told(): void {
    this.#queue.need("change");
    this.#rechecks.schedule("");
  }

  /** See `RefreshQueue.freshOwn`. */
  freshOwn(): Promise<void> {
    return this.#queue.freshOwn();
  }

  /** Reads all again. Rejects when that fails. */
  async resync(): Promise<void> {
    this.#queue.need("change");
    await this.#queue.fresh();
  }

  /** Tries again where the last list failed. */
  again(): void {
    if (this.problem !== null) this.#queue.need("check");
  }

  compare(): void {
    this.#queue.need("check");
  }

  clear(): void {
    this.#rechecks.clear();
    this.rows.clear();
    this.known = false;
    this.problem = null;
  }

  [Symbol.dispose](): void {
    this.#rechecks[Symbol.dispose]();
  }

  async #refresh(): Promise<void> {
    try {
      this.rows.replace(await this.list(this.engine));
      this.known = true;
      this.problem = null;
    } catch (thrown) {
      const { name } = this.engine;
      const error = thrown instanceof ServiceError ? thrown : unreadable(name, `read engine "${name}"`);
      if (this.problem === null) this.failed(thrown);
      this.problem = error.message;
      if (error.code === "engine_timeout") this.engine.renew(); // its connection may be half open
      throw error;
    }
  }
}
