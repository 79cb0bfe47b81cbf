/** Reads one engine's `/events` without a pause: a slow reader would slow every client of the engine. */
import type { Engine } from "../engine/engine.ts";
import { at } from "../engine/path.ts";
import { MAX_LINE, TextLines } from "../engine/text_lines.ts";
import { numberOf, objectOf, parseJson, textOf } from "../engine/wire.ts";
import type { RawEvent } from "./event_feed.ts";

const REMEMBERED = 1_024;

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

export interface EventReading {
  /** Called when the stream is open: every later change has an event. */
  opened(): void;
  event(event: RawEvent): void;
}

/** Reads until the engine or `signal` ends the stream. Throws only if it cannot be opened. */
export async function readEvents(engine: Engine, signal: AbortSignal, reading: EventReading): Promise<void> {
  await using stream = await engine.stream("GET", at`/events`, {
    doing: `watch engine "${engine.name}"`,
    signal,
  });
  reading.opened();
  const seen = new Recent(REMEMBERED);
  const lines = new TextLines();
  try {
    for await (const chunk of stream.body) {
      for (const line of lines.push(chunk)) {
        const event = parseEvent(line);
        if (event !== null && seen.add(`${event.timeNano} ${event.type} ${event.action} ${event.id}`)) {
          reading.event(event);
        }
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

/** The latest keys, to recognise a repeated event. */
class Recent {
  readonly #keys = new Set<string>();
  constructor(private readonly limit: number) {}

  /** Whether the key is new. */
  add(key: string): boolean {
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    if (this.#keys.size > this.limit) {
      const oldest = this.#keys.values().next();
      if (!oldest.done) this.#keys.delete(oldest.value);
    }
    return true;
  }
}
