/** Sessions: rotation, reuse, grace, ends, the cookie, and keys that turn over while all of that goes on. */
import assert from "node:assert/strict";
import { ON_SQLITE } from "../support/chosen_store.ts";
import type { Identity } from "../../auth/provider/identity_provider.ts";
import { Seal } from "../../auth/sealing/sealing.ts";
import { readSealingKey } from "../../auth/sealing/key.ts";
import { SigningKeys } from "../../auth/sessions/signing_keys.ts";
import { Tokens } from "../../auth/sessions/tokens.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { type AccessService, MovableClock, PROGRAM, startAccess } from "../support/access_service.ts";
import { ENTRY } from "./audit_entry.ts";
import type { Answer } from "../support/service.ts";

const HOUR_MS = 3_600_000;
const RULES = [{ claim: "groups", value: "ops", role: "admin" }] as const;
const ADA: Identity = {
  issuer: "https://issuer.example",
  subject: "ada",
  name: "Ada",
  email: "ada@example.org",
  picture: null,
  claims: { groups: ["ops"], secret_of_ada: "CANARY-claim" },
  authenticatedAt: null,
};

function refresh(berth: AccessService, refreshToken: string): Promise<Answer> {
  return berth.call("POST /api/auth/refresh", { body: { refreshToken } });
}

Deno.test("POST /api/auth/refresh gives new tokens, and the new access token is good at once", async () => {
  await using berth = await startAccess({ roles: RULES });
  const tokens = await berth.access.sessions.open(ADA, PROGRAM, ENTRY);
  const next = await refresh(berth, tokens.refreshToken);
  assert.equal(next.status, 200);
  assert.deepEqual([next.body.tokenType, next.body.expiresIn], ["Bearer", 300]);
  assert.equal(next.headers.get("cache-control"), "no-store");
  assert.notEqual(next.body.refreshToken, tokens.refreshToken);
  assert.equal(next.body.principal.email, "ada@example.org");
  assert.equal((await berth.call("GET /api/auth/me", { token: next.body.accessToken })).status, 200);
  assert.equal((await refresh(berth, next.body.refreshToken)).status, 200);
});

Deno.test("POST /api/auth/refresh gives 100 parallel callers at two services one successor (F39)", async () => {
  await using one = await startAccess({ roles: RULES });
  await using two = await startAccess({ roles: RULES, folder: one.folder });
  const tokens = await one.access.sessions.open(ADA, PROGRAM, ENTRY);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => refresh(n % 2 === 0 ? one : two, tokens.refreshToken)),
  );
  assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([200]));
  const successors = new Set(answers.map((answer) => answer.body.refreshToken));
  assert.equal(successors.size, 1);
  for (const berth of [one, two]) {
    assert.equal((await berth.call("GET /api/auth/me", { token: answers[1]?.body.accessToken })).status, 200);
  }
  assert.equal((await refresh(two, [...successors][0])).status, 200);
});

Deno.test("POST /api/auth/refresh answers a repeated call inside the grace, as after an answer that got lost (F41)", async () => {
  await using berth = await startAccess({ roles: RULES });
  const tokens = await berth.access.sessions.open(ADA, PROGRAM, ENTRY);
  const first = await refresh(berth, tokens.refreshToken);
  berth.clock.move(2_000);
  const again = await refresh(berth, tokens.refreshToken);
  assert.deepEqual([again.status, again.body.refreshToken], [200, first.body.refreshToken]);
});

for (
  const [what, spend] of [
    ["a spent token after the grace", async (berth: AccessService, first: string) => {
      const next = await refresh(berth, first);
      berth.clock.move(11_000);
      return { spent: first, newest: next.body.refreshToken };
    }],
    ["a grandparent inside the grace", async (berth: AccessService, first: string) => {
      const second = await refresh(berth, first);
      const third = await refresh(berth, second.body.refreshToken);
      return { spent: first, newest: third.body.refreshToken };
    }],
  ] as const
) {
  Deno.test(`POST /api/auth/refresh ends the whole session for ${what}, and it is audited (F40, R30)`, async () => {
    await using berth = await startAccess({ roles: RULES });
    const tokens = await berth.access.sessions.open(ADA, PROGRAM, ENTRY);
    const { spent, newest } = await spend(berth, tokens.refreshToken);
    assert.equal((await berth.call("GET /api/auth/me", { token: tokens.accessToken })).status, 200);
    const reused = await refresh(berth, spent);
    assert.deepEqual([reused.status, reused.body.code], [401, "refresh_refused"]);
    assert.equal((await refresh(berth, newest)).status, 401, "the newest token is gone too");
    assert.equal((await berth.call("GET /api/auth/me", { token: tokens.accessToken })).status, 401);
    await berth.access.audit.flush();
    const none = { before: null, limit: 9, action: "session.reuse", actor: null, result: null };
    assert.equal((await berth.store.audit.list(none)).total, 1);
  });
}

