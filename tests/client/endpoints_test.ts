/** The client's endpoint constants are those of the service, no more and no fewer. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { BearerAuth, Client, Endpoint, isStatusError } from "@berth/client";
import * as endpoints from "@berth/client/berth";
import { startService } from "../support/service.ts";
import { constantName, type Document, endpointFiles, type SocketDocument } from "./endpoint_writer.ts";
import { formatted } from "./formatted.ts";

const folder = new URL("../../client/berth/", import.meta.url);

async function served(): Promise<readonly [Document, SocketDocument]> {
  await using berth = await startService({});
  return [
    (await berth.call("GET /api/openapi.json")).body,
    (await berth.call("GET /api/asyncapi.json")).body,
  ];
}

Deno.test("every path that the service serves has an endpoint constant, and no constant is for another", async () => {
  const [document] = await served();
  const constants = Object.entries(endpoints).filter(([, it]) => it instanceof Endpoint);
  const expected = Object.keys(document.paths).map((path) => [constantName(path), path]);
  deepEqual(constants.map(([name, { path }]) => [name, path.replace("...}", "}")]).sort(), expected.sort());
  ok(expected.length > 25);
  equal(new Set(expected.map(([name]) => name)).size, expected.length, "two paths share a name");
});

Deno.test("every call of a constant expects exactly the successes that the document names", async () => {
  const [{ paths }] = await served();
  let answer = 200;
  using client = new Client({
    baseUrl: "http://h",
    fetch: () => Promise.resolve(new Response([204, 205].includes(answer) ? null : "{}", { status: answer })),
  });
  let calls = 0;
  for (const endpoint of Object.values(endpoints).filter((it) => it instanceof Endpoint)) {
    const path = endpoint.path.replace("...}", "}");
    const options = {
      params: Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, "x"])),
    };
    const call = new Endpoint(endpoint.path, endpoint.statuses).typed();
    for (const [method, { responses, "x-websocket": socket }] of Object.entries(paths[path] ?? {})) {
      const send = {
        get: () => client.get(call, options),
        post: () => client.post(call, options),
        put: () => client.put(call, options),
        delete: () => client.delete(call, options),
      }[method];
      if (socket !== undefined || send === undefined) continue;
      for (const status of Object.keys(responses).filter((one) => one.startsWith("2"))) {
        answer = Number(status);
        equal((await send()).statusCode, answer, `${method} ${endpoint.path}`);
        calls++;
      }
      answer = 206;
      ok(isStatusError(await send().catch((error) => error)), `${method} ${endpoint.path} takes 206`);
    }
  }
  ok(calls > 80, `${calls}`);
});

Deno.test("the endpoints' types are those of the served document; if not, run `deno task endpoints`", async () => {
  const fresh = await formatted(endpointFiles(...await served()));
  const kept = new Map<string, string>();
  for await (const { name } of Deno.readDir(folder)) {
    kept.set(name, await Deno.readTextFile(new URL(name, folder)));
  }
  deepEqual([...kept.keys()].sort(), [...fresh.keys()].sort());
  for (const [name, text] of fresh) equal(kept.get(name), text, `client/berth/${name} is stale`);
});

Deno.test("the client and its constants work against a running berth", async () => {
  await using berth = await startService({});
  ok(berth.admin);
  using client = new Client({ baseUrl: berth.url, auth: new BearerAuth(berth.admin) });
  const { HEALTH, AUTH_ME, WORKSPACES, WORKSPACE } = endpoints;
  equal((await client.get(HEALTH)).json().status, "ok");
  deepEqual((await client.get(AUTH_ME)).json().role, "admin");
  deepEqual((await client.get(WORKSPACES)).json(), { items: [], total: 0 });
  const missing = await client.get(WORKSPACE, { params: { id: "no/such one" } }).catch((error) => error);
  ok(isStatusError(missing) && missing.response.statusCode === 404, String(missing));
});

/** An object of several properties, or a choice among several values, that stands in another schema without a name. */
function* inlineIn(schema: unknown, isNamed: boolean): Generator<string> {
  if (typeof schema !== "object" || schema === null) return;
  const { properties = {}, enum: values = [] } = schema as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly enum?: readonly unknown[];
  };
  if (!isNamed && Object.keys(properties).length > 1) yield JSON.stringify(withoutWords(properties));
  if (!isNamed && values.length > 2) yield JSON.stringify(values);
  for (const child of Object.values(schema)) yield* inlineIn(child, false);
}

function withoutWords(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(withoutWords);
  return Object.fromEntries(
    Object.entries(schema).filter(([, value]) => typeof value !== "string" || !/ /.test(value))
      .map(([key, value]) => [key, withoutWords(value)]),
  );
}

Deno.test("no document of the API describes the same object or choice twice: a repeated one has a name", async () => {
  for (const { components: { schemas }, ...rest } of await served()) {
    const named = Object.values(schemas).flatMap((schema) => [...inlineIn(schema, true)]);
    const all = [...inlineIn(rest, false), ...named];
    deepEqual(all.filter((one, at) => all.indexOf(one) !== at), []);
  }
});
