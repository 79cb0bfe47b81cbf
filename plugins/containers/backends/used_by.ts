/** Which containers use an image, a volume or a network, from the mirror of the same engine. */
import type { Principal } from "../../../core/access.ts";
import { reachOfRunning, SEES_RUNNING } from "../../../core/runtime.ts";
import type { Sight } from "../../../core/sight.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import type { Link } from "../../../engines/links/link.ts";
import { rowsInSight } from "./seen.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";
import type { UsingContainer } from "../../../engines/rows/using_container.ts";

/** The users of a thing, for one caller; null where the caller may not see containers. */
export interface Users {
  image(id: string): UsingContainer[] | null;
  volume(name: string): UsingContainer[] | null;
  network(row: { readonly id: string; readonly name: string }): UsingContainer[] | null;
}

const HIDDEN: Users = { image: () => null, volume: () => null, network: () => null };

/** The users of one engine's objects, as far as the caller may see containers. */
export function usersOf(link: Link, sight: Sight): Users {
  return sight.reach.nowhere ? HIDDEN : new UsedBy(rowsInSight(link, sight));
}

/** Asking what is unused tells what containers there are. Throws `forbidden`. */
export function maySelectUnused(principal: Principal, unused: boolean | undefined): void {
  if (unused === undefined || !reachOfRunning(principal).nowhere) return;
  throw engineError("forbidden", `Cannot tell what is used: "unused" needs the permission "${SEES_RUNNING}"`);
}

/** Containers by what they use, from one pass over one engine's containers. */
export class UsedBy implements Users {
  readonly #images = new Map<string, UsingContainer[]>();
  readonly #volumes = new Map<string, UsingContainer[]>();
  readonly #networks = new Map<string, UsingContainer[]>();

  constructor(containers: Iterable<ContainerRow>) {
    for (const container of containers) {
      const user = { id: container.id, name: container.name };
      add(this.#images, container.imageId, user);
      for (const mount of container.mounts) if (mount.name !== null) add(this.#volumes, mount.name, user);
      for (const network of new Set([...container.networkIds, ...container.networks])) {
        add(this.#networks, network, user);
      }
    }
  }

  static of(link: Link): UsedBy {
    return new UsedBy(link.mirror.containers.rows.values());
  }

  image(id: string): UsingContainer[] {
    return this.#images.get(id) ?? [];
  }

  volume(name: string): UsingContainer[] {
    return this.#volumes.get(name) ?? [];
  }

  /**
   * Docker names a network's id in its containers, but only the name before they first ran; Podman only the name, and
   * its default network is "bridge" in lists and "podman" in containers.
   */
  network({ id, name }: { readonly id: string; readonly name: string }): UsingContainer[] {
    const keys = name === "bridge" ? [id, name, "podman"] : [id, name];
    const found = new Map(
      keys.flatMap((key) => this.#networks.get(key) ?? []).map((user) => [user.id, user]),
    );
    return [...found.values()];
  }
}

function add(users: Map<string, UsingContainer[]>, key: string, user: UsingContainer): void {
  const known = users.get(key);
  if (known === undefined) users.set(key, [user]);
  else known.push(user);
}
