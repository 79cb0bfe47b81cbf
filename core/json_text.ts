/** JSON that is written already: it is put together as it is, and never read or escaped a second time. */

declare const KIND: unique symbol;

/** The text of one JSON value. */
export type JsonText = string & { readonly [KIND]: "value" };

/** The members of a JSON object, without its braces. */
export type JsonMembers = string & { readonly [KIND]: "members" };

export const NO_MEMBERS = "" as JsonMembers;

/** Writes a value that JSON has a text for. */
export function jsonText(value: NonNullable<unknown> | null): JsonText {
  return JSON.stringify(value) as JsonText;
}

export function jsonArray(items: readonly JsonText[]): JsonText {
  return `[${items.join()}]` as JsonText;
}

/** Writes members under names that need no escapes; undefined ones are left out. */
export function jsonMembers(members: Readonly<Record<string, JsonText | undefined>>): JsonMembers {
  let text = "";
  for (const name in members) {
    const value = members[name];
    if (value !== undefined) text += text === "" ? `"${name}":${value}` : `,"${name}":${value}`;
  }
  return text as JsonMembers;
}

/** Writes an object whose keys may be any text. */
export function jsonMap(entries: Iterable<readonly [key: string, value: JsonText]>): JsonText {
  let text = "";
  for (const [key, value] of entries) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${value}`;
  return `{${text}}` as JsonText;
}

/** Joins members to one object. */
export function jsonObject(...parts: readonly JsonMembers[]): JsonText {
  const some = parts.length === 1 ? parts : parts.filter((part) => part !== NO_MEMBERS);
  return `{${some.join()}}` as JsonText;
}

/** Returns the members of the text of an object. */
export function membersOf(object: JsonText): JsonMembers {
  return object.slice(1, -1) as JsonMembers;
}
