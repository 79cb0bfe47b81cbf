/** Watches what is declared and what runs, and keeps the incidents: on one replica at a time. */
import { isStoreAway } from "../../core/error.ts";
import type { Incident } from "../../core/incidents.ts";
import { pause } from "../../core/pause.ts";
import { HeardEvents } from "./evidence.ts";
import type { Watch } from "./watch.ts";
import type { WatcherOptions, WatchTimes } from "./watch_options.ts";

const TIMES: WatchTimes = { beginMs: 5_000, tickMs: 500, wellMs: 60_000, againMs: 600_000 };
/** The lease for watching, and the interval of its renewal. */
const TURN_MS = 15_000;
const TURN_AGAIN_MS = 5_000;
/** A look is followed by this many times its duration of rest, as long as that is no more than the other bound. */
const REST = 25;
const MOST_REST_MS = 1_200;
/** A machine that is slower still gets this share. */
const LEAST_REST = 3;
const FORGET_EVERY_MS = 3_600_000;
const KEPT_MS = 90 * 86_400_000;
const MOST_KEPT = 50_000;

export class Watcher implements AsyncDisposable {
  readonly #options: WatcherOptions;
  readonly #times: WatchTimes;
  readonly #over = new AbortController();
  readonly #running: Promise<void>;
  readonly #renewing: Promise<void>;
  readonly #heard = new HeardEvents();
  #watch: Watch | null = null;
  #turnAt = -Infinity;
  /** True while this replica watches and the store does not answer whose turn it is. */
  #isStoreAway = false;
  #seen = "";
  #models: readonly unknown[] = [];
  #lookedAt = -Infinity;
  #forgotAt = -Infinity;
  #mustLook = true;

  constructor(options: WatcherOptions) {
    const { registry, ignored } = options;
    const known = { models: lastOf(() => registry.models()), list: lastOf(() => registry.list()) };
    this.#options = { ...options, registry: known, ignored: { list: lastOf(() => ignored.list()) } };
    this.#times = { ...TIMES, ...options.times };
    this.#running = this.#run();
    this.#renewing = this.#renew();
  }

  /** True while this replica watches. */
  get isWatching(): boolean {
    return this.#watch !== null;
  }

  /** The open incident of berth while this replica watches and nothing can be recorded. */
  get gap(): Incident | null {
    return this.#options.unrecorded.gap;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await Promise.all([this.#running, this.#renewing]);
    await this.#options.unrecorded[Symbol.asyncDispose]();
    await this.#options.endings.over();
  }

  async #run(): Promise<void> {
    const { log, runtime, endings } = this.#options;
    const { signal } = this.#over;
    const engines = runtime();
    using _following = engines?.follow((event) => {
      if (event === null) return void (this.#mustLook = true);
      this.#heard.hear(event);
      // A replica that stood still may have lost its turn without knowing. A store that is away gives it to nobody.
      const isOurs = this.gap !== null || this.#isStoreAway || performance.now() - this.#turnAt < TURN_MS;
      if (this.isWatching && isOurs) endings.hear(event);
    });
    await pause(this.#times.beginMs, signal);
    let isFailing = false;
    while (!signal.aborted) {
      const began = performance.now();
      try {
        await this.#tick();
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.warn("The watcher cannot judge now: it tries again", { error });
        isFailing = true;
        this.#mustLook = true;
      }
      const took = performance.now() - began;
      const rest = Math.max(Math.min(took * REST, MOST_REST_MS), took * LEAST_REST);
      await pause(Math.max(this.#times.tickMs, rest), signal);
    }
  }

  /** Keeps the turn while a look takes long: what is heard meanwhile would be nobody's. */
  async #renew(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      await pause(TURN_AGAIN_MS, signal);
      if (signal.aborted || !this.isWatching) continue;
      try {
        this.#turnAt = await this.#options.isOurTurn(TURN_MS) ? performance.now() : -Infinity;
        this.#isStoreAway = false;
      } catch {
        // The store is away: the turn ends by itself, and a look says so.
      }
    }
  }

  /** Returns true if it is this replica's turn. */
  async #isOurTurn(): Promise<boolean> {
    const { store, isOurTurn, unrecorded } = this.#options;
    if (performance.now() - this.#turnAt < TURN_AGAIN_MS) return true;
    try {
      this.#turnAt = await isOurTurn(TURN_MS) ? performance.now() : -Infinity;
      this.#isStoreAway = false;
    } catch (error) {
      // Nobody takes the turn from a store that is away: who watched goes on, and tells from memory.
      if (this.#watch === null || !isStoreAway(error)) throw error;
      this.#isStoreAway = true;
      return true;
    }
    if (this.#turnAt === -Infinity) await unrecorded.leave(store);
    return this.#turnAt > -Infinity;
  }

  async #tick(): Promise<void> {
    const { store, log, unrecorded } = this.#options;
    if (!await this.#isOurTurn()) {
      this.#watch = null;
      this.#heard.takeEndings(); // another replica counts them
      return;
    }
    if (this.#watch === null) {
      const { Watch } = await import("./watch.ts");
      await this.#options.runtime()?.settle();
      this.#watch = await Watch.begin({ ...this.#options, heard: this.#heard, wellMs: this.#times.wellMs });
      this.#mustLook = true;
    }
    await unrecorded.prepare();
    if (await this.#hasNews()) {
      this.#mustLook = false;
      this.#lookedAt = performance.now();
      const wasWhole = this.gap === null;
      const end = await this.#watch.look();
      if (end === "overtaken") this.#watch = null; // all is read anew
      if (end === "away") {
        this.#mustLook = true;
        if (wasWhole) log.warn("Incidents cannot be recorded: berth tells them from memory", {});
        return;
      }
    }
    const isLong = performance.now() - this.#forgotAt >= FORGET_EVERY_MS;
    await this.#options.endings.settle(this.#options.steady(), isLong);
    if (!isLong) return;
    this.#forgotAt = performance.now();
    const forgotten = await store.forget(this.#options.steady() - KEPT_MS, MOST_KEPT);
    if (forgotten > 0) log.info("Old incidents were forgotten", { count: forgotten });
  }

  /** Returns true if anything is another than at the last look, or waits. */
  async #hasNews(): Promise<boolean> {
    const { registry, runtime } = this.#options;
    const engines = runtime();
    const models = [
      ...(await registry.models()).flatMap(({ workspace, model }) => [workspace.id, model]),
      await registry.list(),
    ];
    const backends = engines?.backends().map(({ name, state }) => `${name} ${state}`) ?? [];
    const seen = `${engines?.stamp ?? ""} ${backends.join(" ")}`;
    const isSame = seen === this.#seen && models.length === this.#models.length &&
      models.every((one, at) => one === this.#models[at]);
    this.#seen = seen;
    this.#models = models;
    return !isSame || this.#mustLook || this.#watch!.isWaiting ||
      performance.now() - this.#lookedAt >= this.#times.againMs;
  }
}

/** Returns what was read last while the store is away. */
function lastOf<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { readonly value: T } | null = null;
  return async () => {
    try {
      last = { value: await read() };
    } catch (error) {
      if (last === null || !isStoreAway(error)) throw error;
    }
    return last.value;
  };
}
