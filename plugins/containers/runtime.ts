/** All engines as one container runtime, for the rest of the service. */
import type { ClaimLookup } from "../../core/claims.ts";
import type {
  Backend,
  Counted,
  Death,
  Holdings,
  HostFolder,
  HostSight,
  InspectedContainer,
  RunningContainer,
  RuntimeAct,
  RuntimeCounts,
  Untold,
} from "../../core/runtime.ts";
import { NO_SERVICES, type RunningServices } from "../../core/running_services.ts";
import type { ActingStacks } from "../../core/stack_acts.ts";
import type { LastWords } from "../../core/endings.ts";
import type { ContainerEvent } from "../../core/container_event.ts";
import type { HeldImage } from "../../core/held_objects.ts";
import type { ActingRuntime, EngineActs } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import { endingOf } from "./acts/last_words.ts";
import { LinkActs } from "./acts/engine_acts.ts";
import type { PullRules } from "./backends/logins.ts";
import type { Backends } from "../../engines/links/backends.ts";
import { UsedBy } from "./backends/used_by.ts";
import { UnheldLimits } from "./containers/unheld_limits.ts";
import { Inspections } from "./containers/inspected.ts";
import { engineError } from "../../engines/calls/errors.ts";
import type { ContainerPermission } from "./backends/permissions.ts";
import type { Kind } from "../../engines/mirror/mirror.ts";
import { isImageFor } from "../../engines/rows/image_platform.ts";
import type { ContainerRow } from "../../engines/rows/container.ts";

const PERMISSION_FOR: Readonly<Record<RuntimeAct, ContainerPermission>> = {
  controlContainer: "containers:control",
  readLogs: "containers:logs",
  readEvents: "events:read",
  pullImage: "images:write",
  buildImage: "images:write",
  removeContainer: "containers:remove",
  revealContainer: "containers:reveal",
  runCommand: "containers:exec",
  useNetwork: "networks:write",
  useVolume: "volumes:write",
};

const ALL: Counted = { container: () => true, imagesOf: () => true };

export class EngineRuntime implements ActingRuntime {
  readonly #inspections: Inspections;
  readonly #unheldLimits = new UnheldLimits();

  constructor(
    private readonly engines: Backends,
    private readonly pulls: PullRules,
    claims?: ClaimLookup,
    readonly services: () => RunningServices = () => NO_SERVICES,
    readonly stacks: () => ActingStacks | null = () => null,
  ) {
    this.#inspections = new Inspections(claims);
  }

  backends(): readonly Backend[] {
    return this.engines.report();
  }

  get findsEngines(): boolean {
    return this.engines.isSearching();
  }

  settle(): Promise<void> {
    return this.engines.settle();
  }

  /** A sum of numbers that only rise, so that no two changes cancel out. */
  get revision(): number {
    return this.engines.links.reduce(
      (sum, { mirror }) => sum + mirror.containers.rows.version,
      this.engines.revision,
    );
  }

  get stamp(): string {
    // Values that a row does not show, as a limit of memory, may have changed with every reading.
    const reads = this.engines.links.reduce((sum, { mirror }) => sum + mirror.containers.rows.reads, 0);
    return `${
      this.engines.stamp(["containers", "images", "networks", "volumes"])
    } ${reads} ${this.services().revision}`;
  }

  counts(of: Counted = ALL): RuntimeCounts | null {
    const { shown } = this.engines.current("containers");
    if (shown.length === 0) return null;
    let running = 0;
    let paused = 0;
    let stopped = 0;
    let total = 0;
    let images = 0;
    for (const { name, mirror } of shown) {
      if (of.imagesOf(name)) images += mirror.images.rows.size;
      for (const row of mirror.containers.rows.values()) {
        if (!of.container(row)) continue;
        const { state } = row;
        total += 1;
        if (state === "running") running += 1;
        else if (state === "paused") paused += 1;
        else stopped += 1;
      }
    }
    return { containers: { running, paused, stopped, total }, images };
  }

  async containers(): Promise<readonly RunningContainer[]> {
    const { shown } = await this.engines.fresh("containers");
    return shown.flatMap(({ mirror }) => [...mirror.containers.rows.values()]);
  }

  unheard(): ReadonlyMap<string, string> {
    const { unavailable } = this.engines.current("containers");
    return new Map(unavailable.map(({ backend, reason }) => [backend, reason]));
  }

  async holdings(): Promise<Holdings | null> {
    const { shown } = await this.engines.fresh("containers");
    if (shown.length === 0) return null;
    await Promise.all(
      (["networks", "volumes", "images"] as const).map((kind) => this.engines.fresh(kind, shown)),
    );
    const isListed = (kind: Kind) => shown.every(({ mirror }) => mirror[kind].known);
    return {
      ports: shown.flatMap(({ mirror }) =>
        [...mirror.containers.rows.values()].flatMap(({ id, backend, ports }) =>
          ports.flatMap(({ host, protocol, address, published }) =>
            host === null || !published ? [] : [{ container: id, backend, host, protocol, address }]
          )
        )
      ),
      networks: !isListed("networks") ? null : shown.flatMap(({ mirror }) => {
        const containers = [...mirror.containers.rows.values()];
        return [...mirror.networks.rows.values()].map(({ ipv6, subnets, ...network }) => ({
          ...network,
          ipv6,
          subnets: subnets.map(({ subnet }) => subnet),
          gateways: subnets.flatMap(({ gateway }) => gateway ?? []),
          users: containers.filter(({ networks }) => networks.includes(network.name)).map((
            { id, name, compose },
          ) => ({ id, name, project: compose?.project ?? null })),
        }));
      }),
      volumes: !isListed("volumes") ? null : shown.flatMap((link) => {
        const used = UsedBy.of(link);
        return [...link.mirror.volumes.rows.values()].map((row) => ({
          ...row,
          users: used.volume(row.name),
        }));
      }),
      boundPaths: shown.flatMap(({ mirror }) => boundPathsOf(mirror.containers.rows.values())),
      images: shown.flatMap(({ mirror }) =>
        [...mirror.images.rows.values()].flatMap(({ id, tags, digests, backend }) =>
          [...tags, ...digests].map((name) => ({ name, id, backend }))
        )
      ),
    };
  }

