/** A container written down as keys of a service: the other direction of the table of fields, row by row. */

import { Variable, type Yaml } from "../../artifacts/yaml/write.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import type { EngineDefaults } from "../../core/undeclarable.ts";
import type { EngineKind } from "../fields/field.ts";

/** Keys of a service. */
export type Fragment = { readonly [key: string]: Yaml };

/** The project that a container is written into, and its engine. */
export interface Surroundings {
  readonly kind: EngineKind;
  readonly defaults: EngineDefaults;
  /** The name of the project. */
  readonly project: string;
  /** The name of its service. */
  readonly service: string;
  /** A container by its id or name: of the project with its service, another one with its name alone. */
  readonly neighbour: (id: string) => { readonly service: string | null; readonly name: string } | undefined;
  readonly hasService: (service: string) => boolean;
  /** The keys under which the project has a network and a volume of the engine. */
  readonly networkKey: (name: string) => string;
  readonly volumeKey: (name: string) => string;
}

/**
 * Writes one row of the table. Null where image and engine give the value by themselves. What it writes, read back and
 * compared with the same container, leaves no difference.
 */
export type Writer = (container: InspectedContainer, around: Surroundings) => Fragment | null;

/** A key with a value; null if there is nothing to say. */
export function keyOf(key: string, value: Yaml | undefined): Fragment | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "object" && Object.keys(value).length === 0) return null; // lists, too
  return { [key]: value };
}

/** A namespace or network of another container, by its service where the project has it. */
export function modeOf(mode: string, { neighbour }: Surroundings): string {
  const id = /^container:(.+)$/.exec(mode)?.[1];
  const other = id === undefined ? undefined : neighbour(id);
  if (other === undefined) return mode;
  return other.service === null ? `container:${other.name}` : `service:${other.service}`;
}

/** `64m` of an amount in bytes: in the largest unit that leaves no rest. */
export function bytesText(amount: number): string | number {
  if (amount <= 0) return amount;
  const units: readonly [string, number][] = [["g", 2 ** 30], ["m", 2 ** 20], ["k", 2 ** 10]];
  const found = units.find(([, size]) => amount % size === 0);
  return found === undefined ? `${amount}b` : `${amount / found[1]}${found[0]}`;
}

/** `1500ms` of nanoseconds, in the same way. */
export function durationText(nanoseconds: number): string {
  const units: readonly [string, number][] = [["s", 1e9], ["ms", 1e6], ["us", 1e3]];
  const found = units.find(([, size]) => nanoseconds % size === 0);
  return found === undefined ? `${nanoseconds}ns` : `${nanoseconds / found[1]}${found[0]}`;
}

export const isMap = (value: Yaml | undefined): value is Fragment =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Variable);
