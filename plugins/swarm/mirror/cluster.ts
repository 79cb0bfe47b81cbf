/** One swarm in memory: its services, tasks and nodes, read on clocks and after the events of its engines. */
import type { Subject } from "../../../core/access.ts";
import type { KnownService, RunningService } from "../../../core/running_services.ts";
import { ServiceError } from "../../../core/error.ts";
import { textHash } from "../../../core/text_hash.ts";
import { at } from "../../../engines/calls/path.ts";
import { listOf, objectOf, textOf } from "../../../engines/calls/wire.ts";
import { type NodeRow, nodeRow, type SwarmNode } from "../rows/node.ts";
import { serviceDefinition } from "../rows/definition.ts";
import { objectRow, type SwarmObject } from "../rows/named.ts";
import { NAMESPACE, type ServiceRow, serviceRow } from "../rows/service.ts";
import { shownTask, type TaskRow, taskRow } from "../rows/task.ts";
import { type ClusterState, Managers } from "./managers.ts";
import type { Membership } from "./membership.ts";

/** Networks that are asked for one by one after a look. */
const MOST_NETWORKS = 20;
/** Rows are old once an answer takes longer. */
const LATE_MS = 2_000;
/** The rows of one kind that are read of an answer. */
const MOST_ROWS = 50_000;

/** The engines of a cluster that berth knows, by the ids of their nodes. */
type Members = ReadonlyMap<string, Membership & { readonly engine: string }>;

interface ClusterHeard {
  /**
   * Called in the moment in which its nodes are others: a worker says in no other way in which swarm it is, and until it is
   * a member, scopes are asked for too few engines.
   */
  nodes(): void;
  /** Called when something of it has changed. */
  changed(): void;
}

