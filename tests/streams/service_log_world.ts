/** Services of swarms as a test plants them into memory, with the logs of their tasks on engines that it scripts. */
import { Reach, type Scope } from "../../core/access.ts";
import type { KnownService, RunningServices } from "../../core/running_services.ts";
import { Engine } from "../../engines/calls/engine.ts";
import type { Engines } from "../../plugins/containers/backends/seen.ts";
import { serviceLog } from "../../plugins/containers/logs/of_services/service_log.ts";
import { tasksOf } from "../../plugins/containers/logs/of_services/service_tasks.ts";
import { CHUNKED, frameChunk, LAST_CHUNK, logTime, ScriptedEngine } from "../support/scripted_engine.ts";

type Task = KnownService["service"]["tasks"][number];

/** A container on the scripted node. */
interface Planted {
  /** The id of the task that its label names. */
  readonly task: string;
  readonly lines: readonly string[];
  /** The nanoseconds after which its first line was written. */
  readonly from?: number;
}

export interface Told {
  readonly task?: string;
  readonly taskId?: string;
  readonly node?: string;
  readonly time?: string;
  readonly line?: string;
  readonly waits?: { readonly reason: string };
  readonly gap?: { readonly after: string; readonly before: string | null };
  readonly cursor?: string;
}

export class ServiceLogWorld implements AsyncDisposable {
  readonly containers = new Map<string, Planted>();
  readonly link: { name: string; state: string; engine: Engine };
  readonly #node = new ScriptedEngine((call) => this.#answer(call));
  readonly #held: (() => void)[] = [];
  readonly #followers = new Map<string, (line: string) => Promise<void>>();
  #memory: RunningServices = { revision: 0, items: [], clusters: [] };
  #revision = 0;

  constructor() {
    const engine = new Engine("node", { kind: "unix", path: this.#node.socket });
    this.link = { name: "node", state: "up", engine };
  }

  get calls(): readonly string[] {
    return this.#node.calls;
  }

  /** From now on memory has these. */
  set services(items: readonly KnownService[]) {
    this.#revision += 1;
    this.#memory = { revision: this.#revision, items, clusters: [] };
  }

  get engines(): Engines {
    return {
      backends: { links: [this.link] },
      services: () => this.#memory,
    } as unknown as Engines; // as far as a log looks at it
  }

  /** Plants a task with a container that says its lines and no more. */
  task(id: string, more: Partial<Task> = {}, lines: readonly string[] = [`of ${id}`]): Task {
    this.containers.set(`c${id}`, { task: id, lines });
    return taskOf(id, more);
  }

  /** A task whose log is followed says one more line, if anybody still listens. */
  async say(task: string, line: string): Promise<void> {
    await this.#followers.get(`c${task}`)?.(line).catch(() => {});
  }

  /** Reads records until `isEnough` or the end of the log. */
  async read(
    { reach = Reach.EVERYWHERE, service, isEnough = () => false, ...more }: {
      readonly reach?: Reach;
      readonly service: KnownService;
      readonly isEnough?: (all: readonly Told[]) => boolean;
      readonly follow?: boolean;
      readonly until?: { readonly seconds: number; readonly nanos: number };
      readonly history?: boolean;
      readonly tail?: number;
      readonly cursors?: ReadonlyMap<string, string>;
      readonly format?: "ndjson" | "sse" | "text";
      readonly heard?: (text: string) => void;
      /** The reader takes its time for each piece. */
      readonly isSlow?: boolean;
    },
  ): Promise<Told[]> {
    const { follow = false, until = null, history = false, cursors = new Map(), format = "ndjson" } = more;
    const { engines } = this;
    const all: Told[] = [];
    const leaving = new AbortController();
    const late = setTimeout(() => leaving.abort(), 20_000); // the test then says what is missing
    const body = serviceLog({
      engines,
      awaken: () => ({ [Symbol.dispose]: () => {} }),
      tasks: tasksOf({ engines, reach, service: service.service, isAll: history }),
      request: { follow, tail: more.tail ?? null, since: null, until, stdout: true, stderr: true },
      search: undefined,
      timestamps: false,
      cursors,
      format,
      doing: `read the logs of service "${service.service.name}"`,
      signal: leaving.signal,
      reason: () => "stopping",
      onEnd: () => {},
    });
    let rest = "";
    try {
      for await (const text of body.pipeThrough(new TextDecoderStream())) {
        if (more.isSlow === true) await new Promise((done) => setTimeout(done, 10));
        more.heard?.(text);
        if (format !== "ndjson") {
          if (isEnough(all)) leaving.abort();
          continue;
        }
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line !== "") all.push(JSON.parse(line));
        if (isEnough(all)) leaving.abort();
      }
    } finally {
      clearTimeout(late);
    }
    return all;
  }

  async #answer({ path, json, write }: Parameters<ScriptedEngine["script"]>[0]): Promise<void> {
    const [, id = "", what = ""] = /^\/containers\/([^/]+)\/(json|logs)/.exec(path) ?? [];
    const planted = this.containers.get(id);
    if (planted === undefined) return await json({ message: `No such container: ${id}` }, 404);
    if (what === "json") {
      return await json({
        Id: id,
        Name: `/${id}`,
        State: { Running: true, StartedAt: logTime(0) },
        Config: { Tty: false, Env: [], Labels: { "com.docker.swarm.task.id": planted.task } },
        HostConfig: { LogConfig: { Type: "json-file", Config: {} } },
      });
    }
    await write(CHUNKED);
    const [, seconds = "0", nanos = "0"] = /since=(\d+)\.(\d+)/.exec(path) ?? [];
    const since = (Number(seconds) - Date.UTC(2026, 0, 1) / 1_000) * 1e9 + Number(nanos.padEnd(9, "0"));
    for (const [index, line] of planted.lines.entries()) {
      const at = (planted.from ?? 0) + index * 1_000;
      if (at >= since) await write(frameChunk(1, `${logTime(at)} ${line}\n`));
    }
    if (path.includes("follow=true")) {
      const at = planted.lines.length;
      this.#followers.set(id, (line) => write(frameChunk(1, `${logTime(at * 1_000)} ${line}\n`)));
      return await new Promise((resolve) => this.#held.push(resolve));
    }
    await write(LAST_CHUNK);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const release of this.#held) release();
    this.link.engine[Symbol.dispose]();
    await this.#node[Symbol.asyncDispose]();
  }
}

const NODE = { id: "n1", name: "node1" };

function taskOf(id: string, more: Partial<Task>): Task {
  return {
    id,
    name: `web.${id}`,
    slot: 1,
    node: NODE,
    at: null,
    state: "running",
    desired: true,
    current: true,
    reason: null,
    exitCode: null,
    container: { id: `c${id}`, backend: "node" },
    ...more,
  };
}

/** A service as memory has it. */
export function serviceOf(
  tasks: readonly Task[],
  { id = "s1", cluster = "one", engines = ["node"], stack = null }: {
    readonly id?: string;
    readonly cluster?: string;
    readonly engines?: readonly string[];
    readonly stack?: string | null;
  } = {},
): KnownService {
  return {
    service: { id, name: "web", cluster, tasks: [...tasks] },
    definition: { terminal: false },
    subject: { project: stack, labels: {} },
    cluster,
    engines,
    managers: [],
  } as unknown as KnownService; // as far as a log looks at it
}

export const reachOn = (...on: readonly string[]): Reach => new Reach(on as readonly Scope[]);
