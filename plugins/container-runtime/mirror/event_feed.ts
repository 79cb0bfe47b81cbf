/** All engines' events in one numbered row: one reader per engine, however many listen. */

export interface EngineEvent {
  /** Rises by one from event to event, over all engines, while the service runs. */
  readonly seq: number;
  readonly backend: string;
  readonly time: string;
  readonly type: string;
  /** Without what follows the colon: an exec's command line may hold secrets. */
  readonly action: string;
  readonly id: string;
  /** The few attributes that are known to be harmless. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** An event as an engine's reader hands it in. */
export interface RawEvent extends Omit<EngineEvent, "seq" | "backend"> {
  readonly timeNano: number;
}

export interface FeedListener {
  event?(event: EngineEvent): void;
  /** Events may have been missed on this engine: what is shown of it has to be read again. */
  resync?(backend: string): void;
  backend?(backend: string, state: string): void;
}

const KEPT = 4_096;

export class EventFeed {
  readonly #listeners = new Set<FeedListener>();
  readonly #kept: EngineEvent[] = [];
  /** Where the oldest kept event stands once the row is full. */
  #oldest = 0;
  #seq = 0;
  /** The highest number that a `resync` made worthless to resume from. */
  #broken = 0;

  /** The number of the latest event. */
  get seq(): number {
    return this.#seq;
  }

  subscribe(listener: FeedListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** The events after `seq`, in order; null where some of them are gone. */
  since(seq: number): readonly EngineEvent[] | null {
    const missed = this.#seq - seq;
    if (missed === 0) return [];
    if (missed < 0 || missed > this.#kept.length || seq < this.#broken) return null;
    const inOrder = this.#kept.slice(this.#oldest).concat(this.#kept.slice(0, this.#oldest));
    return inOrder.slice(-missed);
  }

  publish(backend: string, raw: RawEvent): void {
    const event: EngineEvent = {
      seq: this.#seq += 1,
      backend,
      time: raw.time,
      type: raw.type,
      action: raw.action,
      id: raw.id,
      attributes: raw.attributes,
    };
    if (this.#kept.length < KEPT) this.#kept.push(event);
    else {
      this.#kept[this.#oldest] = event;
      this.#oldest = (this.#oldest + 1) % KEPT;
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
