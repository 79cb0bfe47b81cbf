/** Starts one program that stays: an argument list and no shell, its output bounded, ended when it is let go. */
import { Latch } from "../core/signal.ts";

const MOST_WORDS = 4_096;
/** A program that does not end by itself within this time is killed. */
const END_MS = 2_000;

export class Program implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reading: Promise<unknown>;
  #echoed: { readonly line: string; readonly heard: () => void } | null = null;
  #printed = "";
  #said = "";
  /** Called when it has said more, and when it has ended. */
  readonly #listeners = new Set<() => void>();
  #hasEnded = false;
  /** Resolves when it has ended and all that it said is known. */
  readonly ended: Promise<void>;
  isRunning = true;

  /** Throws what the system says when it cannot be started. */
  constructor(program: string, args: readonly string[]) {
    this.#child = new Deno.Command(program, {
      args: [...args],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#input.closed.catch(() => {}); // it may end before its input does
    this.#reading = Promise.all([
      read(this.#child.stdout, (text) => this.#print(text)),
      read(this.#child.stderr, (text) => this.#say(text)),
    ]);
    this.ended = this.#child.status.then(async () => {
      this.isRunning = false;
      await this.#reading;
      this.#hasEnded = true;
      this.#tell();
    });
  }

  /** The last that it wrote to standard error. */
  get said(): string {
    return this.#said;
  }

  /** The last that it wrote to standard output. */
  get printed(): string {
    return this.#printed;
  }

  /** Resolves to true if it says so before the signal. A program's act is seen before its words. */
  async says(pattern: RegExp, signal: AbortSignal): Promise<boolean> {
    const said = new Latch();
    const look = () => {
      if (signal.aborted || this.#hasEnded || pattern.test(this.#said)) said.open();
    };
    this.#listeners.add(look);
    signal.addEventListener("abort", look);
    look();
    await said.opened;
    this.#listeners.delete(look);
    signal.removeEventListener("abort", look);
    return pattern.test(this.#said);
  }

  forget(): void {
    this.#said = "";
  }

  /** Writes a line to its input, and resolves when it comes back from its output; never, if it does not. */
  async echo(line: string): Promise<void> {
    const heard = new Latch();
    this.#echoed = { line, heard: () => heard.open() };
    await this.#input.write(new TextEncoder().encode(`${line}\n`)).catch(() => {});
    await heard.opened;
  }

  /** Ends its input, then it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#input.close().catch(() => {});
    this.#kill("SIGTERM");
    const late = setTimeout(() => this.#kill("SIGKILL"), END_MS);
    await this.#child.status;
    clearTimeout(late);
    await this.ended;
  }

  #kill(signal: Deno.Signal): void {
    try {
      if (this.isRunning) this.#child.kill(signal);
    } catch { // it has ended by itself
    }
  }

  #say(text: string): void {
    this.#said = (this.#said + text).slice(-MOST_WORDS);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #print(text: string): void {
    this.#printed = (this.#printed + text).slice(-MOST_WORDS);
    if (this.#echoed !== null && this.#printed.includes(this.#echoed.line)) this.#echoed.heard();
  }
}

async function read(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) take(decoder.decode(bytes, { stream: true }));
}
