/** The plan of a prune on one engine: each object with its identity, the reason and the bytes. */
import * as z from "../../../core/schema.ts";
import { asideFor, nameWithoutAside } from "../../../core/applies.ts";
import type { Link } from "../../../engines/links/link.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";
import type { Measurement, UsageItem } from "../disk_usage/measurement.ts";
import type { NamedByServices } from "../backends/named_by_services.ts";
import { UsedBy } from "../backends/used_by.ts";
import { passes, type PruneFilters } from "./filters.ts";

/** In the order of removal: users before what they use. */
export const PRUNE_TYPES = ["containers", "networks", "volumes", "images", "buildCache"] as const;
export const PruneType = z.enum(PRUNE_TYPES).meta({ id: "PruneType" });
export type PruneType = z.infer<typeof PruneType>;

export const PruneItem = z.object({
  type: PruneType.describe("Kind of object"),
  id: z.string().describe("Its id"),
  name: z.string().describe("Its name"),
  why: z.string().describe("The reason that it is removed"),
  size: z.int().describe("Bytes"),
  backend: z.string().describe("The engine it is on, by name"),
}).meta({ id: "PruneItem" });

/** With what distinguishes it from a later object of the same name. */
export type Planned = z.infer<typeof PruneItem> & {
  readonly createdAt: string | null;
  /** Of an image: the names it had. */
  readonly tags: readonly string[];
  /** True if files declare it, and it was asked for nevertheless. */
  readonly isDeclared: boolean;
};

/** The names by which something is found in files. */
export type Named =
  | { readonly type: "containers"; readonly row: ContainerRow }
  | { readonly type: "networks"; readonly name: string }
  | { readonly type: "volumes"; readonly name: string }
  | { readonly type: "images"; readonly names: readonly string[] };

/** The engine takes a cache's id as a pattern, so only ids without special characters are planned. */
const CACHE_ID = /^[a-z0-9]{20,64}$/;
const ENDED = new Set(["created", "exited", "dead"]);

/** The scope of one engine's plan. */
interface Scope {
  readonly link: Link;
  readonly usage: Measurement["usage"];
  /** Says whether a swarm's service has the container in its history. */
  readonly isKept: (row: ContainerRow) => boolean;
  /** Says whether a swarm's service names a volume or an image, or may do so. */
  readonly named: NamedByServices;
  /** Says whether files of registered folders declare it, or may do so. */
  readonly isDeclared: (named: Named) => boolean;
  readonly types: ReadonlySet<PruneType>;
  readonly filters: PruneFilters;
  readonly now: Date;
}

interface EnginePlan {
  readonly items: Planned[];
  /** What is not in it because files declare it. */
  readonly left: Planned[];
}

/** The mirror must be fresh and the measurement new. A container in the plan no longer counts as a user of the rest. */
export function planFor(
  link: Link,
  about: Pick<Scope, "usage" | "isKept" | "named" | "isDeclared">,
  types: ReadonlySet<PruneType>,
  filters: PruneFilters,
  now: Date,
): EnginePlan {
  const scope: Scope = { link, ...about, types, filters, now };
  const isMeant = ({ isDeclared }: Planned) => filters.declared === true || !isDeclared;
  const containers = types.has("containers") ? plannedContainers(endedContainers(scope), scope) : [];
  const going = new Set(containers.filter(isMeant).map(({ id }) => id));
  const staying = [...link.mirror.containers.rows.values()].filter(({ id }) => !going.has(id));
  const users = new UsedBy(staying);
  const found = [
    ...containers,
    ...types.has("networks") ? plannedNetworks(users, scope) : [],
    ...types.has("volumes") ? plannedVolumes(users, scope) : [],
    ...types.has("images") ? plannedImages(users, scope) : [],
    ...types.has("buildCache") ? plannedCaches(scope) : [],
  ];
  return { items: found.filter(isMeant), left: found.filter((one) => !isMeant(one)) };
}

function endedContainers({ link, isKept, filters, now }: Scope): ContainerRow[] {
  const all = [...link.mirror.containers.rows.values()];
  const swapped = swappedOf(all);
  return all.filter((row) =>
    ENDED.has(row.state) && !swapped.has(row.id) && !isKept(row) && passes(row, filters, now)
  );
}

