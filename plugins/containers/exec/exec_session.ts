/** One process in a container, with the connection for its input and output. */
import type { CommandRecord } from "../../../core/store.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { pause } from "../../../core/pause.ts";
import { at } from "../../../engines/calls/path.ts";
import { objectOf, parseJson, textOf } from "../../../engines/calls/wire.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import { FrameReader, type RunSink } from "../../../engines/frames/frames.ts";
import { type EngineConnection, lost, openConnection, writeAll } from "../../../engines/frames/connection.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { inspectCommand, isLeftInside, markVariable, stillRuns } from "./command.ts";

/** Some compatible engines never close the stream of a process that has ended, so it is inspected this often. */
const LOOK_MS = 5_000;
const EXIT_LOOKS = 40;
const EXIT_LOOK_MS = 50;
const FAREWELL_MS = 500;
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
  /** With all rights on the host. */
  readonly privileged?: boolean;
  /** It has no input at all. */
  readonly isDeaf?: boolean;
}

/** A command that the engine knows and has not started. */
export type MadeCommand = Omit<CommandRecord, "heldUntil" | "hungUp">;

interface ExecExit {
  /** Null when the container is gone. */
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
  /** The last of several sizes that came at once, until it was sent a second time. */
  #burstSize: { readonly columns: number; readonly rows: number } | null = null;
  #outputEnded = false;

  /** The mark that every process of it carries in its environment. */
  readonly mark: string;
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
    this.mark = options.mark;
    this.#user = wish.user ?? "";
  }

  /**
   * Starts the process, once `remember` has resolved. Throws the engine's refusal; most engines report a missing
   * command as an exit code.
   */
  static async start(
    container: LiveContainer,
    wish: ExecWish,
    remember: (command: MadeCommand) => Promise<void>,
  ): Promise<ExecSession> {
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
        Env: [...wish.env, markVariable(mark)],
        Tty: wish.terminal,
        AttachStdin: wish.isDeaf !== true,
        Privileged: wish.privileged === true,
        AttachStdout: true,
        AttachStderr: true,
      },
    });
    const id = textOf(objectOf(parseJson(created.text)).Id);
    if (id === "") throw engineError("exec_failed", `Cannot ${doing}: the engine gave no id for it`);
    await remember({
      mark,
      execId: id,
      backend: engine.name,
      container: container.id,
      user: wish.user ?? "",
    });
    const ending = new AbortController();
    const answer = await openConnection(engine, {
      method: "POST",
      path: at`/exec/${id}/start`,
      body: { Detach: false, Tty: wish.terminal },
      upgrade: true,
      doing,
      missing: "container_not_found",
      signal: ending.signal,
      outlivesDoubt: wish.isDeaf === true, // an apply looks by itself how the command ended
    });
    const session = new ExecSession(id, container, wish, { answer, ending, mark });
    // Not earlier: before the start, Docker delays a resize for ten seconds and then fails
    if (wish.terminal) session.resize(wish.columns, wish.rows);
    return session;
  }

  /** Reads the output until it ends. Throws where the engine broke it off. While `give` waits, the process is held back. */
  read(give: (bytes: Uint8Array<ArrayBuffer>) => Promise<void> | void): Promise<void> {
    return this.#reading = this.#read(give);
  }

  async #read(give: (bytes: Uint8Array<ArrayBuffer>) => Promise<void> | void): Promise<void> {
    const answer = this.#answer;
    const output = new Output();
    const frames = new FrameReader(output, { framed: !this.#terminal, framing: answer.framing });
    const look = setInterval(() => {
      this.#endIfGone();
      this.#resendSize();
    }, LOOK_MS);
    try {
      do {
        if (answer.isEmpty) continue;
        answer.giveTo(frames);
        const bytes = output.take();
        if (bytes.byteLength > 0) await give(bytes);
      } while (await answer.read());
      const doing = `show the output of a command in container "${this.container.name}"`;
      if (answer.isDoubtful) throw lost(this.engine, { doing });
      if (frames.cut && !answer.closed) {
        throw engineError("engine_failed", `Cannot ${doing}: the engine broke it off`);
      }
    } finally {
      this.#outputEnded = true;
      clearInterval(look);
    }
  }

  /** Queues input; resolves when the engine has taken it. */
  write(bytes: Uint8Array): Promise<void> {
    this.pendingBytes += bytes.byteLength;
    this.#input = this.#input.then(async () => {
      if (!this.#inputEnded && !this.#answer.closed) {
        await writeAll(this.#answer.conn, bytes).catch(() => {}); // it has exited: the end of the output shows it
      }
      this.pendingBytes -= bytes.byteLength;
    });
    return this.#input;
  }

  /** Ends the input of the process; its output goes on. */
  endInput(): Promise<void> {
    if (this.#terminal) return this.write(new Uint8Array([CTRL_D])); // the only way to end a terminal's input
    this.#input = this.#input.then(async () => {
      if (this.#inputEnded || this.#answer.closed) return;
      this.#inputEnded = true;
      await this.#answer.conn.closeWrite().catch(() => {});
    });
    return this.#input;
  }

  /** Sends the size in the background; of several that come at once, the last one counts. */
  resize(columns: number, rows: number): void {
    if (!this.#terminal) return;
    this.#size = { columns, rows };
    if (this.#resizing) this.#burstSize = this.#size;
    else this.#resize();
  }

  /** Podman loses some of many sizes in a row, so the last one is sent again. */
  #resendSize(): void {
    if (this.#burstSize === null || this.#resizing) return;
    this.#size = this.#burstSize;
    this.#burstSize = null;
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

  /** Inspects the process until the engine knows its exit code, for two seconds at most. */
  async exit(): Promise<ExecExit> {
    for (let look = 0; look < EXIT_LOOKS; look++) {
      const state = await inspectCommand(this.engine, this.id);
      if (state === null) return { code: null };
      if (!state.running) return { code: state.code };
      await pause(EXIT_LOOK_MS);
    }
    return { code: null };
  }

  /**
   * Ends the process like a terminal whose window is closed: Ctrl-C, end of input, and if that does not help, SIGHUP
   * from inside the container. Returns whether it still runs after that.
   */
  async hangUp(): Promise<boolean> {
    const late = setTimeout(() => this.#ending.abort(), FAREWELL_MS);
    if (this.#terminal) await this.write(new Uint8Array([CTRL_C]));
    await this.endInput();
    // The output is read on, because a process that waits for its reader would never end
    const rest = this.#reading.then(() => true, () => false);
    const cut = new Promise<boolean>((resolve) =>
      this.#ending.signal.addEventListener("abort", () => resolve(false))
    );
    const hasEnded = await Promise.race([rest, cut]);
    clearTimeout(late);
    this.#ending.abort();
    await rest;
    if (hasEnded && !await stillRuns(this.engine, this.id)) return false;
    const command = { container: this.container.id, user: this.#user, mark: this.mark };
    return await isLeftInside(this.engine, command, "HUP") ?? await stillRuns(this.engine, this.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#input;
  }

  async #endIfGone(): Promise<void> {
    const state = await inspectCommand(this.engine, this.id).catch(() => undefined); // it cannot be asked
    if (state === null || state?.isOver) this.#answer.close();
  }
}

/** Joins what came in one read. */
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
