/**
 * Plain scalars that Compose's own YAML parser takes for whole numbers: also octal as in YAML 1.1, and with
 * underscores.
 */

const INTEGER = /^[-+]?(?:0[bB][01]+|0[oO]?[0-7]+|0[xX][0-9a-fA-F]+|[1-9]\d*|0)$/;

/** Returns the exact number; null for a text that is none. */
export function integerIn(written: string): bigint | null {
  const digits = written.replaceAll("_", "");
  if (!INTEGER.test(digits)) return null;
  const sign = digits.startsWith("-") ? -1n : 1n;
  return sign * BigInt(digits.replace(/^[-+]/, "").replace(/^0(?=[0-7]+$)/, "0o"));
}
