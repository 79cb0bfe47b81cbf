/** Signing in with a password or a key: setup, links, floods, other browsers, and proof that it is still them. */
import assert from "node:assert/strict";
import { Passwords } from "../../auth/people/password.ts";
import {
  type AccessService,
  type AccessServiceOptions,
  makeKey,
  MovableClock,
  startAccess,
} from "../support/access_service.ts";
import { permissionsOf } from "../support/catalogue.ts";
import { startService } from "../support/service.ts";
import { within } from "../support/within.ts";
import { PROMISED } from "../proof/promised.ts";

/** Less than a check of a password takes anywhere, and more than an answer does without one. */
const CHECK_MS = 50;

const PASSWORD = "a long enough secret";
const MINUTE_MS = 60_000;

function signIn(berth: AccessService, name: string, password: string, headers: Record<string, string> = {}) {
  return berth.call("POST /api/auth/password", { body: { name, password }, headers });
}

/** A berth whose first admin is Ada, with her tokens. */
async function withAda(options: AccessServiceOptions = {}) {
  const berth = await startAccess(options);
  const made = await berth.call("POST /api/settings/setup", {
    body: { token: berth.access.setupToken, name: "Ada", password: PASSWORD },
  });
  assert.equal(made.status, 200, made.text);
  return { berth, ada: made.body.accessToken as string, tokens: made.body };
}

/** Somebody whom Ada adds, and who sets a password by their link. */
async function add(berth: AccessService, by: string, what: Record<string, unknown>) {
  const made = await berth.call("POST /api/settings/people", { token: by, body: what });
  assert.equal(made.status, 201, made.text);
  const { passwordToken } = made.body;
  const linked = await berth.call("POST /api/auth/password-link", {
    body: { token: passwordToken, password: PASSWORD },
  });
  assert.equal(linked.status, 200, linked.text);
  return { id: made.body.id as string, token: linked.body.accessToken as string, tokens: linked.body };
}

Deno.test("POST /api/settings/setup makes a person who is signed in, once, and refuses a weak password first", async () => {
  await using berth = await startAccess();
  const { setupToken: token } = berth.access;
  const setUp = (body: Record<string, unknown>) => berth.call("POST /api/settings/setup", { body });
  for (
    const [password, why] of [
      ["short", /at least 12/],
      ["Password1234", /commonest/],
      ["ada lovelace ada", /hardly more than the name/],
    ] as const
  ) {
    const weak = await setUp({ token, name: "Ada Lovelace", password });
    assert.deepEqual([weak.status, weak.body.code, weak.body.errors[0].path], [
      400,
      "invalid_request",
      "body.password",
    ]);
    assert.match(weak.body.errors[0].message, why);
  }
  assert.equal((await setUp({ token: "wrong", name: "Eve", password: PASSWORD })).status, 403);

  const made = await setUp({ token, name: "Ada Lovelace", password: PASSWORD });

  assert.equal(made.status, 200);
  assert.equal(made.headers.get("cache-control"), "no-store");
  const me = await berth.call("GET /api/auth/me", { token: made.body.accessToken });
  assert.deepEqual([me.body.kind, me.body.role, me.body.permissions], [
    "user",
    "admin",
    permissionsOf("admin"),
  ]);
  assert.equal((await setUp({ token, name: "Eve", password: PASSWORD })).status, 410);
  assert.equal((await signIn(berth, " ada LOVELACE", PASSWORD)).status, 200, "however it is written");
  assert.ok(!berth.logged.some((line) => line.includes(PASSWORD)));
});

Deno.test("POST /api/auth/password answers a wrong name and a wrong password alike, and takes as long (F49)", async () => {
  const { berth } = await withAda({ passwords: new Passwords() });
  await using _ = berth;
  const took = async (name: string, password: string) => {
    const begun = performance.now();
    const answer = await signIn(berth, name, password);
    return { answer, ms: performance.now() - begun };
  };
  const best = async (name: string, password: string) => {
    const tries = [await took(name, password), await took(name, password), await took(name, password)];
    return tries.reduce((one, other) => other.ms < one.ms ? other : one);
  };
  const right = await best("Ada", PASSWORD);
  const wrong = await best("Ada", "another long secret");
  const unknown = await best("Nobody", PASSWORD);
  assert.deepEqual([right, wrong, unknown].map((one) => one.answer.status), [200, 401, 401]);
  assert.deepEqual(
    [wrong.answer.body.code, wrong.answer.body.title],
    [unknown.answer.body.code, unknown.answer.body.title],
  );
  // A busy machine makes it longer, and not always by the same.
  for (const { ms } of [right, wrong, unknown]) assert.ok(ms > CHECK_MS, `${ms} ms`);
});

