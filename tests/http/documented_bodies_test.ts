/** Bodies made up from the API document are never refused for their form. */
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { PLUGINS } from "../../plugins/plugins.ts";
import { operationsOf, type Schema, servedDocuments } from "../support/served_documents.ts";
import { startService } from "../support/service.ts";

const RUNS = Number(Deno.env.get("BERTH_FUZZ_RUNS") ?? "12");
/** Longer texts and lists show nothing more. */
const MOST = 70;

const { openapi } = await servedDocuments();

interface Bounded extends Schema {
  readonly format?: string;
  readonly const?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly propertyNames?: Bounded;
  readonly required?: readonly string[];
}

/** An empty body is for browsers, which send a cookie with it. */
const NEEDS_COOKIE = "post /api/auth/refresh";

/** Makes values that the schema allows. */
function fitting(schema: Bounded): fc.Arbitrary<unknown> {
  const { $ref, anyOf, enum: values, type } = schema;
  if ($ref !== undefined) return fitting(openapi.components.schemas[$ref.split("/").at(-1)!]!);
  if ("const" in schema) return fc.constant(schema.const);
  if (values !== undefined) return fc.constantFrom(...values);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(fitting));
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => fitting({ ...schema, type: one })));
  switch (type) {
    case "string":
      return texts(schema);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(fitting(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? MOST, 5),
      });
    case "object":
      return objects(schema);
  }
  throw new Error(`no values are made for ${JSON.stringify(schema)}`);
}

function texts({ pattern, format, minLength = 0, maxLength = MOST }: Bounded): fc.Arbitrary<string> {
  if (format === "uuid") return fc.uuid();
  if (format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  const most = Math.min(maxLength, Math.max(MOST, minLength));
  if (pattern === undefined) return fc.string({ minLength, maxLength: most });
  return fc.stringMatching(new RegExp(pattern)).filter(({ length }) => length >= minLength && length <= most);
}

function objects(schema: Bounded): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties: rest } = schema;
  const own = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, fitting(inner)])),
    { requiredKeys: [...required] },
  ).filter((made) => Object.keys(made).length >= (schema.minProperties ?? 0));
  if (typeof rest !== "object") return own;
  const names = texts(schema.propertyNames ?? {});
  return fc.dictionary(names, fitting(rest), { maxKeys: Math.min(schema.maxProperties ?? MOST, 5) });
}

Deno.test("a body that fits the API document is not refused for its form", async (context) => {
  await using berth = await startService({ plugins: PLUGINS.map(({ name }) => name), strangersPerSecond: 0 });
  let sent = 0;
  for (const [name, { requestBody }] of operationsOf(openapi)) {
    const schema = requestBody?.content["application/json"]?.schema;
    if (schema === undefined || name === NEEDS_COOKIE) continue;
    const [method = "", path = ""] = name.split(" ");
    const route = `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "x")}`;
    await context.step(name, () =>
      fc.assert(
        fc.asyncProperty(fitting(schema), async (body) => {
          const answer = await berth.call(route, body);
          sent++;
          const refused = (answer.body?.errors ?? []).filter(({ path }: { path: string }) =>
            path.startsWith("body")
          );
          assert.deepEqual(refused, [], answer.text);
        }),
        { numRuns: RUNS },
      ));
  }
  assert.ok(sent >= 15 * RUNS, String(sent));
});
