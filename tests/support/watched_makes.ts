/**
 * Every container that an apply of any test makes is inspected on its engine, and what it reaches is compared with what
 * the plan asked for: by a list of facts that does not come from berth. An engine that found more fails its file.
 */
import assert from "node:assert/strict";
import { hostReach, type Own, unasked } from "../access/host_reach.ts";
import { bounded } from "./bounded.ts";

/** The part of an engine of a test that asks it. */
interface Asked {
  ask(
    route: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: string; readonly json: Wire }>;
}

/** The parts of a berth that tell which plan a container was made for, and where its project lies. */
export interface Plans {
  readonly store: {
    readonly applies: {
      get(id: string): Promise<{ readonly work: string; readonly workspace: string } | null>;
    };
    readonly workspaces: { list(): Promise<readonly { readonly id: string; readonly path: string }[]> };
  };
}

/** All berths of the test: the one that has the apply of a container tells of its plan. */
const berths = new Set<Plans>();

/** Lets the berth tell of its plans until it ends. */
export function tellsPlans(berth: Plans): Disposable {
  berths.add(berth);
  return { [Symbol.dispose]: () => void berths.delete(berth) };
}

/** Paths of engines under which a test has mounted the folder of its workspace. */
const sameFolders = new Set<string>();

/** Lets the path count as the workspace's own folder. */
export function isSameFolder(path: string): Disposable {
  sameFolders.add(path);
  return { [Symbol.dispose]: () => void sameFolders.delete(path) };
}

/** All engines of this process. */
const engines = new Set<WatchedMakes>();

/** Looks at all that applies have made and that is still there: a test may remove it before its event comes. */
export const lookAtMade = async (): Promise<void> =>
  void await Promise.all([...engines].map((one) => one.lookAtAll().catch(() => {}))); // an engine may be away

const LAST_LOOKS_MS = 5_000;

// deno-lint-ignore no-explicit-any -- the engine's own words
type Wire = any;

const MARK = "dev.berth.apply";
const PROJECT = "com.docker.compose.project";

