/** The API document is whole: everything in it is described, typed, referred to rightly, and true. */
import assert from "node:assert/strict";
import Ajv from "npm:ajv@8.17.1/dist/2020.js";
import { startService } from "../support/service.ts";
import { PLUGINS } from "../../plugins/plugins.ts";
import { operationsOf, type Schema, servedDocuments } from "../support/served_documents.ts";

const { openapi, asyncapi } = await servedDocuments();
const operations = operationsOf(openapi);

/** Visits a schema and all within it, but for what it refers to. */
function* within(schema: Schema, place: string): Generator<readonly [place: string, schema: Schema]> {
  yield [place, schema];
  const { properties = {}, items, additionalProperties: rest, anyOf = [] } = schema;
  for (const [name, inner] of Object.entries(properties)) yield* within(inner, `${place}.${name}`);
  if (items !== undefined) yield* within(items, `${place}[]`);
  if (typeof rest === "object") yield* within(rest, `${place}{}`);
  for (const inner of anyOf) yield* within(inner, place);
}

/** Every schema that stands in the two documents. */
function* schemas(): Generator<readonly [place: string, schema: Schema]> {
  for (const [name, schema] of Object.entries(openapi.components.schemas)) yield* within(schema, name);
  for (const [name, schema] of Object.entries(asyncapi.components.schemas)) yield* within(schema, name);
  for (const [name, { parameters, requestBody, responses }] of operations) {
    for (const parameter of parameters) yield* within(parameter.schema, `${name} ${parameter.name}`);
    for (const { schema } of Object.values(requestBody?.content ?? {})) yield* within(schema, `${name} body`);
    for (const [status, { content = {} }] of Object.entries(responses)) {
      for (const { schema } of Object.values(content)) yield* within(schema, `${name} ${status}`);
    }
  }
}

Deno.test("every parameter, every field of a body and of an answer, every tag and every answer is described", () => {
  const bare = operations.flatMap(([name, { parameters, responses }]) => [
    ...parameters.filter(({ description }) => !description).map((parameter) => `${name} ${parameter.name}`),
    ...Object.entries(responses).filter(([, { description }]) => !description).map(([status]) =>
      `${name} ${status}`
    ),
  ]);
  for (const [place, { properties = {} }] of schemas()) {
    for (const [field, { description, $ref }] of Object.entries(properties)) {
      if (!(description ?? named($ref)?.description)) bare.push(`${place}.${field}`);
    }
  }
  for (const { name, description } of openapi.tags) {
    if (!description || description.startsWith("Routes below")) bare.push(`the tag ${name}`);
  }

  assert.deepEqual(bare, []);
  assert.ok(operations.length > 60);
});

