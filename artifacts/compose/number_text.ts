/** A number or truth value as the text that Compose makes of it where a text belongs: `3.10` becomes `3.1`. */

import type { Node, Scalar } from "../artifact.ts";
import { integerIn } from "../yaml/numbers.ts";
import { textOf } from "../yaml/values.ts";

/** Returns the text that a container finds under a variable or label written like this. */
export function numberText(scalar: Scalar): string {
  const { value, file, start, end } = scalar;
  if (typeof value === "boolean") return String(value);
  if (scalar.plain !== true || scalar.interpolated) return String(value);
  const written = file.text.slice(start, end);
  const exact = integerIn(written);
  if (exact !== null) return integerText(exact);
  const digits = written.replaceAll("_", "");
  if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(digits)) {
    const float = Number(digits);
    // Beyond all floats it is no number to Compose, and stays the text that it is.
    return Number.isFinite(float) ? floatText(float) : written;
  }
  if (value === Infinity || value === -Infinity) return value > 0 ? "+Inf" : "-Inf";
  return String(value);
}

/** Returns an amount as the text that Compose reads it from: `0100` is 64; null for collections and nothing. */
export function amountText(node: Node | null): string | null {
  return node?.kind === "scalar" && typeof node.value === "number" && !node.unknown
    ? numberText(node)
    : textOf(node);
}

/** Beyond what a number holds exactly, Compose keeps a float. */
function integerText(exact: bigint): string {
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
