/** Promises of the outermost ring: Host, malformed requests, bodies, methods, request ids, and headers on every answer. */
import assert from "node:assert/strict";
import * as z from "../../core/schema.ts";
import { json, reply, route, router } from "../../http/declare/router.ts";
import { sendRaw } from "../support/raw_http.ts";
import { startService } from "../support/service.ts";

const quiet = { install: [] };

function get(headers: string, target = "/api/health"): string {
  return `GET ${target} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`;
}

Deno.test("only our own Host, exactly once, reaches a route (F5, R9)", async () => {
  await using berth = await startService(quiet);
  const { port } = berth;
  const known = [
    `Host: 127.0.0.1:${port}\r\n`,
    `Host: localhost:${port}\r\n`,
    `Host: LOCALHOST:${port}\r\n`,
    `Host: [::1]:${port}\r\n`,
  ];
  for (const headers of known) assert.equal((await sendRaw(port, get(headers))).status, 200, headers);

  const foreign: readonly (readonly [string, readonly number[]])[] = [
    ["Host: evil.example\r\n", [421]],
    [`Host: evil.example:${port}\r\n`, [421]],
    [`Host: 127.0.0.1:${port + 1}\r\n`, [421]],
    [`Host: 127.0.0.1\r\n`, [421]],
    [`Host: localhost.:${port}\r\n`, [421]],
    [`Host: 127.0.0.1:${port}@evil.example\r\n`, [400, 421]],
    ["", [400]],
    ["Host: \r\n", [400, 421]],
    [`Host: 127.0.0.1:${port}\r\nHost: evil.example\r\n`, [400]],
    [`Host: evil.example\r\nHost: 127.0.0.1:${port}\r\n`, [400, 421]],
    [`Host: 127.0.0.1:${port}\r\nHost: 127.0.0.1:${port}\r\n`, [400]],
  ];
  for (const [headers, statuses] of foreign) {
    const { status, body } = await sendRaw(port, get(headers));
    assert.ok(
      statuses.includes(status ?? 0),
      `${JSON.stringify(headers)} was answered with ${status}: ${body}`,
    );
  }
});

Deno.test("a request target of another authority than the Host is refused (F5, R9)", async () => {
  await using berth = await startService(quiet);
  const own = `Host: 127.0.0.1:${berth.port}\r\n`;

  const foreign = await sendRaw(berth.port, get(own, "http://evil.example/api/health"));
  const same = await sendRaw(berth.port, get(own, `http://127.0.0.1:${berth.port}/api/health`));

  assert.ok(foreign.status === 400 || foreign.status === 421, String(foreign.status));
  assert.equal(same.status, 200);
});

Deno.test("the base URL's authority is known, as Host and as Origin", async () => {
  await using berth = await startService({ ...quiet, baseUrl: "https://berth.example" });

  for (const host of ["berth.example", "BERTH.example", "berth.example:443"]) {
    assert.equal((await sendRaw(berth.port, get(`Host: ${host}\r\n`))).status, 200, host);
  }
  assert.equal((await sendRaw(berth.port, get("Host: berth.example:80\r\n"))).status, 421);
  const { headers } = await sendRaw(berth.port, get("Host: berth.example\r\n"));
  assert.match(headers.get("strict-transport-security") ?? "", /max-age=/);
});

