/** Runs a command in a container to its end, as an apply asks for it. */
import type { CommandEnd, CommandOrder } from "../../../core/engine_acts.ts";
import { readLive } from "../backends/live_container.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { ExecSession } from "../exec/exec_session.ts";
import { maskedLines } from "./masked_lines.ts";

const MAX_BYTES = 64 * 1024;

/** Throws the engine's refusal, and `container_not_found`. */
export async function runCommand(engine: Engine, id: string, order: CommandOrder): Promise<CommandEnd> {
  const container = await readLive(engine, id, "run a command");
  const { command, user, workingDir: workdir, environment: env, privileged, signal } = order;
  const size = { terminal: false, columns: 0, rows: 0 };
  const wish = { command, user, workdir, env, privileged, isDeaf: true, ...size };
  await using session = await ExecSession.start(container, wish, order.starting);
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    session.hangUp().catch(() => {}); // the read below ends all the same
  }, order.mostMs);
  const onAbort = () => session[Symbol.asyncDispose]();
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  const tail = new Tail();
  try {
    await session.read((bytes) => tail.push(bytes));
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", onAbort);
  }
  signal.throwIfAborted();
  const { code } = isLate ? { code: null } : await session.exit();
  return { code, isLate, lines: tail.lines(order.lines, [...container.environment, ...env]) };
}

/** The end of an output. */
class Tail {
  #bytes = new Uint8Array(0);

  push(more: Uint8Array): void {
    const all = new Uint8Array(this.#bytes.byteLength + more.byteLength);
    all.set(this.#bytes);
    all.set(more, this.#bytes.byteLength);
    this.#bytes = all.slice(-MAX_BYTES);
  }

  /** Each masked and cut. */
  lines(count: number, environment: readonly string[]): string[] {
    return maskedLines(new TextDecoder().decode(this.#bytes), environment).slice(-count);
  }
}
