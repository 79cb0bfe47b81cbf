/** Tells what of an engine files of registered folders declare. */
import type { DeclaredObjects } from "../../../core/declared_objects.ts";
import type { Ownership } from "../../../core/ownership.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";
import type { Named } from "./plan.ts";

export interface Declarations {
  readonly declared: () => Promise<DeclaredObjects>;
  readonly ownership: Pick<Ownership, "ownerOf" | "refresh">;
}

/** Asks for the containers as they are now. */
export async function declarations(
  { declared, ownership }: Declarations,
  containers: Iterable<ContainerRow>,
): Promise<{ readonly isDeclared: (named: Named) => boolean; readonly unclear: number }> {
  for (const one of containers) ownership.ownerOf(one); // those that are new are joined by the refresh
  const [found] = await Promise.all([declared(), ownership.refresh()]);
  const isDeclared = (named: Named): boolean => {
    switch (named.type) {
      case "images":
        return found.image(named.names);
      case "networks":
        return found.network(named.name);
      case "volumes":
        return found.volume(named.name);
      case "containers":
        return (ownership.ownerOf(named.row)?.unit ?? null) !== null || found.container(named.row.name);
    }
  };
  return { isDeclared, unclear: found.unclear };
}
