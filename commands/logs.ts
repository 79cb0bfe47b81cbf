/** `berth logs`: the log of a container, or of a project's containers, each line to the stream that it was written to. */
import type { LogRecord } from "../client/berth/containers.ts";
import { visible } from "../log/line.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";
import { forTerminal } from "./for_terminal.ts";
import { type LogQuery, logsOf } from "./log_sources.ts";
import { writeError, writeOut } from "./output.ts";
import type { Line } from "./command.ts";

export async function run(line: Line): Promise<number> {
  const isJson = line.option("--json") !== undefined;
  const isTimed = line.option("--timestamps") !== undefined;
  let code: number = EXIT.FINE;
  try {
    const query = queryOf(line);
    using client = await openClient();
    for await (const { record, container } of logsOf(client, line.args[0]!, query)) {
      if (isJson) {
        writeOut(
          `${JSON.stringify(container === null ? record : { container: container.trimEnd(), ...record })}\n`,
        );
      } else show(record, { isTimed, before: container === null ? "" : `${visible(container)} | ` });
      if (!isWhole(record)) code = EXIT.INCOMPLETE;
    }
    return code;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return code; // the reader closed the pipe
    return failCall(error);
  }
}

function queryOf(line: Line): LogQuery {
  const tail = line.option("--tail");
  if (tail !== undefined && !/^(?:all|\d{1,9})$/.test(tail)) {
    throw new UsageFailure(`--tail is a number of lines or "all", not "${tail}"`);
  }
  return {
    follow: line.option("--follow") !== undefined,
    tail: tail === undefined || tail === "all" ? tail : Number(tail),
    since: line.option("--since"),
    backend: line.option("--engine") ?? line.option("--backend"),
  };
}

const toOut = forTerminal(Deno.stdout);
const toError = forTerminal(Deno.stderr);

function show(
  record: LogRecord,
  { isTimed, before }: { readonly isTimed: boolean; readonly before: string },
): void {
  if ("line" in record) {
    const time = isTimed ? `${record.time} ` : "";
    const text = `${before}${time}${record.line}${record.cut === true ? " …" : ""}\n`;
    if (record.stream === "stdout") writeOut(toOut(text));
    else writeError(toError(text));
  } else if ("gap" in record) {
    writeError(`${before}--- lines are missing after ${record.gap.after} ---\n`);
  } else if ("error" in record) {
    writeError(`berth: ${before}${toError(record.error.title)}\n`);
  } else if (record.end.reason !== "removed") {
    writeError(`berth: ${before}${endText(record.end.reason)}\n`);
  }
}

/** Returns false for a record that says that something of the log is missing. */
const isWhole = (record: LogRecord): boolean =>
  "line" in record || ("end" in record && record.end.reason === "removed");

const endText = (reason: string): string =>
  reason === "not_allowed"
    ? "The key may not read this log any more"
    : reason === "stopping"
    ? "The log is cut off here, because berth was stopped"
    : `The log is cut off here: ${visible(reason)}`;