export class Cluster {
  readonly managers = new Managers();
  #name: string;
  state: ClusterState = "away";
  /** When it last answered; null while that is now. */
  staleSince: string | null = null;
  #members: Members = new Map();
  /** Engines that may be in this swarm: they have not said yet in which one they are. */
  #unplaced: readonly string[] = [];
  #services = new Map<string, ServiceRow>();
  #tasks = new Map<string, readonly TaskRow[]>();
  #nodes = new Map<string, NodeRow>();
  /** The names of its networks, by their ids. */
  #networks = new Map<string, string>();
  #objects: { readonly configs: readonly SwarmObject[]; readonly secrets: readonly SwarmObject[] } = {
    configs: [],
    secrets: [],
  };
  /** The reason that names of configs or secrets are those of before; null while they are current. */
  objectsProblem: string | null = null;
  #answeredAt: string | null = null;
  /** The time of the question that is not answered yet. */
  #askedAt: number | null = null;
  #shown: readonly KnownService[] | null = null;
  /** Services whose tasks are read with the next look. */
  readonly #doubted = new Set<string>();
  /** A hash of all that was listed last. */
  #listed = "";
  #reading: Promise<void> = Promise.resolve();

  /** `given` is the name that its managers gave it. */
  constructor(readonly id: string, readonly given: string, private readonly heard: ClusterHeard) {
    this.#name = given;
  }

  /** The name in ids of stacks and in plans. */
  get name(): string {
    return this.#name;
  }

  set name(name: string) {
    if (name === this.#name) return;
    this.#name = name;
    this.#changed();
  }

  get members(): Members {
    return this.#members;
  }

  set members(members: Members) {
    this.#members = members;
    this.#changed();
  }

  set unplaced(engines: readonly string[]) {
    this.#unplaced = engines;
    this.#changed();
  }

  get unplaced(): readonly string[] {
    return this.#unplaced;
  }

  /** The tasks of this service may be others. */
  doubt(service: string): void {
    this.#doubted.add(service);
  }

  /** True once it was listed. */
  get wasRead(): boolean {
    return this.#answeredAt !== null;
  }

  get hasDoubts(): boolean {
    return this.#doubted.size > 0;
  }

  /** Reads everything. Looks follow one another. */
  list(): Promise<void> {
    return this.#read(async () => {
      const doing = `read swarm "${this.name}"`;
      const get = (path: Parameters<Managers["get"]>[0], query = {}) => this.managers.get(path, doing, query);
      // The first one finds a manager that answers.
      const services = rowsOf(await get(at`/services`, { status: true }), (one) => serviceRow(one, this.id));
      const { configs, secrets } = this.#objects;
      const [networks, tasks, nodes, ...named] = await Promise.all([
        get(at`/networks`, { filters: JSON.stringify({ scope: ["swarm"] }) }),
        get(at`/tasks`),
        get(at`/nodes`),
        this.#named(get(at`/configs`), configs),
        this.#named(get(at`/secrets`), secrets),
      ]);
      this.#networks = new Map(
        listOf(networks).map((one) => [textOf(objectOf(one).Id), textOf(objectOf(one).Name)]),
      );
      await this.#meetNetworks(services, doing);
      this.#services = new Map(services.map((one) => [one.shown.id, one]));
      this.#tasks = Map.groupBy(rowsOf(tasks, taskRow), ({ service }) => service);
      this.#nodes = new Map(rowsOf(nodes, (one) => nodeRow(one, this.id)).map((one) => [one.id, one]));
      this.heard.nodes();
      this.#objects = { configs: named[0].rows, secrets: named[1].rows };
      this.objectsProblem = named[0].problem ?? named[1].problem;
      const found = textHash(JSON.stringify([services, tasks, nodes, networks, named])).join(" ");
      const isOther = found !== this.#listed;
      this.#listed = found;
      return isOther;
    });
  }

  /** Keeps the rows of before where the list fails, as that of many large configs: it has their contents. */
  async #named(answer: Promise<unknown>, before: readonly SwarmObject[]) {
    try {
      return { rows: rowsOf(await answer, (one) => objectRow(one, this.id)), problem: null };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { rows: before, problem: error.discreet };
    }
  }

  /** Reads the numbers of all services, and the tasks of those whose numbers moved or that are doubted. */
  look({ withNodes }: { readonly withNodes: boolean }): Promise<void> {
    return this.#read(async () => {
      const doing = `read the services of swarm "${this.name}"`;
      const answer = await this.managers.get(at`/services`, doing, { status: true });
      const services = rowsOf(answer, (one) => serviceRow(one, this.id));
      const listed = new Set(services.map(({ shown }) => shown.id));
      for (const id of this.#doubted) if (!listed.has(id)) this.#doubted.delete(id);
      let isOther = services.length !== this.#services.size;
      for (const { shown: { id }, stamp } of services) {
        if (!this.#doubted.has(id) && this.#services.get(id)?.stamp === stamp) continue;
        isOther = true;
        await this.#readTasks(id, doing);
      }
      this.#services = new Map(services.map((one) => [one.shown.id, one]));
      for (const id of this.#tasks.keys()) if (!this.#services.has(id)) this.#tasks.delete(id);
      if (isOther) await this.#meetNetworks(services, doing);
      if (!withNodes) return isOther;
      const nodes = rowsOf(await this.managers.get(at`/nodes`, doing), (one) => nodeRow(one, this.id));
      isOther ||= JSON.stringify(nodes) !== JSON.stringify([...this.#nodes.values()]);
      this.#nodes = new Map(nodes.map((one) => [one.id, one]));
      this.heard.nodes();
      return isOther;
    });
  }

  /** A doubt stays while its tasks cannot be read, and where it comes anew while they are. */
  async #readTasks(service: string, doing: string): Promise<void> {
    const isDoubted = this.#doubted.delete(service);
    const query = { filters: JSON.stringify({ service: [service] }) };
    try {
      this.#tasks.set(service, rowsOf(await this.managers.get(at`/tasks`, doing, query), taskRow));
    } catch (error) {
      if (isDoubted) this.#doubted.add(service);
      throw error;
    }
  }

  /** Asks for networks that came with a service, and for the one of the nodes themselves, which no list has. */
  async #meetNetworks(services: readonly ServiceRow[], doing: string): Promise<void> {
    const unknown = new Set(services.flatMap(networksOf).filter((id) => !this.#networks.has(id)));
    for (const id of [...unknown].slice(0, MOST_NETWORKS)) {
      const answer = await this.managers.get(at`/networks/${id}`, doing).catch((error) => {
        if (!(error instanceof ServiceError)) throw error;
        return null; // it is gone, or the manager, as the next answer says
      });
      const name = textOf(objectOf(answer).Name);
      if (name !== "") this.#networks.set(id, name);
    }
  }

  get configs(): readonly SwarmObject[] {
    return this.#objects.configs;
  }

  get secrets(): readonly SwarmObject[] {
    return this.#objects.secrets;
  }

  /** Its services with their tasks; the same objects while nothing changed. */
  get services(): readonly KnownService[] {
    return this.#shown ??= [...this.#services.values()]
      .map((row) => ({
        service: this.#shownService(row),
        definition: serviceDefinition(row.spec, (id) => this.#networks.get(id) ?? null),
        before: row.before,
        subject: this.subjectOf(row.shown.id),
        cluster: this.name,
        engines: this.scope,
        managers: this.managers.names,
      }))
      .sort((one, other) => one.service.name < other.service.name ? -1 : 1);
  }

  /** Returns a service as grants are asked about it. */
  subjectOf(service: string): Subject {
    const labels = this.#services.get(service)?.labels ?? {};
    return { project: labels[NAMESPACE] ?? null, labels };
  }

  get nodes(): readonly SwarmNode[] {
    const running = Map.groupBy(
      [...this.#tasks.values()].flat().filter(({ state }) => state === "running"),
      ({ node }) => node,
    );
    return [...this.#nodes.values()].map((row) => ({
      ...row,
      tasks: running.get(row.id)?.length ?? 0,
      backend: this.#members.get(row.id)?.engine ?? null,
      staleSince: this.staleSince,
    })).sort((one, other) => one.name < other.name ? -1 : 1);
  }

  /** The names of its engines that berth knows. */
  get engines(): string[] {
    return [...this.#members.values()].map(({ engine }) => engine).sort();
  }

  /** The engines that a scope must hold to hold all of it. */
  get scope(): readonly string[] {
    return [...this.engines, ...this.#unplaced];
  }

  #shownService({ shown, made }: ServiceRow): RunningService {
    const node = (id: string) => {
      const row = this.#nodes.get(id);
      return row && { name: row.name, isDown: row.state === "down" };
    };
    const engine = (id: string) => this.#members.get(id)?.engine ?? null;
    const tasks = (this.#tasks.get(shown.id) ?? [])
      .map((row) => shownTask(row, { name: shown.name, made, node, engine }))
      .sort((one, other) =>
        (one.slot ?? 0) - (other.slot ?? 0) || ((one.at ?? "") < (other.at ?? "") ? 1 : -1)
      );
    // The swarm counts those of nodes that are down, also once others run in their place.
    const lost = (this.#tasks.get(shown.id) ?? []).filter(({ state, node: on, desired }) =>
      state === "running" && node(on)?.isDown === true && (desired || !shown.mode.endsWith("Job"))
    );
    const running = Math.max(0, shown.running - lost.length);
    return { ...shown, running, tasks, staleSince: this.staleSince };
  }

  /** Marks rows as old while managers take long to answer: without a leader they hang. */
  noticeLate(): void {
    const isLate = this.#askedAt !== null && performance.now() - this.#askedAt > LATE_MS;
    if (!isLate || this.staleSince !== null || this.#answeredAt === null) return;
    this.staleSince = this.#answeredAt;
    this.#changed();
  }

  /** `read` returns true if something is another than before. */
  async #read(read: () => Promise<boolean>): Promise<void> {
    const before = this.#reading;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reading = promise;
    await before;
    const was = this.state;
    this.#askedAt = performance.now();
    try {
      const isOther = await read();
      this.#answeredAt = new Date().toISOString();
      this.state = "up";
      const wasStale = this.staleSince !== null;
      this.staleSince = null;
      if (isOther || wasStale) this.#changed();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.state = error.code === "cluster_without_quorum" ? "noQuorum" : "away";
      this.staleSince = this.#answeredAt;
    } finally {
      this.#askedAt = null;
      if (was !== this.state) this.#changed();
      resolve();
    }
  }

  #changed(): void {
    this.#shown = null;
    this.heard.changed();
  }
}

const networksOf = ({ spec }: ServiceRow): string[] =>
  listOf(objectOf(spec.TaskTemplate).Networks).map((one) => textOf(objectOf(one).Target));

function rowsOf<Row>(answer: unknown, read: (item: unknown) => Row | null): Row[] {
  return listOf(answer).slice(0, MOST_ROWS).flatMap((item) => read(item) ?? []);
}
