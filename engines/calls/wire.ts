/**
 * Reads the engine's JSON. A field that is missing, null or of an undocumented type counts as absent: all three occur
 * between versions, and no answer of an engine may make berth throw.
 */

export type Wire = Readonly<Record<string, unknown>>;

const EMPTY: Wire = Object.freeze({});

/** The parsed text; null for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function objectOf(value: unknown): Wire {
  // The check makes the cast true: any object may be read by string keys, and every value stays unknown.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Wire : EMPTY;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function numberOf(value: unknown, otherwise = 0): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}

export function flagOf(value: unknown): boolean {
  return value === true;
}

export function textsOf(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

/** Labels, options, driver data: text by text, sorted by name so that equal maps serialise alike. */
export function mapOf(value: unknown): Record<string, string> {
  const entries = Object.entries(objectOf(value)).filter((entry): entry is [string, string] =>
    typeof entry[1] === "string"
  );
  return Object.fromEntries(entries.sort(([one], [other]) => one < other ? -1 : 1));
}

/** An RFC 3339 time in UTC from the engine's text or seconds; null for its zero time and what is no time. */
export function timeOf(value: unknown): string | null {
  const date = typeof value === "number"
    ? new Date(value * 1000)
    : typeof value === "string" && value !== "" && !value.startsWith("0001-")
    ? new Date(value)
    : null;
  return date === null || Number.isNaN(date.getTime()) || date.getTime() <= 0 ? null : date.toISOString();
}