Deno.test("POST /api/auth/password answers 429 when 24 ask at once, and a browser that signed in before gets in (R39)", async () => {
  const { berth } = await withAda();
  await using _ = berth;
  const page = { "x-berth": "k".repeat(43), "sec-fetch-site": "same-origin", origin: berth.origin };
  const first = await signIn(berth, "Ada", PASSWORD, page);
  assert.equal(first.status, 200);
  assert.equal(first.body.refreshToken, undefined);
  const cookies = first.headers.getSetCookie();
  assert.equal(cookies.length, 2);
  const device = cookies.find((one) => one.startsWith("__Host-berth_device=")) ?? assert.fail();
  assert.match(device, /; Secure; HttpOnly; SameSite=Strict$/);
  const cookie = device.split(";")[0] ?? "";

  await berth.acquainted();
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) => signIn(berth, "Ada", `wrong password ${n}`)),
  );
  const statuses = answers.map((one) => one.status);
  assert.equal(statuses.filter((one) => one === 401).length, 10);
  assert.equal(statuses.filter((one) => one === 429).length, 14);
  assert.match(answers.find((one) => one.status === 429)?.headers.get("retry-after") ?? "", /^\d+$/);

  assert.equal((await signIn(berth, "Ada", PASSWORD)).status, 429, "who is new shares the account's tries");
  assert.equal((await signIn(berth, "Ada", PASSWORD, { ...page, cookie })).status, 200);
  const bent = `${cookie.slice(0, -2)}AA`;
  assert.equal((await signIn(berth, "Ada", PASSWORD, { ...page, cookie: bent })).status, 429);
  berth.clock.move(2 * MINUTE_MS);
  assert.equal((await signIn(berth, "Ada", PASSWORD)).status, 200, "tries come back");
});

Deno.test("A device cookie counts for the account that signed in with it, and for no other", async () => {
  const { berth, ada } = await withAda();
  await using _ = berth;
  await add(berth, ada, { name: "Bob", role: "viewer" });
  const page = { "x-berth": "k".repeat(43), "sec-fetch-site": "same-origin", origin: berth.origin };
  const bob = await signIn(berth, "Bob", PASSWORD, page);
  const cookie = (bob.headers.getSetCookie().find((one) => one.includes("device")) ?? "").split(";")[0] ?? "";
  for (let n = 0; n < 10; n++) await signIn(berth, "Ada", "wrong but long enough");
  assert.equal((await signIn(berth, "Ada", PASSWORD, { ...page, cookie })).status, 429);
});

Deno.test("POST /api/settings/people adds a person whose one-time link sets their password, once and for three days", async () => {
  const { berth, ada } = await withAda();
  await using _ = berth;
  const made = await berth.call("POST /api/settings/people", {
    token: ada,
    body: { name: "Bob", grants: [{ role: "operator", on: ["project:shop"] }] },
  });
  assert.equal(made.status, 201);
  assert.deepEqual([made.body.hasPassword, made.body.role, made.body.signIn], [false, null, "password"]);
  assert.equal(made.headers.get("location"), `/api/settings/people/${made.body.id}`);
  assert.equal((await signIn(berth, "Bob", PASSWORD)).status, 401, "no password yet");
  const use = (password: string, token = made.body.passwordToken) =>
    berth.call("POST /api/auth/password-link", { body: { token, password } });

  assert.equal((await use("password1234")).status, 400);
  assert.equal((await use(PASSWORD, "x".repeat(43))).status, 401);
  const linked = await use(PASSWORD);
  assert.equal(linked.status, 200);
  const [{ role, on }] = linked.body.principal.grants;
  assert.deepEqual([role, on], ["operator", ["project:shop"]]);
  assert.deepEqual(linked.body.principal.permissions, []);
  assert.deepEqual([(await use(PASSWORD)).status, (await use(PASSWORD)).body.code], [401, "login_refused"]);
  const viewed = await berth.call("GET /api/containers", { token: linked.body.accessToken });
  assert.notEqual(viewed.status, 200, "no subject is known, so a scope lets in nowhere");

  const again = await berth.call(`POST /api/settings/people/${made.body.id}/password-link`, { token: ada });
  assert.equal(again.status, 200);
  berth.clock.move(3 * 24 * 60 * MINUTE_MS);
  assert.equal((await use(PASSWORD, again.body.passwordToken)).status, 401, "it ran out");
});

