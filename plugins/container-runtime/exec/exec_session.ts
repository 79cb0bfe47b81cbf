/** One process in a container, with the connection that carries its input and output. */
import { ServiceError } from "../../../core/error.ts";
import type { Engine } from "../engine/engine.ts";
import { at } from "../engine/path.ts";
import { flagOf, objectOf, textOf } from "../engine/wire.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import { FrameReader, type RunSink } from "../frames/frames.ts";
import { type EngineConnection, openConnection, writeAll } from "../frames/connection.ts";

/** A compatible engine may never close the stream of a process that has ended. */
const LOOK_MS = 5_000;
const EXIT_LOOKS = 40;
const EXIT_LOOK_MS = 50;
const FAREWELL_MS = 500;
/** Every process of a command inherits it. */
const MARK = "BERTH_EXEC";
const SWEEP = `for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ 2>/dev/null | grep -qx "${MARK}=$0" && ` +
  `kill -HUP "\${p#/proc/}"; done`;
const CTRL_C = 3;
const CTRL_D = 4;

export interface ExecWish {
  readonly command: readonly string[];
  readonly user: string | undefined;
  readonly workdir: string | undefined;
  readonly env: readonly string[];
  readonly terminal: boolean;
  readonly columns: number;
  readonly rows: number;
}

export interface ExecExit {
  /** Null when the engine does not know any more: the container is gone. */
  readonly code: number | null;
}

export class ExecSession implements AsyncDisposable {
  readonly #answer: EngineConnection;
  readonly #terminal: boolean;
  readonly #ending: AbortController;
  #input: Promise<void> = Promise.resolve();
  #reading: Promise<void> = Promise.resolve();
  #size: { readonly columns: number; readonly rows: number } | null = null;
  #resizing = false;
  #inputEnded = false;
  /** Input that the process has not taken yet. */
  pendingBytes = 0;
  /** The last of several sizes that came at once, until it was told a second time. */
  #crowded: { readonly columns: number; readonly rows: number } | null = null;
  #outputEnded = false;

  readonly #mark: string;
  readonly #user: string;
  readonly engine: Engine;

  private constructor(
    readonly id: string,
    readonly container: LiveContainer,
    wish: ExecWish,
    options: { readonly answer: EngineConnection; readonly ending: AbortController; readonly mark: string },
  ) {
    this.engine = container.engine;
    this.#answer = options.answer;
    this.#terminal = wish.terminal;
    this.#ending = options.ending;
    this.#mark = options.mark;
    this.#user = wish.user ?? "";
  }

  /** Starts the process. Throws what the engine refuses; a command that does not exist shows as an exit code. */
  static async start(container: LiveContainer, wish: ExecWish): Promise<ExecSession> {
    const { engine } = container;
    const doing = `run a command in container "${container.name}"`;
    const mark = crypto.randomUUID();
    const created = await engine.post(at`/containers/${container.id}/exec`, {
      doing,
      missing: "container_not_found",
      body: {
        Cmd: wish.command,
        User: wish.user ?? "",
        WorkingDir: wish.workdir ?? "",
        Env: [...wish.env, `${MARK}=${mark}`],
        Tty: wish.terminal,
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
      },
    });
    const id = textOf(objectOf(parsed(created.text)).Id);
    if (id === "") throw new ServiceError("exec_failed", `Cannot ${doing}: the engine gave no id for it`);
    const ending = new AbortController();
    const answer = await openConnection(engine, {
      method: "POST",
      path: at`/exec/${id}/start`,
      body: { Detach: false, Tty: wish.terminal },
      upgrade: true,
      doing,
      missing: "container_not_found",
      signal: ending.signal,
    });
    const session = new ExecSession(id, container, wish, { answer, ending, mark });
    // Only now: before the start Docker lets a resize wait for ten seconds and then fails
    if (wish.terminal) session.resize(wish.columns, wish.rows);
    return session;
  }

  /** Reads the output until it ends; `give` may make it wait, and the process then waits too. */
  read(give: (bytes: Uint8Array<ArrayBuffer>) => Promise<void> | void): Promise<void> {
    return this.#reading = this.#read(give);
  }

  async #read(give: (bytes: Uint8Array<ArrayBuffer>) => Promise<void> | void): Promise<void> {
    const answer = this.#answer;
    const output = new Output();
    const frames = new FrameReader(output, { framed: !this.#terminal, framing: answer.framing });
    const look = setInterval(() => {
      this.#endIfGone();
      this.#tellSizeAgain();
    }, LOOK_MS);
    try {
      do {
        if (answer.isEmpty) continue;
        answer.giveTo(frames);
        const bytes = output.take();
        if (bytes.byteLength > 0) await give(bytes);
      } while (await answer.read());
    } finally {
      this.#outputEnded = true;
      clearInterval(look);
    }
  }

  /** Queues input behind what was written before; resolves when the process's side has taken it. */
  write(bytes: Uint8Array): Promise<void> {
    this.pendingBytes += bytes.byteLength;
    this.#input = this.#input.then(async () => {
      if (!this.#inputEnded && !this.#answer.closed) {
        await writeAll(this.#answer.conn, bytes).catch(() => {}); // it has exited: the output's end tells
      }
      this.pendingBytes -= bytes.byteLength;
    });
    return this.#input;
  }

