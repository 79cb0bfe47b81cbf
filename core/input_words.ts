/** The errors of an input in plain words, for every schema without words of its own. */
import type * as z from "./schema.ts";

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  bigint: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
};
const FORMATS: Readonly<Record<string, string>> = {
  url: "an address",
  email: "an e-mail address",
  datetime: "a time as 2026-01-31T12:00:00Z",
  uuid: "a UUID",
};
const MOST_CHOICES = 40;

/** A fragment that begins with a small letter: "expected a whole number". */
export function inWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type": {
      const expected = `expected ${TYPES[issue.expected] ?? issue.expected}`;
      return issue.input === undefined ? `it is missing; ${expected}` : expected;
    }
    case "invalid_value": {
      const choices = issue.values.map(String).filter((choice) => choice !== "");
      const shown = choices.slice(0, MOST_CHOICES).join(", ");
      const expected = choices.length === 1 ? `expected ${shown}` : `expected one of ${shown}`;
      return issue.input === undefined ? `it is missing; ${expected}` : expected;
    }
    case "too_small":
      return issue.minimum === 1 && issue.origin !== "number" && issue.origin !== "int"
        ? "it must not be empty"
        : `expected ${issue.inclusive === false ? "more than" : "at least"} ${
          amount(issue.minimum, issue.origin)
        }`;
    case "too_big":
      return `expected ${issue.inclusive === false ? "less than" : "at most"} ${
        amount(issue.maximum, issue.origin)
      }`;
    case "invalid_format":
      return FORMATS[issue.format] === undefined
        ? "it is written in a way that is not understood"
        : `expected ${FORMATS[issue.format]}`;
    case "not_multiple_of":
      return `expected a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `there is no ${issue.keys.map((key) => `"${key}"`).join(", ")} here`;
    case "invalid_union":
      return typeof issue.discriminator === "string"
        ? `"${issue.discriminator}" has none of the values that are known`
        : either(issue.errors);
    case "invalid_key":
    case "invalid_element":
      return issue.issues[0]?.message ?? "one of its entries is not valid";
    default:
      return "it is not valid";
  }
}

/** "expected text or a list": what the branches of a choice expect. */
function either(branches: readonly (readonly { readonly message: string }[])[]): string {
  const expected = branches.map(([first]) => /^expected (.+)$/i.exec(first?.message ?? "")?.[1]);
  const known = [...new Set(expected.filter((one) => one !== undefined))];
  return known.length === 0 ? "it is not valid" : `expected ${known.join(" or ")}`;
}

function amount(bound: number | bigint, origin: string): string {
  const end = Number(bound) === 1 ? ["", "y"] : ["s", "ies"];
  if (origin === "string") return `${bound} character${end[0]}`;
  if (origin === "array" || origin === "set" || origin === "map") return `${bound} entr${end[1]}`;
  return String(bound);
}