Deno.test("A session ends 12 hours after its sign-in, however often it is refreshed (R31)", async () => {
  await using berth = await startAccess({ roles: RULES });
  let token = (await berth.access.sessions.open(ADA, PROGRAM, ENTRY)).refreshToken;
  for (let hour = 1; hour < 12; hour++) {
    berth.clock.move(HOUR_MS);
    const next = await refresh(berth, token);
    assert.deepEqual([hour, next.status], [hour, 200]);
    assert.ok(next.body.refreshExpiresIn <= (12 - hour) * 3_600);
    token = next.body.refreshToken;
  }
  berth.clock.move(HOUR_MS);
  assert.equal((await refresh(berth, token)).status, 401);
});

Deno.test("A session that nobody uses for two hours ends (R31)", async () => {
  await using berth = await startAccess({ roles: RULES });
  const { refreshToken } = await berth.access.sessions.open(ADA, PROGRAM, ENTRY);
  berth.clock.move(2 * HOUR_MS);
  assert.equal((await refresh(berth, refreshToken)).status, 401);
});

Deno.test("POST /api/auth/logout ends the session at once, here and within five seconds at another replica", async () => {
  await using one = await startAccess({ roles: RULES });
  await using two = await startAccess({ roles: RULES, folder: one.folder });
  const { accessToken, refreshToken } = await one.access.sessions.open(ADA, PROGRAM, ENTRY);
  assert.equal((await two.call("GET /api/auth/me", { token: accessToken })).status, 200);
  const out = await one.call("POST /api/auth/logout", { token: accessToken });
  assert.deepEqual([out.status, out.body], [200, { revoked: true }]);
  assert.equal((await one.call("GET /api/auth/me", { token: accessToken })).status, 401);
  assert.equal((await refresh(one, refreshToken)).status, 401);
  two.clock.move(4_500);
  assert.equal((await two.call("GET /api/auth/me", { token: accessToken })).status, 401);
  const admin = await one.setUp();
  assert.deepEqual((await one.call("POST /api/auth/logout", { token: admin })).body, { revoked: false });
});

Deno.test("Role rules that changed count for sessions that are open: less, more, or out", async () => {
  const clock = new MovableClock();
  await using before = await startAccess({ roles: RULES, clock });
  const { accessToken, refreshToken } = await before.access.sessions.open(ADA, PROGRAM, ENTRY);
  const viewer = [{ claim: "groups", value: "ops", role: "viewer" }] as const;
  await using less = await startAccess({ roles: viewer, folder: before.folder, clock });
  assert.equal((await less.call("GET /api/auth/me", { token: accessToken })).body.role, "viewer");
  await using out = await startAccess({ roles: [], folder: before.folder, clock });
  assert.equal((await out.call("GET /api/auth/me", { token: accessToken })).status, 401);
  assert.equal((await refresh(out, refreshToken)).status, 401);
});

// The dashboard's way: the refresh token in a cookie that is bound to a value in that page's own storage.
const BINDING = "b".repeat(43);

async function signedInByCookie(berth: AccessService) {
  const tokens = await berth.access.sessions.open(ADA, { binding: BINDING, name: null }, ENTRY);
  return { cookie: `__Host-berth_refresh=${tokens.refreshToken}`, refreshToken: tokens.refreshToken };
}

Deno.test("POST /api/auth/refresh with X-Berth rotates the cookie and keeps the token out of the body", async () => {
  await using berth = await startAccess({ roles: RULES });
  const { cookie } = await signedInByCookie(berth);
  const headers = { cookie, "x-berth": BINDING, "sec-fetch-site": "same-origin", origin: berth.origin };
  const next = await berth.call("POST /api/auth/refresh", { headers });
  assert.equal(next.status, 200);
  assert.ok(!("refreshToken" in next.body));
  const set = next.headers.get("set-cookie") ?? "";
  assert.match(
    set,
    /^__Host-berth_refresh=[\w.-]+; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=Strict$/,
  );
  const again = await berth.call("POST /api/auth/refresh", {
    headers: { ...headers, cookie: set.split(";")[0] ?? "" },
    body: {},
  });
  assert.equal(again.status, 200);
  const out = await berth.call("POST /api/auth/logout", {
    token: again.body.accessToken,
    headers: { "x-berth": BINDING },
  });
  assert.match(out.headers.get("set-cookie") ?? "", /^__Host-berth_refresh=; Path=\/; Max-Age=0;/);
});