Deno.test("POST /api/settings/people refuses a taken name, more than the maker holds, and a scope of an unknown kind", async () => {
  const { berth, ada } = await withAda();
  await using _ = berth;
  const keeper = await makeKey(berth, ada, {
    grants: [{ permissions: ["people:manage", "keys:manage", "system:read"] }, {
      role: "viewer",
      on: ["project:shop"],
    }],
  });
  const post = (token: string, body: unknown) => berth.call("POST /api/settings/people", { token, body });
  assert.deepEqual((await post(ada, { name: "ADA", role: "viewer" })).body.code, "person_exists");
  for (
    const beyond of [{ role: "viewer" }, { grants: [{ role: "viewer", on: ["project:other"] }] }, {
      grants: [{ permissions: ["images:read"] }],
    }]
  ) {
    const refused = await post(keeper.key, { name: "Eve", ...beyond });
    assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
  }
  const within = await post(keeper.key, { name: "Bob", grants: [{ role: "viewer", on: ["project:shop"] }] });
  assert.equal(within.status, 201, within.text);
  const unknown = await post(ada, { name: "Eve", grants: [{ role: "viewer", on: ["planet:earth"] }] });
  assert.equal(unknown.status, 400);
  assert.match(unknown.text, /engine:<name>.*workspace:<id>.*project:<name>.*label:<key>=<value>/);
  for (
    const bad of [{ name: "Eve" }, { name: "Eve", role: "viewer", grants: [] }, { name: "", role: "viewer" }]
  ) {
    assert.equal((await post(ada, bad)).status, 400);
  }
  const { body } = await berth.call("GET /api/settings/people", { token: ada });
  assert.deepEqual(body.items.map((one: { name: string }) => one.name), ["Ada", "Bob"]);
});

Deno.test("Nobody takes the place of somebody who may do more: no link, no change, no deletion, no session ended", async () => {
  const { berth, ada } = await withAda();
  await using _ = berth;
  const keeper = await makeKey(berth, ada, { permissions: ["people:manage"] });
  const { body: { items: [{ id }] } } = await berth.call("GET /api/settings/people", { token: ada });
  for (
    const [route, body] of [
      [`POST /api/settings/people/${id}/password-link`],
      [`PUT /api/settings/people/${id}`, { disabled: true }],
      [`DELETE /api/settings/people/${id}`],
      [`GET /api/auth/sessions?person=${id}`],
      [`DELETE /api/auth/sessions?person=${id}`],
    ] as const
  ) {
    const refused = await berth.call(route, { token: keeper.key, body });
    assert.deepEqual([route, refused.status, refused.body.code], [route, 403, "forbidden"]);
  }
  const { body: { items: [session] } } = await berth.call("GET /api/auth/sessions", { token: ada });
  const ending = await berth.call(`DELETE /api/auth/sessions/${session.id}`, { token: keeper.key });
  assert.equal(ending.status, 403);
  assert.equal((await berth.call("GET /api/auth/me", { token: ada })).status, 200);
});