  deaths(of: (container: RunningContainer) => boolean, limit: number): readonly Death[] {
    const found: Death[] = [];
    for (const { action, about, time, backend, attributes } of this.engines.feed.known().toReversed()) {
      if (found.length === limit) break;
      const { container } = about;
      if (action !== "die" || container === null || !of(container)) continue;
      found.push({ at: time, backend, container, exitCode: codeOf(attributes.exitCode) });
    }
    return found;
  }

  permissionFor(act: RuntimeAct): ContainerPermission {
    return PERMISSION_FOR[act];
  }

  async relist(backend: string, kind: Untold): Promise<void> {
    const { mirror } = this.engines.named(backend);
    await (kind === "containers" ? mirror.containers.relist() : mirror[kind].resync());
  }

  async images(): Promise<readonly HeldImage[]> {
    const { shown } = await this.engines.fresh("images");
    return shown.flatMap(({ mirror }) =>
      [...mirror.images.rows.values()].map(({ id, backend, digests, labels }) => ({
        id,
        backend,
        digests,
        source: labels["org.opencontainers.image.source"] ?? labels["org.opencontainers.image.url"] ?? null,
      }))
    );
  }

  async imageTaggedAt(name: string, backend: string): Promise<number | null> {
    const link = this.engines.named(backend);
    return link.state === "up" ? await this.#inspections.taggedAt(link.engine, name) : null;
  }

  async unheldLimits(backend: string): Promise<ReadonlySet<string>> {
    const { state, kind, engine } = this.engines.named(backend);
    // Podman refuses what it cannot do.
    return state === "up" && kind === "docker" ? await this.#unheldLimits.of(engine) : new Set();
  }

  async isImageFor(platform: string, name: string, backend: string): Promise<boolean | null> {
    const link = this.engines.named(backend);
    return link.state === "up" ? await isImageFor(link.engine, name, platform) : null;
  }

  async engineDefaults(backend: string): ReturnType<ActingRuntime["engineDefaults"]> {
    const { engine, kind, mirror, bare } = this.engines.named(backend);
    const defaults = await this.#inspections.defaultsOf(engine);
    const image = mirror.images.rows.values().next().value?.id;
    // Docker tells enough without.
    const wire = kind === "docker" || image === undefined ? null : await bare.of(engine, image);
    const doing = `read the settings of engine "${backend}"`;
    return { ...defaults, bare: wire && await this.#inspections.of(engine, wire, doing) };
  }

  async sightOf(folder: HostFolder, backend: string, maxAgeMs?: number): Promise<HostSight> {
    return await this.engines.named(backend).sightOf(folder, maxAgeMs);
  }

  async inspect(id: string, backend: string): Promise<InspectedContainer | null> {
    const link = this.engines.named(backend);
    if (link.state !== "up") {
      throw engineError(
        "runtime_unavailable",
        `Cannot inspect container "${id}": engine "${backend}" is not up, ${link.reason}`,
      );
    }
    try {
      const container = await this.#inspections.read(link.engine, id);
      const { sourcesAtStart } = link.mirror;
      return { ...container, sourcesAtStart: await sourcesAtStart.of(container.id, container.startedAt) };
    } catch (error) {
      if (error instanceof ServiceError && error.code === "container_not_found") return null;
      throw error;
    }
  }

  follow(heard: (event: ContainerEvent | null) => void): Disposable {
    return this.engines.feed.subscribe({
      resync: () => heard(null),
      event: ({ backend, type, action, id, attributes, about, healthCheck }) => {
        const isOfContainer = type === "container" ||
          type === "network" && attributes.container !== undefined;
        if (!isOfContainer || healthCheck) return;
        heard({
          engine: backend,
          id: type === "network" ? attributes.container! : id, // one that is connected
          name: about.container?.name ?? attributes.name ?? "",
          action,
          heardAt: Date.now(),
          exitCode: codeOf(attributes.exitCode),
          signal: attributes.signal ?? null,
          compose: about.container?.compose ?? null,
        });
      },
    });
  }

  ending(id: string, backend: string): Promise<LastWords | null> {
    return endingOf(this.engines.named(backend).engine, id);
  }

  acts(backend: string): EngineActs {
    return new LinkActs(this.engines.named(backend), this.#inspections, this.pulls);
  }
}

const codeOf = (text = ""): number | null => /^\d{1,3}$/.test(text) ? Number(text) : null;

/** Returns each path once, however many containers have it mounted. */
function boundPathsOf(rows: Iterable<ContainerRow>): Holdings["boundPaths"] {
  const found = new Map<string, Holdings["boundPaths"][number]>();
  for (const { mounts, backend } of rows) {
    for (const { type, source, readOnly } of mounts) {
      const isWritable = !readOnly || found.get(source)?.isWritable === true;
      if (type === "bind") found.set(source, { path: source, backend, isWritable });
    }
  }
  return [...found.values()];
}
