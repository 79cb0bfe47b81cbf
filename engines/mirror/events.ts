/** Reads one engine's `/events` without a pause: a slow reader would slow every client of the engine. */
import type { Engine } from "../calls/engine.ts";
import { at } from "../calls/path.ts";
import { MAX_LINE, TextLines } from "../calls/text_lines.ts";
import { numberOf, objectOf, parseJson, textOf } from "../calls/wire.ts";
import type { RawEvent } from "./event_feed.ts";

const REMEMBERED = 1_024;
/** After a longer break, events are not asked for again: the lists say what happened. */
const LONGEST_BREAK_MS = 5 * 60_000;

/** The attributes of an event that are shown; labels may hold secrets and are not. */
const ATTRIBUTES = new Set([
  "name",
  "oldName",
  "image",
  "exitCode",
  "signal",
  "execID",
  "container",
  "driver",
  "destination",
  "com.docker.compose.project",
  "com.docker.compose.service",
]);

interface EventReading {
  /** Called when the stream is open: every later change has an event. */
  opened(): void;
  event(event: RawEvent): void;
}

/**
 * Reads until the engine or `signal` ends the stream, behind the events that `told` remembers. Throws only if it cannot
 * be opened.
 */
export async function readEvents(
  engine: Engine,
  signal: AbortSignal,
  told: ToldEvents,
  reading: EventReading,
): Promise<void> {
  await using stream = await engine.stream("GET", at`/events`, {
    doing: `watch engine "${engine.name}"`,
    query: { since: told.since },
    signal,
  });
  reading.opened();
  const lines = new TextLines();
  try {
    for await (const chunk of stream.body) {
      for (const line of lines.push(chunk)) {
        const event = parseEvent(line);
        if (event !== null && told.add(event)) reading.event(event);
      }
    }
  } catch {
    // Whatever broke it, the next step is the same: connect and list again.
  }
}

/** One line of `/events`; null if it is no event. Newer engines put 0x1E before each. */
export function parseEvent(line: string): RawEvent | null {
  const text = line.startsWith("\x1e") ? line.slice(1) : line;
  if (text === "" || text.length > MAX_LINE) return null;
  const wire = objectOf(parseJson(text));
  const actor = objectOf(wire.Actor);
  const type = textOf(wire.Type);
  const action = textOf(wire.Action) || textOf(wire.status);
  if (type === "" || action === "") return null;
  const timeNano = numberOf(wire.timeNano, numberOf(wire.time) * 1e9);
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(objectOf(actor.Attributes))) {
    if (ATTRIBUTES.has(name) && typeof value === "string") attributes[name] = value.slice(0, 512);
  }
  const exitCode = attributes.exitCode ?? textOf(objectOf(actor.Attributes).containerExitCode);
  if (exitCode !== "" && (action === "die" || action === "died")) attributes.exitCode = exitCode;
  return {
    time: new Date(Math.min(timeNano / 1e6, 8.64e15)).toISOString(),
    timeNano,
    type,
    action: plainAction(action),
    id: textOf(actor.ID) || textOf(wire.id),
    attributes,
    ...(/^exec_(?:create|start): /.test(action) && { command: action.slice(action.indexOf(":") + 2) }),
  };
}

/** Docker's word for the action, without an exec's command line. */
function plainAction(action: string): string {
  const colon = action.indexOf(":");
  const word = colon < 0 || action.startsWith("health_status") ? action : action.slice(0, colon);
  switch (word) {
    case "died":
      return "die";
    case "remove":
      return "destroy";
    default:
      return word.slice(0, 64);
  }
}

/** The events that one engine told, for as long as its streams can resume: across cut connections, not across its end. */
export class ToldEvents {
  readonly #keys = new Set<string>();
  /** The engine's own time up to which its events are known, in seconds; 0 where it told none. */
  #until = 0;
  #cutAt = 0;

  /** The time to resume from; undefined where there is nothing to resume. */
  get since(): number | undefined {
    const isRecent = performance.now() - this.#cutAt < LONGEST_BREAK_MS;
    return this.#until > 0 && isRecent ? this.#until : undefined;
  }

  /** Remembers that events are known up to now: `time` is the engine's, in milliseconds. */
  hear(time: number): void {
    this.#until = Math.max(this.#until, Math.floor(time / 1_000));
  }

  /** Remembers that an open stream has ended. */
  cut(): void {
    this.#cutAt = performance.now();
  }

  /** Remembers an event; false for one that was told before. */
  add({ timeNano, type, action, id }: RawEvent): boolean {
    const key = `${timeNano} ${type} ${action} ${id}`;
    if (this.#keys.has(key)) return false;
    this.hear(timeNano / 1e6);
    this.#keys.add(key);
    if (this.#keys.size > REMEMBERED) {
      const oldest = this.#keys.values().next();
      if (!oldest.done) this.#keys.delete(oldest.value);
    }
    return true;
  }
}
