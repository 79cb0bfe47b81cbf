/** Shares one measurement of an engine among all who wait for it, and ends it when nobody does. */
import { orAborted } from "../../../core/signal.ts";
import type { Link } from "../../../engines/links/link.ts";
import { measure, type Measurement } from "./measurement.ts";

/** The milliseconds for which a measurement is answered from the cache. */
const CACHE_MS = 30_000;

interface Running {
  readonly result: Promise<Measurement>;
  readonly ending: AbortController;
  waiting: number;
}

export class Meter {
  readonly #cached = new Map<Link, { readonly measurement: Measurement; readonly until: number }>();
  readonly #running = new Map<Link, Running>();

  constructor(private readonly cacheMs = CACHE_MS) {}

  /** The cached measurement, the one that runs, or a new one. */
  async read(link: Link, signal: AbortSignal): Promise<Measurement> {
    const kept = this.#cached.get(link);
    if (kept !== undefined && kept.until > performance.now()) return kept.measurement;
    return await this.#join(this.#running.get(link) ?? this.#start(link), signal);
  }

  /** A new measurement: decisions must not rest on an old one. */
  async anew(link: Link, signal: AbortSignal): Promise<Measurement> {
    return await this.#join(this.#start(link), signal);
  }

  /** Called after a removal: cached and running measurements are out of date. */
  forget(link: Link): void {
    this.#cached.delete(link);
    this.#running.delete(link);
  }

  #start(link: Link): Running {
    const ending = new AbortController();
    const running: Running = { result: measure(link.engine, ending.signal), ending, waiting: 0 };
    this.#running.set(link, running);
    const current = () => this.#running.get(link) === running;
    running.result.then((measurement) => {
      if (current()) this.#cached.set(link, { measurement, until: performance.now() + this.cacheMs });
    }, () => {}).finally(() => {
      if (current()) this.#running.delete(link);
    });
    return running;
  }

  async #join(running: Running, signal: AbortSignal): Promise<Measurement> {
    running.waiting += 1;
    try {
      return await orAborted(running.result, signal);
    } finally {
      running.waiting -= 1;
      if (running.waiting === 0) running.ending.abort();
    }
  }
}
