/** Which containers use an image, a volume or a network, from the mirror of the same engine. */
import type { Link } from "./link.ts";
import type { ContainerRow } from "../rows/container.ts";
import type { UsingContainer } from "../rows/using_container.ts";

/** Containers by what they use, from one pass over one engine's containers. */
export class UsedBy {
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
