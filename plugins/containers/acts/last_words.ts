/** The last lines of a container, kept so that people can read why it ended or was unhealthy after it is gone. */
import type { LastWords } from "../../../core/endings.ts";
import { ServiceError } from "../../../core/error.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { said } from "../../../engines/calls/failure.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { at } from "../../../engines/calls/path.ts";
import {
  flagOf,
  listOf,
  numberOf,
  objectOf,
  textOf,
  textsOf,
  type Wire,
} from "../../../engines/calls/wire.ts";
import { FrameReader } from "../../../engines/frames/frames.ts";
import { LogTail } from "./log_tail.ts";
import { maskedLines } from "./masked_lines.ts";

const MOST_LINES = 500;
/** A log that does not end is not waited for. */
const READ_MS = 10_000;
/** The times for the end of a log on Podman, which comes at once or far too late, and for all of it. */
const PODMAN_END_MS = 3_000;
const PODMAN_WHOLE_MS = 30_000;
const DOING = { doing: "read the end of a container's log", missing: "container_not_found" } as const;

/** The last lines of its log, each masked and cut, then what its health check said last. */
export async function lastWords(engine: Engine, id: string, lines: number): Promise<readonly string[]> {
  const read = wordsIn(await readBoth(engine, id, lines), lines);
  return [...read.lines, ...read.health === "" ? [] : [`health check: ${read.health}`]];
}

/** Returns how a container ended and what it said last; null where it is gone. */
export async function endingOf(engine: Engine, id: string): Promise<LastWords | null> {
  try {
    const read = await readBoth(engine, id, MOST_LINES);
    const state = objectOf(read.wire.State);
    return {
      exitCode: flagOf(state.Running) ? null : numberOf(state.ExitCode),
      outOfMemory: flagOf(state.OOMKilled),
      ...wordsIn(read, MOST_LINES),
    };
  } catch (error) {
    if (error instanceof ServiceError && error.code === "container_not_found") return null;
    throw error;
  }
}

interface Read {
  readonly wire: Wire;
  readonly tail: LogTail;
}

/**
 * Podman takes minutes to find the last lines where one has megabytes, and sends a whole log in a moment: that is asked
 * for where the end does not come in time. Throws `engine_timeout` where it does not either.
 */
async function readBoth(engine: Engine, id: string, lines: number): Promise<Read> {
  const { kind } = await engine.greet();
  const tries: readonly (readonly [number | "all", number])[] = kind === "podman"
    ? [[lines, PODMAN_END_MS], ["all", PODMAN_WHOLE_MS]]
    : [[lines, READ_MS]];
  for (const [tail, ms] of tries) {
    const signal = AbortSignal.timeout(ms);
    try {
      const read = await readTail(engine, id, tail, signal);
      if (!signal.aborted) return read;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  const why = `engine "${engine.name}" took too long to answer`;
  throw engineError("engine_timeout", `Cannot ${DOING.doing}: ${why}`);
}

/** Asks for both at once: a container may be removed at any moment. */
async function readTail(
  engine: Engine,
  id: string,
  lines: number | "all",
  signal: AbortSignal,
): Promise<Read> {
  const asked = engine.get(at`/containers/${id}/json`, DOING).then(objectOf);
  asked.catch(() => {}); // it is awaited below, unless the log fails first
  await using answer = await engine.stream("GET", at`/containers/${id}/logs`, {
    ...DOING,
    query: { stdout: 1, stderr: 1, tail: lines },
    signal,
  });
  const wire = await asked;
  const tail = new LogTail();
  const reader = new FrameReader({ run: (_stream, bytes, from, to) => tail.take(bytes, from, to) }, {
    framed: !flagOf(objectOf(wire.Config).Tty),
    framing: { kind: "close" },
  });
  for await (const chunk of answer.body) reader.push(chunk, 0, chunk.byteLength);
  return { wire, tail };
}

function wordsIn({ wire, tail }: Read, most: number): Pick<LastWords, "lines" | "isCut" | "health"> {
  const environment = textsOf(objectOf(wire.Config).Env);
  const lines = maskedLines(tail.text(), environment);
  const checks = listOf(objectOf(objectOf(wire.State).Health).Log).map(objectOf);
  return {
    lines: lines.slice(-most),
    isCut: tail.isCut || lines.length > most,
    health: said(textOf(checks.at(-1)?.Output), environment),
  };
}
