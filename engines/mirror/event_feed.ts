/** The events of all engines, numbered in one sequence, for any number of listeners. */
import type { ContainerRow } from "../rows/container.ts";

export interface EngineEvent {
  /** Rises by one with each event of any engine. */
  readonly seq: number;
  readonly backend: string;
  readonly time: string;
  readonly type: string;
  /** Without the part after a colon: an exec's command line may hold secrets. */
  readonly action: string;
  readonly id: string;
  /** The attributes that hold no secrets. */
  readonly attributes: Readonly<Record<string, string>>;
  /** An exec of the container's health check, of which there are many. */
  readonly healthCheck: boolean;
  readonly about: About;
}

/** The object of an event, as it was known when the event came: afterwards it may be gone. */
export interface About {
  /** The container that something happened to, or that was connected; null where it is not known, or none was. */
  readonly container: ContainerRow | null;
  /** The labels of the volume or network. */
  readonly labels: Readonly<Record<string, string>>;
}

const UNKNOWN: About = { container: null, labels: {} };

/** An event as it was read from an engine. */
export interface RawEvent extends Omit<EngineEvent, "seq" | "backend" | "healthCheck" | "about"> {
  readonly timeNano: number;
  /** The command line of an exec, for comparing alone: it may hold secrets. */
  readonly command?: string;
}

interface FeedListener {
  event?(event: EngineEvent): void;
  /** Events of this engine may have been missed: its state has to be read again. */
  resync?(backend: string): void;
  backend?(backend: string, state: string): void;
}

const MAX_EVENTS = 4_096;

export class EventFeed {
  readonly #listeners = new Set<FeedListener>();
  readonly #events: EngineEvent[] = [];
  /** The index of the oldest event once the buffer is full. */
  #oldest = 0;
  #seq: number;
  /** Nobody can resume after an earlier number than this, because of a `resync`. */
  #broken: number;

  /** Begins where no other start and no other replica gives numbers, so that one of theirs is never taken for its own. */
  constructor(before = Date.now() * 100) { // fifteen digits, as many as a query takes
    this.#seq = this.#broken = before;
  }

  /** The number of the latest event. */
  get seq(): number {
    return this.#seq;
  }

  subscribe(listener: FeedListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** The events after `seq`, in order; null if some of them are no longer known. */
  since(seq: number): readonly EngineEvent[] | null {
    const missed = this.#seq - seq;
    if (missed === 0) return [];
    if (missed < 0 || missed > this.#events.length || seq < this.#broken) return null;
    return this.known().slice(-missed);
  }

  /** The latest events, in order. */
  known(): readonly EngineEvent[] {
    return this.#events.slice(this.#oldest).concat(this.#events.slice(0, this.#oldest));
  }

  publish(backend: string, raw: RawEvent, healthCheck = false, about = UNKNOWN): void {
    const event: EngineEvent = {
      seq: this.#seq += 1,
      backend,
      time: raw.time,
      type: raw.type,
      action: raw.action,
      id: raw.id,
      attributes: raw.attributes,
      healthCheck,
      about,
    };
    if (this.#events.length < MAX_EVENTS) this.#events.push(event);
    else {
      this.#events[this.#oldest] = event;
      this.#oldest = (this.#oldest + 1) % MAX_EVENTS;
    }
    for (const listener of this.#listeners) listener.event?.(event);
  }

  resync(backend: string): void {
    this.#broken = this.#seq;
    for (const listener of this.#listeners) listener.resync?.(backend);
  }

  backend(backend: string, state: string): void {
    for (const listener of this.#listeners) listener.backend?.(backend, state);
  }
}
