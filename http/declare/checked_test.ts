import assert from "node:assert/strict";
import * as z from "../../core/schema.ts";
import { ServiceError } from "../../core/error.ts";
import { checked, type Part } from "./checked.ts";
import { count, countOrAll, flag, many } from "./query.ts";

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
  const expected = "Expected one of running, exited";

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

Deno.test("an unknown name is told the nearest one, and all there are; a name of another service what it is here", () => {
  const schema = z.strictObject({ tail: countOrAll(9).optional(), timeoutS: count(1, 9).optional() });
  const said = (name: string) => {
    try {
      checked(schema, { [name]: "1" }, "query", { t: 'it is called "timeoutS" here' });
    } catch (error) {
      return error instanceof ServiceError ? error.errors?.[0]?.message : error;
    }
  };

  assert.equal(said("tial"), 'There is no such parameter; did you mean "tail"? There are tail, timeoutS');
  assert.equal(said("colour"), "There is no such parameter; there are tail, timeoutS");
  assert.equal(said("t"), 'There is no such parameter; it is called "timeoutS" here');
  assert.equal(
    refusal(z.strictObject({}), { x: "" }),
    "query.x: There is no such parameter; none is taken here",
  );
  const body = z.strictObject({ list: z.array(z.strictObject({ subnet: z.string() })) });
  assert.equal(
    refusal(body, { list: [{ subnett: "x" }] }, "body"),
    "body.list.0.subnet: It is missing; expected text; " +
      'body.list.0.subnett: There is no such field; did you mean "subnet"? There are subnet',
  );
});

Deno.test("what is wrong is said in words", () => {
  const body = (schema: z.ZodType, value: unknown) =>
    refusal(z.strictObject({ it: schema }), { it: value }, "body");

  assert.equal(
    refusal(z.strictObject({ tail: countOrAll(9) }), { tail: "abc" }),
    'query.tail: Expected a number or "all"',
  );
  assert.equal(
    refusal(z.strictObject({ limit: count(1, 9) }), { limit: "10" }),
    "query.limit: Expected a whole number from 1 to 9",
  );
  assert.equal(refusal(z.strictObject({ raw: flag }), { raw: "yes" }), "query.raw: Expected true or false");
  assert.equal(body(z.string(), 5), "body.it: Expected text");
  assert.equal(body(z.string(), undefined), "body.it: It is missing; expected text");
  assert.equal(body(z.int().max(3), 5), "body.it: Expected at most 3");
  assert.equal(body(z.int(), 1.5), "body.it: Expected a whole number");
  assert.equal(body(z.string().min(1), ""), "body.it: It must not be empty");
  assert.equal(body(z.array(z.string()).max(1), ["a", "b"]), "body.it: Expected at most 1 entry");
  assert.equal(body(z.union([z.string(), z.array(z.string())]), 5), "body.it: Expected text or a list");
  assert.equal(body(z.record(z.string(), z.string()), []), "body.it: Expected an object");
});
