import assert from "node:assert/strict";
import { z } from "zod";
import { ServiceError } from "../core/error.ts";
import { checked, type Part } from "./checked.ts";
import { count, flag, many } from "./query.ts";

function refusal(schema: z.ZodType, value: unknown, part: Part = "query"): string {
  try {
    checked(schema, value, part);
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.errors !== undefined);
    return error.errors.map(({ path, message }) => `${path}: ${message}`).join("; ");
  }
  throw new Error("It was let in");
}

Deno.test("a choice of one or several says what is wrong with the one, not that the choice is", () => {
  const schema = z.strictObject({ state: many(z.enum(["running", "exited"])).optional() });
  const expected = 'Invalid option: expected one of "running"|"exited"';

  assert.equal(refusal(schema, { state: "asleep" }), `query.state: ${expected}`);
  assert.equal(refusal(schema, { state: ["running", "asleep"] }), `query.state.1: ${expected}`);
});

Deno.test("a parameter that is given twice is told so", () => {
  const schema = z.strictObject({ limit: count(1, 9).optional(), raw: flag.optional() });

  assert.equal(refusal(schema, { limit: ["1", "2"] }), "query.limit: Expected only once");
});

Deno.test("an absent body is said to be absent", () => {
  assert.equal(
    refusal(z.strictObject({ name: z.string() }), undefined, "body"),
    "body: Expected JSON",
  );
});
