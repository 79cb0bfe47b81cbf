/** Before its 101 a socket shows our Origin or none, one good credential and the permission; afterwards it keeps them. */
import assert from "node:assert/strict";
import type { Identity } from "../../auth/provider/identity_provider.ts";
import { type AccessService, makeKey, PROGRAM, startAccess } from "../support/access_service.ts";
import { AS_REPLICAS } from "../support/chosen_store.ts";
import { eventually } from "../support/eventually.ts";
import { ENTRY } from "./audit_entry.ts";

const RULES = [{ claim: "groups", value: "ops", role: "admin" }] as const;
const ADA: Identity = {
  issuer: "https://issuer.example",
  subject: "ada",
  name: "Ada",
  email: null,
  picture: null,
  claims: { groups: ["ops"] },
  authenticatedAt: null,
};

interface Handshake {
  readonly status: number;
  readonly head: string;
  readonly code: string | null;
}

/** One upgrade request, byte for byte. */
async function upgrade(
  berth: AccessService,
  headers: readonly (readonly [string, string])[],
  path = "/api/echo",
): Promise<Handshake> {
  const { hostname, port } = new URL(berth.url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  try {
    const lines = [
      `GET ${path} HTTP/1.1`,
      ...(headers.some(([name]) => name === "host") ? [] : [`host: ${hostname}:${port}`]),
      "connection: upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
      ...headers.map(([name, value]) => `${name}: ${value}`),
    ];
    await connection.write(new TextEncoder().encode(lines.join("\r\n") + "\r\n\r\n"));
    let text = "";
    const decoder = new TextDecoder();
    const chunk = new Uint8Array(16_384);
    while (!isWhole(text)) {
      const read = await connection.read(chunk);
      if (read === null) break;
      text += decoder.decode(chunk.subarray(0, read), { stream: true });
    }
    const [head = "", body = ""] = text.split("\r\n\r\n");
    const status = Number(head.split(" ")[1]);
    return { status, head: head.toLowerCase(), code: status === 101 ? null : JSON.parse(body).code };
  } finally {
    connection.close();
  }
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return text.startsWith("HTTP/1.1 101") || (length !== undefined && text.length >= end + 4 + Number(length));
}

async function withAdmin() {
  const berth = await startAccess({ roles: RULES });
  return { berth, admin: await berth.setUp() };
}

Deno.test("A socket is admitted with our Origin or none, by header or by subprotocol, and is answered berth.v1 alone", async () => {
  const { berth, admin } = await withAdmin();
  await using _ = berth;
  const bearer = ["authorization", `Bearer ${admin}`] as const;
  const offered = (list: string) => ["sec-websocket-protocol", list] as const;
  const ours = ["origin", berth.origin] as const;
  const good = [
    [bearer],
    [bearer, ours],
    [bearer, offered("berth.v1")],
    [offered(`berth.v1, berth.bearer.${admin}`)],
    [offered(`berth.v1,berth.bearer.${admin}`), ours],
    [offered(`berth.bearer.${admin}, berth.v1`), ours],
    [offered("berth.v1"), offered(`berth.bearer.${admin}`), ours],
    [offered(`berth.v1, berth.bearer.${admin}`), ours, ["cookie", "__Host-berth_refresh=x"]],
  ] as const;
  for (const headers of good) {
    const { status, head } = await upgrade(berth, headers);
    assert.equal(status, 101, JSON.stringify(headers));
    const offers = headers.some(([name]) => name === "sec-websocket-protocol");
    const answered = [...head.matchAll(/sec-websocket-protocol: (.*)/g)].map((one) => one[1]?.trim());
    assert.deepEqual(answered, offers ? ["berth.v1"] : []);
    assert.ok(!head.includes(admin.toLowerCase()));
  }
});

Deno.test("A socket is refused before its 101 for every foreign Origin, whatever credential it brings (F44, R11)", async () => {
  const { berth, admin } = await withAdmin();
  await using _ = berth;
  const { host, port } = new URL(berth.url);
  for (
    const origin of [
      "https://evil.example",
      "null",
      "",
      `https://${host}`,
      `http://${host}/`,
      `http://${host}.evil.example`,
      `http://evil.example:${port}`,
      `http://127.0.0.1:${Number(port) - 1}`,
      "http://127.0.0.1",
      `http://127.0.0.2:${port}`,
      `http://x@${host}`,
      `HTTP://${host}`,
      `${berth.origin}, ${berth.origin}`,
    ]
  ) {
    for (
      const credential of [
        ["authorization", `Bearer ${admin}`],
        ["sec-websocket-protocol", `berth.v1, berth.bearer.${admin}`],
      ] as const
    ) {
      const refused = await upgrade(berth, [["origin", origin], credential]);
      assert.deepEqual([origin, refused.status, refused.code], [origin, 403, "origin_refused"]);
    }
  }
  const twice = await upgrade(berth, [
    ["origin", berth.origin],
    ["origin", "https://evil.example"],
    ["authorization", `Bearer ${admin}`],
  ]);
  assert.deepEqual([twice.status, twice.code], [403, "origin_refused"]);
});

Deno.test("A socket is never admitted by a cookie, and a cookie without an Origin spoils a good credential (F44)", async () => {
  const { berth, admin } = await withAdmin();
  await using _ = berth;
  const { refreshToken } = await berth.access.sessions.open(
    ADA,
    { binding: "b".repeat(43), name: null },
    ENTRY,
  );
  const cookie = ["cookie", `__Host-berth_refresh=${refreshToken}`] as const;
  const alone = await upgrade(berth, [cookie]);
  assert.deepEqual([alone.status, alone.code], [403, "origin_refused"]);
  const fromOurs = await upgrade(berth, [cookie, ["origin", berth.origin], ["x-berth", "b".repeat(43)]]);
  assert.deepEqual([fromOurs.status, fromOurs.code], [401, "unauthenticated"]);
  for (
    const credential of [
      ["authorization", `Bearer ${admin}`],
      ["sec-websocket-protocol", `berth.v1, berth.bearer.${admin}`],
    ] as const
  ) {
    const spoiled = await upgrade(berth, [cookie, credential]);
    assert.deepEqual([spoiled.status, spoiled.code], [403, "origin_refused"]);
  }
});

Deno.test("A socket is refused before its 101 for every credential that is not exactly one good one (F46, R11)", async () => {
  const { berth, admin } = await withAdmin();
  await using _ = berth;
  const tokens = await berth.access.sessions.open(ADA, PROGRAM, ENTRY);
  const ended = await berth.access.sessions.open(ADA, PROGRAM, ENTRY);
  await berth.access.sessions.end(ended.session, ENTRY);
  const gone = await makeKey(berth, admin, { role: "admin" });
  await berth.call(`DELETE /api/settings/api-keys/${gone.id}`, { token: admin });
  const viewer = await makeKey(berth, admin, { role: "viewer" });
  const offer = (list: string) => [["sec-websocket-protocol", list], ["origin", berth.origin]] as const;
  const cases: [string, readonly (readonly [string, string])[], number, string, string?][] = [
    ["none", [["origin", berth.origin]], 401, "unauthenticated"],
    ["berth.v1 alone", offer("berth.v1"), 401, "unauthenticated"],
    ["an empty token", offer("berth.v1, berth.bearer."), 401, "unauthenticated"],
    ["rubbish", offer("berth.v1, berth.bearer.rubbish"), 401, "unauthenticated"],
    ["a deleted key", offer(`berth.v1, berth.bearer.${gone.key}`), 401, "unauthenticated"],
    [
      "a token of a session that ended",
      offer(`berth.v1, berth.bearer.${ended.accessToken}`),
      401,
      "unauthenticated",
    ],
    ["a refresh token", offer(`berth.v1, berth.bearer.${tokens.refreshToken}`), 401, "unauthenticated"],
    ["the setup token", offer(`berth.v1, berth.bearer.${berth.access.setupToken}`), 401, "unauthenticated"],
    ["a viewer", offer(`berth.v1, berth.bearer.${viewer.key}`), 403, "forbidden"],
    ["berth.v1 missing", offer(`berth.bearer.${admin}`), 400, "invalid_request"],
    ["another version", offer(`berth.v2, berth.bearer.${admin}`), 400, "invalid_request"],
    ["two tokens", offer(`berth.v1, berth.bearer.${admin}, berth.bearer.${admin}`), 400, "two_credentials"],
    [
      "a token and a header",
      [...offer(`berth.v1, berth.bearer.${admin}`), ["authorization", `Bearer ${admin}`]],
      400,
      "two_credentials",
    ],
    ["a very long offer", offer(`berth.v1, berth.bearer.${"x".repeat(9_000)}`), 400, "invalid_request"],
    ["a token in the query", [["origin", berth.origin]], 401, "unauthenticated", `?access_token=${admin}`],
    [
      "a token in the query beside a good one",
      [["authorization", `Bearer ${admin}`]],
      400,
      "invalid_request",
      `?access_token=${admin}`,
    ],
    ["a foreign Host", [["host", "evil.example"], ["authorization", `Bearer ${admin}`]], 421, "wrong_host"],
  ];
  if (AS_REPLICAS) cases.pop(); // Caddy has no such site, and says so itself
  for (const [what, headers, status, code, query = ""] of cases) {
    const refused = await upgrade(berth, headers, `/api/echo${query}`);
    assert.deepEqual([what, refused.status, refused.code], [what, status, code]);
  }
  berth.clock.move(5 * 60_000);
  const late = await upgrade(berth, offer(`berth.v1, berth.bearer.${tokens.accessToken}`));
  assert.deepEqual([late.status, late.code], [401, "unauthenticated"]);

  await berth.access.audit.flush();
  const entries = await berth.store.audit.list({
    before: null,
    limit: 500,
    action: null,
    actor: null,
    result: null,
  });
  const written = berth.logged.join("\n") + JSON.stringify(entries.items);
  for (const secret of [admin, gone.key, viewer.key, tokens.accessToken, tokens.refreshToken]) {
    assert.ok(!written.includes(secret));
  }
});

Deno.test("A socket route without an upgrade says so, and only to those who may use it", async () => {
  const { berth, admin } = await withAdmin();
  await using _ = berth;
  assert.equal((await berth.call("GET /api/echo")).status, 401);
  assert.equal((await berth.call("GET /api/echo", { token: admin })).status, 426);
});

Deno.test("Open sockets of a session close with 1008 when it ends, by sign-out or by a token used twice (F47)", async () => {
  const { berth } = await withAdmin();
  await using _ = berth;
  const first = await berth.access.sessions.open(ADA, PROGRAM, ENTRY);
  const second = await berth.access.sessions.open(ADA, PROGRAM, ENTRY);
  const closed = new Map<string, number>();
  for (const [name, { accessToken }] of Object.entries({ first, second })) {
    const opened = Promise.withResolvers<void>();
    const socket = new WebSocket(`${berth.url.replace("http", "ws")}/api/echo`, [
      "berth.v1",
      `berth.bearer.${accessToken}`,
    ]);
    socket.onopen = () => opened.resolve();
    socket.onerror = () => opened.reject(new Error("refused"));
    socket.onclose = ({ code }) => closed.set(name, code);
    await opened.promise;
  }
  await berth.call("POST /api/auth/logout", { token: first.accessToken });
  await eventually("the first is closed", () => closed.has("first"));
  assert.deepEqual([...closed], [["first", 1008]]);

  const next = await berth.call("POST /api/auth/refresh", { body: { refreshToken: second.refreshToken } });
  assert.equal(next.status, 200);
  berth.clock.move(11_000);
  await berth.call("POST /api/auth/refresh", { body: { refreshToken: second.refreshToken } });
  await eventually("the second is closed", () => closed.has("second"));
  assert.deepEqual([...closed], [["first", 1008], ["second", 1008]]);
});