export class WatchedMakes implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #looks = new Set<Promise<void>>();
  readonly #found: string[] = [];
  readonly #containersOf = new Map<string, Set<string>>();
  readonly #seen = new Set<string>();
  readonly #compared = new Set<string>();
  readonly #begun = Promise.withResolvers<void>();
  #since = Math.floor(Date.now() / 1_000);

  private constructor(
    readonly kind: string,
    readonly engine: Asked,
    readonly http: Deno.HttpClient,
    readonly ordinary: Wire,
  ) {}

  /** Makes an ordinary container once to know the engine's own values, and follows all that is made from now on. */
  static async on(kind: string, engine: Asked, socket: string, image: string) {
    const made = await engine.ask("POST /containers/create?name=ordinary", { Image: image });
    assert.equal(made.status, 201, made.body);
    const { json } = await engine.ask(`GET /containers/${made.json.Id}/json`);
    await engine.ask(`DELETE /containers/${made.json.Id}?force=1`);
    // Docker writes it down when a container starts.
    json.HostConfig.Runtime ||= (await engine.ask("GET /info")).json.DefaultRuntime;
    const http = Deno.createHttpClient({ proxy: { transport: "unix", path: socket }, poolMaxIdlePerHost: 0 });
    const watched = new WatchedMakes(kind, engine, http, json);
    watched.#following = watched.#follow();
    engines.add(watched);
    // A test that looks for leaks must not meet the beginning of this.
    await bounded("the beginning of an engine's events", watched.#begun.promise);
    return watched;
  }

  #following: Promise<void> = Promise.resolve();

  /** Follows the engine's events, also after it was killed and started again. */
  async #follow(): Promise<void> {
    const wanted = { type: ["container"], event: ["create", "start"], label: [PROJECT] };
    const filters = encodeURIComponent(JSON.stringify(wanted));
    while (!this.#ending.signal.aborted) {
      try {
        const response = await fetch(`http://192.0.2.1/events?since=${this.#since}&filters=${filters}`, {
          client: this.http,
          signal: this.#ending.signal,
        });
        this.#begun.resolve();
        let rest = "";
        for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
          const lines = `${rest}${text}`.split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) if (line.trim() !== "") this.#told(JSON.parse(line));
        }
      } catch {
        // It ends, or the engine is away: from the last event on when it is back.
      }
      if (!this.#ending.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  #told({ Action, Actor, time }: Wire): void {
    this.#since = Math.max(this.#since, time ?? 0);
    const { [PROJECT]: project, [MARK]: mark } = Actor?.Attributes ?? {};
    if (project === undefined) return;
    const ids = this.#containersOf.get(project) ?? new Set();
    this.#containersOf.set(project, ids.add(Actor.ID));
    const key = `${Action} ${Actor.ID}`;
    if (mark === undefined || this.#seen.has(key)) return;
    this.#seen.add(key);
    const look = this.#look(Actor.ID, project, mark).catch(() => {}) // it is gone, or its engine is
      .then(() => void this.#looks.delete(look));
    this.#looks.add(look);
  }

  async lookAtAll(): Promise<void> {
    const filters = encodeURIComponent(JSON.stringify({ label: [MARK] }));
    const { json } = await this.engine.ask(`GET /containers/json?all=1&filters=${filters}`);
    await Promise.all(json.map(async ({ Id, Labels }: Wire) => {
      if (this.#compared.has(Id)) return;
      this.#seen.add(`made ${Id}`);
      await this.#look(Id, Labels[PROJECT], Labels[MARK]);
    }));
  }

  async #look(id: string, project: string, mark: string): Promise<void> {
    const own = await this.#own(project, mark);
    const { status, json } = await this.engine.ask(`GET /containers/${id}/json`);
    if (status !== 200 || own === null) return;
    this.#compared.add(id);
    for (const fact of unasked(hostReach(json, own, this.ordinary), own.needs)) {
      this.#found.push(`${json.Name}: ${fact}`);
    }
  }

  /** Returns what the project owns and its plan asked for; null where no berth of the test made it. */
  async #own(project: string, mark: string) {
    const [apply = "", n] = mark.split(":");
    for (const { store } of berths) {
      const record = await store.applies.get(apply).catch(() => null);
      if (record === null) continue;
      const { plan } = JSON.parse(record.work);
      const step = plan.steps.find((one: Wire) => String(one.n) === n);
      if (step === undefined) return null; // a test wrote another form into the store
      const folder = (await store.workspaces.list()).find((one) => one.id === record.workspace)?.path ?? null;
      const filters = encodeURIComponent(JSON.stringify({ label: [`${PROJECT}=${project}`] }));
      const [networks, volumes, containers] = await Promise.all([
        this.engine.ask(`GET /networks?filters=${filters}`),
        this.engine.ask(`GET /volumes?filters=${filters}`),
        this.engine.ask(`GET /containers/json?all=1&filters=${filters}`),
      ]);
      const ids = containers.json.flatMap((
        { Id, Names }: Wire,
      ) => [Id, ...Names.map((one: string) => one.slice(1))]);
      const own: Own = {
        folder,
        sameFolders,
        containers: new Set([...ids, ...this.#containersOf.get(project) ?? []]),
        networks: new Set(networks.json.map(({ Name }: Wire) => Name)),
        volumes: new Set((volumes.json.Volumes ?? []).map(({ Name }: Wire) => Name)),
      };
      return { ...own, needs: step.needs };
    }
    return null;
  }

  /** Throws for each container that reached more than was asked for. */
  async [Symbol.asyncDispose](): Promise<void> {
    engines.delete(this);
    this.#ending.abort();
    await this.#following;
    // An engine that is held still answers none of them.
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LAST_LOOKS_MS);
    await Promise.race([Promise.all(this.#looks), late]);
    clearTimeout(timer);
    this.http.close();
    const made = new Set([...this.#seen].map((key) => key.split(" ")[1]));
    if (made.size > 0) {
      console.log(
        `Compared what ${this.#compared.size} of ${made.size} containers of applies on ${this.kind} reach`,
      );
    }
    assert.deepEqual(this.#found, [], "A container reaches more than its plan asked for");
  }
}
