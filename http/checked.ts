/** Checks input against its schema, and says what is wrong with it. */
import { z } from "zod";
import { ServiceError } from "../core/error.ts";

export type Part = "path" | "query" | "body";

/** The query of a route that declares none. */
export const NO_PARAMETERS = z.strictObject({});

const MOST_ERRORS = 20;

export function checked(schema: z.ZodType, value: unknown, part: Part): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = value === undefined
    ? [{ path: part, message: "Expected JSON" }]
    : result.error.issues.slice(0, MOST_ERRORS).flatMap((issue) => saidOf(issue, part));
  throw new ServiceError(
    "invalid_request",
    `Invalid ${part}: ${errors[0]?.path ?? part}: ${errors[0]?.message ?? "it is not valid"}`,
    { errors },
  );
}

function saidOf(issue: z.core.$ZodIssue, part: Part): { path: string; message: string }[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, MOST_ERRORS).map((key) => ({
      path: [part, ...issue.path, key].join("."),
      message: part === "query" ? "There is no such parameter" : "There is no such field",
    }));
  }
  const inner = issue.code === "invalid_union" ? meant(issue) : issue;
  const path = [part, ...issue.path, ...(inner === issue ? [] : inner.path)].join(".");
  const isRepeated = part === "query" && issue.path.length === 1 && inner.message.endsWith("received array");
  return [{ path, message: isRepeated ? "Expected only once" : inner.message }];
}

/** Of a choice of types, what is wrong with the one that the value has. */
function meant(issue: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue {
  return issue.errors.map(([first]) => first).find((first) =>
    first !== undefined && !(first.code === "invalid_type" && first.path.length === 0)
  ) ?? issue;
}
