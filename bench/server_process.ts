/** A server under measurement, in a process of its own: its first answer, its CPU time, its memory. */

import { freePort } from "../tests/support/free_port.ts";
import { BUNDLE, bundleProgram } from "../tools/bundle.ts";

const CLOCK_TICKS_PER_SECOND = 100; // USER_HZ on every Linux that Deno runs on

/** Strangers are counted, and none is refused: a bench asks more often than they may. */
const UNLIMITED = { BERTH_STRANGERS_PER_SECOND: "100000" };

/** As the image, the unit and `deno task serve` start berth. */
export const AS_SHIPPED = { DENO_USR2_MEMORY_TRIM: "1" };

/** Returns the program as an image and a binary run it; of a checkout that is named, its sources. */
export async function programOf(checkout?: string): Promise<string> {
  if (checkout !== undefined) return `${checkout}main.ts`;
  await bundleProgram();
  return new URL("main.ts", BUNDLE).pathname;
}

export interface ServerProcess extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** From the start of the process to the whole first answer. */
  readonly firstAnswerMs: number;
  cpuSeconds(): Promise<number>;
  rssBytes(): Promise<number>;
}

export interface ServerOptions {
  /** The command of `deno`: "run" when absent. */
  readonly command?: "run" | "task";
  /** Its arguments; "PORT" stands for the port that was chosen. */
  readonly args: readonly string[];
  /** The path that is asked first; null: it is enough that it listens. */
  readonly path: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { command = "run", args, path, headers = {}, env, cwd } = options;
  const port = freePort();
  const started = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: [command, ...args].map((arg) => arg.replaceAll("PORT", String(port))),
    env: Object.fromEntries(
      Object.entries({ ...UNLIMITED, ...env }).map(([k, v]) => [k, v.replaceAll("PORT", String(port))]),
    ),
    ...(cwd === undefined ? {} : { cwd }),
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const server: ServerProcess = {
    port,
    pid: child.pid,
    firstAnswerMs: path === null
      ? await firstConnection(port, started)
      : await firstAnswer(`http://127.0.0.1:${port}${path}`, { client, headers }, started),
    cpuSeconds: () => cpuSecondsOf(child.pid),
    async rssBytes() {
      const status = await Deno.readTextFile(`/proc/${child.pid}/status`);
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    },
    async [Symbol.asyncDispose]() {
      client.close();
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 12_000);
      await child.status;
      clearTimeout(timer);
    },
  };
  return server;
}

/** Returns the CPU time that a process has used so far, in user mode and in the kernel. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
}

async function firstAnswer(
  url: string,
  init: RequestInit & { readonly client: Deno.HttpClient },
  started: number,
): Promise<number> {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    try {
      const response = await fetch(url, init);
      await response.bytes();
      if (!response.ok) throw new Error(`${url} answered ${response.status}`);
      return performance.now() - started;
    } catch (error) {
      if (performance.now() - started > 30_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  throw new Error(`${url} did not answer`);
}

async function firstConnection(port: number, started: number): Promise<number> {
  while (performance.now() - started < 30_000) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return performance.now() - started;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  throw new Error(`nothing listens on port ${port}`);
}
