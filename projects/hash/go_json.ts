/** JSON as Go writes it, from which Compose makes its hashes. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Something cannot be brought into Compose's form. */
export class NoForm extends Error {}

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
