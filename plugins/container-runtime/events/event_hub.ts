/** Sends container events to many viewers, once per tick, encoded once for all with the same filter. */
import type { EngineEvent, EventFeed } from "../mirror/event_feed.ts";

/** Events of one tick share a frame: a frame for each would be far slower. */
const TICK_MS = 10;
/** Per container and action, 12 events in 10 s are sent; further ones are counted and summed up each second. */
const CALM_WINDOW_MS = 10_000;
const CALM_COUNT = 12;
const SUMMARY_MS = 1_000;

/** Which events a viewer wants. Filters with equal keys want the same. */
export interface EventFilter {
  readonly key: string;
  wants(event: EngineEvent): boolean;
  /** Whether to tell how this engine is doing. */
  wantsEngine(backend: string): boolean;
}

export interface EventViewer {
  readonly filter: EventFilter;
  /** Takes one frame of one or several messages. */
  frame(text: string): void;
}

interface Loop {
  since: number;
  count: number;
  /** Events that were held back, and the last of them. */
  held: number;
  last: EngineEvent | null;
}

export class EventHub implements Disposable {
  readonly #feed: EventFeed;
  readonly #listening: Disposable;
  readonly #viewers = new Set<EventViewer>();
  readonly #loops = new Map<string, Loop>();
  #pending: { readonly event: EngineEvent | string; readonly text: string }[] = [];
  #tick: ReturnType<typeof setTimeout> | undefined;
  #summary: ReturnType<typeof setTimeout> | undefined;

  constructor(feed: EventFeed) {
    this.#feed = feed;
    this.#listening = feed.subscribe({
      event: (event) => this.#hear(event),
      resync: (backend) => this.#say(backend, JSON.stringify({ type: "resync", backend })),
      backend: (backend, state) => this.#say(backend, JSON.stringify({ type: "backend", backend, state })),
    });
  }

  /**
   * Sends the viewer the events since `since`, or a `resync` if they are no longer known, and then every new event that
   * it wants.
   */
  add(viewer: EventViewer, since: number | undefined): Disposable {
    this.#flush(); // pending events belong to the past of the new viewer
    const messages = [JSON.stringify({ type: "hello", seq: this.#feed.seq })];
    if (since !== undefined) {
      const past = this.#feed.since(since);
      if (past === null) messages.push(JSON.stringify({ type: "resync" }));
      for (const event of past ?? []) {
        if (isShown(event) && viewer.filter.wants(event)) messages.push(eventText(event));
      }
    }
    for (const message of messages.splice(0, 1)) viewer.frame(message);
    if (messages.length > 0) viewer.frame(framed(messages));
    this.#viewers.add(viewer);
    return { [Symbol.dispose]: () => this.#viewers.delete(viewer) };
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
    clearTimeout(this.#tick);
    clearTimeout(this.#summary);
    this.#viewers.clear();
  }

  #hear(event: EngineEvent): void {
    if (!isShown(event) || this.#viewers.size === 0) return;
    if (!this.#isHeld(event)) this.#say(event, eventText(event));
  }

  /** Whether the event is one of too many, and goes into the next summary. */
  #isHeld(event: EngineEvent): boolean {
    const key = `${event.backend} ${event.id} ${event.action}`;
    const now = performance.now();
    let loop = this.#loops.get(key);
    if (loop === undefined || now - loop.since > CALM_WINDOW_MS && loop.held === 0) {
      loop = { since: now, count: 0, held: 0, last: null };
      this.#loops.set(key, loop);
      if (this.#loops.size > 4_096) this.#forget(now);
    }
    if (++loop.count <= CALM_COUNT) return false;
    loop.held++;
    loop.last = event;
    this.#summary ??= setTimeout(() => this.#summarise(), SUMMARY_MS);
    return true;
  }

  #summarise(): void {
    this.#summary = undefined;
    const held = [...this.#loops.values()].filter((loop) => loop.last !== null)
      .sort((a, b) => (a.last?.seq ?? 0) - (b.last?.seq ?? 0));
    const now = performance.now();
    for (const loop of held) {
      if (loop.last !== null) this.#say(loop.last, eventText(loop.last, loop.held));
      loop.last = null;
      loop.held = 0;
      if (now - loop.since > CALM_WINDOW_MS) loop.count = 0;
      if (loop.count === 0) loop.since = now;
    }
  }

  #forget(now: number): void {
    for (const [key, loop] of this.#loops) {
      if (loop.held === 0 && (now - loop.since > CALM_WINDOW_MS || this.#loops.size > 8_192)) {
        this.#loops.delete(key);
      }
    }
  }

  /** Of an event, or of an engine by its name. */
  #say(event: EngineEvent | string, text: string): void {
    if (this.#viewers.size === 0) return;
    this.#pending.push({ event, text });
    this.#tick ??= setTimeout(() => this.#flush(), TICK_MS);
  }

  #flush(): void {
    clearTimeout(this.#tick);
    this.#tick = undefined;
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    const frames = new Map<string, string | null>();
    for (const viewer of this.#viewers) {
      const { filter } = viewer;
      let frame = frames.get(filter.key);
      if (frame === undefined) {
        const wanted = pending.filter(({ event }) =>
          typeof event === "string" ? filter.wantsEngine(event) : filter.wants(event)
        ).map(({ text }) => text);
        frame = wanted.length === 0 ? null : framed(wanted);
        frames.set(filter.key, frame);
      }
      if (frame !== null) viewer.frame(frame);
    }
  }
}

/** One message as it is, several as `{"type":"batch","items":[...]}`. */
export function framed(messages: readonly string[]): string {
  const [only] = messages;
  return messages.length === 1 && only !== undefined ? only : `{"type":"batch","items":[${messages.join()}]}`;
}

function isShown({ action }: EngineEvent): boolean {
  return action !== "exec_inspect"; // berth and health checks inspect execs all the time
}

function eventText(
  { seq, time, type, action, id, backend, attributes }: EngineEvent,
  repeated?: number,
): string {
  const { name = "", ...rest } = attributes;
  return JSON.stringify({
    type: "event",
    seq,
    time,
    kind: type,
    // After the colon comes a command line, which may hold secrets
    action: action.startsWith("exec_") ? action.replace(/:.*$/s, "") : action,
    [type === "container" ? "container" : "subject"]: { id, name },
    backend,
    attributes: rest,
    ...(repeated === undefined ? {} : { repeated }),
  });
}
