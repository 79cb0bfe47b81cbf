/** Keys and who made them: never longer, never more, gone together; rotation, addresses, and a warning before the end. */
import assert from "node:assert/strict";
import { makeAdminKey } from "../../auth/keys/admin_key.ts";
import { type AccessService, makeKey, MovableClock, startAccess } from "../support/access_service.ts";
import { permissionsOf } from "../support/catalogue.ts";
import { startService } from "../support/service.ts";

const DAY_MS = 86_400_000;

const me = async (berth: AccessService, token: string) =>
  (await berth.call("GET /api/auth/me", { token })).status;

Deno.test("A key ends no later than the key that made it, and goes with it, with all that it made", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const day = await makeKey(berth, admin, { role: "admin", expiresInDays: 1 });
  const endless = await makeKey(berth, day.key, { permissions: ["keys:manage", "system:read"] });
  const long = await makeKey(berth, endless.key, { permissions: ["system:read"], expiresInDays: 3_650 });
  const { body } = await berth.call("GET /api/settings/api-keys", { token: admin });
  const [first, parent, child, grandchild] = body.items;
  assert.deepEqual([child.expiresAt, grandchild.expiresAt], [parent.expiresAt, parent.expiresAt]);
  assert.deepEqual([first.creator, parent.creator, grandchild.creator], [
    null,
    { kind: "apiKey", id: first.id },
    { kind: "apiKey", id: child.id },
  ]);
  const made = await berth.call(`GET /api/settings/api-keys?createdBy=${day.id}`, { token: admin });
  assert.deepEqual(made.body.items.map((one: { id: string }) => one.id), [endless.id]);

  assert.deepEqual([await me(berth, endless.key), await me(berth, long.key)], [200, 200]);
  assert.equal((await berth.call(`DELETE /api/settings/api-keys/${day.id}`, { token: admin })).status, 204);
  assert.deepEqual([await me(berth, endless.key), await me(berth, long.key)], [401, 401]);
  assert.equal((await berth.store.keys.list()).length, 1);
});

Deno.test("POST …/take-over makes a key stay when whoever made it goes, and nobody takes over more than they hold", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const maker = await makeKey(berth, admin, { role: "admin" });
  const made = await makeKey(berth, maker.key, { role: "viewer" });
  const weak = await makeKey(berth, admin, { permissions: ["keys:manage"], expiresInDays: 1 });
  const takeOver = (id: string, token: string) =>
    berth.call(`POST /api/settings/api-keys/${id}/take-over`, { token });
  assert.deepEqual((await takeOver(made.id, weak.key)).body.code, "forbidden");
  assert.deepEqual((await takeOver("none", admin)).status, 404);
  for (const id of [maker.id, made.id]) {
    const viaOwn = await takeOver(maker.id, (await makeKey(berth, maker.key, { role: "admin" })).key);
    assert.deepEqual([id, viaOwn.status, viaOwn.body.code], [id, 403, "forbidden"]);
  }
  const taken = await takeOver(made.id, admin);
  assert.deepEqual([taken.status, taken.body.createdBy], [200, "first"]);
  await berth.call(`DELETE /api/settings/api-keys/${maker.id}`, { token: admin });
  assert.equal(await me(berth, made.key), 200);
});

Deno.test("A key that ends and takes another one over takes along what that one has made", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const maker = await makeKey(berth, admin, { role: "admin" });
  const made = await makeKey(berth, maker.key, { role: "viewer" });
  const brief = await makeKey(berth, maker.key, { role: "viewer", expiresInDays: 1 });
  const ends = await makeKey(berth, admin, { role: "admin", expiresInDays: 2 });
  const taken = await berth.call(`POST /api/settings/api-keys/${maker.id}/take-over`, { token: ends.key });
  assert.equal(taken.status, 200, taken.text);
  const all = async () => await Promise.all([maker, made, brief].map(({ key }) => me(berth, key)));
  berth.clock.move(1.5 * DAY_MS);
  assert.deepEqual(await all(), [200, 200, 401], "none ends later than before");
  berth.clock.move(DAY_MS);
  assert.deepEqual(await all(), [401, 401, 401]);
});

