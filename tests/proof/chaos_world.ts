/**
 * The world of chaos: an engine behind a proxy, one berth on a file or two on a database, and a record of all answers.
 */
import { randomSecret } from "../../auth/secret.ts";
import { type BerthProcess, type ProcessOptions, startBerthProcess } from "../support/berth_process.ts";
import { type ChaosProxy, chaosProxy } from "./chaos_proxy.ts";
import type { Outcome } from "./chaos_model.ts";
import { type EngineKind, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free_port.ts";
import { PostgresServer } from "../support/postgres.ts";
import { PostgresWire } from "../support/postgres_wire.ts";
import { type Answer, TestCaller } from "../support/service.ts";

export type ChaosStore = "sqlite" | "postgres";

/** One berth, which comes back on its port and its data however often it dies. */
export class Replica {
  constructor(
    readonly options: ProcessOptions,
    public berth: BerthProcess,
    /** Its way to the database, where there is one. */
    readonly wire: PostgresWire | null,
  ) {}

  async restart(signal: Deno.Signal): Promise<number> {
    const { code } = await this.berth.end(signal);
    // A database that is away at the moment ends a start, and whoever looks after the service tries again
    this.berth = await eventually("berth starts", () => startBerthProcess(this.options), { everyMs: 500 });
    return code;
  }
}

export class ChaosWorld implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly #started = performance.now();
  readonly #history: Deno.FsFile;
  readonly counts = new Map<string, number>();
  readonly broken: string[] = [];
  /** Aborted when nothing new is begun any more. */
  readonly ending = new AbortController();
  engine!: TestEngine;
  proxy!: ChaosProxy;
  database: PostgresServer | null = null;
  replicas: Replica[] = [];
  /** An admin at each replica. */
  admins: TestCaller[] = [];

  private constructor(readonly folder: string) {
    this.#history = Deno.openSync(`${folder}/history.jsonl`, { create: true, append: true });
  }

  static async start(kind: EngineKind, store: ChaosStore): Promise<ChaosWorld> {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-chaos-" }));
    const world = new ChaosWorld(folder);
    try {
      const stack = world.#stack;
      world.engine = stack.use(await startEngine(kind));
      world.proxy = stack.use(chaosProxy(world.engine.socket));
      if (store === "postgres") {
        world.database = stack.use(await PostgresServer.start());
        await world.database.database("chaos");
        await Deno.writeTextFile(`${folder}/sealing-key`, randomSecret(), { mode: 0o600 });
      }
      for (const name of store === "postgres" ? ["one", "two"] : ["one"]) await world.#add(kind, name);
      const asked = world.replicas.find(({ berth }) => berth.stdout.includes("#setup="));
      const key = await asked!.berth.setUp();
      world.admins = world.replicas.map(({ berth }) => new TestCaller(berth.url, key));
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #add(kind: EngineKind, name: string): Promise<void> {
    const { folder, database } = this;
    const wire = database === null ? null : this.#stack.use(new PostgresWire(database.folder));
    const options = {
      data: `${folder}/data-${name}`,
      env: {
        BERTH_PORT: `${freePort()}`,
        BERTH_ROOTS: folder,
        BERTH_ENGINES: `${kind}=unix://${this.proxy.socket}`,
        ...(wire === null ? {} : {
          BERTH_DATABASE_URL: `postgres://berth@${encodeURIComponent(wire.folder)}/chaos`,
          BERTH_SEALING_KEY_FILE: `${folder}/sealing-key`,
          BERTH_REPLICA: name,
        }),
      },
    };
    const replica = new Replica(options, await startBerthProcess(options), wire);
    this.#stack.defer(() => replica.berth[Symbol.asyncDispose]());
    this.replicas.push(replica);
  }

  /** The replica that shows what was done to containers there at once; another one learns of it from the engine. */
  get admin(): TestCaller {
    return this.admins[0]!;
  }

  now(): number {
    return performance.now() - this.#started;
  }

  tell(what: Record<string, unknown>): void {
    const line = `${JSON.stringify({ at: Math.round(this.now()), ...what })}\n`;
    this.#history.writeSync(new TextEncoder().encode(line));
  }

  counted(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Null for an answer that did not come. */
  async ask(caller: TestCaller, route: string, body?: unknown): Promise<Answer | null> {
    const began = this.now();
    let answer: Answer | null = null;
    try {
      answer = await caller.call(route, body, { signal: AbortSignal.timeout(30_000) });
    } catch { // cut off
    }
    const status = answer?.status ?? null;
    const replica = this.admins.findIndex(({ url }) => url === caller.url);
    this.tell({ route, body, replica, status, code: answer?.body?.code, ms: Math.round(this.now() - began) });
    this.counted(`${route.split(" ")[0]} ${status === null ? "cut" : status < 400 ? "done" : status}`);
    if (answer?.body?.code === "internal") {
      this.broken.push(`${route} was answered with a defect: ${answer.text}`);
    }
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
    this.#history.close();
    if (this.broken.length === 0) await Deno.remove(this.folder, { recursive: true });
  }
}

/** Returns the outcome of a change by its answer. */
export function outcomeOf(answer: Answer | null): Outcome {
  if (answer === null || answer.status >= 500) return "unknown";
  return answer.status < 300 ? "yes" : "no";
}