Deno.test("Nobody ends a session of a key that may do more, and people:manage ends that of one that may not", async () => {
  const { berth, ada } = await withAda();
  await using _ = berth;
  const keeper = await makeKey(berth, ada, { permissions: ["people:manage", "system:read"] });
  const end = async (permissions: readonly string[]) => {
    const { key } = await makeKey(berth, ada, { permissions });
    const token = (await berth.call("POST /api/auth/key", { body: { key } })).body.accessToken;
    const { body: { items: [session] } } = await berth.call("GET /api/auth/sessions", { token });
    const ending = await berth.call(`DELETE /api/auth/sessions/${session.id}`, { token: keeper.key });
    return [ending.status, (await berth.call("GET /api/auth/me", { token })).status];
  };

  assert.deepEqual(await end(["system:read", "audit:read"]), [403, 200]);
  assert.deepEqual(await end(["system:read"]), [204, 401]);
});

Deno.test("A disabled person's token, keys and sign-in are refused at once, and at another replica within five seconds (R26)", async () => {
  const { berth, ada } = await withAda();
  await using _ = berth;
  await using other = await startAccess({ folder: berth.folder, clock: berth.clock });
  const bob = await add(berth, ada, { name: "Bob", role: "admin" });
  const key = await makeKey(berth, bob.token, { role: "viewer" });
  const grandchild = await makeKey(berth, (await makeKey(berth, bob.token, { role: "admin" })).key, {
    role: "viewer",
  });
  const credentials = [bob.token, key.key, grandchild.key];
  const statuses = async (at: AccessService) =>
    await Promise.all(
      credentials.map(async (token) => (await at.call("GET /api/auth/me", { token })).status),
    );
  assert.deepEqual([await statuses(berth), await statuses(other)], [[200, 200, 200], [200, 200, 200]]);

  const off = await berth.call(`PUT /api/settings/people/${bob.id}`, {
    token: ada,
    body: { disabled: true },
  });

  assert.deepEqual([off.status, off.body.disabled], [200, true]);
  assert.deepEqual(await statuses(berth), [401, 401, 401]);
  berth.clock.move(4_500);
  assert.deepEqual(await statuses(other), [401, 401, 401]);
  assert.equal((await signIn(berth, "Bob", PASSWORD)).status, 401);
  const refreshed = await berth.call("POST /api/auth/refresh", {
    body: { refreshToken: bob.tokens.refreshToken },
  });
  assert.equal(refreshed.status, 401);
  const shown = await berth.call("GET /api/settings/api-keys", { token: ada });
  assert.equal(shown.body.items.find((one: { id: string }) => one.id === key.id).disabled, true);

  await berth.call(`PUT /api/settings/people/${bob.id}`, { token: ada, body: { disabled: false } });
  assert.equal((await signIn(berth, "Bob", PASSWORD)).status, 200);
  assert.equal((await berth.call("GET /api/auth/me", { token: key.key })).status, 200);
  await berth.call(`DELETE /api/settings/people/${bob.id}`, { token: ada });
  assert.deepEqual(await statuses(berth), [401, 401, 401]);
  assert.equal((await berth.call("GET /api/settings/api-keys", { token: ada })).body.total, 0);
});

Deno.test("A link that was made before somebody was promoted, chose another password or was disabled opens nothing", async () => {
  const { berth, ada } = await withAda();
  await using _ = berth;
  const keeper = await makeKey(berth, ada, { permissions: ["people:manage", ...permissionsOf("viewer")] });
  const people = "POST /api/settings/people";
  const put = async (id: string, body: unknown) =>
    assert.equal((await berth.call(`PUT /api/settings/people/${id}`, { token: ada, body })).status, 200);
  const linkTo = async (id: string, token: string) =>
    (await berth.call(`${people}/${id}/password-link`, { token })).body.passwordToken as string;
  const use = async (token: string, password: string) =>
    (await berth.call("POST /api/auth/password-link", { body: { token, password } })).status;
  const made = (await berth.call(people, { token: keeper.key, body: { name: "Eve", role: "viewer" } })).body;

  await put(made.id, { role: "admin" });
  assert.equal(await use(made.passwordToken, "the keeper's own"), 401, "promoted");
  assert.equal((await berth.call(`${people}/${made.id}/password-link`, { token: keeper.key })).status, 403);
  assert.equal(await use(await linkTo(made.id, ada), PASSWORD), 200, "a new one counts");

  const bob = await add(berth, ada, { name: "Bob", role: "viewer" });
  const before = await linkTo(bob.id, keeper.key);
  const changed = await berth.call("PUT /api/auth/password", {
    token: bob.token,
    body: { password: PASSWORD, newPassword: "another long secret" },
  });
  assert.equal(changed.status, 204);
  assert.equal(await use(before, "the keeper's own"), 401, "another password");

  const early = await linkTo(bob.id, ada);
  await put(bob.id, { disabled: true });
  const late = await linkTo(bob.id, ada);
  assert.deepEqual([await use(early, "while disabled"), await use(late, "while disabled")], [401, 401]);
  await put(bob.id, { disabled: false });
  assert.equal((await signIn(berth, "Bob", "another long secret")).status, 200, "it was not set");
  assert.equal(await use(early, "of before"), 401);
  assert.equal(await use(late, "chosen by a link"), 200);
});

