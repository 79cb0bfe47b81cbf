/** Sends container events to many viewers, once per tick, encoded once for all with the same filter. */
import type { EngineEvent, EventFeed } from "../../../engines/mirror/event_feed.ts";
import { type JsonText, jsonText } from "../../../core/json_text.ts";

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
  /** Returns true if the state of this engine is to be told. */
  wantsEngine(backend: string): boolean;
}

interface EventViewer {
  readonly filter: EventFilter;
  /** Takes some messages; the events up to `seq` were told with them. */
  frame(messages: readonly JsonText[], seq: number): void;
}

interface Loop {
  since: number;
  count: number;
  /** Events that were held back, and the last of them. */
  held: number;
  last: EngineEvent | null;
}

/** Which earlier events a viewer is sent. */
interface Past {
  /** All that came behind this one. */
  readonly since?: number | undefined;
  /** The last so many that are still known, where `since` is left out or too long ago. */
  readonly earlier?: number | undefined;
}

/** Earlier events in one frame. */
const PAST_AT_ONCE = 200;
/** All earlier events of one viewer: they are queued at once, and more than a socket holds would end it. */
const MOST_PAST_CHARACTERS = 512 * 1024;

export class EventHub implements Disposable {
  readonly #feed: EventFeed;
  readonly #listening: Disposable;
  readonly #viewers = new Set<EventViewer>();
  readonly #loops = new Map<string, Loop>();
  #pending: { readonly event: EngineEvent | string; readonly text: JsonText }[] = [];
  #tick: ReturnType<typeof setTimeout> | undefined;
  #summary: ReturnType<typeof setTimeout> | undefined;

  constructor(feed: EventFeed) {
    this.#feed = feed;
    this.#listening = feed.subscribe({
      event: (event) => this.#hear(event),
      resync: (backend) => this.#say(backend, jsonText({ type: "resync", backend })),
      backend: (backend, state) => this.#say(backend, jsonText({ type: "backend", backend, state })),
    });
  }

  /**
   * Sends the viewer the events since `since`, or a `resync` if they are no longer known or too many, and then every new
   * event that it wants.
   */
  add(viewer: EventViewer, { since, earlier = 0 }: Past): Disposable {
    this.#flush(); // pending events belong to the past of the new viewer
    const past = since === undefined ? null : this.#feed.since(since);
    const known = past ?? (earlier > 0 ? this.#feed.known().filter(({ seq }) => seq > (since ?? 0)) : []);
    const wanted = known.filter((event) => isShown(event) && viewer.filter.wants(event));
    const asked = past === null ? wanted.slice(-Math.max(earlier, 1)) : wanted;
    const told = latest(asked.map((event) => ({ seq: event.seq, text: eventText(event) })));
    if (since !== undefined && (past === null || told.length < asked.length)) {
      const before = told[0] === undefined ? this.#feed.seq : told[0].seq - 1;
      viewer.frame([jsonText({ type: "resync" })], before);
    }
    for (let at = 0; at < told.length; at += PAST_AT_ONCE) {
      const some = told.slice(at, at + PAST_AT_ONCE);
      const seq = at + PAST_AT_ONCE < told.length ? some.at(-1)!.seq : this.#feed.seq; // a slice has one at least
      viewer.frame(some.map(({ text }) => text), seq);
    }
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

  /** Returns true if the event exceeds the rate and goes into the next summary. */
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
  #say(event: EngineEvent | string, text: JsonText): void {
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
    const frames = new Map<string, readonly JsonText[]>();
    for (const viewer of this.#viewers) {
      const { filter } = viewer;
      let frame = frames.get(filter.key);
      if (frame === undefined) {
        frame = pending.filter(({ event }) =>
          typeof event === "string" ? filter.wantsEngine(event) : filter.wants(event)
        ).map(({ text }) => text);
        frames.set(filter.key, frame);
      }
      if (frame.length > 0) viewer.frame(frame, this.#feed.seq);
    }
  }
}

/** Returns the last of them, as many as a viewer is told at once. */
function latest<One extends { readonly text: JsonText }>(all: readonly One[]): readonly One[] {
  let characters = 0;
  let from = all.length;
  while (from > 0 && characters + all[from - 1]!.text.length <= MOST_PAST_CHARACTERS) {
    from -= 1;
    characters += all[from]!.text.length;
  }
  return all.slice(from);
}

function isShown({ action }: EngineEvent): boolean {
  return action !== "exec_inspect"; // berth and health checks inspect execs all the time
}

function eventText(
  { seq, time, type, action, id, backend, attributes }: EngineEvent,
  repeated?: number,
): JsonText {
  const { name = "", ...rest } = attributes;
  return jsonText({
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
