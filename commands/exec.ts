/** `berth exec`: a command in a container, with this process's input and output, and its exit code. */
import { CONTAINER_EXEC, type ExecMessage, type ExecRequest } from "../client/berth/containers.ts";
import { connect, type Connection } from "../client/connect.ts";
import { readClientSettings } from "../config/client.ts";
import { openWebSocket } from "./beside.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";
import { writeAll } from "./output.ts";
import type { Line } from "./command.ts";

/** A message may have 64 KiB. */
const PIECE = 32_768;
/** Input that waits for the network at most; more is not read before. */
const MAX_WAITING = 1_048_576;
const LOOK_AGAIN_MS = 5;

type Exec = Connection<ExecRequest, ExecMessage>;

export async function run(line: Line): Promise<number> {
  const [id = "", ...words] = line.args;
  const tty = Deno.stdin.isTerminal() && Deno.stdout.isTerminal();
  let socket: WebSocket | undefined;
  try {
    const cmd = asOneWord(words);
    const { beside } = readClientSettings();
    using client = await openClient();
    await using exec = await connect(client, CONTAINER_EXEC, {
      params: { id },
      query: {
        cmd,
        tty,
        user: line.option("--user"),
        workdir: line.option("--workdir"),
        backend: line.option("--engine") ?? line.option("--backend"),
        ...(tty ? sizeOf(Deno.consoleSize()) : null),
      },
      webSocket: (url, protocols) => socket = openWebSocket(url, protocols, beside),
    });
    using _raw = tty ? rawTerminal(exec) : null;
    // Ends with the process: a terminal's input has no end of its own.
    sendInput(exec, () => socket?.bufferedAmount ?? 0).catch(() => {});
    for await (const message of exec) {
      if (message instanceof Uint8Array) writeAll(Deno.stdout, message);
      else if (message.type === "exit") return message.code ?? EXIT.NOT_RUN;
      else if (message.type === "error") {
        console.error(`berth: ${message.title}`);
        return EXIT.NOT_RUN;
      }
    }
    const { code } = await exec.closed;
    console.error(`berth: the connection ended before the command did (${code})`);
  } catch (error) {
    failCall(error);
  }
  return EXIT.NOT_RUN;
}

/** Quotes a single word that berth would split, so that it is one program, as the shell that read it meant. */
export function asOneWord(words: readonly string[]): readonly string[] {
  const [only = "", ...others] = words;
  if (others.length > 0 || !/\s|^["']/.test(only)) return words;
  const quote = ['"', "'"].find((one) => !only.includes(one));
  if (quote !== undefined) return [`${quote}${only}${quote}`];
  throw new UsageFailure("A program whose name has blanks and both kinds of quotes cannot be run alone");
}

async function sendInput(exec: Exec, waiting: () => number): Promise<void> {
  for await (const bytes of Deno.stdin.readable) {
    for (let at = 0; at < bytes.length; at += PIECE) {
      while (waiting() > MAX_WAITING) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      exec.send(bytes.slice(at, at + PIECE));
    }
  }
  exec.send({ type: "eof" });
}

/** Returns the size in characters; null for a terminal that nobody gave one, as a script's may be. */
export function sizeOf(
  { columns: cols, rows }: { readonly columns: number; readonly rows: number },
): { readonly cols: number; readonly rows: number } | null {
  return cols > 0 && rows > 0 ? { cols, rows } : null;
}

/** Every key goes to the container; the terminal is as before once this is disposed. */
function rawTerminal(exec: Exec): Disposable {
  const resize = () => {
    const size = sizeOf(Deno.consoleSize());
    if (size !== null) exec.send({ type: "resize", ...size });
  };
  Deno.stdin.setRaw(true);
  if (Deno.build.os !== "windows") Deno.addSignalListener("SIGWINCH", resize);
  return {
    [Symbol.dispose]() {
      if (Deno.build.os !== "windows") Deno.removeSignalListener("SIGWINCH", resize);
      Deno.stdin.setRaw(false);
    },
  };
}
