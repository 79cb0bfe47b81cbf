/** One engine's images, volumes or networks in memory: they change seldom and are listed whole. */
import type { Engine } from "../engine/engine.ts";
import { isRefusal } from "./refusal.ts";
import { Rechecks } from "./rechecks.ts";
import { RefreshQueue } from "./refresh_queue.ts";
import { Rows } from "./rows.ts";

/** All rows of one kind, each with its key. */
export type ListRows<Row> = (engine: Engine) => Promise<readonly (readonly [key: string, row: Row])[]>;

export class ListedMirror<Row> implements Disposable {
  readonly rows = new Rows<Row>();
  readonly #rechecks = new Rechecks(() => this.#queue.need("check"));
  readonly #queue = new RefreshQueue(() => this.#refresh());

  /** Why the rows could not be read although the engine answers; null while they are right. */
  problem: string | null = null;

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

  async resync(): Promise<void> {
    this.#queue.need("change");
    await this.#queue.fresh();
  }

  compare(): void {
    this.#queue.need("check");
  }

  clear(): void {
    this.#rechecks.clear();
    this.rows.clear();
  }

  [Symbol.dispose](): void {
    this.#rechecks[Symbol.dispose]();
  }

  async #refresh(): Promise<void> {
    try {
      this.rows.replace(await this.list(this.engine));
      this.problem = null;
    } catch (error) {
      if (isRefusal(error)) {
        this.problem = error.message;
        return; // `compare` tries again
      }
      this.failed(error);
      throw error;
    }
  }
}
