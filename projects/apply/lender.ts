/** A container as others join it. */

import type { Backend, ContainerSpec } from "../../core/runtime.ts";

const DEFAULT_MODES = ["bridge", "default"];

/**
 * Returns what a container that runs lends to those that join it. Podman tells the mode "bridge" for every network, and
 * names its default one, which is nobody's, among the networks.
 */
export function lenderOf<Spec extends Partial<ContainerSpec>>(
  found: Spec,
  kind: Backend["kind"] | undefined,
): Spec {
  if (kind !== "podman" || !DEFAULT_MODES.includes(found.networkMode ?? "")) return found;
  return { ...found, networks: (found.networks ?? []).filter(({ name }) => name !== "podman") };
}
