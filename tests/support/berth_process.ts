/** berth as a process of its own, started by its command line, on a data folder of its own. */
import { eventually } from "./eventually.ts";
import { plansOnDisk } from "./plans_on_disk.ts";
import { tellsPlans } from "./watched_makes.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;

export interface ProcessOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Flags instead of `-A`. */
  readonly permissions?: readonly string[];
  /** Hard limit of file descriptors. */
  readonly descriptors?: number;
  /** A data folder that outlives the process. */
  readonly data?: string;
  /** Another program than this folder's own sources. */
  readonly main?: string;
}

export interface Ended {
  readonly code: number;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export async function runBerth(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input: Uint8Array<ArrayBuffer> | null = null,
  main = MAIN,
): Promise<Ended> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", main, ...args],
    env: environment(env),
    clearEnv: true,
    stdin: input === null ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writing = input === null ? null : new Blob([input]).stream().pipeTo(child.stdin).catch(() => {}); // its reader may have ended
  const { code, signal, stdout, stderr } = await child.output();
  await writing;
  const text = new TextDecoder();
  return { code, signal, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** A running service; disposing it kills what is left of it. */
export class BerthProcess implements AsyncDisposable {
  stdout = "";
  stderr = "";
  hasEnded = false;
  readonly #reading: Promise<unknown>;
  readonly #plans: Disposable;

  constructor(
    readonly child: Deno.ChildProcess,
    /** Removed at the end, if it was made for this process. */
    readonly data: string,
    readonly keepsData: boolean,
    database?: string,
  ) {
    this.#plans = tellsPlans(plansOnDisk(data, database));
    const collect = async (stream: ReadableStream<Uint8Array>, add: (text: string) => void) => {
      for await (const text of stream.pipeThrough(new TextDecoderStream())) add(text);
    };
    this.#reading = Promise.all([
      collect(child.stdout, (text) => this.stdout += text),
      collect(child.stderr, (text) => this.stderr += text),
    ]);
    child.status.then(() => this.hasEnded = true);
  }

  get pid(): number {
    return this.child.pid;
  }

  /** The address at which it listens, as it printed it. */
  get url(): string {
    return /listens on (\S+)/.exec(this.stdout)?.[1] ?? "";
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Makes the first admin and answers with their key. */
  async setUp(): Promise<string> {
    const token = (await Deno.readTextFile(`${this.data}/setup-token`)).trim();
    const response = await fetch(`${this.url}/api/settings/setup`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token, name: "me" }),
    });
    return (await response.json()).key;
  }

  /** Sends the signal and waits for the end. */
  async end(signal: Deno.Signal = "SIGTERM"): Promise<Ended> {
    this.child.kill(signal);
    return await this.ended();
  }

  async ended(): Promise<Ended> {
    const status = await this.child.status;
    await this.#reading;
    return { code: status.code, signal: status.signal, stdout: this.stdout, stderr: this.stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await this.ended();
    this.#plans[Symbol.dispose]();
    if (!this.keepsData) await Deno.remove(this.data, { recursive: true });
  }
}

/** Starts `berth serve` on a free port and waits until it says where it listens. */
export async function startBerthProcess(options: ProcessOptions = {}): Promise<BerthProcess> {
  const data = options.data ?? await Deno.makeTempDir({ prefix: "berth-process-" });
  const permissions = options.permissions ?? ["-A"];
  const run = [
    Deno.execPath(),
    "run",
    ...permissions,
    "--no-prompt",
    options.main ?? MAIN,
    ...options.args ?? ["serve"],
  ];
  const limit = options.descriptors === undefined ? "" : `ulimit -n ${options.descriptors}; `;
  const child = new Deno.Command("sh", {
    args: ["-c", `${limit}exec "$@"`, "sh", ...run],
    env: environment({
      BERTH_DATA: data,
      BERTH_PORT: "0",
      BERTH_ENGINES: "none",
      BERTH_MIN_DESCRIPTORS: "0",
      ...options.env,
    }),
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const berth = new BerthProcess(
    child,
    data,
    options.data !== undefined,
    options.env?.BERTH_DATABASE_URL,
  );
  try {
    await eventually("berth listens", () => berth.url !== "" || berth.hasEnded);
    if (berth.url === "") await berth.ended();
    if (berth.url === "") throw new Error(`berth ended: ${berth.stderr}`);
    return berth;
  } catch (error) {
    await berth[Symbol.asyncDispose]();
    throw error;
  }
}

/** Only what a process needs; nothing of the developer's own settings. */
function environment(own: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ["PATH", "HOME", "DENO_DIR", "TMPDIR", "XDG_CACHE_HOME"]) {
    const value = Deno.env.get(name);
    if (value !== undefined) kept[name] = value;
  }
  // Tests ask more often than any stranger may.
  return { ...kept, BERTH_STRANGERS_PER_SECOND: "0", ...own };
}
