/** The first admin, and API keys: made once, shown once, never above their creator, gone at once. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { ON_SQLITE } from "../support/chosen_store.ts";
import { permissionsOf } from "../support/catalogue.ts";
import { readPrivateFile } from "../../auth/sealing/private_file.ts";
import { makeAdminKey } from "../../auth/keys/admin_key.ts";
import { type AccessService, makeKey, startAccess } from "../support/access_service.ts";
import { within } from "../support/within.ts";
import { PROMISED } from "../proof/promised.ts";

const DAY_MS = 86_400_000;

Deno.test("POST /api/settings/setup makes the first admin with the token of the 0600 file, which is gone then (R3)", async () => {
  await using berth = await startAccess();
  const path = `${berth.folder}/setup-token`;
  assert.equal((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
  const token = await readPrivateFile(path);
  assert.deepEqual((await berth.call("GET /api/settings/setup-required")).body, { setupRequired: true });

  const made = await berth.call("POST /api/settings/setup", { body: { token, name: "Ada" } });

  assert.equal(made.status, 201);
  assert.match(made.body.key, /^berth_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual([made.body.role, made.body.name, made.body.prefix], [
    "admin",
    "Ada",
    made.body.key.slice(0, 22),
  ]);
  assert.equal(made.headers.get("cache-control"), "no-store");
  assert.equal(made.headers.get("location"), `/api/settings/api-keys/${made.body.id}`);
  // Behind two replicas the one that answers removes its file. The other's opens nothing, and goes at its next start.
  if (Deno.env.get("BERTH_TEST_STORE") !== "replicas") {
    assert.throws(() => Deno.statSync(path), Deno.errors.NotFound);
  }
  assert.deepEqual((await berth.call("GET /api/settings/setup-required")).body, { setupRequired: false });
  assert.equal((await berth.call("GET /api/auth/me", { token: made.body.key })).body.role, "admin");
});

Deno.test("POST /api/settings/setup makes exactly one admin for 50 parallel callers on two services (F35, R4)", async () => {
  await using one = await startAccess();
  await using two = await startAccess({ folder: one.folder });
  // Replicas that know each other agree on the first one's.
  const tokens = [one.access.setupToken, two.access.setupToken ?? one.access.setupToken];
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => {
    const body = { token: tokens[n % 2], name: `caller ${n}` };
    return (n % 2 === 0 ? one : two).call("POST /api/settings/setup", { body });
  }));
  const statuses = answers.map((answer) => answer.status).sort();
  assert.deepEqual(statuses, [201, ...Array(49).fill(410)]);
  assert.equal((await one.store.keys.list()).length, 1);
});

Deno.test("POST /api/settings/setup stays closed after a restart and after every key is gone (F35, R5)", async () => {
  await using first = await startAccess();
  const key = await first.setUp();
  const born = (await first.store.keys.list())[0];
  await using again = await startAccess({ folder: first.folder });
  assert.equal(again.access.setupToken, null);
  assert.equal((await again.call("GET /api/auth/me", { token: key })).status, 200);
  const second = await makeAdminKey(again.store, "rescue");
  assert.equal(
    (await again.call(`DELETE /api/settings/api-keys/${born?.id}`, { token: second.key })).status,
    204,
  );
  for (const berth of [first, again]) {
    const closed = await berth.call("POST /api/settings/setup", {
      body: { token: first.access.setupToken, name: "late" },
    });
    assert.deepEqual([closed.status, closed.body.code], [410, "setup_done"]);
  }
});

const restored = "A restored backup lets in whom it knew, and its setup stays closed (F35, R5)";
Deno.test({ name: restored, ignore: !ON_SQLITE }, async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const folder = await Deno.makeTempDir({ prefix: "berth-restored-" });
  await berth.store.backup!(`${folder}/berth.db`);
  {
    await using restored = await startAccess({ folder });
    assert.equal(restored.access.setupToken, null);
    assert.equal((await restored.call("GET /api/auth/me", { token: admin })).status, 200);
    const body = { token: berth.access.setupToken, name: "late" };
    assert.equal((await restored.call("POST /api/settings/setup", { body })).status, 410);
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("POST /api/settings/setup answers every wrong token alike, limits them, and the right one works later (F36)", async () => {
  await using berth = await startAccess();
  const answers = [];
  for (let n = 0; n < 200; n++) {
    answers.push(
      await berth.call("POST /api/settings/setup", { body: { token: `wrong ${n}`, name: "eve" } }),
    );
  }
  const titles = new Set(answers.filter((one) => one.status === 403).map((one) => one.body.title));
  assert.equal(titles.size, 1);
  const limited = answers.filter((one) => one.status === 429);
  assert.ok(limited.length > 0, `${limited.length} limited`);
  assert.match(limited[0]?.headers.get("retry-after") ?? "", /^\d+$/);
  berth.clock.move(60_000);
  assert.match(await berth.setUp(), /^berth_/);
});

Deno.test("POST /api/settings/setup refuses a token after 30 minutes, and a restart issues a new one (R3)", async () => {
  await using berth = await startAccess();
  const old = berth.access.setupToken;
  berth.clock.move(31 * 60_000);
  const late = await berth.call("POST /api/settings/setup", { body: { token: old, name: "late" } });
  assert.deepEqual([late.status, late.body.code], [403, "setup_refused"]);
  await using again = await startAccess({ folder: berth.folder, clock: berth.clock });
  const stale = await again.call("POST /api/settings/setup", { body: { token: old, name: "late" } });
  assert.equal(stale.status, 403);
  assert.match(await again.setUp(), /^berth_/);
});

Deno.test("POST /api/settings/api-keys makes keys by role and by permission, shown once and kept as a digest (R33)", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const viewer = await berth.call("POST /api/settings/api-keys", {
    token: admin,
    body: { name: "ci", role: "viewer", expiresInDays: 7 },
  });
  assert.equal(viewer.status, 201);
  assert.deepEqual(viewer.body.permissions, permissionsOf("viewer"));
  const days = (Date.parse(viewer.body.expiresAt) - Date.parse(viewer.body.createdAt)) / DAY_MS;
  assert.equal(days, 7);
  const scoped = await makeKey(berth, admin, {
    permissions: ["images:read", "containers:read", "images:read"],
  });

  const me = await berth.call("GET /api/auth/me", { token: scoped.key });
  assert.deepEqual(me.body, {
    kind: "apiKey",
    id: scoped.id,
    name: "made",
    role: null,
    permissions: ["images:read", "containers:read"],
    grants: [{ role: null, permissions: ["images:read", "containers:read"] }],
  });
  const list = await berth.call("GET /api/settings/api-keys", { token: admin });
  assert.equal(list.body.total, 3);
  const text = JSON.stringify(list.body);
  assert.ok(!text.includes(scoped.key) && !text.includes(scoped.key.slice(23)), "no secret in the list");
  assert.ok(!("hash" in list.body.items[0]));
});

for (
  const [what, body] of [
    ["neither role nor permissions", { name: "x" }],
    ["both", { name: "x", role: "viewer", permissions: ["images:read"] }],
    ["an unknown permission", { name: "x", permissions: ["images:steal"] }],
    ["no permission at all", { name: "x", permissions: [] }],
    ["an unknown role", { name: "x", role: "owner" }],
    ["an unknown field", { name: "x", role: "viewer", hash: "00" }],
    ["a name with a line break", { name: "a\nb", role: "viewer" }],
    ["no name", { role: "viewer" }],
    ["an expiry in the past", { name: "x", role: "viewer", expiresInDays: -1 }],
  ] as const
) {
  Deno.test(`POST /api/settings/api-keys refuses ${what}, and makes nothing`, async () => {
    await using berth = await startAccess();
    const admin = await berth.setUp();
    const refused = await berth.call("POST /api/settings/api-keys", { token: admin, body });
    assert.deepEqual([refused.status, refused.body.code], [400, "invalid_request"]);
    assert.equal((await berth.store.keys.list()).length, 1);
  });
}

Deno.test("POST /api/settings/api-keys never makes a key above its creator, by role or by permission (R19)", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const keeper = await makeKey(berth, admin, { permissions: ["keys:manage", ...permissionsOf("viewer")] });
  for (
    const body of [
      { name: "up", role: "admin" },
      { name: "up", role: "operator" },
      { name: "up", permissions: ["images:read", "containers:exec"] },
    ]
  ) {
    const refused = await berth.call("POST /api/settings/api-keys", { token: keeper.key, body });
    assert.deepEqual([refused.status, refused.body.code], [403, "key_exceeds_creator"]);
  }
  assert.equal((await berth.store.keys.list()).length, 2);
  await makeKey(berth, keeper.key, { role: "viewer" });
  await makeKey(berth, keeper.key, { permissions: ["keys:manage"] });
});

Deno.test("DELETE /api/settings/api-keys/{id} refuses a key that may do more than its caller", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const keeper = await makeKey(berth, admin, { permissions: ["keys:manage"] });
  const operator = await makeKey(berth, admin, { role: "operator" });
  const refused = await berth.call(`DELETE /api/settings/api-keys/${operator.id}`, { token: keeper.key });
  assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
  assert.equal((await berth.call("GET /api/auth/me", { token: operator.key })).status, 200);
});

Deno.test("DELETE /api/settings/api-keys/{id} keeps the last admin, and a deleted key is refused at once (R33)", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const [first] = await berth.store.keys.list();
  const kept = await berth.call(`DELETE /api/settings/api-keys/${first?.id}`, { token: admin });
  assert.deepEqual([kept.status, kept.body.code], [409, "last_admin"]);
  assert.equal((await berth.call("GET /api/auth/me", { token: admin })).status, 200);

  const viewer = await makeKey(berth, admin, { role: "viewer" });
  assert.equal((await berth.call("GET /api/auth/me", { token: viewer.key })).status, 200);
  const path = `/api/settings/api-keys/${viewer.id}`;
  assert.equal((await berth.call(`DELETE ${path}`, { token: admin })).status, 204);
  await berth.settled();
  const refused = await berth.call("GET /api/auth/me", { token: viewer.key });
  assert.deepEqual([refused.status, refused.body.code], [401, "unauthenticated"]);
  assert.equal(refused.headers.get("www-authenticate"), "Bearer");
  assert.equal((await berth.call(`DELETE ${path}`, { token: admin })).status, 404);
});

Deno.test("A key that was deleted at one replica is refused by another within five seconds (R21)", async () => {
  await using one = await startAccess();
  await using two = await startAccess({ folder: one.folder });
  const admin = await one.setUp();
  const viewer = await makeKey(one, admin, { role: "viewer" });
  assert.equal((await two.call("GET /api/auth/me", { token: viewer.key })).status, 200);
  await one.call(`DELETE /api/settings/api-keys/${viewer.id}`, { token: admin });
  two.clock.move(4_500);
  assert.equal((await two.call("GET /api/auth/me", { token: viewer.key })).status, 401);
});

Deno.test("A key is refused once it has expired, remembered or not", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const short = await makeKey(berth, admin, { role: "viewer", expiresInDays: 1 });
  assert.equal((await berth.call("GET /api/auth/me", { token: short.key })).status, 200);
  berth.clock.move(DAY_MS - 60_000);
  assert.equal((await berth.call("GET /api/auth/me", { token: short.key })).status, 200);
  berth.clock.move(60_000);
  assert.equal((await berth.call("GET /api/auth/me", { token: short.key })).status, 401);
  assert.equal((await berth.call("GET /api/auth/me", { token: short.key })).status, 401);
});

Deno.test("POST /api/settings/api-keys/verify says what a key is good for, or why it is not", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const short = await makeKey(berth, admin, { name: "ci", role: "viewer", expiresInDays: 1 });
  const verify = async (key: string) => {
    return (await berth.call("POST /api/settings/api-keys/verify", { token: admin, body: { key } })).body;
  };
  const good = await verify(short.key);
  assert.deepEqual([good.valid, good.id, good.name, good.role], [true, short.id, "ci", "viewer"]);
  assert.deepEqual(await verify("hello"), { valid: false, reason: "malformed" });
  const wrong = short.key.slice(0, -1) + (short.key.endsWith("A") ? "B" : "A");
  assert.deepEqual(await verify(wrong), { valid: false, reason: "unknown" });
  assert.deepEqual(await verify(`berth_${"0".repeat(16)}_${"A".repeat(43)}`), {
    valid: false,
    reason: "unknown",
  });
  berth.clock.move(DAY_MS);
  assert.deepEqual(await verify(short.key), { valid: false, reason: "expired" });
});

Deno.test("POST /api/settings/api-keys/verify is limited per caller, and another caller is still served", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const other = await makeKey(berth, admin, { permissions: ["keys:manage"] });
  const target = "POST /api/settings/api-keys/verify";
  const statuses = new Map<number, number>();
  for (let n = 0; n < 400; n++) {
    const { status } = await berth.call(target, { token: admin, body: { key: `guess ${n}` } });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  assert.ok((statuses.get(429) ?? 0) > 0);
  assert.equal((await berth.call(target, { token: other.key, body: { key: "x" } })).status, 200);
});

Deno.test("GET /api/settings/api-keys says when a key was last used", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const viewer = await makeKey(berth, admin, { role: "viewer" });
  const lastUsed = async () => {
    await berth.settled();
    const { body } = await berth.call("GET /api/settings/api-keys", { token: admin });
    return body.items.find((one: { id: string }) => one.id === viewer.id).lastUsedAt;
  };
  assert.equal(await lastUsed(), null);
  await berth.call("GET /api/auth/me", { token: viewer.key });
  assert.match(await lastUsed(), /^\d{4}-/);
});

const locked =
  "GET /api/settings/api-keys answers with the last uses while the store cannot be written (F63)";
Deno.test({ name: locked, ignore: !ON_SQLITE }, async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const viewer = await makeKey(berth, admin, { role: "viewer" });
  using other = new DatabaseSync(`${berth.folder}/berth.db`);
  other.exec("BEGIN IMMEDIATE");
  assert.equal((await berth.call("GET /api/auth/me", { token: viewer.key })).status, 200);

  const listed = await within(
    3_000,
    "the list",
    () => berth.call("GET /api/settings/api-keys", { token: admin }),
  );

  assert.equal(listed.status, 200);
  const used = listed.body.items.map(({ lastUsedAt }: { lastUsedAt: string | null }) => lastUsedAt !== null);
  assert.deepEqual(used, [true, true]);
  other.exec("ROLLBACK");
});

Deno.test("makeAdminKey gives who owns the data folder a way back in, and closes the setup if it was open", async () => {
  await using berth = await startAccess();
  const { key } = await makeAdminKey(berth.store, "rescue");
  assert.equal((await berth.call("GET /api/auth/me", { token: key })).body.role, "admin");
  const closed = await berth.call("POST /api/settings/setup", {
    body: { token: berth.access.setupToken, name: "late" },
  });
  assert.equal(closed.status, 410);
  const second = await makeAdminKey(berth.store, "rescue again");
  assert.equal((await berth.call("GET /api/auth/me", { token: second.key })).status, 200);
});

Deno.test("GET /api/system/audit shows each change and each refusal, with its actor, newest first (R52)", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const viewer = await makeKey(berth, admin, { name: "nosy", role: "viewer" });
  await berth.call("GET /api/system/audit", { token: viewer.key });
  await berth.call("GET /api/auth/me", { token: "berth_nonsense" });
  for (const { audit } of berth.accesses) await audit.flush(); // else it waits a moment, and may be told after the next
  await berth.call(`DELETE /api/settings/api-keys/${viewer.id}`, { token: admin });

  const { body } = await berth.call("GET /api/system/audit", { token: admin });

  const told = body.items.map((one: Record<string, { name?: string }>) => [
    one["actor"]?.name,
    one["action"],
    one["result"],
  ]);
  assert.deepEqual(told, [
    ["first", "DELETE /api/settings/api-keys/{id}", "done"],
    ["nosy", "GET /api/system/audit", "forbidden"],
    ["first", "POST /api/settings/api-keys", "done"],
    ["first", "POST /api/settings/setup", "done"],
  ]);
  const targets = body.items.map((one: { target: string }) => one.target);
  assert.deepEqual([targets[0], targets[2]], Array(2).fill(`/api/settings/api-keys/${viewer.id}`));
  assert.match(body.items[1].requestId, /./);
  assert.equal(body.items[1].peer, "127.0.0.1");
  const page = await berth.call("GET /api/system/audit?limit=2", { token: admin });
  assert.equal(page.body.items.length, 2);
  const rest = await berth.call(`GET /api/system/audit?limit=9&cursor=${page.body.next}`, { token: admin });
  assert.deepEqual([rest.body.items.length, rest.body.next], [2, undefined]);
  const refusals = await berth.call("GET /api/system/audit?result=forbidden", { token: admin });
  assert.equal(refusals.body.total, 1);
});

Deno.test("A credential in the query string is refused, and no log line holds it (F46, R29)", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  for (const name of ["access_token", "token", "key", "apikey"]) {
    const alone = await berth.call(`GET /api/auth/me?${name}=${admin}`);
    assert.equal(alone.status, 401);
    const beside = await berth.call(`GET /api/auth/me?${name}=${admin}`, { token: admin });
    assert.equal(beside.status, 400);
    assert.ok(!JSON.stringify([alone.body, beside.body]).includes(admin));
  }
  await berth.access.audit.flush();
  assert.ok(!berth.logged.join("\n").includes(admin));
  const audit = await berth.store.audit.list({
    before: null,
    limit: 100,
    action: null,
    actor: null,
    result: null,
  });
  assert.ok(!JSON.stringify(audit.items).includes(admin));
});

Deno.test("Two credentials at once are refused, whichever of them is good (R29)", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const refused = await berth.call("GET /api/auth/me", {
    headers: { authorization: `Bearer ${admin}, Bearer ${admin}` },
  });
  assert.deepEqual([refused.status, refused.body.code], [400, "two_credentials"]);
  const basic = await berth.call("GET /api/auth/me", {
    headers: { authorization: `Basic ${btoa(`a:${admin}`)}` },
  });
  assert.equal(basic.status, 401);
});

Deno.test("An open stream of a deleted key ends within five seconds, at other replicas too (F47, R21)", async () => {
  await using one = await startAccess();
  await using two = await startAccess({ folder: one.folder });
  const admin = await one.setUp();
  const shell = await makeKey(one, admin, { permissions: ["containers:exec"] });
  const sockets = await Promise.all([one, one, two].map((berth) => openEcho(berth, shell.key)));
  assert.equal((await one.call(`DELETE /api/settings/api-keys/${shell.id}`, { token: admin })).status, 204);
  await within(
    PROMISED.revoked,
    "all three are closed",
    () => sockets.every((socket) => socket.code !== null),
  );
  assert.deepEqual(sockets.map((socket) => socket.code), [1008, 1008, 1008]);
});

Deno.test("A key in the place of an id is not kept in the audit log", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  await berth.call(`DELETE /api/settings/api-keys/${admin}`, { token: admin });
  await berth.settled();
  const { body } = await berth.call("GET /api/system/audit?limit=1", { token: admin });
  assert.equal(body.items[0].target, `/api/settings/api-keys/${admin.slice(0, 23)}...`);
});

Deno.test("When the store is gone nobody is let in: 503, remembered or not (R18)", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const viewer = await makeKey(berth, admin, { role: "viewer" });
  assert.equal((await berth.call("GET /api/auth/me", { token: admin })).status, 200);
  for (const store of berth.stores) await store[Symbol.asyncDispose]();
  berth.clock.move(5_000);
  for (const token of [admin, viewer.key]) {
    const refused = await berth.call("GET /api/auth/me", { token });
    assert.deepEqual([refused.status, refused.body.code], [503, "store_unavailable"]);
  }
});

async function openEcho(berth: AccessService, token: string): Promise<{ code: number | null }> {
  const socket = new WebSocket(`${berth.url.replace("http", "ws")}/api/echo`, [
    "berth.v1",
    `berth.bearer.${token}`,
  ]);
  const opened = Promise.withResolvers<void>();
  const state: { code: number | null } = { code: null };
  socket.onopen = () => opened.resolve();
  socket.onerror = () => opened.reject(new Error("refused"));
  socket.onclose = ({ code }) => state.code = code;
  await opened.promise;
  return state;
}
