/** Schemas for what arrives in a query string: every value is text, and none is guessed. */
import { z } from "zod";

/** `true`, `false`, `1`, `0`, or the bare name (`?follow`). */
export const flag = z.enum(["true", "false", "1", "0", ""]).transform((value) =>
  value !== "false" && value !== "0"
);

/** A whole number between the bounds. */
export function count(minimum: number, maximum: number) {
  return z.string().regex(/^\d{1,15}$/, "Expected a whole number").transform(Number)
    .pipe(z.number().min(minimum).max(maximum));
}

/** Text of a bounded length without control characters. */
export function text(maximum = 512) {
  return z.string().max(maximum).regex(
    /^[^\u0000-\u001f\u007f]*$/,
    "Expected text without control characters",
  );
}

/** A parameter that may be given several times: always a list. */
export function many<S extends z.ZodType<unknown, string>>(schema: S, maximum = 32) {
  return z.union([z.array(schema).max(maximum), schema.transform((one) => [one])])
    .transform((values) => values as z.output<S>[]); // both branches are lists of the schema's output
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
