/** Looks at a swarm after its events: of many at once, one look follows another, with rests in between. */
import type { Log } from "../../../core/log.ts";
import { pause } from "../../../core/pause.ts";
import type { Cluster } from "./cluster.ts";

/** Managers show a task that ended a little later than its node tells of the container. */
const AFTER_EVENT_MS = [100, 300, 1_000];
/** Events that are waited after; a storm is read by the clock. */
const MOST_TIMERS = 300;
/** The rest after a look, as a multiple of its time, so that a storm costs managers a twentieth of a core. */
const REST = 19;
const LONGEST_REST_MS = 2_000;

interface Options {
  /** Returns false for a swarm that none of the engines is in any more. */
  readonly isSure: (cluster: Cluster) => Promise<boolean>;
  readonly log: Log;
  readonly ending: AbortSignal;
}

export class EventLooks implements AsyncDisposable {
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  /** Swarms that are looked at, or rest. */
  readonly #busy = new Set<Cluster>();
  #working: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: Options) {}

  /** Reads the tasks of a service soon, and again; `later` names the one that was not known yet. */
  after(cluster: Cluster, service: string | null, later: () => string | undefined = () => undefined): void {
    for (const ms of AFTER_EVENT_MS) {
      if (this.options.ending.aborted || this.#timers.size > MOST_TIMERS) return;
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        const doubted = service ?? later();
        if (doubted === undefined) return;
        cluster.doubt(doubted);
        this.#look(cluster);
      }, ms);
      this.#timers.add(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#working;
  }

  #look(cluster: Cluster): void {
    if (this.options.ending.aborted || this.#busy.has(cluster)) return;
    this.#busy.add(cluster);
    const looked = this.#lookOnceSure(cluster).catch((error) => {
      this.options.log.error("A swarm cannot be read", { error });
      return null;
    });
    this.#working = Promise.all([this.#working, looked]).then(() => {});
    void looked.then((tookMs) => this.#rest(cluster, tookMs));
  }

  async #rest(cluster: Cluster, tookMs: number | null): Promise<void> {
    await pause(Math.min(LONGEST_REST_MS, (tookMs ?? 0) * REST), this.options.ending);
    this.#busy.delete(cluster);
    if (tookMs !== null && cluster.hasDoubts && cluster.state === "up") this.#look(cluster);
  }

  /** Returns the milliseconds that it took; null for a swarm that is gone. */
  async #lookOnceSure(cluster: Cluster): Promise<number | null> {
    if (!await this.options.isSure(cluster)) return null;
    const began = performance.now();
    await cluster.look({ withNodes: false });
    return performance.now() - began;
  }
}
