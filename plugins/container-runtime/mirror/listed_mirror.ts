/** What changes seldom and is cheap to list whole (images, volumes, networks), kept in memory. */
import type { Engine } from "../engine/engine.ts";
import { isRefusal } from "./refusal.ts";
import { Looks } from "./rechecks.ts";
import { Passes } from "./refresh_queue.ts";
import { Rows } from "./rows.ts";

/** All rows of one kind, each with its key. */
export type ListRows<Row> = (engine: Engine) => Promise<readonly (readonly [key: string, row: Row])[]>;

export class ListedMirror<Row> implements Disposable {
  readonly rows = new Rows<Row>();
  readonly #looks = new Looks(() => this.#passes.need("look"));
  readonly #passes = new Passes(() => this.#pass());

  /** Why the rows are not true, although the engine answers; null while they are. */
  problem: string | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly list: ListRows<Row>,
    private readonly failed: (error: unknown) => void,
  ) {}

  get settled(): boolean {
    return this.#passes.settled;
  }

  fresh(): Promise<void> {
    return this.#passes.fresh();
  }

  idle(): Promise<void> {
    return this.#passes.idle();
  }

  /** Something of this kind changed: reads from now on wait until it was read. */
  touch(): void {
    this.#passes.need("sure");
    this.#looks.schedule("");
  }

  async resync(): Promise<void> {
    this.#passes.need("sure");
    await this.#passes.fresh();
  }

  compare(): void {
    this.#passes.need("look");
  }

  clear(): void {
    this.#looks.clear();
    this.rows.clear();
  }

  [Symbol.dispose](): void {
    this.#looks[Symbol.dispose]();
  }

  async #pass(): Promise<void> {
    try {
      this.rows.replace(await this.list(this.engine));
      this.problem = null;
    } catch (error) {
      if (isRefusal(error)) {
        this.problem = error.message;
        return; // the slow clock tries again
      }
      this.failed(error);
      throw error;
    }
  }
}
