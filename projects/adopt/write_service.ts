/** A whole container as a service of a Compose file: every row of the table written, and put together. */

import type { Yaml } from "../../artifacts/yaml/write.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { isSame } from "../fields/field.ts";
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

/** Keys that a bare container has of its own. */
const OWN: readonly string[] = ["image", "container_name", "networks", "network_mode", "command"];

/** Returns the keys that an engine gives each container by itself, as those of a bare one. */
export function givenKeys(bare: InspectedContainer | null, around: Surroundings): Fragment {
  const given = bare === null ? {} : writeService(bare, around);
  return Object.fromEntries(Object.entries(given).filter(([key]) => !OWN.includes(key)));
}

/** Returns the keys, and the names below them, without those that are given anyway with this very value. */
export function withoutGiven(service: Fragment, given: Fragment): Fragment {
  return Object.fromEntries(
    Object.entries(service).flatMap(([key, value]) => {
      const one = given[key];
      if (isSame(value, one)) return [];
      if (!isMap(value) || !isMap(one)) return [[key, value]];
      const rest = Object.entries(value).filter(([name, own]) => !isSame(own, one[name]));
      return rest.length === 0 ? [] : [[key, Object.fromEntries(rest)]];
    }),
  );
}

/** Returns the given keys that a container does not have, as `ulimits.nproc`. */
export function missingOf(service: Fragment, given: Fragment): string[] {
  return Object.entries(given).flatMap(([key, value]) => {
    const own = service[key];
    if (own === undefined) return [key];
    if (!isMap(own) || !isMap(value)) return [];
    return Object.keys(value).filter((name) => own[name] === undefined).map((name) => `${key}.${name}`);
  });
}

/** Two rows may write below one key, as `logging` or `blkio_config`. */
function joined(one: Fragment, other: Fragment): Fragment {
  const both = Object.entries(other).map(([key, value]): [string, Yaml] => {
    const before = one[key];
    return [key, isMap(before) && isMap(value) ? joined(before, value) : value];
  });
  return { ...one, ...Object.fromEntries(both) };
}
