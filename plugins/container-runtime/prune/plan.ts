/** What a prune would take from one engine: each thing by its own identity, with the reason and the bytes. */
import { z } from "zod";
import type { Link } from "../backends/link.ts";
import type { ContainerRow } from "../rows/container.ts";
import type { Measurement, UsageItem } from "../disk_usage/measurement.ts";
import { UsedBy } from "../backends/used_by.ts";
import { passes, type PruneFilters } from "./filters.ts";

/** In the order in which they can go: what uses comes before what is used. */
export const PRUNE_TYPES = ["containers", "networks", "volumes", "images", "buildCache"] as const;
export const PruneType = z.enum(PRUNE_TYPES);
export type PruneType = z.infer<typeof PruneType>;

export const PruneItem = z.object({
  type: PruneType,
  id: z.string(),
  name: z.string(),
  why: z.string(),
  size: z.int().describe("Bytes"),
  backend: z.string(),
}).meta({ id: "PruneItem" });

/** With what tells it from a later object of the same name. */
export type Planned = z.infer<typeof PruneItem> & {
  readonly createdAt: string | null;
  /** Of an image: the names it had. */
  readonly tags: readonly string[];
};

/** The engine matches a cache's id as a pattern, so only ids that mean nothing but themselves are planned. */
const CACHE_ID = /^[a-z0-9]{20,64}$/;
const ENDED = new Set(["created", "exited", "dead"]);

/** The mirror must be fresh and the measurement new. Containers in the plan no longer count as users of the rest. */
export function planFor(
  link: Link,
  { usage }: Measurement,
  types: ReadonlySet<PruneType>,
  filters: PruneFilters,
  now: Date,
): Planned[] {
  const { mirror, name: backend } = link;
  const plan: Planned[] = [];
  const add = (item: Pick<Planned, "type" | "id" | "name" | "why" | "size"> & Partial<Planned>) =>
    plan.push({ createdAt: null, tags: [], backend, ...item });

  const staying: ContainerRow[] = [];
  const containerSizes = sizes(usage.containers.items);
  for (const row of mirror.containers.rows.values()) {
    if (!types.has("containers") || !ENDED.has(row.state) || !passes(row, filters, now)) staying.push(row);
    else {
      const why = row.state === "created" ? "it never ran" : `it does not run (${row.state})`;
      add({ type: "containers", id: row.id, name: row.name, why, size: containerSizes.get(row.id) ?? 0 });
    }
  }
  const users = new UsedBy(staying);

  if (types.has("networks")) {
    for (const row of mirror.networks.rows.values()) {
      if (
        row.predefined || row.scope !== "local" || users.network(row).length > 0 || !passes(row, filters, now)
      ) continue;
      add({ type: "networks", id: row.id, name: row.name, why: "no container is connected to it", size: 0 });
    }
  }
  if (types.has("volumes")) {
    const volumeSizes = sizes(usage.volumes.items);
    for (const row of mirror.volumes.rows.values()) {
      if (users.volume(row.name).length > 0 || !passes(row, filters, now)) continue;
      const { name, createdAt } = row;
      const size = volumeSizes.get(name) ?? 0;
      add({ type: "volumes", id: name, name, why: "no container mounts it", size, createdAt });
    }
  }
  if (types.has("images")) {
    const imageSizes = sizes(usage.images.items);
    for (const row of mirror.images.rows.values()) {
      if (users.image(row.id).length > 0 || !passes(row, filters, now)) continue;
      if (!row.dangling && filters.tagged !== true) continue;
      const { id, tags } = row;
      const why = row.dangling ? "nothing names it and no container uses it" : "no container uses it";
      add({ type: "images", id, name: tags[0] ?? id, why, size: imageSizes.get(id) ?? row.size, tags });
    }
  }
  if (types.has("buildCache")) {
    // Newest first: what was built on something goes before it.
    const newestFirst = usage.buildCache.items.toSorted((one, other) =>
      (other.createdAt ?? "").localeCompare(one.createdAt ?? "")
    );
    for (const item of newestFirst) {
      if (item.active || !CACHE_ID.test(item.id) || !passes({ ...item, labels: {} }, filters, now)) continue;
      const { id, name, size, createdAt } = item;
      add({ type: "buildCache", id, name, why: "no build uses it", size, createdAt });
    }
  }
  return plan.sort((one, other) => PRUNE_TYPES.indexOf(one.type) - PRUNE_TYPES.indexOf(other.type));
}

function sizes(items: readonly UsageItem[]): Map<string, number> {
  return new Map(items.map(({ id, size }) => [id, size]));
}
