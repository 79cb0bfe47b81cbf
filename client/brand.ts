/** The mark by which all copies of this package know its errors. */

/** Shared by all copies of this package, so that the guards hold across them, where `instanceof` fails. */
export const BRAND: unique symbol = Symbol.for("@berth/client");

/** Returns true for an error of this or another copy of the package, and of that name if one is given. */
export function isNamed(error: unknown, name?: string): boolean {
  // Any value may be thrown; looking up a symbol in one is safe but for null and undefined.
  const it = error as { [BRAND]?: number; name?: string } | null | undefined;
  return it?.[BRAND] === 1 && (!name || it.name === name);
}
