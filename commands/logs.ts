/** `berth logs`: a container's log, each line to the stream that it was written to. */
import { CONTAINER_LOGS, type LogRecord } from "../client/berth/containers.ts";
import { stream } from "../client/stream.ts";
import { openClient, tellCall } from "./connection.ts";
import { forTerminal } from "./for_terminal.ts";
import { writeError, writeOut } from "./output.ts";
import type { Line } from "./command.ts";

/** Answers 1 when lines are missing or the log ended with an error. */
export async function run(line: Line): Promise<number> {
  const tail = line.option("--tail");
  if (tail !== undefined && !/^(?:all|\d{1,9})$/.test(tail)) {
    console.error(`berth logs: --tail is a number of lines or "all", not "${tail}"`);
    return 2;
  }
  const isJson = line.option("--json") !== undefined;
  const isTimed = line.option("--timestamps") !== undefined;
  const query = {
    follow: line.option("--follow") !== undefined,
    tail: tail === undefined || tail === "all" ? tail : Number(tail),
    since: line.option("--since"),
    backend: line.option("--engine") ?? line.option("--backend"),
  } as const;
  let code = 0;
  try {
    using client = await openClient();
    const records = stream(client, CONTAINER_LOGS, { as: "ndjson", params: { id: line.args[0]! }, query });
    for await (const record of records) {
      if (isJson) writeOut(`${JSON.stringify(record)}\n`);
      else show(record, isTimed);
      if ("gap" in record || "error" in record) code = 1;
    }
    return code;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return code; // the reader closed the pipe
    tellCall(error);
    return 2;
  }
}

const toOut = forTerminal(Deno.stdout);
const toError = forTerminal(Deno.stderr);

function show(record: LogRecord, isTimed: boolean): void {
  if ("line" in record) {
    const text = `${isTimed ? `${record.time} ` : ""}${record.line}${record.cut === true ? " …" : ""}\n`;
    if (record.stream === "stdout") writeOut(toOut(text));
    else writeError(toError(text));
  } else if ("gap" in record) {
    writeError(`--- lines are missing after ${record.gap.after} ---\n`);
  } else if ("error" in record) {
    writeError(`berth: ${toError(record.error.title)}\n`);
  }
}
