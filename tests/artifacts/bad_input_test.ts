/** Bad input for every operation, made from the served document: no answer is a 5xx, and none has an undeclared status. */
import assert from "node:assert/strict";
import { startService } from "../support/service.ts";
import { ScriptedWorld } from "../support/scripted_world.ts";

// deno-lint-ignore no-explicit-any -- a JSON schema of the document
type Schema = any;

interface Case {
  readonly what: string;
  readonly path: string;
  readonly body?: string;
}

/** Refusals of any request; the document has them as `default`. */
const GENERAL = [400, 413, 414, 415];
const LONG = "x".repeat(70_000);

/** Values that the schema does not allow. */
function wrongFor(schema: Schema): unknown[] {
  const wrong: unknown[] = [];
  const types = [schema.type].flat();
  if (!types.includes("object") && schema.anyOf === undefined && schema.$ref === undefined) {
    wrong.push({ a: { b: 1 } });
  }
  if (types.includes("string") && types.length === 1) wrong.push(7, true, []);
  if (types.includes("integer") || types.includes("number")) wrong.push("many", 1e400, -1e15);
  if (types.includes("boolean") && types.length === 1) wrong.push("maybe", 7);
  if (types.includes("array") && types.length === 1) wrong.push(7, "text");
  if (schema.enum !== undefined) wrong.push("no-such-choice");
  if (schema.maxLength !== undefined) wrong.push("x".repeat(schema.maxLength + 1));
  if (schema.minimum !== undefined) wrong.push(schema.minimum - 1);
  if (schema.maximum !== undefined) wrong.push(schema.maximum + 1);
  return wrong;
}

function* casesOf(path: string, operation: Schema, resolve: (schema: Schema) => Schema): Generator<Case> {
  const plain = path.replace(/\{\w+(?:\.\.\.)?\}/g, "none");
  yield { what: "an unknown parameter", path: `${plain}?no-such-parameter=1` };
  for (
    const odd of ["%00", "..%2f..%2fetc", encodeURIComponent("\u202e<img onerror=1>"), LONG.slice(0, 4_000)]
  ) {
    if (path.includes("{")) yield { what: "an odd name", path: path.replace(/\{\w+(?:\.\.\.)?\}/g, odd) };
  }
  for (const parameter of operation.parameters ?? []) {
    if (parameter.in !== "query") continue;
    for (const value of wrongFor(resolve(parameter.schema))) {
      const text = typeof value === "object" ? JSON.stringify(value) : String(value);
      yield {
        what: `${parameter.name}=${text.slice(0, 40)}`,
        path: `${plain}?${parameter.name}=${encodeURIComponent(text.slice(0, 6_000))}`,
      };
    }
    yield { what: `${parameter.name} twice`, path: `${plain}?${parameter.name}=%00&${parameter.name}=%00` };
  }
  const schema = resolve(operation.requestBody?.content?.["application/json"]?.schema);
  if (schema === undefined) return;
  for (
    const body of [
      "",
      "{",
      "[]",
      "null",
      "7",
      '"text"',
      '{"__proto__":{"a":1}}',
      `{"no-such-field":1}`,
      `"${LONG}"`,
    ]
  ) {
    yield { what: `the body ${body.slice(0, 30)}`, path: plain, body };
  }
  for (const [name, field] of Object.entries<Schema>(schema.properties ?? {})) {
    for (const value of wrongFor(resolve(field))) {
      const body = JSON.stringify({ [name]: value });
      yield { what: `the body ${body.slice(0, 60)}`, path: plain, body };
    }
  }
}

Deno.test("bad input for every operation is answered by a declared 4xx", async () => {
  await using world = new ScriptedWorld({ containers: new Map() });
  await using berth = await startService({ engines: [{ name: "one", url: `unix://${world.socket}` }] });
  const { body: document } = await berth.call("GET /api/openapi.json");
  const resolve = (schema: Schema): Schema =>
    schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)];
  const wrong = new Set<string>();
  let asked = 0;
  for (const [path, methods] of Object.entries<Schema>(document.paths)) {
    for (const [method, operation] of Object.entries<Schema>(methods)) {
      if (operation["x-websocket"] === true) continue;
      for (const one of casesOf(`/api${path.replace(/^\/api/, "")}`, operation, resolve)) {
        const response = await fetch(berth.url + one.path, {
          method: method.toUpperCase(),
          headers: { authorization: `Bearer ${berth.admin}`, "content-type": "application/json" },
          redirect: "manual",
          signal: AbortSignal.timeout(20_000),
          ...(one.body === undefined || method === "get" ? {} : { body: one.body }),
        });
        const isProblem = response.headers.get("content-type") === "application/problem+json";
        await response.body?.cancel();
        asked++;
        const { status } = response;
        const isDeclared = String(status) in operation.responses || GENERAL.includes(status);
        if (status >= 500 || !isDeclared || (status >= 400 && !isProblem)) {
          wrong.add(`${method.toUpperCase()} ${path}: ${status} for ${one.what}`);
        }
      }
    }
  }
  assert.ok(asked > 1_000, `${asked} cases`);
  assert.deepEqual([...wrong], [], `${wrong.size} of ${asked}`);
  assert.deepEqual(berth.bugs(), []);
});