Deno.test("POST …/rotate gives a new secret and lets the old one go on as long as asked, at every replica", async () => {
  await using berth = await startAccess();
  await using other = await startAccess({ folder: berth.folder, clock: berth.clock });
  const admin = await berth.setUp();
  const key = await makeKey(berth, admin, { role: "viewer" });
  const rotate = (body: unknown, token = admin) =>
    berth.call(`POST /api/settings/api-keys/${key.id}/rotate`, { token, body });
  const both = (one: string) => Promise.all([me(berth, one), me(other, one)]);
  assert.deepEqual(await both(key.key), [200, 200]);

  const first = await rotate({ overlapMinutes: 60 });
  assert.equal(first.status, 200);
  assert.match(first.body.key, new RegExp(`^berth_${key.id}_`));
  assert.notEqual(first.body.key, key.key);
  assert.equal(Date.parse(first.body.previousUntil) - berth.clock.now() > 59 * 60_000, true);
  assert.deepEqual([await both(key.key), await both(first.body.key)], [[200, 200], [200, 200]]);
  berth.clock.move(61 * 60_000);
  assert.deepEqual([await both(key.key), await both(first.body.key)], [[401, 401], [200, 200]]);

  const second = await rotate({});
  assert.equal(await me(berth, first.body.key), 401, "without an overlap at once");
  assert.equal(await me(berth, second.body.key), 200);
  berth.clock.move(4_500);
  assert.equal(await me(other, first.body.key), 401, "elsewhere within five seconds");
  assert.equal(await me(other, second.body.key), 200);
  const weak = await makeKey(berth, admin, { permissions: ["keys:manage"] });
  assert.deepEqual((await rotate({}, weak.key)).body.code, "forbidden");
  assert.equal((await rotate({ overlapMinutes: -1 })).status, 400);
  assert.equal(await me(berth, second.body.key), 200);
});

Deno.test("A session of a key ends with the secret that opened it, its refresh too, at every replica", async () => {
  await using berth = await startAccess();
  await using other = await startAccess({ folder: berth.folder, clock: berth.clock });
  const admin = await berth.setUp();
  const key = await makeKey(berth, admin, { role: "admin" });
  const rotate = async (body: unknown, token = admin) =>
    (await berth.call(`POST /api/settings/api-keys/${key.id}/rotate`, { token, body })).body.key as string;
  const exchange = (secret: string) => berth.call("POST /api/auth/key", { body: { key: secret } });
  const open = async (secret: string) => (await exchange(secret)).body;
  const refresh = async (refreshToken: string) =>
    (await other.call("POST /api/auth/refresh", { body: { refreshToken } })).status;
  const both = (one: { accessToken: string }) =>
    Promise.all([me(berth, one.accessToken), me(other, one.accessToken)]);

  const leaked = await open(key.key);
  const own = await open(key.key);
  assert.deepEqual([await both(leaked), await both(own)], [[200, 200], [200, 200]]);
  const second = await rotate({}, own.accessToken);
  assert.equal(await me(berth, leaked.accessToken), 401);
  assert.equal(await refresh(leaked.refreshToken), 401);
  berth.clock.move(4_500);
  assert.equal(await me(other, leaked.accessToken), 401, "elsewhere within five seconds");
  assert.deepEqual(await both(own), [200, 200], "whoever rotates keeps their own");
  assert.equal((await exchange(key.key)).status, 401);

  const before = await open(second);
  const third = await rotate({ overlapMinutes: 2 });
  const within = await open(second);
  const after = await open(third);
  assert.deepEqual([await both(before), await both(within), await both(after)], [[200, 200], [200, 200], [
    200,
    200,
  ]]);
  berth.clock.move(2 * 60_000);
  assert.deepEqual([await both(before), await both(within), await both(after)], [[401, 401], [401, 401], [
    200,
    200,
  ]]);
  assert.deepEqual([await refresh(before.refreshToken), await refresh(within.refreshToken)], [401, 401]);
});

Deno.test("A stream that was opened with a secret ends within five seconds of the secret", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const key = await makeKey(berth, admin, { role: "admin" });
  const rotated = await berth.call(`POST /api/settings/api-keys/${key.id}/rotate`, {
    token: admin,
    body: { overlapMinutes: 60 },
  });
  const open = async (token: string) => {
    const socket = new WebSocket(`${berth.url.replace("http", "ws")}/api/echo`, [
      "berth.v1",
      `berth.bearer.${token}`,
    ]);
    const closed = new Promise<number>((resolve) => socket.onclose = ({ code }) => resolve(code));
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = () => reject(new Error("the socket did not open"));
    });
    return { socket, closed };
  };
  const old = await open(key.key);
  const young = await open(rotated.body.key);
  await berth.call(`POST /api/settings/api-keys/${key.id}/rotate`, {
    token: admin,
    body: { overlapMinutes: 60 },
  });
  assert.equal(await old.closed, 1008, "two secrets back counts no longer");
  assert.equal(young.socket.readyState, WebSocket.OPEN);
  await berth.call(`DELETE /api/settings/api-keys/${key.id}`, { token: admin });
  assert.equal(await young.closed, 1008);
});

