/** The log of a service's only task as a scripted manager tells it: berth does not know the engine of the task's node. */
import { Reach } from "../../core/access.ts";
import { Engine } from "../../engines/calls/engine.ts";
import type { Engines } from "../../plugins/containers/backends/seen.ts";
import { serviceLog } from "../../plugins/containers/logs/of_services/service_log.ts";
import { tasksOf } from "../../plugins/containers/logs/of_services/service_tasks.ts";
import { CHUNKED, frameChunk, LAST_CHUNK, logTime, ScriptedEngine } from "../support/scripted_engine.ts";
import { serviceOf, type Told } from "./service_log_world.ts";

const task = {
  id: "a",
  name: "web.a",
  slot: 1,
  node: { id: "n2", name: "node2" },
  at: null,
  state: "running",
  desired: true,
  current: true,
  reason: null,
  exitCode: null,
  container: { id: "ca", backend: null },
} as const;

/** Writes lines into an answer; rejects when berth has hung up. */
export type Say = (...lines: readonly string[]) => Promise<void>;

interface Script {
  /** The lines that were written before. */
  readonly past?: readonly string[];
  /** Writes what is followed, for the so manieth time; the answer stays open until berth hangs up. */
  readonly live?: (say: Say, time: number) => Promise<void>;
}

export class ManagedLog implements AsyncDisposable {
  /** The paths of the logs that were followed. */
  readonly asked: string[] = [];
  /** The number of followed logs that are open. */
  open = 0;
  readonly #script: Script;
  readonly #manager: ScriptedEngine;
  readonly #engine: Engine;
  #nanos = 0;

  constructor(script: Script) {
    this.#script = script;
    this.#manager = new ScriptedEngine((call) => this.#answer(call));
    this.#engine = new Engine("manager", { kind: "unix", path: this.#manager.socket });
  }

  async #answer({ path, write, conn }: Parameters<ScriptedEngine["script"]>[0]): Promise<void> {
    const say: Say = async (...lines) => {
      for (let at = 0; at < lines.length; at += 100) {
        const some = lines.slice(at, at + 100).map((line) =>
          frameChunk(1, `${logTime(this.#nanos += 1_000)} ${line}\n`)
        );
        await write(new Uint8Array(await new Blob(some).arrayBuffer()));
      }
    };
    await write(CHUNKED);
    if (!path.includes("follow=true")) {
      await say(...this.#script.past ?? []);
      return await write(LAST_CHUNK);
    }
    this.asked.push(path);
    this.open += 1;
    try {
      await this.#script.live?.(say, this.asked.length);
      await conn.read(new Uint8Array(1)); // berth says nothing until it hangs up
    } finally {
      this.open -= 1;
    }
  }

  read({ follow }: { readonly follow: boolean }): ManagedReader {
    const service = { ...serviceOf([task], { engines: ["manager"] }), managers: ["manager"] };
    const engines = {
      backends: { links: [{ name: "manager", state: "up", engine: this.#engine }] },
      services: () => ({ revision: 1, items: [service], clusters: [] }),
    } as unknown as Engines; // as far as a log looks at it
    const stopping = new AbortController();
    const body = serviceLog({
      engines,
      awaken: () => ({ [Symbol.dispose]: () => {} }),
      tasks: tasksOf({ engines, reach: Reach.EVERYWHERE, service: service.service, isAll: false }),
      request: { follow, tail: null, since: null, until: null, stdout: true, stderr: true },
      search: undefined,
      timestamps: false,
      cursors: new Map(),
      format: "ndjson",
      doing: "read the logs",
      signal: stopping.signal,
      reason: () => "stopping",
      onEnd: () => {},
    });
    return new ManagedReader(body, stopping);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#engine[Symbol.dispose]();
    await this.#manager[Symbol.asyncDispose]();
  }
}

/** Reads as much as it is asked to. */
export class ManagedReader implements AsyncDisposable {
  /** All records that came. */
  readonly all: Told[] = [];
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #stopping: AbortController;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(body: ReadableStream<Uint8Array>, stopping: AbortController) {
    this.#reader = body.getReader();
    this.#stopping = stopping;
  }

  get lines(): string[] {
    return this.all.flatMap(({ line }) => line ?? []);
  }

  /** Takes one piece; returns null at the end. */
  async take(): Promise<string | null> {
    const { value, done } = await this.#reader.read();
    const text = this.#decoder.decode(value, { stream: !done });
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") this.all.push(JSON.parse(line));
    return done ? null : text;
  }

  async until(isEnough: (all: readonly Told[]) => boolean): Promise<void> {
    while (!isEnough(this.all)) if (await this.take() === null) return;
  }

  /** berth stops. */
  stop(): void {
    this.#stopping.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#reader.cancel();
  }
}