/** A socket that echoes, open by now. */
async function open(at: AccessService, token: string): Promise<{ readonly closed: Promise<number> }> {
  const socket = new WebSocket(`${at.url.replace("http", "ws")}/api/echo`, [
    "berth.v1",
    `berth.bearer.${token}`,
  ]);
  const closed = new Promise<number>((resolve) => socket.onclose = ({ code }) => resolve(code));
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("the socket did not open"));
  });
  return { closed };
}

Deno.test("The sockets of a disabled person and of their keys end within five seconds, at another replica too (F47, R21)", async () => {
  const { berth, ada } = await withAda();
  await using _ = berth;
  await using other = await startAccess({ folder: berth.folder, clock: berth.clock });
  const bob = await add(berth, ada, { name: "Bob", role: "admin" });
  const key = await makeKey(berth, bob.token, { role: "admin" });
  const ends = [
    await open(berth, bob.token),
    await open(berth, key.key),
    await open(other, bob.token),
    await open(other, key.key),
  ];
  const own = await open(berth, ada);
  await berth.call(`PUT /api/settings/people/${bob.id}`, { token: ada, body: { disabled: true } });
  const codes = await within(
    PROMISED.revoked,
    "all four end",
    () => Promise.all(ends.map(({ closed }) => closed)),
  );
  assert.deepEqual(codes, [1008, 1008, 1008, 1008]);
  await berth.call("POST /api/auth/logout", { token: ada });
  assert.equal(await own.closed, 1008, "and nobody else's before");
});

Deno.test("PUT /api/settings/people/{id} lowers somebody at once, and neither it nor DELETE takes the last admin", async () => {
  const { berth, ada } = await withAda();
  await using _ = berth;
  const bob = await add(berth, ada, { name: "Bob", role: "operator" });
  const put = (id: string, body: unknown) =>
    berth.call(`PUT /api/settings/people/${id}`, { token: ada, body });
  const lowered = await put(bob.id, { role: "viewer" });
  assert.deepEqual([lowered.status, lowered.body.role], [200, "viewer"]);
  assert.equal((await berth.call("GET /api/auth/me", { token: bob.token })).body.role, "viewer");
  const me = (await berth.call("GET /api/auth/me", { token: ada })).body.id;
  for (
    const body of [{ disabled: true }, { role: "operator" }, {
      grants: [{ role: "admin", on: ["engine:a"] }],
    }]
  ) {
    const kept = await put(me, body);
    assert.deepEqual([kept.status, kept.body.code], [409, "last_admin"]);
  }
  const deleted = await berth.call(`DELETE /api/settings/people/${me}`, { token: ada });
  assert.deepEqual([deleted.status, deleted.body.code], [409, "last_admin"]);
  assert.equal((await put("nobody", { disabled: true })).status, 404);
  assert.equal((await put(bob.id, {})).status, 400);
  assert.equal((await put(bob.id, { role: "viewer", grants: [{ role: "viewer" }] })).status, 400);
});

