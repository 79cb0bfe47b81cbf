/** Removes exactly what a plan lists, one object at a time, each checked again first, never by force. */
import * as z from "../../../core/schema.ts";
import { ServiceError } from "../../../core/error.ts";
import type { Backends } from "../../../engines/links/backends.ts";
import type { Link } from "../../../engines/links/link.ts";
import { at, SlashedName } from "../../../engines/calls/path.ts";
import { objectOf, parseJson, textOf, textsOf, timeOf } from "../../../engines/calls/wire.ts";
import { imageIdOf } from "../../../engines/rows/container.ts";
import { UsedBy } from "../backends/used_by.ts";
import { type Named, type Planned, PruneItem, swappedOf } from "./plan.ts";

export const PruneResult = PruneItem.extend({
  result: z.enum(["planned", "removed", "gone", "kept"]).describe("`gone`: somebody else removed it before"),
  reason: z.string().optional().describe("The reason that it was kept"),
}).meta({ id: "PruneResult" });
export type PruneResult = z.infer<typeof PruneResult>;

/** A removal may wait for a slow disk. */
const REMOVING_MS = 60_000;

/** Stops between two removals when `stopping` aborts; the rest is reported as kept. */
export async function carryOut(
  backends: Backends,
  { items, isNamed, isDeclared }: {
    readonly items: readonly Planned[];
    /** Says whether a service of the engine's swarm names it, or may do so. Throws where the engine does not answer. */
    readonly isNamed: (planned: Planned) => Promise<boolean>;
    readonly isDeclared: (named: Named) => boolean;
  },
  stopping: AbortSignal,
): Promise<PruneResult[]> {
  const results: PruneResult[] = [];
  for (const planned of items) {
    const outcome = stopping.aborted
      ? { result: "kept" as const, reason: "the service stops" }
      : isDeclaredSince(backends, planned, isDeclared)
      ? { result: "kept" as const, reason: "a file declares it by now" }
      : await attempt(backends, planned, isNamed);
    results.push({ ...shown(planned), ...outcome });
  }
  return results;
}

function isDeclaredSince(
  backends: Backends,
  planned: Planned,
  isDeclared: (named: Named) => boolean,
): boolean {
  const { type, name, tags } = planned;
  if (planned.isDeclared || type === "buildCache") return false;
  if (type === "networks" || type === "volumes") return isDeclared({ type, name });
  const { images, containers } = backends.named(planned.backend).mirror;
  if (type === "images") {
    const digests = images.rows.get(planned.id)?.digests ?? [];
    return isDeclared({ type, names: [...tags, ...digests] });
  }
  const row = containers.rows.get(planned.id);
  return row !== undefined && isDeclared({ type, row });
}

export function shown({ type, id, name, why, size, backend }: Planned): z.infer<typeof PruneItem> {
  return { type, id, name, why, size, backend };
}

async function attempt(
  backends: Backends,
  planned: Planned,
  isNamed: (planned: Planned) => Promise<boolean>,
): Promise<Pick<PruneResult, "result" | "reason">> {
  try {
    if (await isNamed(planned)) return { result: "kept", reason: NAMED };
    const link = backends.named(planned.backend);
    const kept = await remove(link, planned);
    return kept === null ? { result: "removed" } : { result: "kept", reason: kept };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return MISSING.has(error.code) ? { result: "gone" } : { result: "kept", reason: error.discreet };
  }
}

const NAMED = "a service of the swarm names it by now, or may do so";
const MISSING = new Set(["container_not_found", "image_not_found", "volume_not_found", "network_not_found"]);

/** Removes the object. Returns the reason that it was kept after all; null when it was removed. */
async function remove(link: Link, planned: Planned): Promise<string | null> {
  const { engine, mirror } = link;
  const { id, name } = planned;
  switch (planned.type) {
    case "containers":
      if (swappedOf([...mirror.containers.rows.values()]).has(id)) return "an apply replaces it";
      await engine.delete(at`/containers/${id}`, {
        doing: `remove container "${name}"`,
        missing: "container_not_found",
        firstByteMs: REMOVING_MS,
      }).finally(() => mirror.containers.touch(id));
      return null;
    case "networks": {
      // Both engines remove a network that stopped containers still need to start. The mirror may lack the latest
      // changes, so the containers are read again first.
      await mirror.containers.resync();
      if (UsedBy.of(link).network(planned).length > 0) return "a container is connected to it by now";
      await engine.delete(at`/networks/${id}`, {
        doing: `remove network "${name}"`,
        missing: "network_not_found",
        firstByteMs: REMOVING_MS,
      }).finally(() => mirror.networks.touch());
      return null;
    }
    case "volumes": {
      const doing = `remove volume "${name}"`;
      const call = { doing, missing: "volume_not_found", firstByteMs: REMOVING_MS } as const;
      const now = timeOf(objectOf(await engine.get(at`/volumes/${name}`, call)).CreatedAt);
      if (now !== planned.createdAt) return "another volume has its name by now";
      await engine.delete(at`/volumes/${name}`, call).finally(() => mirror.volumes.touch());
      return null;
    }
    case "images":
      return await removeImage(link, planned);
    case "buildCache": {
      const { text } = await engine.post(at`/build/prune`, {
        doing: `remove build cache "${id}"`,
        query: { all: true, filters: JSON.stringify({ id: [id] }) },
        firstByteMs: REMOVING_MS,
      });
      const deleted = textsOf(objectOf(parseJson(text)).CachesDeleted);
      return deleted.includes(id) ? null : "the engine still uses it";
    }
  }
}

/** Removes an image by its names, so that a name it got since then keeps it; by its id only if it has no name. */
async function removeImage(link: Link, { id, name, tags }: Planned): Promise<string | null> {
  const call = {
    doing: `remove image "${name}"`,
    missing: "image_not_found",
    firstByteMs: REMOVING_MS,
  } as const;
  const meaning = async (image: string) => {
    const answer = objectOf(await link.engine.get(at`/images/${new SlashedName(image)}/json`, call));
    return { id: imageIdOf(textOf(answer.Id)), tags: namesOf(textsOf(answer.RepoTags)) };
  };
  try {
    if (tags.length === 0) {
      if ((await meaning(id)).tags.length > 0) return "it has a name by now";
      await link.engine.delete(at`/images/${new SlashedName(id)}`, call);
      return null;
    }
    for (const tag of tags) {
      if ((await meaning(tag)).id !== id) return `"${tag}" means another image by now`;
      await link.engine.delete(at`/images/${new SlashedName(tag)}`, call);
    }
    return await meaning(id).then(() => "it has other names by now", () => null);
  } finally {
    link.mirror.images.touch();
  }
}

function namesOf(tags: readonly string[]): string[] {
  return tags.filter((tag) => !tag.startsWith("<none>"));
}
