/** The swarms that berth's engines are in: found by the engines' networks, and kept up to date while there are any. */
import type { Log } from "../../../core/log.ts";
import type { RunningServices } from "../../../core/running_services.ts";
import { ServiceError } from "../../../core/error.ts";
import { pause } from "../../../core/pause.ts";
import type { EngineAccess } from "../../../engines/lent.ts";
import { Cluster } from "./cluster.ts";
import { EventLooks } from "./event_looks.ts";
import { continued, type Membership, membershipOf } from "./membership.ts";
import { Places } from "./places.ts";

/** The interval of looking which engines are in a swarm. Asks nothing where none is. */
const TICK_MS = 1_000;
/** Intervals of reading, the shorter one while somebody looks. */
const LOOK_MS = 10_000;
const WATCHED_LOOK_MS = 2_000;
const NODES_MS = 10_000;
const LIST_MS = 60_000;
/** A question waits no longer for the first list: managers that hang, and those of other swarms, hold up nobody. */
const FIRST_LIST_MS = 5_000;
/** Somebody who asked so long ago may still look. */
const WATCHED_MS = 15_000;
const SERVICE = "com.docker.swarm.service.id";
/** Events that are told of a swarm itself. */
const OF_SWARM: ReadonlySet<string> = new Set(["service", "node", "config", "secret"]);

/** The part of a swarm's id by which people tell it from others. */
const ID_DIGITS = 12;

interface Known {
  readonly engine: EngineAccess;
  membership: Membership;
  askedAt: number;
  readonly following: Disposable;
}

interface Times {
  looked: number;
  nodes: number;
  listed: number;
}

export class Clusters implements AsyncDisposable {
  readonly #known = new Map<string, Known>();
  /** Engines that are in no swarm, as far as they said last. */
  readonly #outside = new Set<string>();
  /** The times at which engines whose networks are not listed were asked. */
  readonly #unlisted = new Map<string, number>();
  readonly #clusters = new Map<string, Cluster>();
  readonly #times = new Map<Cluster, Times>();
  readonly #clock = setInterval(() => this.#onClock(), TICK_MS);
  readonly #ending = new AbortController();
  readonly #places = new Places((name) => this.#askAgain(name), this.#ending.signal);
  readonly #looks: EventLooks;
  #working: Promise<void> = Promise.resolve();
  #isWorking = false;
  #watchedAt = -Infinity;
  /** The time at which every swarm had been read, as somebody asked. */
  #wholeAt = -Infinity;
  /** The services of all clusters; null once one of them has changed. */
  #joined: RunningServices | null = null;
  #revision = 0;

