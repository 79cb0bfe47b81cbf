/** Finds the engine that has the network of that name or id. */
import type { Backends } from "../backends/backends.ts";
import type { Link } from "../backends/link.ts";
import { identifier } from "../engine/path.ts";
import { engineThatHas } from "../backends/engine_that_has.ts";

export function holding(
  backends: Backends,
  text: string,
  backend: string | undefined,
  verb: string,
): Promise<Link> {
  const name = identifier(text);
  return engineThatHas(backends, {
    kind: "networks",
    doing: `${verb} network "${name}"`,
    missing: "network_not_found",
    backend,
    has: (link) => {
      for (const row of link.mirror.networks.rows.values()) {
        if (row.name === name || (name.length >= 4 && row.id.startsWith(name))) return true;
      }
      return false;
    },
  });
}
