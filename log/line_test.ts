/** Promises of one log line. */
import assert from "node:assert/strict";
import { formatAccess, formatLine, visible } from "./line.ts";

const TIME = "2026-01-02T03:04:05.678Z";

function parsed(message: string, fields?: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(formatLine(TIME, "info", message, fields));
}

Deno.test("formatLine writes one JSON line with time, level and message first", () => {
  assert.equal(
    formatLine(TIME, "warn", "Disk is filling", { percent: 91 }),
    `{"time":"${TIME}","level":"warn","message":"Disk is filling","percent":91}`,
  );
});

Deno.test("formatLine stays one printable ASCII-safe line whatever the input (F56, R47)", () => {
  const hostile = 'a\r\n{"level":"error"}\u001b]0;x\u0007\u2028\u2029\u202e\u2066\u200b\u0085\u007f\ufeff';
  const line = formatLine(TIME, "info", hostile, { [hostile]: hostile });

  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/);
  assert.equal(JSON.parse(line).message, hostile);
});

const SECRETS: readonly [string, string, string][] = [
  ["a bearer token", "got Authorization: Bearer canaryAAAABBBBCCCC1234", "canaryAAAABBBBCCCC1234"],
  ["an API key", "key berth_ab12cd_canaryZZZZ_yyyy was used", "canaryZZZZ"],
  ["a JWT", "token eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnY2FuYXJ5 here", "c2lnY2FuYXJ5"],
  ["credentials in a URL", "cannot reach postgres://ada:canary-pw@db:5432/berth", "canary-pw"],
  ["a socket's subprotocol", "berth.v1, berth.bearer.canary_token-1.2", "canary_token"],
  ["a query parameter", "GET /x?refresh_token=canary123&x=1", "canary123"],
  ["an authorization code", "redirect ?code=canary-code-1234&state=x", "canary-code-1234"],
  ["JSON inside a string", 'body {"password":"canary-pw"}', "canary-pw"],
];
for (const [what, text, secret] of SECRETS) {
  Deno.test(`formatLine masks ${what} inside strings, in messages, fields and errors`, () => {
    const line = formatLine(TIME, "info", text, { text, deep: { list: [text] }, error: new Error(text) });

    assert.ok(!line.includes(secret), line);
    assert.ok(line.includes("[redacted]"));
    JSON.parse(line);
  });
}

for (
  const name of [
    "authorization",
    "Set-Cookie",
    "password",
    "accessToken",
    "clientSecret",
    "env",
    "code_verifier",
  ]
) {
  Deno.test(`formatLine masks the field ${name}`, () => {
    assert.deepEqual(parsed("x", { inner: { [name]: "canary" } })["inner"], { [name]: "[redacted]" });
  });
}

Deno.test("formatLine never throws: cycles, getters that throw, bigints, depth and size", () => {
  const loop: Record<string, unknown> = {
    big: 1n,
    wide: new Array(1_000).fill(1),
    long: "x".repeat(100_000),
  };
  loop["self"] = loop;
  Object.defineProperty(loop, "bad", { enumerable: true, get: () => assert.fail("read") });

  const line = formatLine(TIME, "error", "x", { error: new Error("a", { cause: new TypeError("b") }), loop });

  assert.equal(JSON.parse(line).error.cause.name, "TypeError");
  assert.equal(JSON.parse(line).loop.big, "1");
  assert.ok(line.length < 40_000);
});

Deno.test("formatLine lets no field replace time, level or message", () => {
  assert.deepEqual(parsed("real", { message: "forged", level: "x", time: "y" }), {
    time: TIME,
    level: "info",
    message: "real",
  });
});

Deno.test("formatAccess writes what JSON.stringify would, for plain and for hostile paths", () => {
  for (const path of ["/api/health", '/a"b\\c\u2028\n', "/x?berth_a_b"]) {
    const line = formatAccess(TIME, {
      method: "GET",
      path,
      status: 200,
      ms: 1.23456,
      requestId: "r-1",
      peer: "127.0.0.1",
      caller: "apiKey:k",
      code: null,
    });
    const { path: kept, ms, caller } = JSON.parse(line);
    assert.deepEqual([ms, caller], [1.235, "apiKey:k"]);
    assert.equal(kept, path.replace("berth_a_b", "[redacted]"));
    assert.doesNotMatch(line, /\u2028|\n/);
  }
});

Deno.test("visible shows control characters instead of obeying them", () => {
  assert.equal(visible("a\u001b[31mb\u202ec"), "a\\u001b[31mb\\u202ec");
});