  constructor(private readonly engines: () => readonly EngineAccess[], private readonly log: Log) {
    this.#looks = new EventLooks({
      // Rows of another swarm must not be taken for those of the one that an engine was in
      isSure: async (cluster) => {
        await this.#places.sure(cluster.engines);
        return this.all.includes(cluster);
      },
      log,
      ending: this.#ending.signal,
    });
    this.#tick(); // at once: this starts only where an engine is in a swarm
  }

  get all(): readonly Cluster[] {
    return [...this.#clusters.values()];
  }

  /** Engines that are workers of swarms of which berth knows no manager. */
  get strays(): readonly { readonly engine: string; readonly membership: Membership }[] {
    const joined = new Set(this.all.flatMap(({ members }) => [...members.keys()]));
    return [...this.#known.values()].filter(({ membership }) => !joined.has(membership.node))
      .map(({ engine, membership }) => ({ engine: engine.name, membership }));
  }

  /** The services of all clusters, from memory; the same object while nothing changed. */
  get services(): RunningServices {
    return this.#joined ??= {
      revision: ++this.#revision,
      items: this.all.flatMap(({ services }) => services),
      clusters: this.all.map(({ name, scope, nodes }) => ({ name, engines: scope, nodes: nodes.length })),
    };
  }

  /**
   * Somebody looks: services are read more often for a while. Waits for the first list, a moment at most. Returns false
   * where a swarm was not read yet.
   */
  async watched(): Promise<boolean> {
    const now = this.#watchedAt = performance.now();
    if (now - this.#wholeAt < TICK_MS) return true; // the clock looks as often
    this.#tick();
    for (let turn = 0; turn < 2 && this.#isNew; turn += 1) { // a look may have begun before an engine was up
      this.#tick();
      await pause(FIRST_LIST_MS / 2, this.#ending.signal, this.#working);
    }
    const isWhole = !this.#isNew && this.all.every(({ wasRead }) => wasRead);
    if (isWhole) this.#wholeAt = now;
    return isWhole;
  }

  get #isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  /** An engine was not asked for its swarm yet, or a swarm was not listed yet. */
  get #isNew(): boolean {
    return this.all.some((one) => !this.#times.has(one)) ||
      this.engines().some(({ name, state, isInSwarm }) =>
        isInSwarm && state === "up" && !this.#known.has(name) && !this.#outside.has(name)
      );
  }

  /** Reads a cluster now, and once more soon after: something of it was changed. */
  async changed(cluster: Cluster, service?: string): Promise<void> {
    if (service !== undefined) cluster.doubt(service);
    await cluster.look({ withNodes: true });
    this.#looks.after(cluster, service ?? null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    clearInterval(this.#clock);
    for (const { following } of this.#known.values()) following[Symbol.dispose]();
    await this.#places.sure();
    await this.#looks[Symbol.asyncDispose]();
    await this.#working;
  }

  #onClock(): void {
    for (const cluster of this.all) cluster.noticeLate();
    this.#tick();
  }

  #tick(): void {
    if (this.#isWorking || this.#isOver) return;
    if (this.#known.size === 0 && !this.engines().some(({ isInSwarm }) => isInSwarm)) return;
    this.#isWorking = true;
    this.#working = this.#work()
      .catch((error) => this.log.error("A swarm cannot be read", { error }))
      .finally(() => this.#isWorking = false);
  }

  async #work(): Promise<void> {
    for (const { name, state, isInSwarm } of this.engines()) {
      if (isInSwarm) this.#outside.delete(name);
      else if (isInSwarm === false && state === "up" && !this.#known.has(name)) this.#outside.add(name);
    }
    await this.#meet();
    this.#join();
    await Promise.all(this.all.map((cluster) => this.#read(cluster)));
  }

  /** Asks engines that were not asked yet, or have connected again, for their place. */
  async #meet(): Promise<void> {
    const engines = this.engines();
    // An engine that is away, or back without its networks, stays a member until it says otherwise: its node is one still.
    for (const name of this.#known.keys()) if (engines.every((one) => one.name !== name)) this.#drop(name);
    await Promise.all(engines.map(async (engine) => {
      const known = this.#known.get(engine.name);
      if (engine.state !== "up") return;
      if (known === undefined && !engine.isInSwarm) return this.#meetUnlisted(engine);
      // Nodes are promoted, and engines join other swarms
      const everyMs = engine.isInSwarm === false ? WATCHED_LOOK_MS : LIST_MS;
      if (known !== undefined && performance.now() - known.askedAt < everyMs) return;
      await this.#ask(engine);
    }));
  }

  /** An engine whose networks may not be listed, as behind a proxy, is asked beside the clock: it may hang. */
  #meetUnlisted({ name, isInSwarm }: EngineAccess): void {
    const now = performance.now();
    const everyMs = this.#outside.has(name) ? LIST_MS : NODES_MS;
    if (isInSwarm !== null || now - (this.#unlisted.get(name) ?? -Infinity) < everyMs) return;
    this.#unlisted.set(name, now);
    this.#places.doubt(name);
  }

  #drop(name: string): void {
    this.#known.get(name)?.following[Symbol.dispose]();
    this.#known.delete(name);
  }

  async #ask(engine: EngineAccess): Promise<void> {
    const { name } = engine;
    const askedAt = performance.now();
    try {
      const membership = await membershipOf(engine);
      if (membership === null) {
        this.#drop(name);
        return void this.#outside.add(name);
      }
      if (this.#isOver) return;
      this.#outside.delete(name);
      const known = this.#known.get(name);
      if (known !== undefined) {
        return void Object.assign(known, { membership: continued(known.membership, membership), askedAt });
      }
      const following = engine.follow((event) => this.#hear(engine, event));
      this.#known.set(name, { engine, membership, following, askedAt });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error; // it is asked again with the next tick
    }
  }

  /** Beside the clock: an engine that hangs holds up no reading. */
  async #askAgain(name: string): Promise<void> {
    const engine = this.engines().find((one) => one.name === name);
    if (engine === undefined) return;
    await this.#ask(engine).catch((error) => this.log.error("A swarm cannot be read", { error }));
    this.#join();
  }

  /** Brings engines of one swarm together. */
  #join(): void {
    const known = [...this.#known.values()];
    const ids = new Set(known.flatMap(({ membership }) => membership.cluster ?? []));
    const unplaced = this.engines().map(({ name }) => name)
      .filter((name) => !this.#known.has(name) && !this.#outside.has(name));
    for (const id of this.#clusters.keys()) if (!ids.has(id)) this.#forget(id);
    for (const id of ids) {
      const own = known.filter(({ membership }) => membership.cluster === id);
      let cluster = this.#clusters.get(id);
      if (cluster === undefined) {
        this.#clusters.set(id, cluster = this.#newCluster(id, own[0]?.membership.clusterName ?? null));
      }
      const nodes = new Set(cluster.nodes.map((one) => one.id));
      const all = known.filter(({ membership }) =>
        membership.cluster === id || membership.cluster === null && nodes.has(membership.node)
      );
      cluster.managers.use(own.filter(({ membership }) => membership.isManager).map(({ engine }) => engine));
      const members = new Map(
        all.map((one) => [one.membership.node, { ...one.membership, engine: one.engine.name }]),
      );
      if (unplaced.join(" ") !== cluster.unplaced.join(" ")) cluster.unplaced = unplaced;
      if (JSON.stringify([...members]) !== JSON.stringify([...cluster.members])) cluster.members = members;
    }
    // Plans and ids of stacks find a swarm by its name: of several with one, none has it alone.
    for (const [given, all] of Map.groupBy(this.all, (one) => one.given)) {
      for (const one of all) one.name = all.length === 1 ? given : `${given}-${one.id.slice(0, ID_DIGITS)}`;
    }
  }

  #newCluster(id: string, name: string | null): Cluster {
    this.#joined = null;
    return new Cluster(id, name ?? id.slice(0, ID_DIGITS), {
      nodes: () => this.#join(),
      changed: () => this.#joined = null,
    });
  }

  #forget(id: string): void {
    const cluster = this.#clusters.get(id);
    if (cluster !== undefined) this.#times.delete(cluster);
    this.#clusters.delete(id);
    this.#joined = null;
  }

  async #read(cluster: Cluster): Promise<void> {
    const now = performance.now();
    const times = this.#times.get(cluster) ?? { looked: -Infinity, nodes: -Infinity, listed: -Infinity };
    const isWatched = now - this.#watchedAt < WATCHED_MS || cluster.state !== "up";
    if (now - times.listed >= LIST_MS) {
      await cluster.list();
      times.looked = times.nodes = now;
      // A list that failed is tried again with the next look.
      if (cluster.state === "up") times.listed = now;
    } else if (now - times.looked >= (isWatched ? WATCHED_LOOK_MS : LOOK_MS)) {
      const withNodes = now - times.nodes >= NODES_MS;
      await cluster.look({ withNodes });
      times.looked = now;
      if (withNodes) times.nodes = now;
    }
    this.#times.set(cluster, times);
  }

  #hear(
    { name, container }: EngineAccess,
    event: Parameters<Parameters<EngineAccess["follow"]>[0]>[0],
  ): void {
    const node = this.#known.get(name)?.membership.node;
    const cluster = this.all.find(({ members }) => node !== undefined && members.has(node));
    if (cluster === undefined) return;
    // An engine that makes or joins another swarm gets its networks
    if (event?.type === "network" && event.action === "create") return this.#places.doubt(name);
    if (event === null || event.type === "node") {
      this.#places.doubt(name);
      return this.#listSoon(cluster);
    }
    if (OF_SWARM.has(event.type)) {
      if (event.type !== "service") return this.#listSoon(cluster);
      return this.#looks.after(cluster, event.id);
    }
    if (event.type !== "container") return;
    const service = (event.about.container ?? container(event.id))?.labels[SERVICE];
    if (service !== undefined) this.#looks.after(cluster, service);
    else if (event.action === "start") {
      this.#looks.after(cluster, null, () => container(event.id)?.labels[SERVICE]);
    }
  }

  /** Everything is read with the next tick. */
  #listSoon(cluster: Cluster): void {
    const times = this.#times.get(cluster);
    if (times !== undefined) times.listed = -Infinity;
  }
}
