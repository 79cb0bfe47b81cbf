/** Values of a definition in one form, so that two that mean the same are equal. */

/** Returns true for a value that says nothing: engines leave it out, or write it down, as they like. */
export const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || value === false || value === 0 ||
  typeof value === "object" && Object.keys(value).length === 0;

/** Returns a value with its keys in order, and without what says nothing. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, plain(one)] as const)
    .filter(([, one]) => !isNothing(one)).sort(([a], [b]) => a < b ? -1 : 1);
  return Object.fromEntries(entries);
}