Deno.test("malformed requests are refused or closed, and none ends the service (F3)", async () => {
  await using berth = await startService(quiet);
  const host = `Host: 127.0.0.1:${berth.port}\r\n`;
  const post = `POST /api/settings/setup HTTP/1.1\r\n${host}Content-Type: application/json\r\n`;
  const malformed = [
    "\r\n\r\n\r\n",
    "GET\r\n\r\n",
    `GET /api/health\r\n${host}\r\n`,
    `GET /api/health HTTP/9.9\r\n${host}\r\n`,
    `GET  /api/health HTTP/1.1\r\n${host}\r\n`,
    `G\u0001T /api/health HTTP/1.1\r\n${host}\r\n`,
    `GET /api/health HTTP/1.1\r\n${host}Bad Header: x\r\n\r\n`,
    `GET /api/health HTTP/1.1\r\n${host}X: \u0000\r\n\r\n`,
    `GET /api/health HTTP/1.1\r\n${host} folded: x\r\n\r\n`,
    `GET /${"a".repeat(400_000)} HTTP/1.1\r\n${host}\r\n`,
    `GET /api/health HTTP/1.1\r\n${host}X: ${"a".repeat(2_000_000)}\r\n\r\n`,
    `${post}Content-Length: -1\r\n\r\n`,
    `${post}Content-Length: 9999999999999999999999\r\n\r\n`,
    `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    `${post}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: gzip\r\n\r\n{}`,
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  ];
  for (const request of malformed) {
    const { status } = await sendRaw(
      berth.port,
      `${request.replace(/\r\n\r\n$/, "\r\nConnection: close\r\n\r\n")}`,
    );
    assert.ok(
      status === null || (status >= 400 && status < 500) || status === 505,
      `${status}: ${request.slice(0, 80)}`,
    );
  }
  assert.equal((await berth.call("GET /api/health")).status, 200);
  assert.equal((await berth.call("GET /api/settings/setup-required")).body.setupRequired, false);
});

Deno.test("a method that a route does not have is 405 with Allow, TRACE too; HEAD stands for GET (R9)", async () => {
  await using berth = await startService(quiet);

  const put = await berth.call("PUT /api/health");
  assert.deepEqual([put.status, put.body.code, put.headers.get("allow")], [
    405,
    "method_not_allowed",
    "GET, HEAD",
  ]);
  const two = await berth.call("DELETE /api/workspaces");
  assert.deepEqual([two.status, two.headers.get("allow")], [405, "GET, HEAD, POST"]);
  for (const method of ["TRACE", "PROPFIND", "OPTIONS", "get"]) {
    const raw = await sendRaw(
      berth.port,
      `${method} /api/health HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\nConnection: close\r\n\r\n`,
    );
    assert.equal(raw.status, 405, method);
    assert.equal(raw.headers.get("access-control-allow-origin"), null);
  }
  const head = await berth.fetch("HEAD /api/health");
  assert.deepEqual([head.status, await head.text()], [200, ""]);
});

Deno.test("a slash too many at the end of a path is understood, and the page to try the API goes to its own", async () => {
  await using berth = await startService({});
  const [plain, slashed, none, page] = await Promise.all([
    berth.call("GET /api/workspaces?"),
    berth.call("GET /api/workspaces/?"),
    berth.call("GET /api/nothing/"),
    berth.call("GET /api/docs/"),
  ]);

  assert.deepEqual([plain.status, slashed.status, none.status], [200, 200, 404]);
  assert.deepEqual(slashed.body, plain.body);
  assert.deepEqual([page.status, page.headers.get("location")], [308, "../docs"]);
  const refused = await berth.call("DELETE /api/workspaces/");
  assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD, POST"]);
});

Deno.test("an unknown path is 404 as a problem with a request id and nothing internal in it", async () => {
  await using berth = await startService(quiet);

  for (const path of ["/api/nothing", "/", "/api", "/etc/passwd", "/api/../api/nothing", "/api/%2e%2e/%00"]) {
    const { status, body, headers } = await berth.call(`GET ${path}`);
    assert.deepEqual([status, body.code, headers.get("content-type")], [
      404,
      "not_found",
      "application/problem+json",
    ]);
    assert.equal(body.requestId, headers.get("x-request-id"));
    assert.doesNotMatch(JSON.stringify(body), /\.ts|at |file:/);
  }
});

Deno.test("bodies: malformed JSON, wrong types, unknown fields, wrong media type and none are all refused by name", async () => {
  await using berth = await startService(quiet);
  const before = (await berth.call("GET /api/settings/api-keys")).body.total;
  const route = "POST /api/settings/api-keys";
  const refusals: readonly (readonly [unknown, number, string, string?])[] = [
    ['{"name": ', 400, "malformed_json"],
    ["\u0000", 400, "malformed_json"],
    ['{"name":"half \\ud83d","role":"viewer"}', 400, "malformed_json"],
    ['{"name":"halves \\ude00\\ud83d","role":"viewer"}', 400, "malformed_json"],
    ["[]", 400, "invalid_request"],
    ["null", 400, "invalid_request"],
    [{ name: 5, role: "viewer" }, 400, "invalid_request"],
    [{ name: "x", role: "emperor" }, 400, "invalid_request"],
    [{ name: "x", role: "viewer", admin: true }, 400, "invalid_request"],
    [undefined, 400, "invalid_request"],
    ["name=x", 415, "unsupported_media_type", "application/x-www-form-urlencoded"],
    ['{"name":"x","role":"viewer"}', 415, "unsupported_media_type", "text/plain"],
  ];
  for (const [body, status, code, type] of refusals) {
    const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
    const answer = await berth.call(route, body, { headers });
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(body));
    assert.equal(answer.body.requestId, answer.headers.get("x-request-id"));
  }
  assert.equal((await berth.call("GET /api/settings/api-keys")).body.total, before);
});

Deno.test("bodies: a whole surrogate pair is a character, and a backslash before one is a backslash", async () => {
  await using berth = await startService(quiet);
  for (const written of ['"\\ud83d\\ude00"', String.raw`"\\ud83d"`, String.raw`"\ud83d\ude00 \\\\ud83d"`]) {
    const made = await berth.call("POST /api/settings/api-keys", `{"name":${written},"role":"viewer"}`);
    assert.deepEqual([made.status, made.body.name], [201, JSON.parse(written)]);
  }
});

Deno.test("a body over 1 MiB is 413, whether it says so, comes in chunks, or lies about its length (F4, R34)", async () => {
  await using berth = await startService(quiet);
  const big = "x".repeat(1024 * 1024 + 1);
  const head = `POST /api/settings/setup HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\n` +
    "Content-Type: application/json\r\nConnection: close\r\n";

  const declared = await sendRaw(berth.port, `${head}Content-Length: ${big.length}\r\n\r\n${big}`);
  const chunked = await sendRaw(
    berth.port,
    `${head}Transfer-Encoding: chunked\r\n\r\n${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`,
  );
  const lying = await sendRaw(berth.port, `${head}Content-Length: 99999999999\r\n\r\n{}`);

  for (const { status, body } of [declared, chunked, lying]) {
    assert.deepEqual([status, JSON.parse(body).code], [413, "body_too_large"]);
  }
});

Deno.test("a body over 1 MiB is 413 for somebody who is known, too, and one of 1 MiB is read", async () => {
  await using berth = await startService(quiet);
  const body = (bytes: number) => {
    const [start, end] = ['{"name":"', '"}'];
    return `${start}${"x".repeat(bytes - start.length - end.length)}${end}`;
  };
  const limit = 1024 * 1024;
  for (const [bytes, status, code] of [[limit + 1, 413, "body_too_large"], [limit, 400, "invalid_request"]]) {
    const answer = await berth.call("POST /api/settings/api-keys", body(Number(bytes)));
    assert.deepEqual([answer.status, answer.body.code], [status, code]);
  }
});

Deno.test("unknown, repeated and misspelt query parameters are errors that name themselves", async () => {
  await using berth = await startService(quiet);

  for (const query of ["nope=1", "lines=1&lines=2", "lines=ten", "level=loud", "q="]) {
    const { status, body } = await berth.call(`GET /api/system/logs?${query}`);
    assert.deepEqual([status, body.code], [400, "invalid_request"], query);
    assert.match(body.errors[0].path, /^query\./);
  }
  assert.equal((await berth.call("GET /api/system/info?x=1")).status, 400);
});

Deno.test("a caller's valid request id is kept, and any other is replaced", async () => {
  await using berth = await startService(quiet);
  const idOf = async (given: string) =>
    (await berth.call("GET /api/health", undefined, { headers: { "x-request-id": given } })).headers.get(
      "x-request-id",
    );

  assert.equal(await idOf("my-request-0001"), "my-request-0001");
  for (const bad of ["short", "x".repeat(65), "with space in it", 'quote"and<tag>']) {
    const id = await idOf(bad);
    assert.notEqual(id, bad);
    assert.match(id ?? "", /^[\w.-]{8,64}$/);
  }
  assert.notEqual(await idOf("bad id"), await idOf("bad id"));
});

Deno.test("every answer carries the security headers and a request id, errors and raw text too (R8, R14)", async () => {
  await using berth = await startService(quiet);
  const calls = [
    "GET /api/health",
    "GET /api/nothing",
    "PUT /api/health",
    "GET /api/system/info?x=1",
    "GET /api/system/logs",
    "GET /api/openapi.json",
    "GET /api/docs",
    "POST /api/settings/api-keys",
  ];
  const answers = [
    ...await Promise.all(calls.map((route) => berth.call(route))),
    await berth.anonymous().call("GET /api/system/info"),
    await sendRaw(berth.port, get("Host: evil.example\r\n")),
  ];
  for (const { headers, status } of answers) {
    assert.match(
      headers.get("content-security-policy") ?? "",
      /^default-src 'none'; .*frame-ancestors 'none'/,
    );
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("cross-origin-opener-policy"), "same-origin");
    assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
    assert.ok((headers.get("x-request-id") ?? "").length >= 8, String(status));
    assert.equal([...headers.keys()].filter((name) => name.startsWith("access-control-")).length, 0);
    if (status === 401) assert.equal(headers.get("www-authenticate"), "Bearer");
  }
});

const failing = route({
  method: "get",
  path: "/failing",
  summary: "Fails in a way nobody foresaw",
  permission: "system:read",
  subject: "everything",
  query: z.object({ how: z.enum(["throw", "reject", "late", "null"]) }),
  answers: { 200: json(z.null(), "Never") },
});

Deno.test("whatever a handler throws is one generic 500 with an id that finds it in the log; the service lives (F9, R40)", async () => {
  await using berth = await startService({
    install: [],
    mount: () => [
      router().on(failing, ({ query }) => {
        if (query.how === "null") return Promise.reject(null);
        if (query.how === "throw") throw new TypeError("canary-1f2e");
        if (query.how === "reject") return Promise.reject(new Error("canary-1f2e", { cause: "canary-1f2e" }));
        return reply(200, { toJSON: () => assert.fail("canary-1f2e") } as unknown as null); // fails while it is written
      }),
    ],
  });

  for (const how of ["throw", "reject", "late", "null"]) {
    const { status, body, text } = await berth.call(`GET /api/failing?how=${how}`);
    assert.deepEqual([status, body.code], [500, "internal"], how);
    assert.ok(!text.includes("canary-1f2e"));
    const log = await berth.call(`GET /api/system/logs?level=error&q=${body.requestId}`);
    assert.equal(log.text.includes("canary-1f2e"), how !== "null", how);
  }
  assert.equal((await berth.call("GET /api/health")).status, 200);
});

Deno.test("X-Forwarded-For counts only from a trusted proxy, and only up to the first stranger (R2)", async () => {
  for (
    const [trustedProxies, peer] of [[[], "127.0.0.1"], [["127.0.0.1", "10.0.0.2"], "203.0.113.9"]] as const
  ) {
    await using berth = await startService({ ...quiet, trustedProxies });
    await berth.call("GET /api/nothing-forwarded", undefined, {
      headers: { "x-forwarded-for": "1.2.3.4, 203.0.113.9, 10.0.0.2", "x-forwarded-host": "evil.example" },
    });
    const line = JSON.parse((await berth.call("GET /api/system/logs?q=nothing-forwarded")).text);

    assert.equal(line.peer, peer);
  }
});

Deno.test("X-Forwarded-For names a peer without the port that some proxies write down", async () => {
  await using berth = await startService({ ...quiet, trustedProxies: ["127.0.0.1", "10.0.0.2"] });
  for (
    const [written, peer] of [
      ["203.0.113.9:50123", "203.0.113.9"],
      ["203.0.113.9:50123, 10.0.0.2:443", "203.0.113.9"],
      ["[2001:db8::1]:50123", "2001:db8::1"],
      ["[2001:db8::1]", "2001:db8::1"],
      ["2001:db8::1", "2001:db8::1"],
      ["unknown", "127.0.0.1"],
    ] as const
  ) {
    const asked = crypto.randomUUID();
    await berth.call(`GET /api/${asked}`, undefined, { headers: { "x-forwarded-for": written } });
    const line = JSON.parse((await berth.call(`GET /api/system/logs?q=${asked}`)).text);

    assert.equal(line.peer, peer, written);
  }
});

Deno.test("no route and no socket is without a declared permission (R17)", async () => {
  await using berth = await startService(quiet);
  const { body } = await berth.call("GET /api/openapi.json");
  const open = new Set<string>();
  let walked = 0;
  for (const [path, item] of Object.entries<Record<string, unknown>>(body.paths)) {
    for (const method of Object.keys(item).filter((name) => /^(get|post|put|delete)$/.test(name))) {
      const real = `/api${path.replace(/^\/api/, "")}`.replace(/\{[^}]+\}/g, "x");
      const { status } = await berth.anonymous().call(`${method.toUpperCase()} ${real}`);
      walked++;
      if (status !== 401) open.add(`${method.toUpperCase()} ${path.replace(/^\/api/, "")}`);
    }
  }
  assert.ok(walked > 15);
  assert.deepEqual(
    [...open].filter((route) => !OPEN.has(route)).filter((route) => !route.startsWith("GET /docs")),
    [],
  );
});

/** The open routes of the API's page, and the files of the page to try it. */
const OPEN = new Set([
  "GET /health",
  "GET /health/live",
  "GET /health/ready",
  "GET /auth/status",
  "POST /auth/idp",
  "POST /auth/password",
  "POST /auth/password-link",
  "POST /auth/key",
  "POST /auth/refresh",
  "POST /auth/password",
  "POST /auth/password-link",
  "POST /auth/key",
  "GET /settings/setup-required",
  "POST /settings/setup",
  "GET /openapi.json",
  "GET /asyncapi.json",
]);
