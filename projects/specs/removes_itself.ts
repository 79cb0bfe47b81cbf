/** Containers of `--rm`: as soon as they stop, their engine removes them, with their volumes without a name. */

import type { ContainerSpec, InspectedContainer } from "../../core/runtime.ts";

export const removesItself = ({ undeclarable }: Pick<InspectedContainer, "undeclarable">): boolean =>
  undeclarable.includes("removesItself");

/** Returns the places of volumes without a name that go with such a container, as none of the kept mounts holds them. */
export function lostWith(
  container: Pick<InspectedContainer, "undeclarable" | "mounts">,
  kept: ContainerSpec["mounts"] = [],
): string[] {
  if (!removesItself(container)) return [];
  const held = new Set(kept.map(({ source }) => source));
  return container.mounts
    .filter(({ type, source }) => type === "volume" && /^[0-9a-f]{64}$/.test(source) && !held.has(source))
    .map(({ target }) => target);
}
