/** The shapes that settings share, those of plugins too; messages say what is expected. */
import * as z from "./schema.ts";

/** An environment variable holds a list as text; the file may hold either. `none` is the empty list. */
export function listOf<Item extends z.ZodType>(
  item: Item,
  separator: "," | ":",
  parse: (part: string) => unknown = String,
) {
  return z.preprocess(
    (value) => {
      if (typeof value !== "string") return value;
      if (value.trim() === "none") return [];
      return value.split(separator).map((part) => part.trim()).filter((part) => part !== "").map(parse);
    },
    z.array(item, { error: `expected a list, or text separated by "${separator}"` }).readonly(),
  );
}

export function text() {
  return z.string({ error: "expected text" }).min(1, "must not be empty");
}

export function matching(pattern: RegExp, message: string) {
  return text().regex(pattern, message);
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `expected one of ${values.join(", ")}` });
}

export function absolutePath() {
  return text().refine(
    (path) => path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path),
    "expected an absolute path",
  );
}

export function wholeNumber(least: number, most: number) {
  const error = `expected a whole number from ${least} to ${most}`;
  return z.preprocess(
    (value) => typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value,
    z.int({ error }).min(least, error).max(most, error),
  );
}
