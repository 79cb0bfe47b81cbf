/** Schemas for what arrives in a query string: every value is text there, and none is guessed. */
import * as z from "../../core/schema.ts";

/** The meaning of a parameter that is no single text, as the API document shows it. */
export const meanings = z.registry<{
  /** The schema of its meaning. */
  readonly shown?: Readonly<Record<string, unknown>>;
  /** The text for null. */
  readonly none?: string;
  /** Given several times, or once. */
  readonly isList?: true;
}>();

function meaning<S extends z.ZodType>(
  schema: S,
  shown: Readonly<Record<string, unknown>>,
  none?: string,
): S {
  return z.whenBuilt(schema, (own) => meanings.add(own, none === undefined ? { shown } : { shown, none }));
}

/** `true`, `false`, `1`, `0`, or the bare name (`?follow`). */
export const flag = meaning(
  z.enum(["true", "false", "1", "0", ""], { error: "Expected true or false" })
    .transform((value) => value !== "false" && value !== "0"),
  { type: "boolean" },
);

/** A whole number between the bounds. */
export function count(minimum: number, maximum: number) {
  return meaning(
    wholeNumber(minimum, maximum, `Expected a whole number from ${minimum} to ${maximum}`),
    { type: "integer", minimum, maximum },
  );
}

/** A whole number up to the bound; null for `all`. */
export function countOrAll(maximum: number) {
  const error = `Expected a number or "all"`;
  return meaning(
    z.union([z.literal("all").transform(() => null), wholeNumber(0, maximum, error)], { error }),
    { anyOf: [{ type: "integer", minimum: 0, maximum }, { type: "string", const: "all" }] },
    "all",
  );
}

function wholeNumber(minimum: number, maximum: number, error: string) {
  return z.string({ error }).regex(/^\d{1,15}$/, error).transform(Number)
    .pipe(z.number().min(minimum, error).max(maximum, error));
}

/** Text of a bounded length without control characters. */
export function text(maximum = 512) {
  return z.string().max(maximum).regex(/^[^\x00-\x1f\x7f]*$/, "Expected text without control characters");
}

/** A parameter that may be given several times: always a list. */
export function many<S extends z.ZodType<unknown, string>>(schema: S, maximum = 32) {
  const made = z.union([z.array(schema).max(maximum), schema.transform((one) => [one])])
    .transform((values) => values as z.output<S>[]); // both branches are lists of the schema's output
  return z.whenBuilt(made, (own) => meanings.add(own, { isList: true }));
}

/** A query string as a record; a repeated name becomes a list, so that a single-valued schema refuses it. */
export function queryRecord(url: string): Record<string, string | string[]> {
  const mark = url.indexOf("?");
  const record: Record<string, string | string[]> = Object.create(null);
  if (mark === -1) return record;
  for (const [name, value] of new URLSearchParams(url.slice(mark + 1))) {
    const before = record[name];
    if (before === undefined) record[name] = value;
    else if (typeof before === "string") record[name] = [before, value];
    else before.push(value);
  }
  return record;
}