for (
  const [what, change, code] of [
    ["without X-Berth", { "x-berth": null }, "forbidden"],
    ["with another X-Berth", { "x-berth": "c".repeat(43) }, "forbidden"],
    ["with a malformed X-Berth", { "x-berth": "b" }, "invalid_request"],
    ["from another site", { "sec-fetch-site": "cross-site" }, "origin_refused"],
    ["from a page on another port", { "sec-fetch-site": "same-site" }, "origin_refused"],
    ["from no page", { "sec-fetch-site": "none" }, "origin_refused"],
    ["with another Origin beside same-origin", { origin: "http://evil.example" }, "origin_refused"],
    ["with another Origin and no Sec-Fetch-Site", {
      "sec-fetch-site": null,
      origin: "http://127.0.0.1:1",
    }, "origin_refused"],
    ["with Origin null and no Sec-Fetch-Site", { "sec-fetch-site": null, origin: "null" }, "origin_refused"],
    ["with neither Origin nor Sec-Fetch-Site", { "sec-fetch-site": null, origin: null }, "origin_refused"],
  ] as const
) {
  Deno.test(`POST /api/auth/refresh refuses the cookie ${what}, and rotates nothing (F45, R10)`, async () => {
    await using berth = await startAccess({ roles: RULES });
    const { cookie } = await signedInByCookie(berth);
    const good: Record<string, string> = {
      cookie,
      "x-berth": BINDING,
      "sec-fetch-site": "same-origin",
      origin: berth.origin,
    };
    const headers = { ...good };
    for (const [name, value] of Object.entries(change)) {
      if (value === null) delete headers[name];
      else headers[name] = value;
    }
    const refused = await berth.call("POST /api/auth/refresh", { headers });
    assert.equal(refused.body.code, code);
    berth.clock.move(60_000); // were it spent, it would be past its grace now
    assert.equal((await berth.call("POST /api/auth/refresh", { headers: good })).status, 200);
  });
}

Deno.test("A stolen cookie's token is worth nothing in the body, and a form post never reaches it (F45, R13)", async () => {
  await using berth = await startAccess({ roles: RULES });
  const { cookie, refreshToken } = await signedInByCookie(berth);
  assert.deepEqual((await refresh(berth, refreshToken)).body.code, "forbidden");
  const form = await fetch(`${berth.url}/api/auth/refresh`, {
    method: "POST",
    body: new URLSearchParams({ refreshToken }),
    headers: { cookie },
  });
  assert.equal(form.status, 415);
  await form.body?.cancel();
  const both = await berth.call("POST /api/auth/refresh", {
    headers: { cookie, "x-berth": BINDING, "sec-fetch-site": "same-origin" },
    body: { refreshToken },
  });
  assert.equal(both.body.code, "two_credentials");
});

Deno.test("No route but POST /api/auth/refresh takes the cookie for a credential (F45, R10)", async () => {
  await using berth = await startAccess({ roles: RULES });
  const { cookie } = await signedInByCookie(berth);
  const headers = { cookie, "x-berth": BINDING, "sec-fetch-site": "same-origin", origin: berth.origin };
  assert.equal((await berth.call("GET /api/auth/me", { headers })).status, 401);
  assert.equal((await berth.call("POST /api/auth/logout", { headers })).status, 401);
  assert.equal((await berth.call("GET /api/auth/status", { headers })).body.authenticated, false);
});

Deno.test("POST /api/auth/refresh is limited per session, and another session is still served", async () => {
  await using berth = await startAccess({ roles: RULES });
  const greedy = await berth.access.sessions.open(ADA, PROGRAM, ENTRY);
  const honest = await berth.access.sessions.open({ ...ADA, subject: "eve" }, PROGRAM, ENTRY);
  const statuses = new Set<number>();
  for (let n = 0; n < 400; n++) statuses.add((await refresh(berth, greedy.refreshToken)).status);
  assert.ok(statuses.has(429));
  assert.equal((await refresh(berth, honest.refreshToken)).status, 200);
});

