/** The routes of everything that is not a container: images, volumes, networks, disk usage and prune. */
import { type Router, router } from "../../http/router.ts";
import type { Backends } from "./backends.ts";
import { diskUsage } from "./disk_usage.ts";
import { Meter } from "./disk_usage/meter.ts";
import { images } from "./images.ts";
import { networks } from "./networks.ts";
import { pruning } from "./prune.ts";
import { volumes } from "./volumes.ts";

export interface ObjectsOptions {
  readonly backends: Backends;
  /** The registries that pulls may go to; null for all. */
  readonly registries: readonly string[] | null;
}

export function objects({ backends, registries }: ObjectsOptions): Router {
  const meter = new Meter();
  return router()
    .add(images({ backends, registries }))
    .add(volumes({ backends }))
    .add(networks({ backends }))
    .add(diskUsage({ backends, meter }))
    .add(pruning({ backends, meter }));
}
