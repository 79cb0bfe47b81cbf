/** A whole container as a service of a Compose file: every row of the table written, and put together. */

import type { Yaml } from "../../artifacts/yaml/write.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { identityWriters } from "./write_identity.ts";
import { limitWriters } from "./write_limits.ts";
import { networkWriters } from "./write_networks.ts";
import { outsideWriters } from "./write_outside.ts";
import { processWriters } from "./write_process.ts";
import { type Fragment, isMap, type Surroundings, type Writer } from "./writing.ts";

/** One for each row of the table, by its key. */
export const WRITERS: ReadonlyMap<string, Writer> = new Map(
  [processWriters, outsideWriters, networkWriters, limitWriters, identityWriters].flatMap(Object.entries),
);

/** Returns the keys of the service, those of the table's first rows first. */
export function writeService(container: InspectedContainer, around: Surroundings): Fragment {
  let service: Fragment = {};
  for (const write of WRITERS.values()) service = joined(service, write(container, around) ?? {});
  return service;
}

/** Two rows may write below one key, as `logging` or `blkio_config`. */
function joined(one: Fragment, other: Fragment): Fragment {
  const both = Object.entries(other).map(([key, value]): [string, Yaml] => {
    const before = one[key];
    return [key, isMap(before) && isMap(value) ? joined(before, value) : value];
  });
  return { ...one, ...Object.fromEntries(both) };
}