/**
 * Returns the ids of both containers of each swap, of whichever berth. Neither is pruned: the apply that has them in hand
 * says which one has to go, and `berth doctor` where there is none.
 */
export function swappedOf(rows: readonly ContainerRow[]): ReadonlySet<string> {
  const aside = rows.map(({ name }) => name).filter((name) => asideFor(name) !== null);
  const names = new Set(aside.flatMap((name) => [name, nameWithoutAside(name)]));
  return new Set(rows.filter(({ name }) => names.has(name)).map(({ id }) => id));
}

function plannedContainers(rows: readonly ContainerRow[], { link, usage, isDeclared }: Scope): Planned[] {
  const sizeOf = sizes(usage.containers.items);
  return rows.map((row) => ({
    type: "containers",
    id: row.id,
    name: row.name,
    why: whyOf(row),
    size: sizeOf.get(row.id) ?? 0,
    backend: link.name,
    createdAt: null,
    tags: [],
    isDeclared: isDeclared({ type: "containers", row }),
  }));
}

/** Says how it ended in the word that every list says, and never only that it does not run. */
const whyOf = ({ state, condition }: ContainerRow): string =>
  state === "created" ? "it never ran" : `it does not run (${condition})`;

function plannedNetworks(users: UsedBy, { link, filters, now, isDeclared }: Scope): Planned[] {
  return [...link.mirror.networks.rows.values()]
    .filter((row) =>
      !row.predefined && row.scope === "local" && users.network(row).length === 0 && passes(row, filters, now)
    )
    .map(({ id, name }) => ({
      type: "networks",
      id,
      name,
      why: "no container is connected to it",
      size: 0,
      backend: link.name,
      createdAt: null,
      tags: [],
      isDeclared: isDeclared({ type: "networks", name }),
    }));
}

function plannedVolumes(users: UsedBy, { link, usage, filters, now, named, isDeclared }: Scope): Planned[] {
  const sizeOf = sizes(usage.volumes.items);
  return [...link.mirror.volumes.rows.values()]
    .filter(({ name }) => users.volume(name).length === 0 && !named.volume(name))
    .filter((row) => passes(row, filters, now))
    .map(({ name, createdAt }) => ({
      type: "volumes",
      id: name,
      name,
      why: "no container mounts it",
      size: sizeOf.get(name) ?? 0,
      backend: link.name,
      createdAt,
      tags: [],
      isDeclared: isDeclared({ type: "volumes", name }),
    }));
}

function plannedImages(users: UsedBy, { link, usage, filters, now, named, isDeclared }: Scope): Planned[] {
  const sizeOf = sizes(usage.images.items);
  const olds = UsedBy.of(link);
  return [...link.mirror.images.rows.values()]
    .filter(({ id, tags, digests }) => users.image(id).length === 0 && !named.image([...tags, ...digests]))
    .filter((row) => (row.dangling || filters.tagged === true) && passes(row, filters, now))
    .map(({ id, tags, digests, size, dangling }) => ({
      type: "images",
      id,
      name: tags[0] ?? id,
      why: whyUnused(dangling, olds.image(id).length > 0),
      size: sizeOf.get(id) ?? size,
      backend: link.name,
      createdAt: null,
      tags,
      isDeclared: isDeclared({ type: "images", names: [...tags, ...digests] }),
    }));
}

const whyUnused = (isDangling: boolean, isUsed: boolean): string => {
  const unused = isUsed ? "only containers use it that are removed, too" : "no container uses it";
  return isDangling ? `nothing names it and ${unused}` : unused;
};

/** Newest first: what was built on another cache goes before it. */
function plannedCaches({ link, usage, filters, now }: Scope): Planned[] {
  return usage.buildCache.items
    .toSorted((one, other) => (other.createdAt ?? "").localeCompare(one.createdAt ?? ""))
    .filter((item) => !item.active && CACHE_ID.test(item.id) && passes({ ...item, labels: {} }, filters, now))
    .map(({ id, name, size, createdAt }) => ({
      type: "buildCache",
      id,
      name,
      why: "no build uses it",
      size,
      backend: link.name,
      createdAt,
      tags: [],
      isDeclared: false,
    }));
}

function sizes(items: readonly UsageItem[]): Map<string, number> {
  return new Map(items.map(({ id, size }) => [id, size]));
}