Deno.test("A key with `from` is good from those addresses alone, its sessions too", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const near = await makeKey(berth, admin, { role: "viewer", from: ["10.0.0.0/8", "127.0.0.1"] });
  const far = await makeKey(berth, admin, { role: "viewer", from: ["10.0.0.0/8", "fd00::/8"] });
  assert.deepEqual([await me(berth, near.key), await me(berth, far.key)], [200, 401]);
  assert.deepEqual([await me(berth, near.key), await me(berth, far.key)], [200, 401], "remembered or not");
  assert.equal((await berth.call("POST /api/auth/key", { body: { key: near.key } })).status, 200);
  assert.equal((await berth.call("POST /api/auth/key", { body: { key: far.key } })).status, 401);
  for (const from of [["10.0.0.0/33"], ["example.org"], [], "10.0.0.1", [7]]) {
    const bad = await berth.call("POST /api/settings/api-keys", {
      token: admin,
      body: { name: "x", role: "viewer", from },
    });
    assert.equal(bad.status, 400, JSON.stringify(from));
  }
  await berth.settled();
  const listed = await berth.call("GET /api/settings/api-keys", { token: admin });
  const shown = listed.body.items.find((one: { id: string }) => one.id === near.id);
  assert.deepEqual([shown.from, shown.lastUsedPeer], [["10.0.0.0/8", "127.0.0.1"], "127.0.0.1"]);
});

Deno.test("A key beyond its maker's scope is 403, and one within it is made and shown with its grants", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const scoped = await makeKey(berth, admin, {
    grants: [{ permissions: ["keys:manage"] }, { role: "operator", on: ["project:shop", "label:team=web"] }],
  });
  const make = (grants: unknown) =>
    berth.call("POST /api/settings/api-keys", { token: scoped.key, body: { name: "x", grants } });
  for (
    const beyond of [
      [{ role: "viewer" }],
      [{ role: "viewer", on: ["project:other"] }],
      [{ role: "viewer", on: ["engine:shop"] }],
      [{ role: "admin", on: ["project:shop"] }],
      [{ permissions: ["containers:exec"], on: ["project:shop"] }],
      [{ role: "viewer", on: ["project:shop"] }, { permissions: ["images:read"] }],
    ]
  ) {
    const refused = await make(beyond);
    assert.deepEqual(
      [refused.status, refused.body.code],
      [403, "key_exceeds_creator"],
      JSON.stringify(beyond),
    );
  }
  const grants = [{ role: "viewer", on: ["label:team=web"] }];
  const made = await make(grants);
  assert.deepEqual([made.status, made.body.grants, made.body.role, made.body.permissions], [
    201,
    grants,
    null,
    [],
  ]);
  const seen = await berth.call("GET /api/auth/me", { token: made.body.key });
  assert.deepEqual(seen.body.grants, [{ ...grants[0], permissions: permissionsOf("viewer") }]);
  const unknown = await make([{ role: "viewer", on: ["planet:earth"] }]);
  assert.equal(unknown.status, 400);
  assert.match(unknown.text, /engine:<name>.*workspace:<id>.*project:<name>.*label:<key>=<value>/);
});

Deno.test("BERTH_KEY_MAX_DAYS ends keys without an end, and refuses a longer life", async () => {
  await using berth = await startService({ keyMaxDays: 30, install: [] });
  const make = (expiresInDays?: number) =>
    berth.call("POST /api/settings/api-keys", { name: "x", role: "viewer", expiresInDays });
  const days = ({ body }: Awaited<ReturnType<typeof make>>) =>
    (Date.parse(body.expiresAt) - Date.parse(body.createdAt)) / DAY_MS;
  assert.deepEqual([days(await make()), days(await make(7)), days(await make(30))], [30, 7, 30]);
  const refused = await make(31);
  assert.deepEqual([refused.status, refused.body.errors[0].path], [400, "body.expiresInDays"]);
  assert.match(refused.body.errors[0].message, /at most 30.*BERTH_KEY_MAX_DAYS/);
});

Deno.test("There are at most 1,000 keys, and the command line makes one more", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  for (let n = 1; n < 1_000; n++) await makeKey(berth, admin, { role: "viewer" });
  const refused = await berth.call("POST /api/settings/api-keys", {
    token: admin,
    body: { name: "x", role: "viewer" },
  });
  assert.deepEqual([refused.status, refused.body.code], [409, "too_many_keys"]);
  const { key } = await makeAdminKey(berth.store, "rescue", berth.clock);
  assert.equal(await me(berth, key), 200);
});

Deno.test("A key in use that ends within a week is told of once, in the log and in the audit", async () => {
  const clock = new MovableClock();
  await using berth = await startAccess({ clock });
  const admin = await berth.setUp();
  const used = await makeKey(berth, admin, { name: "nightly report", role: "viewer", expiresInDays: 10 });
  await makeKey(berth, admin, { name: "forgotten", role: "viewer", expiresInDays: 10 });
  await me(berth, used.key);
  assert.deepEqual(await berth.access.keys.ending(), []);
  clock.move(4 * DAY_MS);
  await berth.access.sweep();
  await berth.access.sweep();
  assert.equal(berth.logged.filter((line) => line.includes("ends soon")).length, 1);
  const { body } = await berth.call("GET /api/system/audit?action=keys.ending", { token: admin });
  assert.deepEqual([body.total, body.items[0].target], [1, `/api/settings/api-keys/${used.id}`]);
});