  /** The process reads the end of its input; its output goes on. */
  endInput(): Promise<void> {
    if (this.#terminal) return this.write(new Uint8Array([CTRL_D])); // a terminal knows no other end
    this.#input = this.#input.then(async () => {
      if (this.#inputEnded || this.#answer.closed) return;
      this.#inputEnded = true;
      await this.#answer.conn.closeWrite().catch(() => {});
    });
    return this.#input;
  }

  /** Never waited for by anybody: of several sizes that come at once the last one counts. */
  resize(columns: number, rows: number): void {
    if (!this.#terminal) return;
    this.#size = { columns: clamped(columns), rows: clamped(rows) };
    if (this.#resizing) this.#crowded = this.#size;
    else this.#resize();
  }

  /** Podman hands sizes to the terminal through a pipe and loses some of many: the last of a crowd is told again. */
  #tellSizeAgain(): void {
    if (this.#crowded === null || this.#resizing) return;
    this.#size = this.#crowded;
    this.#crowded = null;
    this.#resize();
  }

  async #resize(): Promise<void> {
    this.#resizing = true;
    while (this.#size !== null && !this.#outputEnded) {
      const { columns, rows } = this.#size;
      this.#size = null;
      await this.engine.post(at`/exec/${this.id}/resize`, {
        doing: "resize a terminal",
        query: { w: columns, h: rows },
      }).catch(() => {}); // it has exited
    }
    this.#resizing = false;
  }

  /** How the process ended, asked until the engine knows. */
  async exit(): Promise<ExecExit> {
    for (let look = 0; look < EXIT_LOOKS; look++) {
      const state = await this.#inspect();
      if (state === null) return { code: null };
      if (!state.running) return { code: state.code };
      await new Promise((resolve) => setTimeout(resolve, EXIT_LOOK_MS));
    }
    return { code: null };
  }

  /** Whether the process still runs although its stream is gone; null where that cannot be known. */
  async isRunning(): Promise<boolean | null> {
    try {
      return (await this.#inspect())?.running ?? false;
    } catch {
      return null;
    }
  }

  /**
   * What a terminal does when its window is closed: interrupts, ends the input, and where that does not help has
   * the process told to hang up from inside its container. Answers whether something stays behind all the same.
   */
  async hangUp(): Promise<boolean> {
    const late = setTimeout(() => this.#ending.abort(), FAREWELL_MS);
    if (this.#terminal) await this.write(new Uint8Array([CTRL_C]));
    await this.endInput();
    // Reading goes on: a process that waits for its output to be taken would never come to its end
    const rest = this.#reading.catch(() => {});
    await Promise.race([
      rest,
      new Promise<void>((resolve) => this.#ending.signal.addEventListener("abort", () => resolve())),
    ]);
    clearTimeout(late);
    this.#ending.abort();
    await rest;
    if (!await this.#stillRuns()) return false;
    await this.#sweep();
    return await this.#stillRuns();
  }

  async #stillRuns(): Promise<boolean> {
    for (let look = 0; look < 10; look++) {
      if (await this.isRunning() === false) return false;
      await new Promise((resolve) => setTimeout(resolve, EXIT_LOOK_MS));
    }
    return true;
  }

  /** There is no call to end a command, so another one looks for its mark and sends SIGHUP. */
  async #sweep(): Promise<void> {
    const doing = "hang up a command";
    try {
      const created = await this.engine.post(at`/containers/${this.container.id}/exec`, {
        doing,
        body: { Cmd: ["sh", "-c", SWEEP, this.#mark], User: this.#user },
      });
      const id = textOf(objectOf(parsed(created.text)).Id);
      await this.engine.post(at`/exec/${id}/start`, { doing, body: { Detach: true } });
    } catch { // a container without a shell, or none any more
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#input;
  }

  async #inspect(): Promise<{ readonly running: boolean; readonly code: number | null } | null> {
    try {
      const inspected = objectOf(
        await this.engine.get(at`/exec/${this.id}/json`, {
          doing: "look after a command",
          missing: "not_found",
        }),
      );
      const code = inspected.ExitCode;
      return { running: flagOf(inspected.Running), code: typeof code === "number" ? code : null };
    } catch (error) {
      if (error instanceof ServiceError && error.code === "not_found") return null;
      throw error;
    }
  }

  async #endIfGone(): Promise<void> {
    const isRunning = await this.isRunning();
    if (isRunning === false) this.#answer.close();
  }
}

/** What came in one read, put together. */
class Output implements RunSink {
  #pieces: Uint8Array<ArrayBuffer>[] = [];

  run(_stream: number, bytes: Uint8Array<ArrayBuffer>, from: number, to: number): void {
    this.#pieces.push(bytes.subarray(from, to));
  }

  take(): Uint8Array<ArrayBuffer> {
    const [first, ...rest] = this.#pieces;
    this.#pieces = [];
    if (first === undefined) return new Uint8Array(0);
    if (rest.length === 0) return first.slice();
    const all = new Uint8Array(rest.reduce((sum, piece) => sum + piece.byteLength, first.byteLength));
    all.set(first);
    let length = first.byteLength;
    for (const piece of rest) {
      all.set(piece, length);
      length += piece.byteLength;
    }
    return all;
  }
}

function clamped(size: number): number {
  return Math.min(1_000, Math.max(1, Math.floor(size) || 1));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
