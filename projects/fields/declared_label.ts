/** Digests of what a container was declared with, in a label of its own, for fields that its engine does not tell. */

import type { Digest } from "./engine_view.ts";

/** A map from a field, or the id of a secret or config, to a short digest, as JSON. */
export const DECLARED = "dev.berth.declared";

/** Long enough that no two values meet by chance, short enough for a label. */
const LENGTH = 12;

/** Of values that are equal as JSON, whatever the order of their keys. */
export const shortDigest = (key: string, value: unknown, digest: Digest): string =>
  digest(`${key} ${JSON.stringify(sorted(value))}`).slice(0, LENGTH);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, one]) => [key, sorted(one)]);
}

/** Null for a container that berth did not make. */
export function declaredIn(labels: Readonly<Record<string, string>>): ReadonlyMap<string, string> | null {
  const label = labels[DECLARED];
  if (label === undefined) return null;
  try {
    const found: unknown = JSON.parse(label);
    if (typeof found !== "object" || found === null) return null;
    return new Map(Object.entries(found).map(([key, value]) => [key, String(value)]));
  } catch {
    return null; // written by somebody else
  }
}
