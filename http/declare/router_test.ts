import assert from "node:assert/strict";
import * as z from "../../core/schema.ts";
import { ServiceError } from "../../core/error.ts";
import type { AccessLine } from "../../core/log.ts";
import type { Principal } from "../../core/access.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import { createAuditor } from "../serve/auditor.ts";
import { Responder } from "../serve/responder.ts";
import { createEdge } from "../serve/edge.ts";
import { cached, json, problems, reply, route, type Router, router } from "./router.ts";
import { flag } from "./query.ts";

const viewer: Principal = {
  kind: "user",
  id: "v",
  name: "v",
  role: "viewer",
  permissions: ["system:read"],
  grants: [{ role: null, permissions: ["system:read"] }],
};
const Thing = z.strictObject({ name: z.string().min(1) }).meta({ id: "RouterTestThing" });

const make = route({
  method: "post",
  path: "/things/{id}",
  summary: "Make a thing",
  permission: "system:read",
  subject: "everything",
  params: z.object({ id: z.string().max(5) }),
  query: z.object({ dry: flag.optional() }),
  body: Thing,
  answers: { 201: json(Thing, "The thing"), ...problems("workspace_exists") },
});
const list = route({
  method: "get",
  path: "/things",
  summary: "List things",
  permission: "open",
  answers: { 200: json(z.array(Thing), "Things") },
});
const reserved = route({
  method: "delete",
  path: "/things",
  summary: "Remove all things",
  permission: "system:prune",
  subject: "everything",
  answers: { 200: json(Thing, "Gone") },
});

function service(routes: Router) {
  const audited: NewAuditEntry[] = [];
  const record = (entry: NewAuditEntry) => void audited.push(entry);
  const accessed: AccessLine[] = [];
  const bugs: unknown[] = [];
  const edge = createEdge({
    entries: routes.entries,
    hosts: new Set(["berth.test"]),
    responder: new Responder({ tls: false }),
    guard: {
      authenticate: (request) =>
        request.headers.has("authorization")
          ? {
            principal: viewer,
            source: { kind: "key", id: "v" } as const,
            revoked: () => new AbortController().signal,
          }
          : null,
      admit: () => null,
      recognise: () => null,
      demandProof: () => Promise.resolve(),
    },
    auditor: createAuditor({
      audit: { first: (entry) => Promise.resolve(record(entry)), record },
      clock: Date,
    }),
    onBug: (error) => bugs.push(error),
    onAccess: (access) => accessed.push(access),
    stopping: new AbortController().signal,
  });
  const info: Deno.ServeHandlerInfo = {
    remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 },
    completed: Promise.resolve(),
  };
  return {
    audited,
    accessed,
    bugs,
    async call(
      method: string,
      path: string,
      options: { body?: unknown; headers?: Record<string, string> } = {},
    ) {
      const response = await edge(
        new Request(`http://berth.test${path}`, {
          method,
          headers: { host: "berth.test", ...options.headers },
          ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
        }),
        info,
      );
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text === "" ? null : JSON.parse(text),
      };
    },
  };
}

const things = () =>
  router()
    .on(make, ({ body, params, query }) => {
      if (params.id === "bug") throw new Error("secret words");
      if (params.id === "taken") throw new ServiceError("workspace_exists", "Cannot make it: it is there");
      return reply(201, { name: `${params.id}/${body.name}/${query.dry ?? "-"}` });
    })
    .on(list, () => cached("[]", '"one"'))
    .on(reserved, () => reply(200, { name: "gone" }));
const signedIn = { authorization: "Bearer x", "content-type": "application/json" };

Deno.test("a declared route gets its path, query and body parsed, and answers what it declared", async () => {
  const { call, audited } = service(things());
  const made = await call("POST", "/api/things/a?dry=true", { body: { name: "b" }, headers: signedIn });
  assert.deepEqual([made.status, made.body], [201, { name: "a/b/true" }]);
  assert.deepEqual(audited.map(({ action, result, actor }) => [action, result, actor.id]), [
    ["POST /api/things/{id}", "begun", "v"],
    ["POST /api/things/{id}", "done", "v"],
  ]);
});