Deno.test("A key holds no more than whoever made it holds now, its sessions and its own keys neither", async () => {
  const { berth, ada } = await withAda();
  await using _ = berth;
  const bob = await add(berth, ada, { name: "Bob", role: "admin" });
  const made = await makeKey(berth, bob.token, { role: "admin" });
  const child = await makeKey(berth, made.key, { grants: [{ role: "operator", on: ["project:shop"] }] });
  const stays = await makeKey(berth, bob.token, { permissions: ["keys:manage"] });
  const session = (await berth.call("POST /api/auth/key", { body: { key: made.key } })).body.accessToken;
  const taken = await berth.call(`POST /api/settings/api-keys/${stays.id}/take-over`, { token: ada });
  assert.equal(taken.status, 200, taken.text);
  const lower = (body: unknown) => berth.call(`PUT /api/settings/people/${bob.id}`, { token: ada, body });
  const holds = async (token: string) => {
    const { role, permissions, grants } = (await berth.call("GET /api/auth/me", { token })).body;
    return [role, permissions.length, grants.map(({ on }: { on?: string[] }) => on?.join() ?? "")];
  };
  const [all, some] = [(await holds(made.key))[1], permissionsOf("viewer").length];
  const stream = await open(berth, made.key);

  assert.equal((await lower({ role: "viewer" })).status, 200);

  assert.equal(await within(PROMISED.revoked, "what it opened as an admin ends", () => stream.closed), 1008);
  for (const token of [made.key, session]) {
    assert.deepEqual(await holds(token), [null, some, [""]]);
    const refused = await berth.call("GET /api/settings/people", { token });
    assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
    assert.equal((await berth.call("GET /api/workspaces", { token })).status, 200);
  }
  assert.deepEqual(await holds(child.key), [null, 0, ["project:shop"]]);
  assert.deepEqual(await holds(stays.key), [null, 1, [""]], "it is somebody else's");
  const { body } = await berth.call("GET /api/settings/api-keys", { token: ada });
  const shown = body.items.find(({ id }: { id: string }) => id === made.id);
  assert.deepEqual([shown.role, shown.permissions.length, shown.grants], [null, some, [{ role: "admin" }]]);

  await lower({ grants: [{ role: "viewer", on: ["project:blog"] }] });
  assert.deepEqual(await holds(made.key), [null, 0, ["project:blog"]]);
  assert.deepEqual(await holds(child.key), [null, 0, []]);
  await lower({ role: "admin" });
  assert.deepEqual(await holds(made.key), ["admin", all, [""]], "and goes on with them");
});

Deno.test("POST /api/auth/key exchanges a key for a session of its rights, which ends with the key", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const key = await makeKey(berth, admin, { grants: [{ role: "viewer" }], expiresInDays: 1 });
  const exchange = (given: string) => berth.call("POST /api/auth/key", { body: { key: given } });
  for (const bad of ["rubbish", `${key.key.slice(0, -1)}_`, `berth_${"0".repeat(16)}_${"A".repeat(43)}`]) {
    const refused = await exchange(bad);
    assert.deepEqual([refused.status, refused.body.code], [401, "login_refused"]);
  }
  const tokens = (await exchange(key.key)).body;
  const me = await berth.call("GET /api/auth/me", { token: tokens.accessToken });
  assert.deepEqual([me.body.kind, me.body.id, me.body.role], ["apiKey", key.id, "viewer"]);
  const next = await berth.call("POST /api/auth/refresh", { body: { refreshToken: tokens.refreshToken } });
  assert.equal(next.status, 200);

  assert.equal((await berth.call(`DELETE /api/settings/api-keys/${key.id}`, { token: admin })).status, 204);
  assert.equal((await berth.call("GET /api/auth/me", { token: next.body.accessToken })).status, 401);
  const late = await berth.call("POST /api/auth/refresh", { body: { refreshToken: next.body.refreshToken } });
  assert.equal(late.status, 401);
});

Deno.test("A key's session ends no later than the key", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  const key = await makeKey(berth, admin, { role: "viewer", expiresInDays: 1 });
  berth.clock.move((24 * 60 - 30) * MINUTE_MS);
  const tokens = (await berth.call("POST /api/auth/key", { body: { key: key.key } })).body;
  assert.ok(tokens.refreshExpiresIn <= 30 * 60);
  berth.clock.move(31 * MINUTE_MS);
  assert.equal((await berth.call("GET /api/auth/me", { token: tokens.accessToken })).status, 401);
});

