/** JSON as Go writes it, from which Compose makes its hashes. */

import type { Place } from "../../artifacts/artifact.ts";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Something cannot be brought into Compose's form; filled with its keys and its place on the way out. */
export class NoForm extends Error {
  readonly keys: string[] = [];
  at: Place | null = null;
}

/** A field whose form is not sure: Compose would make what it belongs to anew. */
export interface Formless {
  readonly field: string;
  readonly at: Place;
}

/** Returns the field of a failed attempt, and throws any other error. */
export function formlessIn(error: unknown, whole: Place): Formless {
  if (error instanceof NoForm) return { field: error.keys.join("."), at: error.at ?? whole };
  throw error;
}

/** Writes a value, and says on a failure under which key it stands. */
export function under<T>(key: string, at: Place, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof NoForm) {
      error.keys.unshift(key);
      error.at ??= at;
    }
    throw error;
  }
}

/** The value, or the end of the attempt. */
export function sure<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new NoForm();
  return value;
}

/** Go sorts the keys of its maps. */
export const sorted = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).sort(([a], [b]) => a < b ? -1 : 1));

/** An object in the order given, without what is undefined. */
export function object(entries: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}

/** Go writes these signs as numbers, so that its JSON can stand in HTML. */
export const goJson = (value: Json): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