for (
  const [what, path, body, headers, status, code] of [
    ["an unknown query parameter", "/api/things/a?x=1", { name: "b" }, {}, 400, "invalid_request"],
    ["a repeated single parameter", "/api/things/a?dry=1&dry=1", { name: "b" }, {}, 400, "invalid_request"],
    ["an unknown body field", "/api/things/a", { name: "b", z: 1 }, {}, 400, "invalid_request"],
    ["a wrong type", "/api/things/a", { name: 1 }, {}, 400, "invalid_request"],
    ["a missing body", "/api/things/a", undefined, {}, 400, "invalid_request"],
    ["a bad path value", "/api/things/toolong", { name: "b" }, {}, 400, "invalid_request"],
    [
      "a foreign content type",
      "/api/things/a",
      { name: "b" },
      { "content-type": "text/plain" },
      415,
      "unsupported_media_type",
    ],
    [
      "a body of more than 1 MiB",
      "/api/things/a",
      { name: "b".repeat(1_100_000) },
      {},
      413,
      "body_too_large",
    ],
    ["nobody", "/api/things/a", { name: "b" }, { authorization: undefined }, 401, "unauthenticated"],
    ["a handler's own failure", "/api/things/taken", { name: "b" }, {}, 409, "workspace_exists"],
    ["a bug", "/api/things/bug", { name: "b" }, {}, 500, "internal"],
    ["an unknown path", "/api/nothing", { name: "b" }, {}, 404, "not_found"],
    ["a foreign host", "/api/things/a", { name: "b" }, { host: "evil.test" }, 421, "wrong_host"],
    ["two hosts", "/api/things/a", { name: "b" }, { host: "berth.test, evil.test" }, 400, "bad_host"],
  ] as const
) {
  Deno.test(`${what} is answered as ${status} ${code}, with a request id and nothing internal`, async () => {
    const { call, bugs } = service(things());
    const merged: Record<string, string> = { ...signedIn };
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined) delete merged[name];
      else merged[name] = value;
    }
    const refused = await call("POST", path, { ...(body === undefined ? {} : { body }), headers: merged });
    assert.deepEqual([refused.status, refused.body.code, refused.body.status], [status, code, status]);
    assert.equal(refused.headers.get("content-type"), "application/problem+json");
    assert.equal(refused.headers.get("x-request-id"), refused.body.requestId);
    assert.match(refused.headers.get("content-security-policy") ?? "", /default-src 'none'/);
    assert.ok(!JSON.stringify(refused.body).includes("secret words"));
    assert.equal(bugs.length, code === "internal" ? 1 : 0);
  });
}

Deno.test("a principal without the permission is refused, and the refusal is audited", async () => {
  const { call, audited } = service(things());
  const refused = await call("DELETE", "/api/things", { headers: signedIn });
  assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
  assert.deepEqual(audited.map(({ chain, result }) => [chain, result]), [["refusals", "forbidden"]]);
});

Deno.test("a method that a path does not have is 405 with Allow, TRACE and PATCH too", async () => {
  const { call } = service(things());
  for (const method of ["PATCH", "POST", "OPTIONS"]) {
    const refused = await call(method, "/api/things", { headers: signedIn });
    assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD, DELETE"]);
  }
});

Deno.test("kept text carries its tag, and a caller who has it gets 304", async () => {
  const { call } = service(things());
  assert.equal((await call("GET", "/api/things")).headers.get("etag"), '"one"');
  const again = await call("GET", "/api/things", { headers: { "if-none-match": '"one"' } });
  assert.deepEqual([again.status, again.body], [304, null]);
});

Deno.test("a caller's own valid request id is kept, another is replaced, and the log gets one line a request", async () => {
  const { call, accessed } = service(things());
  const own = await call("GET", "/api/things", { headers: { "x-request-id": "my-own-id-1" } });
  const bad = await call("GET", "/api/things", { headers: { "x-request-id": "a b" } });
  assert.equal(own.headers.get("x-request-id"), "my-own-id-1");
  assert.notEqual(bad.headers.get("x-request-id"), "a b");
  assert.deepEqual(accessed.map(({ method, path, status }) => [method, path, status]), [
    ["GET", "/api/things", 200],
    ["GET", "/api/things", 200],
  ]);
});

Deno.test("a route that asks for a permission says what about, or does not compile", () => {
  const shared = { method: "get", path: "/x", summary: "X", answers: {} } as const;
  // @ts-expect-error -- it does not say what is asked about
  route({ ...shared, permission: "system:read" });
  // @ts-expect-error -- nothing is asked
  route({ ...shared, permission: "open", subject: "listed" });
  assert.equal(route({ ...shared, permission: "system:read", subject: "found" }).subject, "found");
});