Deno.test("GET and DELETE /api/auth/sessions show and end one's own sessions; others' only who manages people", async () => {
  const { berth, ada } = await withAda();
  await using _ = berth;
  const bob = await add(berth, ada, { name: "Bob", role: "viewer" });
  const second = await signIn(berth, "Bob", PASSWORD, { "user-agent": "Bob's other browser" });
  const mine = await berth.call("GET /api/auth/sessions", { token: bob.token });
  assert.equal(mine.body.total, 2);
  const current = mine.body.items.filter((one: { current: boolean }) => one.current);
  assert.equal(current.length, 1);
  const other = mine.body.items.find((one: { current: boolean }) => !one.current);
  assert.deepEqual([other.device, other.peer], ["Bob's other browser", "127.0.0.1"]);
  const adas = (await berth.call("GET /api/auth/sessions", { token: ada })).body.items[0];

  assert.equal((await berth.call(`DELETE /api/auth/sessions/${adas.id}`, { token: bob.token })).status, 404);
  const nosy = await berth.call(`GET /api/auth/sessions?person=${bob.id}x`, { token: bob.token });
  assert.equal(nosy.status, 403);
  assert.equal((await berth.call(`DELETE /api/auth/sessions/${other.id}`, { token: bob.token })).status, 204);
  assert.equal((await berth.call("GET /api/auth/me", { token: second.body.accessToken })).status, 401);
  assert.equal((await berth.call(`DELETE /api/auth/sessions/${other.id}`, { token: bob.token })).status, 404);

  await signIn(berth, "Bob", PASSWORD);
  const rest = await berth.call("DELETE /api/auth/sessions", { token: bob.token });
  assert.deepEqual(rest.body, { ended: 1 });
  assert.equal((await berth.call("GET /api/auth/me", { token: bob.token })).status, 200, "one's own goes on");
  const seen = await berth.call(`GET /api/auth/sessions?person=${bob.id}`, { token: ada });
  assert.deepEqual([seen.body.total, seen.body.items[0].current], [1, false]);
  const ended = await berth.call(`DELETE /api/auth/sessions?person=${bob.id}`, { token: ada });
  assert.deepEqual(ended.body, { ended: 1 });
  assert.equal((await berth.call("GET /api/auth/me", { token: bob.token })).status, 401);
  assert.equal((await berth.call("GET /api/auth/me", { token: ada })).status, 200);
});

Deno.test("PUT /api/auth/password changes one's own password and ends one's other sessions", async () => {
  const { berth, ada } = await withAda();
  await using _ = berth;
  const other = await signIn(berth, "Ada", PASSWORD);
  const put = (token: string, password: string, newPassword: string) =>
    berth.call("PUT /api/auth/password", { token, body: { password, newPassword } });
  assert.equal((await put(ada, "not the password", "another long secret")).status, 401);
  assert.equal((await put(ada, PASSWORD, "password1234")).status, 400);
  assert.equal((await berth.call("GET /api/auth/me", { token: other.body.accessToken })).status, 200);
  assert.equal((await put(ada, PASSWORD, "another long secret")).status, 204);
  assert.equal((await berth.call("GET /api/auth/me", { token: ada })).status, 200);
  assert.equal((await berth.call("GET /api/auth/me", { token: other.body.accessToken })).status, 401);
  assert.equal((await signIn(berth, "Ada", PASSWORD)).status, 401);
  assert.equal((await signIn(berth, "Ada", "another long secret")).status, 200);
  const key = await makeKey(berth, ada, { role: "viewer" });
  assert.equal((await put(key.key, PASSWORD, "another long secret")).body.code, "not_local");
});

