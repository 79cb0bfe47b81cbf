/** The facts by which a project's specs are judged: what of the engine and of the host is its own. */

import type { Group } from "../../artifacts/artifact.ts";
import type { Holdings } from "../../core/runtime.ts";
import type { Owner, SpecFacts } from "../../core/spec_rows.ts";
import { projectOf } from "../hash/labels.ts";
import type { Placed } from "./host_places.ts";

interface FactSources {
  readonly group: Group;
  /** The engine's name. */
  readonly engine: string;
  readonly holdings: Pick<Holdings, "networks" | "volumes">;
  /** Places of bind sources; a source without one counts as outside. */
  readonly places: ReadonlyMap<string, Placed>;
  readonly isOwnContainer: (container: string) => boolean;
  readonly specOf: SpecFacts["specOf"];
}

export function specFacts(
  { group, engine, holdings, places, isOwnContainer, specOf }: FactSources,
): SpecFacts {
  const ownerIn = (kind: "network" | "volume", name: string): Owner => {
    const resource = group.resources.find((one) => one.kind === kind && one.name === name);
    const held = (kind === "network" ? holdings.networks : holdings.volumes)?.find((one) =>
      one.name === name && one.backend === engine
    );
    // One that does not exist yet is made by the plan, and an external one blocks it.
    if (held === undefined) return resource === undefined ? "unknown" : "own";
    return projectOf(held.labels) === group.project && resource?.external !== true ? "own" : "other";
  };
  return {
    isOwnContainer,
    specOf,
    networkOwner: (name) => ownerIn("network", name),
    volumeOwner: (name) => ownerIn("volume", name),
    isDriversVolume: (name) => {
      const held = holdings.volumes?.find((one) => one.name === name && one.backend === engine);
      return held !== undefined && mayBeFolder(held.driver, held.options ?? {});
    },
    placeOf: (source) => places.get(source)?.place ?? "outside",
    isAboveMount: (source) => places.get(source)?.isAboveMount === true,
  };
}

/** Types of mounts that are no folder of the host, whatever device is named. */
const NO_FOLDERS = ["nfs", "nfs4", "cifs", "tmpfs"];

/** Returns true if a volume of this driver can be a folder of the host: unless its options are known to be none. */
export function mayBeFolder(driver: string, options: Readonly<Record<string, string>>): boolean {
  if (!["", "local"].includes(driver)) return true;
  const { size: _, ...others } = options;
  if (Object.keys(others).length === 0) return false;
  // Flags of a mount count more than its type.
  return !NO_FOLDERS.includes(options["type"] ?? "") || /bind|move|remount/i.test(options["o"] ?? "");
}