Deno.test("every operation is described in sentences that say more than its summary", () => {
  for (const [name, { summary, description = "" }] of operations) {
    assert.match(description, /^(?:[A-Z`\d]|berth ).{20,}[^ ]$/s, name);
    assert.ok(!description.startsWith(summary), name);
  }
});

function named(ref: string | undefined): Schema | undefined {
  const name = ref?.replace("#/components/schemas/", "") ?? "";
  return openapi.components.schemas[name] ?? asyncapi.components.schemas[name];
}

Deno.test("every reference leads to a schema, every schema is used, and every tag is known", () => {
  const used = new Set<string>();
  for (const [place, { $ref }] of schemas()) {
    if ($ref === undefined) continue;
    assert.ok(named($ref), `${place}: ${$ref}`);
    used.add($ref.replace("#/components/schemas/", ""));
  }
  assert.deepEqual(Object.keys(openapi.components.schemas).filter((name) => !used.has(name)), []);
  const tags = new Set(openapi.tags.map(({ name }) => name));
  for (const [name, operation] of operations) {
    for (const tag of operation.tags) assert.ok(tags.has(tag), name);
  }
});

Deno.test("what is a number, a list or a flag in a query is one in the document, and patterns are everybody's", () => {
  const shape = (name: string, parameter: string) => {
    const found = operations.find(([one]) => one === name)?.[1].parameters.find((one) =>
      one.name === parameter
    );
    return found?.schema;
  };
  assert.deepEqual(shape("get /api/containers", "limit"), { type: "integer", minimum: 1, maximum: 10_000 });
  assert.deepEqual(shape("get /api/containers/{id}/exec", "tty"), { type: "boolean", default: true });
  assert.deepEqual(shape("get /api/containers/{id}/exec", "cols"), {
    type: "integer",
    minimum: 1,
    maximum: 1_000,
    default: 80,
  });
  assert.equal(shape("get /api/containers", "state")?.type, "array");
  for (const [place, { pattern, type }] of schemas()) {
    if (pattern !== undefined) {
      // Go has no lookahead, Python no \p; \u is not written alike anywhere.
      assert.doesNotMatch(pattern, /\\[pPu]|\(\?[=!<]/, place);
      const isOpaque = place.endsWith(" cursor");
      assert.ok(isOpaque || !pattern.startsWith("^\\d"), `${place}: a number is typed as one`);
    }
    if (Array.isArray(type)) assert.ok(type.length === 2 && type.includes("null"), `${place}: ${type}`);
  }
});

Deno.test("the service takes what the document says, and refuses what is beside it", async () => {
  await using berth = await startService({});
  let asked = 0;
  for (const [name, { parameters, ...operation }] of operations) {
    const [method, path = ""] = name.split(" ");
    if (method !== "get" || operation["x-websocket"] || path.includes("/units")) continue;
    for (const { name: key, in: place, schema } of parameters) {
      const isOdd = schema.type === "integer" || schema.type === "boolean" || schema.enum !== undefined;
      if (place !== "query" || !isOdd) continue;
      const wrong = ["neither", ...(schema.maximum === undefined ? [] : [String(schema.maximum + 1)])];
      for (const value of wrong) {
        const { status, body } = await berth.call(`GET ${path.replace(/\{\w+\}/g, "x")}?${key}=${value}`);
        assert.deepEqual([status, body.code], [400, "invalid_request"], `${name} ${key}=${value}`);
        const said = body.errors.find((one: { path: string }) => one.path === `query.${key}`);
        assert.match(said.message, /^Expected /, `${name} ${key}=${value}`);
        asked++;
      }
    }
  }
  assert.ok(asked > 20);
});

Deno.test("names that Docker's own API has are told what they are called here", async () => {
  await using berth = await startService({});
  for (
    const [route, hint] of [
      ["GET /api/containers?all=1", /"state=running"/],
      ["POST /api/containers/web/stop?t=5", /"timeoutS"/],
      ["POST /api/containers/web/restart?timeout=5", /"timeoutS"/],
      ["GET /api/containers/web/logs?n=5", /"tail"/],
      ["DELETE /api/containers/web?v=1", /"volumes"/],
      ["GET /api/containers?projcet=shop", /did you mean "project"\? There are backend, cursor, /],
    ] as const
  ) {
    const { status, body } = await berth.call(route);
    assert.equal(status, 400, route);
    assert.match(body.errors[0].message, hint, route);
  }
  const tail = await berth.call("GET /api/containers/web/logs?tail=abc");
  assert.equal(tail.body.title, 'Invalid query: query.tail: Expected a number or "all"');
});

Deno.test("examples fit their schemas", () => {
  const ajv = new Ajv.default({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: "doc", components: openapi.components });
  /** Most answers have a schema of others, and compiling one takes longer than all its checks. */
  const validators = new Map<string, ReturnType<typeof ajv.compile>>();
  let checked = 0;
  for (const [name, { requestBody, responses }] of operations) {
    const contents = [
      requestBody?.content ?? {},
      ...Object.values(responses).map(({ content = {} }) => content),
    ];
    for (const [type, { schema, example }] of contents.flatMap((content) => Object.entries(content))) {
      if (type === "application/json") assert.notEqual(example, undefined, name);
      if (example === undefined) continue;
      const own = JSON.stringify(schema).replaceAll('"#/components', '"doc#/components');
      const fits = validators.get(own) ?? ajv.compile(JSON.parse(own));
      validators.set(own, fits);
      assert.ok(fits(example), `${name}: ${ajv.errorsText(fits.errors)}: ${JSON.stringify(example)}`);
      checked++;
    }
  }
  assert.ok(checked > 100);
});

Deno.test("a body that the service refuses by its form is refused by the document, too", async () => {
  await using berth = await startService({ plugins: ["container-runtime"] });
  const ajv = new Ajv.default({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "doc", components: openapi.components });
  const key = { name: "x", role: "viewer" };
  const refused: readonly (readonly [string, unknown])[] = [
    ["/api/settings/api-keys", { ...key, name: "" }],
    ["/api/settings/api-keys", { name: "x" }],
    ["/api/settings/api-keys", { ...key, permissions: ["system:read"] }],
    ["/api/settings/api-keys", { name: "x", permissions: [] }],
    ["/api/settings/api-keys", { ...key, from: ["nowhere"] }],
    ["/api/settings/api-keys", { ...key, from: [] }],
    ["/api/settings/api-keys", { name: "x", grants: [{ role: "viewer", on: ["shop"] }] }],
    ["/api/settings/api-keys", {
      name: "x",
      grants: [{ role: "viewer", on: [`project:${"x".repeat(300)}`] }],
    }],
    ["/api/networks", { name: "n", subnets: [{ subnet: "10.0.0.0" }] }],
    ["/api/networks", { name: "n", subnets: [{ subnet: "10.0.0.0/8", gateway: "here" }] }],
    ["/api/networks", {
      name: "n",
      labels: Object.fromEntries(Array.from({ length: 129 }, (_, n) => [n, ""])),
    }],
    ["/api/networks/{name}/connect", { container: "web", address: "10.0.0" }],
    ["/api/system/prune", { types: ["containers"], filters: { until: "soon" } }],
  ];
  for (const [path, body] of refused) {
    const answer = await berth.call(`POST ${path.replace("{name}", "n")}`, body);
    const schema = openapi.paths[path]?.["post"]?.requestBody?.content["application/json"]?.schema;
    const own = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc#/components'));

    assert.deepEqual([answer.status, answer.body.code], [400, "invalid_request"], JSON.stringify(body));
    assert.equal(ajv.validate(own, body), false, `${path} ${JSON.stringify(body).slice(0, 200)}`);
  }
});

Deno.test("no field of the document is read-only, which in a request forbids to send it", () => {
  const found = [...schemas()].filter(([, schema]) => "readOnly" in schema).map(([place]) => place);
  assert.deepEqual(found, []);
});

Deno.test("every method that the document lacks at a path is 405 with an Allow of those it has", async () => {
  await using berth = await startService({ plugins: PLUGINS.map(({ name }) => name), strangersPerSecond: 0 });
  const shapes = Object.entries(openapi.paths).map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
    methods: Object.keys(methods).flatMap((one) => one === "get" ? ["GET", "HEAD"] : [one.toUpperCase()]),
  }));
  let refused = 0;
  for (const path of Object.keys(openapi.paths)) {
    const asked = path.replace(/\{\w+\}/g, "x");
    const has = new Set(
      shapes.filter(({ pattern }) => pattern.test(asked)).flatMap(({ methods }) => methods),
    );
    const allow = ["GET", "HEAD", "POST", "PUT", "DELETE"].filter((method) => has.has(method)).join(", ");
    for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      if (has.has(method)) continue;
      const { status, headers } = await berth.call(`${method} ${asked}`);
      assert.deepEqual([status, headers.get("allow")], [405, allow], `${method} ${asked}`);
      refused++;
    }
  }
  assert.ok(refused > 300, String(refused));
});

Deno.test("400, 401 and 403, and the headers that are read and answered, are told", () => {
  for (const [name, { parameters, responses, ...operation }] of operations) {
    const needed = operation["x-permission"];
    assert.match(responses["400"]?.description ?? "", /invalid_request/, name);
    if (needed !== "open") assert.match(responses["401"]?.description ?? "", /unauthenticated/, name);
    if (needed !== "open" && needed !== "any") {
      assert.match(responses["403"]?.description ?? "", /forbidden/, name);
    }
    if ("429" in responses) assert.ok(responses["429"].headers?.["Retry-After"], name);
    const isTagged = parameters.some((parameter) => parameter.name === "If-None-Match");
    assert.equal(isTagged && name.startsWith("get "), "304" in responses, name);
  }
  const headers = (name: string) =>
    openapi.paths[name.split(" ")[1]!]?.[name.split(" ")[0]!]?.parameters.filter((one) => one.in === "header")
      .map((one) => one.name);
  assert.deepEqual(headers("get /api/containers/{id}/logs"), ["Last-Event-ID"]);
  assert.deepEqual(headers("get /api/containers"), ["If-None-Match"]);
  assert.deepEqual(headers("post /api/auth/refresh"), ["X-Berth"]);
  for (const one of ["/api/overview", "/api/projects", "/api/projects/{id}", "/api/services"]) {
    assert.deepEqual(headers(`get ${one}`), ["If-None-Match"], one);
  }
  const sarif = openapi.paths["/api/workspaces/{id}/artifacts/validate"]?.["post"]?.responses["200"]?.content;
  assert.equal(named(sarif?.["application/sarif+json"]?.schema.$ref)?.type, "object");
});

Deno.test("a route that the document says answers 304 does so", async () => {
  await using berth = await startService({});
  const tagged = operations.filter(([name, { responses }]) => "304" in responses && !name.includes("{"));
  assert.ok(tagged.length >= 6);
  for (const [name] of tagged) {
    const route = name.replace("get", "GET");
    const { status, headers } = await berth.call(route);
    if (status === 503) continue; // no engine here
    const again = await berth.call(route, undefined, {
      headers: { "if-none-match": headers.get("etag") ?? "none" },
    });
    assert.equal(again.status, 304, name);
  }
});

Deno.test("a resource that was made is where Location says, and only answers that the document names have one", async () => {
  await using berth = await startService({});
  await using registry = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("{}"),
  );
  await Deno.mkdir(`${berth.folder}/workspaces/shop`);
  const made = await berth.call("POST /api/workspaces", { path: `${berth.folder}/workspaces/shop` });
  assert.equal(made.status, 201);
  assert.equal((await berth.call(`GET ${made.headers.get("location")}`)).status, 200);
  for (
    const [path, body] of [
      ["/api/registries", { host: `127.0.0.1:${registry.addr.port}`, plainHttp: true }],
      ["/api/mutes", { on: "project:shop", forS: 60 }],
      ["/api/notices", {
        name: "phone",
        kind: "ntfy",
        address: "https://ntfy.sh/a-topic-that-nobody-guesses",
      }],
      ["/api/settings/people", { name: "ada", role: "viewer" }],
      ["/api/settings/api-keys", { name: "one", role: "viewer" }],
    ] as const
  ) {
    const { status, headers, text } = await berth.call(`POST ${path}`, body);
    assert.equal(status, 201, text);
    assert.equal((await berth.call(`DELETE ${headers.get("location")}`)).status, 204, path);
  }
  const located = operations.flatMap(([name, { responses }]) =>
    Object.entries(responses).filter(([, { headers }]) => headers?.["Location"]).map(([status]) =>
      `${status} ${name}`
    )
  );
  assert.ok(located.includes("202 post /api/plans/{id}/apply"));
  for (const name of ["post /api/workspaces/{id}/plans", "post /api/workspaces/{id}/source/hook"]) {
    assert.ok(!located.includes(`201 ${name}`), name);
  }
});

Deno.test("the sockets are an AsyncAPI 3 document: by AsyncAPI's own schema, and all of them", async () => {
  const { default: specs } = await import("npm:@asyncapi/specs@6.11.1");
  const { default: Draft7 } = await import("npm:ajv@8.17.1");
  const ajv = new Draft7.default({ strict: false, validateFormats: false });
  const validate = ajv.compile(specs.schemasWithoutId["3.0.0"] as object);
  assert.ok(validate(asyncapi), ajv.errorsText(validate.errors));
  assert.equal(validate({ ...asyncapi, channels: 5 }), false);

  const sockets = operations.filter(([, operation]) => operation["x-websocket"]).map(([name]) =>
    name.slice(4)
  );
  assert.deepEqual(Object.values(asyncapi.channels).map(({ address }) => address).sort(), sockets.sort());
  for (const { address, messages } of Object.values(asyncapi.channels)) {
    assert.ok(messages["down"], address);
    for (const { payload } of Object.values(messages)) {
      if (payload.$ref) assert.ok(named(payload.$ref), address);
    }
  }
});
