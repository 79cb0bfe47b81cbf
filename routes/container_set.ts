/** Containers by their engine and id: a question makes no key of both, of which a list would make thousands. */
import type { RunningContainer } from "../core/runtime.ts";

type Named = Pick<RunningContainer, "backend" | "id">;

export class ContainerSet {
  readonly #ids = new Map<string, Set<string>>();

  constructor(containers: Iterable<Named>) {
    for (const { backend, id } of containers) {
      const known = this.#ids.get(backend);
      if (known === undefined) this.#ids.set(backend, new Set([id]));
      else known.add(id);
    }
  }

  has({ backend, id }: Named): boolean {
    return this.#ids.get(backend)?.has(id) ?? false;
  }
}