Deno.test("A session must prove again who it is before it makes keys and people; a key in a header need not", async () => {
  const { berth, ada } = await withAda();
  await using _ = berth;
  const key = await makeKey(berth, ada, { role: "admin" });
  const make = (token: string) =>
    berth.call("POST /api/settings/api-keys", { token, body: { name: "x", role: "viewer" } });
  const prove = (body: unknown, token = ada) => berth.call("POST /api/auth/proof", { token, body });
  berth.clock.move(14 * MINUTE_MS);
  const { accessToken } = (await signIn(berth, "Ada", PASSWORD)).body;
  assert.equal((await make(accessToken)).status, 201);
  berth.clock.move(4 * MINUTE_MS);
  assert.equal((await make(accessToken)).status, 201, "a sign-in is a proof");

  const fresh = await berth.call("POST /api/auth/key", { body: { key: key.key } });
  berth.clock.move(15 * MINUTE_MS);
  const refreshed = await berth.call("POST /api/auth/refresh", {
    body: { refreshToken: fresh.body.refreshToken },
  });
  const session = refreshed.body.accessToken;
  const before = (await berth.store.keys.list()).length;
  for (
    const [route, body] of [
      ["POST /api/settings/api-keys", { name: "x", role: "viewer" }],
      [`POST /api/settings/api-keys/${key.id}/rotate`, {}],
      [`POST /api/settings/api-keys/${key.id}/take-over`],
      ["POST /api/settings/people", { name: "Eve", role: "viewer" }],
      ["PUT /api/settings/people/none", { disabled: true }],
      ["DELETE /api/settings/people/none"],
      ["POST /api/settings/people/none/password-link"],
    ] as const
  ) {
    const asked = await berth.call(route, { token: session, body });
    assert.deepEqual([route, asked.status, asked.body.code], [route, 403, "sign_in_again"]);
    assert.equal(asked.body.errors[0].path, "body.key", "and it says how");
  }
  assert.equal((await berth.store.keys.list()).length, before);
  assert.equal(
    (await berth.call("GET /api/settings/api-keys", { token: session })).status,
    200,
    "looking is free",
  );
  assert.equal((await make(key.key)).status, 201, "a key in a header is proof itself");

  const another = await makeKey(berth, key.key, { role: "viewer" });
  assert.equal((await prove({ key: another.key }, session)).status, 401);
  assert.equal((await prove({ password: PASSWORD }, session)).status, 400);
  assert.equal((await prove({ key: key.key }, key.key)).status, 400);
  assert.equal((await make(session)).status, 403);
  assert.equal((await prove({ key: key.key }, session)).status, 204);
  assert.equal((await make(session)).status, 201);
});

Deno.test("A person proves with their password, at every replica at once", async () => {
  const { berth, tokens } = await withAda();
  await using _ = berth;
  await using other = await startAccess({ folder: berth.folder, clock: berth.clock });
  berth.clock.move(20 * MINUTE_MS);
  const { accessToken: token } = (await berth.call("POST /api/auth/refresh", {
    body: { refreshToken: tokens.refreshToken },
  })).body;
  const make = (at: AccessService) =>
    at.call("POST /api/settings/api-keys", { token, body: { name: "x", role: "viewer" } });
  const asked = await make(other);
  assert.deepEqual([asked.status, asked.body.code, asked.body.errors[0].path], [
    403,
    "sign_in_again",
    "body.password",
  ]);
  const prove = (password: string) => berth.call("POST /api/auth/proof", { token, body: { password } });
  assert.equal((await prove("not the password")).status, 401);
  assert.equal((await make(berth)).status, 403);
  assert.equal((await prove(PASSWORD)).status, 204);
  assert.deepEqual([(await make(berth)).status, (await make(other)).status], [201, 201]);
});

Deno.test("BERTH_FRESH_SIGN_IN=0 asks nobody for a proof", async () => {
  const clock = new MovableClock();
  await using berth = await startService({ clock, setup: false, freshSignIn: 0, install: [] });
  const made = await berth.anonymous().call("POST /api/settings/setup", {
    token: berth.berth.access.setupToken,
    name: "Ada",
    password: PASSWORD,
  });
  clock.move(60 * MINUTE_MS);
  const next = await berth.anonymous().call("POST /api/auth/refresh", {
    refreshToken: made.body.refreshToken,
  });
  const ada = berth.as(next.body.accessToken);
  assert.equal((await ada.call("POST /api/settings/api-keys", { name: "x", role: "viewer" })).status, 201);
});
