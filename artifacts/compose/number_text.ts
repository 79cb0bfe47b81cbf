/** A number or truth value as the text that Compose makes of it where a text belongs: `3.10` becomes `3.1`. */

import type { Scalar } from "../artifact.ts";

/** What a container finds under a variable or label that was written like this. */
export function numberText(scalar: Scalar): string {
  const { value, file, start, end } = scalar;
  if (typeof value === "boolean") return String(value);
  if (scalar.plain !== true || scalar.interpolated) return String(value);
  const written = file.text.slice(start, end);
  const digits = written.replaceAll("_", "");
  const integer = /^[-+]?(?:0[bB][01]+|0[oO]?[0-7]+|0[xX][0-9a-fA-F]+|[1-9]\d*|0)$/.test(digits);
  if (integer && digits !== "-0") return integerText(digits);
  if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(digits)) return floatText(Number(digits));
  return String(value);
}

/** Also with a sign, in octal and beyond what a number holds exactly. */
function integerText(digits: string): string {
  const sign = digits.startsWith("-") ? -1n : 1n;
  const bare = digits.replace(/^[-+]/, "").replace(/^0(?=[0-7]+$)/, "0o");
  const exact = sign * BigInt(bare);
  return exact > 2n ** 64n - 1n || exact < -(2n ** 63n) ? floatText(Number(exact)) : String(exact);
}

/** The shortest text of a float; with an exponent from a million on, and below a ten-thousandth. */
function floatText(value: number): string {
  if (Object.is(value, -0)) return "-0";
  const [mantissa, power] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