Deno.test("Signing keys turn over at two replicas under load, and no valid token is refused (F67, R32)", async () => {
  const folder = await Deno.makeTempDir({ prefix: "berth-keys-" });
  const clock = new MovableClock();
  const seal = await Seal.from((await readSealingKey(`${folder}/sealing-key`)).secret, "signing keys");
  await using storeA = await openSqliteStore(`${folder}/berth.db`);
  await using storeB = await openSqliteStore(`${folder}/berth.db`);
  const retiringMs = 12 * HOUR_MS;
  const [a, b] = [storeA, storeB].map((store) =>
    new Tokens({
      keys: new SigningKeys({ store: store.signingKeys, seal, clock, retiringMs, activeMs: HOUR_MS }),
      clock,
    })
  ) as [Tokens, Tokens]; // two in, two out
  const live: { token: string; expiresAt: number }[] = [];
  const kids = new Set<string>();
  let checked = 0;
  // Two days in steps of ten seconds to ten minutes: each step signs at one replica and checks at the other.
  for (let step = 0; step < 400; step++) {
    clock.move(step % 3 === 0 ? 10_000 : step % 3 === 1 ? 31_000 : 600_000);
    const [signer, verifier] = step % 2 === 0 ? [a, b] : [b, a];
    const expiresAt = clock.now() + 12 * HOUR_MS;
    const token = await signer.sign("refresh", { subject: "s", session: "t", id: `${step}`, expiresAt });
    kids.add(JSON.parse(atob(token.split(".")[0] ?? "")).kid);
    live.push({ token, expiresAt });
    const due = live.filter((one) => one.expiresAt > clock.now() + 60_000);
    for (const one of [live.at(-1), due[0], due[Math.floor(due.length / 2)]]) {
      if (one === undefined) continue;
      assert.ok(await verifier.verify("refresh", one.token), `step ${step}`);
      checked++;
    }
  }
  assert.ok(kids.size > 10, `${kids.size} keys`);
  const kept = await storeA.signingKeys.list();
  assert.ok(kept.length < kids.size, "keys that can verify nothing any more are forgotten");
  for (const key of kept) assert.equal(key.state === "retiring", key.sealed.byteLength === 0);
  console.log(`${kids.size} keys turned over, ${checked} tokens checked, 0 refused`);
  await Deno.remove(folder, { recursive: true });
});

