/** The containers that a caller may see, and a container runtime limited to them. */
import { Reach } from "./access.ts";
import { holdsCluster, holdsService, NO_SERVICES, type RunningServices } from "./running_services.ts";
import { Lru } from "./lru.ts";
import { type Ownership, subjectOf } from "./ownership.ts";
import { type ContainerRuntime, type RunningContainer } from "./runtime.ts";

/** Reaches that are remembered; who comes after them is judged anew. */
const MOST = 64;

/** The sights of all callers: those of equal reach share one. */
export class Sights {
  readonly #known = new Lru<Sight>(MOST);
  readonly #whole: Sight;

  constructor(readonly ownership: Ownership) {
    this.#whole = new Sight(Reach.EVERYWHERE, ownership);
  }

  of(reach: Reach): Sight {
    if (reach.everywhere) return this.#whole;
    let sight = this.#known.get(reach.key);
    if (sight === undefined) this.#known.set(reach.key, sight = new Sight(reach, this.ownership));
    return sight;
  }
}

/** Which containers a reach shows. A row is judged once, and again when its owner may have changed. */
export class Sight {
  #judged = new WeakMap<RunningContainer, boolean>();
  #revision = -1;
  /** Engines that held something visible since the start: one that goes away is reported as missing. */
  readonly #engines = new Set<string>();

  constructor(readonly reach: Reach, private readonly ownership: Ownership) {}

  sees(container: RunningContainer): boolean {
    if (this.reach.everywhere) return true;
    if (this.reach.nowhere) return false;
    if (this.#revision !== this.ownership.revision) {
      this.#judged = new WeakMap();
      this.#revision = this.ownership.revision;
    }
    let sees = this.#judged.get(container);
    if (sees === undefined) {
      this.#judged.set(container, sees = this.reach.has(subjectOf(container, this.ownership)));
      if (sees) this.#engines.add(container.backend);
    }
    return sees;
  }

  /** Returns true if the engine is in scope, or holds a container that is. */
  seesEngine(engine: string): boolean {
    return this.reach.has({ engine }) || this.#engines.has(engine);
  }

  /** Waits, a moment at most, for owners that are not known yet; whether another look may show more. */
  async settle(): Promise<boolean> {
    return !this.reach.everywhere && !this.reach.nowhere && await this.ownership.settle();
  }
}

/** Returns the services that a scope holds; those outside of `shown` are hidden. */
function servicesIn(runtime: ContainerRuntime, reach: Reach, shown: Reach): RunningServices {
  const all = runtime.services?.() ?? NO_SERVICES;
  const items = all.items.filter((one) => holdsService(reach, one))
    .map((one) => holdsService(shown, one) ? one : { ...one, isHidden: true });
  const clusters = all.clusters.filter(({ engines }) =>
    holdsCluster(reach, engines) && holdsCluster(shown, engines)
  );
  return { ...all, items, clusters };
}

/** The runtime as it would be if nothing else ran than what is seen. `services` is the scope of services. */
export function runtimeSeen(
  runtime: ContainerRuntime,
  sight: Sight,
  services: Reach = sight.reach,
): ContainerRuntime {
  const { reach } = sight;
  if (reach.everywhere && services.everywhere) return runtime;
  const sees = (one: RunningContainer) => sight.sees(one);
  const containers = async () => {
    const all = await runtime.containers();
    const seen = all.filter(sees);
    return await sight.settle() ? all.filter(sees) : seen;
  };
  const onEngine = ({ backend }: { readonly backend: string }) => reach.has({ engine: backend });
  return {
    backends: () => runtime.backends().filter(({ name }) => reach.has({ engine: name })),
    counts: () => runtime.counts({ container: sees, imagesOf: (engine) => reach.has({ engine }) }),
    containers,
    unheard: () => new Map([...runtime.unheard()].filter(([engine]) => sight.seesEngine(engine))),
    settle: () => runtime.settle(),
    get revision() {
      return runtime.revision;
    },
    get stamp() {
      return runtime.stamp;
    },
    inspect: (id, backend) => runtime.inspect(id, backend),
    sightOf: (folder, backend, maxAgeMs) => runtime.sightOf(folder, backend, maxAgeMs),
    relist: (backend, kind) => runtime.relist(backend, kind),
    engineDefaults: (backend) => runtime.engineDefaults(backend),
    images: async () => (await runtime.images()).filter(onEngine),
    unheldLimits: async (backend) => await runtime.unheldLimits?.(backend) ?? new Set(),
    imageTaggedAt: (name, backend) => runtime.imageTaggedAt(name, backend),
    isImageFor: (platform, name, backend) => runtime.isImageFor(platform, name, backend),
    permissionFor: (act) => runtime.permissionFor(act),
    deaths: (of, limit) => runtime.deaths((one) => sees(one) && of(one), limit),
    services: () => servicesIn(runtime, reach, services),
    holdings: async () => {
      const [all, seen] = await Promise.all([runtime.holdings(), containers()]);
      if (all === null) return null;
      const ids = new Set(seen.map(({ id, backend }) => `${backend} ${id}`));
      const seesAnEngine = runtime.backends().some(({ name }) => reach.has({ engine: name }));
      return {
        ports: all.ports.filter(({ container, backend }) => ids.has(`${backend} ${container}`)),
        networks: seesAnEngine ? all.networks?.filter(onEngine) ?? null : null,
        volumes: seesAnEngine ? all.volumes?.filter(onEngine) ?? null : null,
        boundPaths: all.boundPaths.filter(onEngine),
        images: all.images.filter(onEngine),
      };
    },
  };
}
