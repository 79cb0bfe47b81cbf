/** The last lines of a container, kept so that people can read why it was unhealthy after it is gone. */
import { clean } from "../../../engines/calls/failure.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { at } from "../../../engines/calls/path.ts";
import { flagOf, listOf, objectOf, textOf } from "../../../engines/calls/wire.ts";
import { FrameReader } from "../../../engines/frames/frames.ts";
import { maskText } from "../../../core/secrets.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_LINE = 2_000;
/** A log that does not end is not waited for. */
const READ_MS = 10_000;

/** The last lines of its log, each masked and cut, then what its health check said last. */
export async function lastWords(engine: Engine, id: string, lines: number): Promise<readonly string[]> {
  const doing = "read the end of a container's log";
  const wire = objectOf(
    await engine.get(at`/containers/${id}/json`, { doing, missing: "container_not_found" }),
  );
  const text = await logText(engine, id, lines, flagOf(objectOf(wire.Config).Tty), doing);
  const said = text.split("\n").map((line) => shown(line.replace(/\r$/, "")));
  if (said.at(-1) === "") said.pop();
  const checks = listOf(objectOf(objectOf(wire.State).Health).Log).map(objectOf);
  const check = clean(textOf(checks.at(-1)?.Output));
  return [...said.slice(-lines), ...check === "" ? [] : [shown(`health check: ${check}`)]];
}

async function logText(
  engine: Engine,
  id: string,
  lines: number,
  terminal: boolean,
  doing: string,
): Promise<string> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const take = (bytes: Uint8Array<ArrayBuffer>, from: number, to: number) => {
    pieces.push(bytes.slice(from, to));
    size += to - from;
  };
  const reader = new FrameReader({ run: (_stream, bytes, from, to) => take(bytes, from, to) }, {
    framed: !terminal,
    framing: { kind: "close" },
  });
  const signal = AbortSignal.timeout(READ_MS);
  await using answer = await engine.stream("GET", at`/containers/${id}/logs`, {
    doing,
    missing: "container_not_found",
    query: { stdout: 1, stderr: 1, tail: lines },
    signal,
  });
  for await (const chunk of answer.body) {
    reader.push(chunk, 0, chunk.byteLength);
    if (size > MAX_BYTES) break;
  }
  return await new Blob(pieces).text();
}

const shown = (line: string): string => maskText(line).slice(0, MAX_LINE);