/** Two handles on one store, as two replicas have. */
async function twoOnOneStore() {
  const folder = await Deno.makeTempDir({ prefix: "berth-keys-" });
  const stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const open = async () => stack.use(await openSqliteStore(`${folder}/berth.db`));
  return {
    stores: [await open(), await open()] as const,
    seal: await Seal.from(crypto.getRandomValues(new Uint8Array(32)), "signing keys"),
    clock: new MovableClock(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

Deno.test("Two replicas that make their first key at once sign with the same one", async () => {
  await using two = await twoOnOneStore();
  const { stores: [storeA, storeB], seal, clock } = two;
  const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = {
    ...storeB.signingKeys,
    add: async (...key: Parameters<typeof storeB.signingKeys.add>) => {
      reached.resolve(); // it has seen that there is none
      await go.promise;
      return await storeB.signingKeys.add(...key);
    },
  };
  const retiringMs = HOUR_MS;
  const b = new SigningKeys({ store: late, seal, clock, retiringMs }).signer();
  await reached.promise;
  const a = await new SigningKeys({ store: storeA.signingKeys, seal, clock, retiringMs }).signer();
  go.resolve();
  assert.equal((await b).kid, a.kid);
});

Deno.test("All who come at once with tokens of a key that is new to a replica are believed", async () => {
  await using two = await twoOnOneStore();
  const { stores: [storeA, storeB], seal, clock } = two;
  const retiringMs = HOUR_MS;
  const here = new SigningKeys({ store: storeA.signingKeys, seal, clock, retiringMs });
  await here.signer();
  const otherSeal = await Seal.from(crypto.getRandomValues(new Uint8Array(32)), "signing keys");
  const there = new SigningKeys({ store: storeB.signingKeys, seal: otherSeal, clock, retiringMs });
  const { kid } = await there.signer(); // cannot read the key that is there, so it makes one

  const found = await Promise.all([here.verifier(kid), here.verifier(kid), here.verifier("none")]);
  assert.deepEqual(found.map((key) => key !== null), [true, true, false]);
});

Deno.test({
  name:
    "A lost sealing key costs nothing but the keys it sealed: old tokens verify, new ones are signed (F70)",
  ignore: !ON_SQLITE,
}, async () => {
  await using berth = await startAccess({ roles: RULES });
  const { accessToken } = await berth.access.sessions.open(ADA, PROGRAM, ENTRY);
  await Deno.remove(`${berth.folder}/sealing-key`);
  await using again = await startAccess({ roles: RULES, folder: berth.folder });
  assert.equal((await again.call("GET /api/auth/me", { token: accessToken })).status, 200);
  const fresh = await again.access.sessions.open({ ...ADA, subject: "eve" }, PROGRAM, ENTRY);
  assert.equal((await again.call("GET /api/auth/me", { token: fresh.accessToken })).status, 200);
});

Deno.test("Seal opens only what it sealed, in the place it was sealed for (F70, R57)", async () => {
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const seal = await Seal.from(secret, "one");
  const sealed = await seal.seal("words", "table|column|1");
  assert.equal(await seal.open(sealed, "table|column|1"), "words");
  assert.equal(await seal.open(sealed, "table|column|2"), null, "another row");
  assert.equal(
    await (await Seal.from(secret, "two")).open(sealed, "table|column|1"),
    null,
    "another purpose",
  );
  sealed[20] = (sealed[20] ?? 0) ^ 1;
  assert.equal(await seal.open(sealed, "table|column|1"), null, "a flipped bit");
  assert.equal(await seal.open(new Uint8Array(3), "table|column|1"), null, "hardly anything");
});

Deno.test("openAccess refuses a sealing key that others may read, or that is not one (F70)", async () => {
  await using berth = await startAccess();
  const path = `${berth.folder}/sealing-key`;
  await Deno.chmod(path, 0o644);
  await assert.rejects(startAccess({ folder: berth.folder }), {
    code: "store_unavailable",
    message: /others may read/,
  });
  await Deno.chmod(path, 0o600);
  await Deno.writeTextFile(path, "short");
  await assert.rejects(startAccess({ folder: berth.folder }), {
    code: "store_unavailable",
    message: /32 bytes/,
  });
});

Deno.test({
  name: "No secret is in the log, the answers, the store, its write-ahead log or a backup (F60, R12, R58)",
  ignore: !ON_SQLITE,
}, async () => {
  await using berth = await startAccess({ roles: RULES });
  const admin = await berth.setUp();
  const setupToken = berth.access.setupToken ?? assert.fail();
  const byBody = await berth.access.sessions.open(ADA, PROGRAM, ENTRY);
  const byCookie = await berth.access.sessions.open(ADA, { binding: BINDING, name: null }, ENTRY);
  const next = await refresh(berth, byBody.refreshToken);
  const bad = await refresh(berth, `${byBody.refreshToken}x`);
  const me = await berth.call("GET /api/auth/me", { token: admin });
  const keys = await berth.call("GET /api/settings/api-keys", { token: admin });
  await berth.call("GET /api/auth/me", { token: `${admin}x` });
  await berth.access.audit.flush();
  await berth.store.backup!(`${berth.folder}/backup.db`);
  const ids = [byBody.refreshToken, byCookie.refreshToken, next.body.refreshToken, byBody.accessToken];
  const canaries = [
    admin,
    admin.slice(23),
    setupToken,
    BINDING,
    "CANARY-claim",
    ...ids,
    ...ids.map((token) => token.split(".")[2] ?? ""),
    ...ids.map((token) =>
      JSON.parse(atob((token.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/"))).jti
    ),
    (await Deno.readTextFile(`${berth.folder}/sealing-key`)).trim(),
  ];
  const seal = await Seal.from((await readSealingKey(`${berth.folder}/sealing-key`)).secret, "signing keys");
  for (const key of await berth.store.signingKeys.list()) {
    const opened = await seal.open(key.sealed, `signing_keys|sealed|${key.kid}`);
    canaries.push(JSON.parse(opened ?? "{}").d);
  }
  const places: Record<string, string> = {
    "the log": berth.logged.join("\n"),
    "the answers": JSON.stringify([bad.body, me.body, keys.body]),
  };
  for (const name of ["berth.db", "berth.db-wal", "backup.db"]) {
    places[name] = new TextDecoder("latin1").decode(await Deno.readFile(`${berth.folder}/${name}`));
  }
  for (const [place, text] of Object.entries(places)) {
    assert.ok(text.length > 0, place);
    for (const canary of canaries) {
      assert.ok(typeof canary === "string" && canary.length > 8);
      assert.ok(!text.includes(canary), `${place} holds ${canary}`);
    }
  }
});
