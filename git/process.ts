/** Starts the system's git: an argument list and no shell, a cleared environment, bounded output, and all that it started ended with it. */
import { concat } from "../core/bytes.ts";
import { ServiceError } from "../core/error.ts";
import { killMarked, MARK } from "./marked.ts";

/** Processes that call a server at the same time, and as many that do not: a server that is mute holds up no other work. */
const MOST_AT_ONCE = 2;
/** The time after a kill in which its output must end: then it is given up, whatever holds it open. */
const KILLED_MS = 5_000;
/** Bytes that are kept of standard error. */
const MOST_SAID = 4_096;

/** Options that hold for every call. A name may be given more than once. */
const ALWAYS: readonly (readonly [name: string, value: string])[] = [
  ["protocol.allow", "never"],
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.attributesFile", "/dev/null"],
  ["transfer.fsckObjects", "true"],
  ["fetch.recurseSubmodules", "false"],
  ["http.followRedirects", "false"],
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "30"],
  ["credential.helper", ""],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["safe.directory", "*"],
];

/** Versions before it leave out options that berth gives, without a word: `http.curloptResolve` came with it. */
const OLDEST_GIT = [2, 37] as const;

export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor < OLDEST_GIT[1]);
}

export interface GitCall {
  readonly args: readonly string[];
  /** The bare repository. */
  readonly folder: string;
  readonly timeoutMs: number;
  /** Bytes of output; more end the call. */
  readonly most: number;
  /** Options of this call alone, as `protocol.https.allow`. */
  readonly config?: readonly (readonly [name: string, value: string])[];
  readonly input?: Uint8Array;
  /** Further variables. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** True for a call to a server. */
  readonly isRemote?: boolean;
}

export interface GitResult {
  readonly code: number;
  readonly output: Uint8Array;
  /** The last that it wrote to standard error. */
  readonly said: string;
  readonly ended: "itself" | "timeout" | "tooMuch" | "aborted";
}

/** The git of this machine. `environment` is all that it inherits: the path, proxies and authorities. */
export class Git {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #remote = new Places(MOST_AT_ONCE);
  readonly #local = new Places(MOST_AT_ONCE);
  #isNewEnough = false;

  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment;
  }

  /** Resolves when git and all that it started have ended. Throws `git_failed` where it cannot be started. */
  async run(call: GitCall): Promise<GitResult> {
    using _ = await (call.isRemote === true ? this.#remote : this.#local).take();
    return await this.#run(call);
  }

  /** Returns the version as `2.39.5`; null where there is no git. */
  async version(): Promise<string | null> {
    try {
      const { output } = await this.run({ args: ["version"], folder: "/", timeoutMs: 5_000, most: 1_000 });
      return /\d+(?:\.\d+)+/.exec(new TextDecoder().decode(output))?.[0] ?? null;
    } catch (error) {
      if (error instanceof ServiceError) return null;
      throw error;
    }
  }

  /** True if it calls the addresses that it is given, and looks no name up by itself. */
  async mayPin(): Promise<boolean> {
    if (this.#isNewEnough) return true;
    const version = await this.version();
    return this.#isNewEnough = version !== null && !isTooOld(version);
  }

  async #run(call: GitCall): Promise<GitResult> {
    const mark = crypto.randomUUID();
    const child = this.#spawn(call, mark);
    const gaveUp = Promise.withResolvers<void>();
    const timers = new DisposableStack();
    let ended: GitResult["ended"] = "itself";
    const end = (why: GitResult["ended"]) => {
      if (ended !== "itself") return;
      ended = why;
      killMarked(mark);
      killIfThere(child);
      timers.defer(after(KILLED_MS, gaveUp.resolve));
    };
    const abort = () => end("aborted");
    timers.defer(after(call.timeoutMs, () => end("timeout")));
    call.signal?.addEventListener("abort", abort);
    if (call.signal?.aborted) abort();
    try {
      const read = Promise.all([
        readAll(child.stdout, call.most, () => end("tooMuch")),
        readEnd(child.stderr),
        child.status,
        call.input === undefined ? undefined : feed(child.stdin, call.input),
      ]);
      const result = await Promise.race([read, gaveUp.promise]);
      const [output, said, { code }] = result ?? [new Uint8Array(), "", { code: 137 }];
      return { code, output, said, ended };
    } finally {
      timers.dispose();
      call.signal?.removeEventListener("abort", abort);
    }
  }

  #spawn(call: GitCall, mark: string): Deno.ChildProcess {
    try {
      return new Deno.Command("git", {
        args: ["--git-dir", call.folder, ...call.args],
        cwd: "/",
        env: { ...this.#environment, ...variablesOf(call), [MARK]: mark },
        clearEnv: true,
        stdin: call.input === undefined ? "null" : "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
    } catch (cause) {
      const why = cause instanceof Deno.errors.NotFound
        ? 'there is no program "git" in PATH; install git, or take the image whose tag ends in -ssh'
        : "the system refused to start git";
      throw new ServiceError("git_failed", `Cannot run git: ${why}`, { cause });
    }
  }
}

/** Places for a number of calls at the same time. */
class Places {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  /** Resolves to a place once one is free. */
  async take(): Promise<Disposable> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { [Symbol.dispose]: () => this.#leave() };
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next(); // it takes this place over
  }
}

function variablesOf({ config = [], env = {} }: GitCall): Record<string, string> {
  const options = [...ALWAYS, ...config];
  return {
    HOME: "/nonexistent",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CONFIG_COUNT: String(options.length),
    ...Object.fromEntries(
      options.flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, name],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    ...env,
  };
}

function killIfThere(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Returns what takes the timer back. */
function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

async function readAll(
  stream: ReadableStream<Uint8Array>,
  most: number,
  tooMuch: () => void,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    if (length > most) tooMuch();
    else parts.push(part);
  }
  return concat(parts);
}

async function readEnd(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let said = "";
  for await (const part of stream) said = (said + decoder.decode(part, { stream: true })).slice(-MOST_SAID);
  return said;
}

async function feed(stream: WritableStream<Uint8Array>, input: Uint8Array): Promise<void> {
  const writer = stream.getWriter();
  try {
    await writer.write(input);
    await writer.close();
  } catch {
    // It ended before it read everything.
  }
}
