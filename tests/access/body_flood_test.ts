/** Addresses that hold many bodies take no memory from others. */
import assert from "node:assert/strict";
import { sendRaw } from "../support/raw_http.ts";
import { startService } from "../support/service.ts";

const encoder = new TextEncoder();

/** Sends a request whose body never ends, and leaves its connection open. */
async function hold(
  port: number,
  from: string,
  length: number,
  path = "/api/auth/key",
): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(encoder.encode(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nX-Berth: 1\r\n` +
      `X-Forwarded-For: ${from}\r\nContent-Length: ${length}\r\n\r\n{"key":"`,
  ));
  return connection;
}

async function statusOf(connection: Deno.TcpConn): Promise<string> {
  const buffer = new Uint8Array(4_096);
  const count = await connection.read(buffer);
  return new TextDecoder().decode(buffer.subarray(0, count ?? 0));
}

Deno.test("a body without a credential is at most 16 KiB", async () => {
  await using berth = await startService({ install: [] });
  const { status, body } = await berth.anonymous().call("POST /api/auth/key", { key: "x".repeat(17 * 1024) });
  assert.deepEqual([status, body.code], [413, "body_too_large"]);
});

Deno.test("an address that holds 128 KiB of sign-ins is 429 with Retry-After, and others are answered", async () => {
  await using berth = await startService({
    install: [],
    strangersPerSecond: 0,
    trustedProxies: ["127.0.0.1"],
  });
  const held: Deno.TcpConn[] = [];
  try {
    const each = 16 * 1024;
    for (let count = 0; count < 128 * 1024 / each; count++) {
      held.push(await hold(berth.port, "203.0.113.1", each));
    }
    using refused = await hold(berth.port, "203.0.113.1", each);
    const answer = await statusOf(refused);
    assert.match(answer, /^HTTP\/1\.1 429 /);
    assert.match(answer, /\r\nretry-after: 2\r\n/i);

    const body = '{"key":"no key"}';
    const other = await sendRaw(
      berth.port,
      `POST /api/auth/key HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\nContent-Type: application/json\r\n` +
        `X-Berth: 1\r\nX-Forwarded-For: 203.0.113.2\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    assert.notEqual(other.status, 429, other.body);
    assert.equal((await berth.call("GET /api/health")).status, 200);
  } finally {
    for (const connection of held) connection.close();
  }
});

Deno.test("strangers at many addresses who hold their bodies keep nobody from signing in or from working", async () => {
  await using berth = await startService({
    install: [],
    strangersPerSecond: 0,
    trustedProxies: ["127.0.0.1"],
  });
  const held: Deno.TcpConn[] = [];
  try {
    for (let count = 0; count < 64; count++) {
      held.push(await hold(berth.port, `203.0.113.${count % 8}`, 1024 * 1024, "/api/hooks/none"));
    }
    using refused = await hold(berth.port, "203.0.113.9", 1024 * 1024, "/api/hooks/none");
    assert.match(await statusOf(refused), /^HTTP\/1\.1 429 /, "the hooks are full");

    const command = "docker run -d --name web nginx";
    assert.equal((await berth.call("POST /api/artifacts/from-run", { command })).status, 200);
    const signIn = await berth.anonymous().call("POST /api/auth/key", { key: "no key" });
    assert.notEqual(signIn.status, 429, signIn.text);
  } finally {
    for (const connection of held) connection.close();
  }
});
