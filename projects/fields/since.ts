/** Which keys of a service need a newer engine than some that are about: there they would be left out in silence. */

import type { Place, Resource, Unit } from "../../artifacts/artifact.ts";
import { textOf, truthOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { Backend } from "../../core/runtime.ts";
import { keysOf } from "./coverage.ts";

/** The version of Docker's API from which on a key counts. Podman's API of the same form knows none of them. */
export const SINCE: Readonly<Record<string, string>> = {
  "annotations": "1.43",
  "healthcheck.start_interval": "1.44",
  "networks.*.mac_address": "1.44",
  "volumes.*.bind.recursive": "1.44",
  "volumes.*.volume.subpath": "1.45",
  "volumes.*.image": "1.48",
  "networks.*.gw_priority": "1.48",
  "networks.*.interface_name": "1.49",
};

/** The same of a network's own keys: what is asked of an older engine would count as not said. */
const IPV4_SINCE = "1.48";

interface TooNew {
  readonly key: string;
  readonly at: Place;
  /** Null: no version of this kind of engine. */
  readonly since: string | null;
  /** Only an engine on this system does it. */
  readonly os?: "Windows";
}

interface DatedKey {
  readonly key: string;
  readonly at: Place;
  readonly since: string;
}

const datedKeys = new WeakMap<Unit, readonly DatedKey[]>();

/** Returns the keys of a unit that not every engine knows. */
function datedKeysOf(unit: Unit): readonly DatedKey[] {
  const known = datedKeys.get(unit);
  if (known !== undefined) return known;
  const found = [...keysOf(unit)].flatMap(({ key, pattern, at, isImage }) => {
    const since = SINCE[pattern] ?? (isImage ? SINCE["volumes.*.image"] : undefined);
    return since === undefined ? [] : [{ key, at, since }];
  });
  datedKeys.set(unit, found);
  return found;
}

/** Returns the keys that the engine would leave out. */
export function tooNew(
  unit: Unit,
  { kind, apiVersion, os }: Pick<Backend, "kind" | "apiVersion" | "os">,
): TooNew[] {
  const found: TooNew[] = [];
  const isolation = valueAt(unit.value, "isolation");
  // Podman leaves it out without a word.
  if (
    isolation !== null && !["", "default"].includes(textOf(isolation) ?? "") && !/windows/i.test(os ?? "")
  ) {
    found.push({ key: "isolation", at: isolation, since: null, os: "Windows" });
  }
  for (const { key, at, since } of datedKeysOf(unit)) {
    if (kind === "podman") found.push({ key, at, since: null });
    else if (apiVersion !== null && isBefore(apiVersion, since)) found.push({ key, at, since });
  }
  return found;
}

/** A network without IPv4, which is what every network has otherwise. */
export function tooNewIn(
  { value }: Resource,
  { kind, apiVersion }: Pick<Backend, "kind" | "apiVersion">,
): TooNew | null {
  const at = valueAt(value, "enable_ipv4");
  if (at === null || truthOf(at) !== false) return null;
  const isOld = kind === "podman" || (apiVersion !== null && isBefore(apiVersion, IPV4_SINCE));
  return isOld ? { key: "enable_ipv4", at, since: kind === "podman" ? null : IPV4_SINCE } : null;
}

function isBefore(version: string, other: string): boolean {
  const [a, b] = [version, other].map((one) => one.split(".").map(Number)) as [number[], number[]]; // one of each
  return a[0]! < b[0]! || (a[0] === b[0] && a[1]! < b[1]!);
}
