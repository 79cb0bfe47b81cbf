/** The vocabulary for judging specs: facts, needs, and tables with a row for each field. */

import type { ContainerSpec } from "./runtime.ts";

/** The owner of a network or volume: the project of the spec, another one, or an unknown one. */
export type Owner = "own" | "other" | "unknown";

/**
 * The place of a path of the host: in the group's own folder, elsewhere in its workspace, outside of it, or below a
 * folder that another container may write to, so that its links can be exchanged. `special`: a socket or a device.
 * `mapped`: in the workspace, but the engine is asked for another path, which nothing proves to be the same folder.
 */
export type HostPlace = "own" | "workspace" | "outside" | "shared" | "special" | "mapped";

/** The facts about an engine and a workspace that decide if a value is harmless. */
export interface SpecFacts {
  /** Returns true for a container of the same project, by id, name or placeholder. */
  isOwnContainer(container: string): boolean;
  /** Returns what such a container has of mounts and namespaces, which others can join; null if nothing tells. */
  specOf(container: string): Partial<ContainerSpec> | null;
  networkOwner(name: string): Owner;
  volumeOwner(name: string): Owner;
  /** Returns true for a volume that its driver or the options of it can make a folder of the host. */
  isDriversVolume(name: string): boolean;
  placeOf(source: string): HostPlace;
  /** Returns true for a folder below which a container has something mounted. */
  isAboveMount(source: string): boolean;
}

/** A value that is not harmless, and the kind of right it takes. */
export interface SpecNeed {
  /** `host`: hold of the host. `workspace`: the whole workspace. Others: the use of another's network or volume. */
  readonly right: "host" | "workspace" | "network" | "volume";
  /** The field as drift names it, as `mounts./data`. */
  readonly field: string;
  readonly why: string;
  /** The name of the network or volume. */
  readonly name?: string;
}

/** Judges one field of `Spec`. */
type Judge<Spec, Key extends keyof Spec> = (value: Spec[Key], facts: SpecFacts) => readonly SpecNeed[];
/** One row for each field: a new field without a row does not compile. */
export type Rows<Spec> = { readonly [Key in keyof Required<Spec>]: Judge<Required<Spec>, Key> };

export const NOTHING: readonly SpecNeed[] = [];
export const harmless = (): readonly SpecNeed[] => NOTHING;
export const host = (field: string, why: string): readonly SpecNeed[] => [{ right: "host", field, why }];

/** A field that is harmless only without a value. */
export const unlessEmpty =
  (field: string, why: string) => (value: string | readonly unknown[] | Readonly<Record<string, unknown>>) =>
    (typeof value === "string" ? value.length : Object.keys(value).length) === 0 ? NOTHING : host(field, why);

/** Facts for values that are judged without any. */
export const NO_FACTS: SpecFacts = {
  isOwnContainer: () => false,
  specOf: () => null,
  networkOwner: () => "unknown",
  volumeOwner: () => "unknown",
  isDriversVolume: () => false,
  placeOf: () => "outside",
  isAboveMount: () => false,
};

/**
 * Labels by which other programs on the host run commands or change containers. Of Ofelia's, those that run a command
 * in the container itself are harmless.
 */
const LABELS_OF_TOOLS = /^(?:ofelia\.(?!enabled$|job-exec\.)|io\.containers\.autoupdate(?:$|\/))/;

export const labelNeeds = (labels: Readonly<Record<string, string>>): readonly SpecNeed[] =>
  Object.keys(labels).filter((name) => LABELS_OF_TOOLS.test(name)).flatMap((name) =>
    host(`labels.${name}`, "gives orders to a program on the host")
  );

/** Returns all that the given fields need; a field that is absent is the engine's own. */
export function needsOf<Spec extends object>(
  rows: Rows<Spec>,
  spec: Partial<Spec>,
  facts: SpecFacts,
): readonly SpecNeed[] {
  const found: SpecNeed[] = [];
  for (const key of Object.keys(spec) as (keyof Required<Spec>)[]) {
    const value = spec[key];
    if (value === undefined) continue;
    const judge = rows[key];
    if (judge === undefined) found.push(...host(String(key), "is a field that berth cannot judge"));
    else found.push(...judge(value as Required<Spec>[keyof Spec], facts));
  }
  return found;
}
