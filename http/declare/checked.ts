/** Checks input against its schema, and says what is wrong with it. */
import * as z from "../../core/schema.ts";
import { type InputError, ServiceError } from "../../core/error.ts";
import { inWords } from "../../core/input_words.ts";
import { nearest } from "../../core/nearest.ts";

export type Part = "path" | "query" | "body" | "message";

/** The meaning of names from other services: `{ t: 'it is called "timeoutS" here' }`. */
export type Hints = Readonly<Record<string, string>>;

/** The query of a route that declares none. */
export const NO_PARAMETERS = z.strictObject({});

const MOST_ERRORS = 20;
const IN_WORDS = { error: inWords };

export function checked(schema: z.ZodType, value: unknown, part: Part, hints: Hints = {}): unknown {
  const result = schema.safeParse(value, IN_WORDS);
  if (result.success) return result.data;
  const errors = value === undefined
    ? [{ path: part, message: "Expected JSON" }]
    : result.error.issues.slice(0, MOST_ERRORS).flatMap((issue) =>
      saidOf(issue, { schema, value, part, hints })
    );
  throw new ServiceError(
    "invalid_request",
    `Invalid ${part}: ${errors[0]?.path ?? part}: ${errors[0]?.message ?? "it is not valid"}`,
    { errors },
  );
}

interface Given {
  readonly schema: z.ZodType;
  readonly value: unknown;
  readonly part: Part;
  readonly hints: Hints;
}

function saidOf(issue: z.core.$ZodIssue, given: Given): InputError[] {
  const { part, value } = given;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, MOST_ERRORS).map((key) => ({
      path: [part, ...issue.path, key].join("."),
      message: unknownName(key, issue.path, given),
    }));
  }
  const inner = issue.code === "invalid_union" ? meant(issue) : issue;
  if (part === "query" && isRepeated(issue, inner, value as Record<PropertyKey, unknown>)) {
    return [{ path: `query.${String(issue.path[0])}`, message: "Expected only once" }];
  }
  const path = [part, ...issue.path, ...(inner === issue ? [] : inner.path)].join(".");
  return [{ path, message: sentence(inner.message) }];
}

/** Returns true if a single parameter was given several times. */
function isRepeated(
  issue: z.core.$ZodIssue,
  inner: z.core.$ZodIssue,
  query: Record<PropertyKey, unknown>,
): boolean {
  const [name] = issue.path;
  const isInside = inner !== issue && inner.path.length > 0;
  const isTooMany = inner.code === "too_big" && inner.origin === "array";
  return issue.path.length === 1 && !isInside && !isTooMany && Array.isArray(query[name!]); // its path names it
}

/** Of a choice of types, what is wrong inside the one that the value has. */
function meant(issue: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue {
  const inside = issue.errors.map(([first]) => first).filter((first) =>
    first !== undefined && !(first.code === "invalid_type" && first.path.length === 0)
  );
  const [only] = inside;
  return inside.find((one) => one!.path.length > 0) ?? inside.find((one) => one!.code === "too_big") ??
    (inside.length === 1 ? only! : issue); // none is undefined
}

function unknownName(key: string, path: readonly PropertyKey[], { schema, part, hints }: Given): string {
  const none = `There is no such ${part === "query" ? "parameter" : "field"}`;
  if (path.length === 0 && Object.hasOwn(hints, key)) return `${none}; ${hints[key]}`;
  const known = namesAt(schema, path);
  if (known === null) return none;
  if (known.length === 0) return `${none}; none is taken here`;
  const near = nearest(key.toLowerCase(), known, key.length < 4 ? 1 : 2);
  const all = known.join(", ");
  return near === null ? `${none}; there are ${all}` : `${none}; did you mean "${near}"? There are ${all}`;
}

/** The names that an object has at a place of the schema; null where it cannot be told. */
function namesAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] | null {
  const bare = unwrapped(schema);
  const [step, ...rest] = path;
  if (bare instanceof z.ZodArray) return typeof step === "number" ? namesAt(bare.element, rest) : null;
  if (!(bare instanceof z.ZodObject)) return null;
  if (step === undefined) return Object.keys(bare.shape).sort();
  const inner: z.ZodType | undefined = bare.shape[String(step)];
  return inner === undefined ? null : namesAt(inner, rest);
}

const WRAPPERS = [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodReadonly] as const;

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const wrapper = WRAPPERS.find((one) => schema instanceof one);
  return wrapper === undefined ? schema : unwrapped((schema as z.ZodOptional).unwrap()); // as all of them have it
}

function sentence(message: string): string {
  return message.slice(0, 1).toUpperCase() + message.slice(1);
}
