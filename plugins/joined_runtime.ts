/** The container runtimes of several plugins, as the one that the rest of the service asks. */
import { ServiceError } from "../core/error.ts";
import { NO_SERVICES } from "../core/running_services.ts";
import type { ActingSwarmRuntime } from "../core/stack_acts.ts";
import type { Holdings, RuntimeCounts } from "../core/runtime.ts";

/** Null for none; a single one is answered as it is. The default engine is one of the first runtime's. */
export function joinRuntimes(runtimes: readonly ActingSwarmRuntime[]): ActingSwarmRuntime | null {
  const [first, ...others] = runtimes;
  if (first === undefined || others.length === 0) return first ?? null;
  let seen = runtimes.map((one) => one.revision);
  let revision = 0;
  const ownerOf = (backend: string) =>
    runtimes.find((one) => one.backends().some(({ name }) => name === backend));
  const mustOwn = (backend: string) => {
    const owner = ownerOf(backend);
    if (owner !== undefined) return owner;
    throw new ServiceError("not_found", `No engine "${backend}"; see /api/system/info for those there are`);
  };
  return {
    backends: () =>
      runtimes.flatMap((one) =>
        one.backends().map((backend) => ({ ...backend, default: backend.default && one === first }))
      ),
    get findsEngines() {
      return runtimes.some((one) => one.findsEngines === true);
    },
    settle: async () => void await Promise.all(runtimes.map((one) => one.settle())),
    counts: (of) => joinCounts(runtimes.flatMap((one) => one.counts(of) ?? [])),
    containers: async () => (await Promise.all(runtimes.map((one) => one.containers()))).flat(),
    get revision() {
      const now = runtimes.map((one) => one.revision);
      if (now.some((one, index) => one !== seen[index])) {
        seen = now;
        revision += 1;
      }
      return revision;
    },
    get stamp() {
      return runtimes.map((one) => one.stamp).join(" ");
    },
    permissionFor: (act) => first.permissionFor(act),
    deaths: (of, limit) =>
      runtimes.flatMap((one) => one.deaths(of, limit))
        .sort((one, other) => Date.parse(other.at) - Date.parse(one.at)).slice(0, limit),
    holdings: async () => joinHoldings(await Promise.all(runtimes.map((one) => one.holdings()))),
    unheard: () => new Map(runtimes.flatMap((one) => [...one.unheard()])),
    relist: async (backend, kind) => await ownerOf(backend)?.relist(backend, kind),
    engineDefaults: async (backend) => await mustOwn(backend).engineDefaults(backend),
    services: () => first.services?.() ?? NO_SERVICES, // each is given the same
    stacks: () => first.stacks?.() ?? null,
    images: async () => (await Promise.all(runtimes.map((one) => one.images()))).flat(),
    isImageFor: async (platform, name, backend) =>
      await ownerOf(backend)?.isImageFor(platform, name, backend) ?? null,
    unheldLimits: async (backend) => await ownerOf(backend)?.unheldLimits?.(backend) ?? new Set(),
    imageTaggedAt: async (name, backend) => await ownerOf(backend)?.imageTaggedAt(name, backend) ?? null,
    sightOf: async (folder, backend, maxAgeMs) => await mustOwn(backend).sightOf(folder, backend, maxAgeMs),
    inspect: async (id, backend) => await mustOwn(backend).inspect(id, backend),
    acts: (backend) => mustOwn(backend).acts(backend),
    ending: async (id, backend) => await mustOwn(backend).ending(id, backend),
    follow: (heard) => {
      const all = new DisposableStack();
      for (const one of runtimes) all.use(one.follow(heard));
      return all;
    },
  };
}

function joinCounts(counts: readonly RuntimeCounts[]): RuntimeCounts | null {
  if (counts.length === 0) return null;
  const sum = (of: (one: RuntimeCounts) => number) => counts.reduce((total, one) => total + of(one), 0);
  return {
    containers: {
      running: sum(({ containers }) => containers.running),
      paused: sum(({ containers }) => containers.paused),
      stopped: sum(({ containers }) => containers.stopped),
      total: sum(({ containers }) => containers.total),
    },
    images: sum(({ images }) => images),
  };
}

function joinHoldings(answers: readonly (Holdings | null)[]): Holdings | null {
  const holdings = answers.filter((one) => one !== null);
  if (holdings.length === 0) return null;
  return {
    ports: holdings.flatMap(({ ports }) => ports),
    networks: joinNames(holdings.map(({ networks }) => networks)),
    volumes: joinNames(holdings.map(({ volumes }) => volumes)),
    boundPaths: holdings.flatMap(({ boundPaths }) => boundPaths),
    images: holdings.flatMap(({ images }) => images),
  };
}

/** Null where none of them knows. */
function joinNames<Held>(parts: readonly (readonly Held[] | null)[]): readonly Held[] | null {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.flat();
}
