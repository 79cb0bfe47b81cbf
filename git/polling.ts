/** When each source is checked, and when an interrupted sync is tried again. */
import { eachUntilFailure } from "../artifacts/reading/each_of.ts";
import { ServiceError } from "../core/error.ts";
import type { Log } from "../core/log.ts";
import type { SourceRecord } from "../core/source.ts";
import { reasonOf, SourceFailure } from "./failure.ts";

interface PollingOptions {
  readonly list: () => Promise<readonly SourceRecord[]>;
  readonly check: (workspace: string) => Promise<unknown>;
  /** Continues with a sync that was interrupted. */
  readonly resume: (workspace: string) => Promise<void>;
  /** Lets the policy `auto` act. */
  readonly act: (workspace: string) => void;
  /** As of `Replicas`. */
  readonly turn: (what: string, ms: number) => Promise<boolean>;
  readonly log: Log;
  readonly now: () => number;
}

const EVERY_MS = 5 * 60_000;
const LONGEST_MS = 60 * 60_000;
/** Due checks are looked for this often. */
const TICK_MS = 5_000;
const CHECKS_AT_ONCE = 2;

export class Polling implements AsyncDisposable {
  readonly #options: PollingOptions;
  readonly #due = new Map<string, number>();
  /** Interrupted syncs that could not be finished, and when each is tried again. */
  readonly #unfinished = new Map<string, { readonly failures: number; readonly due: number }>();
  readonly #ticking: ReturnType<typeof setInterval>;
  #isOver = false;
  #polling: Promise<void> = Promise.resolve();
  /** The checks that are under way. A server that does not answer holds up nothing but these. */
  #checking: Promise<void> | null = null;

  constructor(options: PollingOptions) {
    this.#options = options;
    this.#ticking = setInterval(() => {
      this.#polling = this.#polling.then(() => this.#poll()).catch((error) => this.#tell(error));
    }, TICK_MS);
    Deno.unrefTimer(this.#ticking);
  }

  /** Returns when the next check is due. */
  next(workspace: string, failures: number, since = this.#options.now() as number | null): number {
    const every = Math.min(EVERY_MS * 2 ** Math.min(failures, 10), LONGEST_MS) * (0.8 + Math.random() * 0.4);
    const due = since === null ? this.#options.now() : since + every;
    this.#due.set(workspace, due);
    return due;
  }

  forget(workspace: string): void {
    this.#due.delete(workspace);
    this.#unfinished.delete(workspace);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    clearInterval(this.#ticking);
    await this.#polling;
    await this.#checking;
  }

  #tell(error: unknown): void {
    if (!this.#isOver) this.#options.log.warn("Sources cannot be checked", { error });
  }

  async #poll(): Promise<void> {
    const { list, now, act } = this.#options;
    const records = await list();
    for (const record of records) {
      const { workspace, syncing } = record;
      const isDue = (this.#unfinished.get(workspace)?.due ?? 0) <= now();
      if (syncing !== null && isDue) await this.#resume(workspace);
      if (isLeft(record)) act(workspace);
    }
    this.#checking ??= this.#checkDue(records)
      .catch((error) => this.#tell(error))
      .finally(() => this.#checking = null);
  }

  async #checkDue(records: readonly SourceRecord[]): Promise<void> {
    const { now, turn, check } = this.#options;
    await eachUntilFailure(records, async ({ workspace, failures, checkedAt }) => {
      const due = this.#due.get(workspace) ?? this.next(workspace, failures, checkedAt);
      if (due > now() || this.#isOver) return;
      this.next(workspace, failures);
      // Another replica may have checked meanwhile, or be at it.
      if (!await turn(`git check ${workspace}`, EVERY_MS / 2)) return;
      await check(workspace).catch((error) => {
        if (!(error instanceof ServiceError)) throw error;
      });
    }, CHECKS_AT_ONCE);
  }

  async #resume(workspace: string): Promise<void> {
    const { resume, now, log } = this.#options;
    try {
      await resume(workspace);
      this.#unfinished.delete(workspace);
    } catch (error) {
      if (!(error instanceof ServiceError) && !(error instanceof SourceFailure)) throw error;
      const failures = (this.#unfinished.get(workspace)?.failures ?? 0) + 1;
      this.#unfinished.set(workspace, {
        failures,
        due: now() + Math.min(TICK_MS * 2 ** failures, LONGEST_MS),
      });
      log.warn("A sync cannot be finished", { workspace, why: reasonOf(error) });
    }
  }
}

/** True where the policy `auto` was interrupted, by whichever replica's end. */
const isLeft = ({ policy, syncing, todo, waiting }: SourceRecord): boolean =>
  policy === "auto" && syncing === null && waiting === null && todo !== null && !todo.isTried;
