/** Tokens that nobody should believe: forged, bent, or good ones in the wrong place. */
import assert from "node:assert/strict";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT } from "jose";
import type { Identity } from "../../auth/provider/identity_provider.ts";
import { Seal } from "../../auth/sealing/sealing.ts";
import { readSealingKey } from "../../auth/sealing/key.ts";
import { makeKey, PROGRAM, startAccess } from "../support/access_service.ts";
import { ENTRY } from "./audit_entry.ts";

const RULES = [{ claim: "groups", value: "ops", role: "operator" }] as const;
const ADA: Identity = {
  issuer: "https://issuer.example",
  subject: "ada",
  name: "Ada",
  email: null,
  picture: null,
  claims: { groups: ["ops"] },
  authenticatedAt: null,
};

/** A service with somebody signed in, and the service's own key, stolen: the forger's best case. */
async function stolen() {
  const berth = await startAccess({ roles: RULES });
  const tokens = await berth.access.sessions.open(ADA, PROGRAM, ENTRY);
  const seal = await Seal.from((await readSealingKey(`${berth.folder}/sealing-key`)).secret, "signing keys");
  const [record] = await berth.store.signingKeys.list();
  assert.ok(record);
  const opened = await seal.open(record.sealed, `signing_keys|sealed|${record.kid}`);
  const privateJwk = JSON.parse(opened ?? "null");
  const key = await importJWK(privateJwk, "EdDSA");
  const publicJwk = JSON.parse(record.publicKey);
  return { berth, tokens, kid: record.kid, key, publicJwk };
}

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).toBase64(BASE64URL);
const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;
const part = (token: string, at: number) =>
  JSON.parse(
    new TextDecoder().decode(Uint8Array.fromBase64(token.split(".")[at] ?? "", { alphabet: "base64url" })),
  );

Deno.test("GET /api/auth/me believes a good access token, and tells nobody what was wrong with a bad one (F38, R27)", async () => {
  const { berth, tokens, kid, key, publicJwk } = await stolen();
  await using _ = berth;
  const good = await berth.call("GET /api/auth/me", { token: tokens.accessToken });
  assert.deepEqual([good.status, good.body.kind, good.body.role], [200, "user", "operator"]);

  const header = part(tokens.accessToken, 0);
  const payload = part(tokens.accessToken, 1);
  const now = Math.floor(Date.now() / 1000);
  const [head = "", body = "", signature = ""] = tokens.accessToken.split(".");
  const sign = (over: Record<string, unknown>, headerOver: Record<string, unknown> = {}) => {
    const whole = { ...payload, ...over };
    for (const name of Object.keys(whole)) if (whole[name] === undefined) delete whole[name];
    const protectedHeader = { ...header, ...headerOver };
    for (const name of Object.keys(protectedHeader)) {
      if (protectedHeader[name] === undefined) delete protectedHeader[name];
    }
    return new SignJWT(whole).setProtectedHeader(protectedHeader).sign(key);
  };
  // The recipe for signed fakes works: an untouched copy is believed. What fails below fails for what was bent.
  assert.equal((await berth.call("GET /api/auth/me", { token: await sign({}) })).status, 200);

  const hmac = new TextEncoder().encode(JSON.stringify(publicJwk));
  const raw = Uint8Array.fromBase64(publicJwk.x, { alphabet: "base64url" });
  const own = await generateKeyPair("EdDSA", { extractable: true });
  const ownJwk = await exportJWK(own.publicKey);
  const ownKid = await calculateJwkThumbprint(ownJwk);
  const es = await generateKeyPair("ES256");
  const signed = (signer: Parameters<SignJWT["sign"]>[0], head: Record<string, unknown>) =>
    new SignJWT(payload).setProtectedHeader({ alg: "EdDSA", ...head }).sign(signer);
  const flipped = signature.slice(0, 10) + (signature[10] === "A" ? "B" : "A") + signature.slice(11);

  const forged: Record<string, string> = {
    "alg none, no signature": `${encode({ ...header, alg: "none" })}.${body}.`,
    "alg None, the old signature": `${encode({ ...header, alg: "None" })}.${body}.${signature}`,
    "HS256 with the public key's JWK": await signed(hmac, { ...header, alg: "HS256" }),
    "HS256 with the public key's bytes": await signed(raw, { ...header, alg: "HS256" }),
    "ES256 under our kid": await signed(es.privateKey, { ...header, alg: "ES256" }),
    "another key under our kid": await signed(own.privateKey, header),
    "another key under its own kid": await signed(own.privateKey, { ...header, kid: ownKid }),
    "another key in a jwk header": await signed(own.privateKey, { ...header, jwk: ownJwk }),
    "another key in a jwk header, no kid": await signed(own.privateKey, { typ: header.typ, jwk: ownJwk }),
    "a jku header": await sign({}, { jku: `${berth.url}/keys` }),
    "an x5u header": await sign({}, { x5u: `${berth.url}/cert` }),
    "an x5c header": await sign({}, { x5c: ["AAAA"] }),
    "a crit header nobody knows": `${encode({ ...header, crit: ["exp2"], exp2: 1 })}.${body}.${signature}`,
    "b64 false": `${encode({ ...header, crit: ["b64"], b64: false })}.${body}.${signature}`,
    "no kid": await sign({}, { kid: undefined }),
    "a kid that is a path": await sign({}, { kid: "../../etc/passwd" }),
    "a kid that is SQL": await sign({}, { kid: `${kid}' OR 1=1 --` }),
    "a kid that is no text": `${encode({ ...header, kid: { toString: kid } })}.${body}.${signature}`,
    "typ JWT": await sign({}, { typ: "JWT" }),
    "no typ": await sign({}, { typ: undefined }),
    "typ refresh+jwt": await sign({}, { typ: "refresh+jwt" }),
    "another issuer": await sign({ iss: "evil" }),
    "no issuer": await sign({ iss: undefined }),
    "another audience": await sign({ aud: "berth:refresh" }),
    "ours among several audiences": await sign({ aud: ["berth:access", "berth:refresh"] }),
    "no audience": await sign({ aud: undefined }),
    "no exp": await sign({ exp: undefined }),
    "exp as text": await sign({ exp: String(now + 300) }),
    "exp in the past": await sign({ exp: now - 1 }),
    "exp that is infinite": `${head}.${encode({ ...payload, exp: 1e400 })}.${signature}`,
    "nbf in the future": await sign({ nbf: now + 3_600 }),
    "iat in the future": await sign({ iat: now + 3_600 }),
    "no iat": await sign({ iat: undefined }),
    "no session": await sign({ sid: undefined }),
    "a session that is no text": await sign({ sid: { $ne: null } }),
    "another session": await sign({ sid: crypto.randomUUID() }),
    "no subject": await sign({ sub: undefined }),
    "a flipped signature": `${head}.${body}.${flipped}`,
    "no signature": `${head}.${body}.`,
    "a cut signature": `${head}.${body}.${signature.slice(0, 40)}`,
    "another payload": `${head}.${encode({ ...payload, sid: "x" })}.${signature}`,
    "two parts": `${head}.${body}`,
    "four parts": `${tokens.accessToken}.${signature}`,
    "five parts, as an encrypted token": `${head}.${body}.${signature}.${body}.${signature}`,
    "a header that is no JSON": `AAAA.${body}.${signature}`,
    "a payload that is no JSON": `${head}.AAAA.${signature}`,
    "a very long token": `${head}.${"A".repeat(6_000)}.${signature}`,
    "the refresh token": tokens.refreshToken,
    "the setup token": berth.access.setupToken ?? assert.fail(),
    "a key that never was": `berth_${"0".repeat(16)}_${"A".repeat(43)}`,
    "a key with nothing behind its id": `berth_${"0".repeat(16)}_`,
    "a word": "admin",
  };
  assert.ok(Object.keys(forged).length >= 25);
  const titles = new Set<string>();
  for (const [what, token] of Object.entries(forged)) {
    const refused = await berth.call("GET /api/auth/me", { token });
    assert.deepEqual([what, refused.status, refused.body.code], [what, 401, "unauthenticated"]);
    assert.equal(refused.headers.get("www-authenticate"), "Bearer", what);
    titles.add(refused.body.title);
  }
  assert.equal(titles.size, 1, "one sentence for all of them");
  assert.deepEqual(berth.bugs, []);
  console.log(`${Object.keys(forged).length} forged or misplaced tokens, all 401`);
});

Deno.test("POST /api/auth/refresh takes a refresh token and nothing else (R28)", async () => {
  const { berth, tokens } = await stolen();
  await using _ = berth;
  const admin = await berth.setUp();
  for (const refreshToken of [tokens.accessToken, admin, berth.access.setupToken, "x"]) {
    const refused = await berth.call("POST /api/auth/refresh", { body: { refreshToken } });
    assert.deepEqual([refused.status, refused.body.code], [401, "refresh_refused"]);
  }
  assert.equal(
    (await berth.call("POST /api/auth/refresh", { body: { refreshToken: tokens.refreshToken } })).status,
    200,
  );
});

Deno.test("POST /api/settings/setup and the key routes take neither tokens nor each other's secrets (R28)", async () => {
  const { berth, tokens } = await stolen();
  await using _ = berth;
  for (const token of [tokens.accessToken, tokens.refreshToken]) {
    assert.equal((await berth.call("POST /api/settings/setup", { body: { token, name: "x" } })).status, 403);
  }
  const admin = await berth.setUp();
  assert.equal(
    (await berth.call("POST /api/settings/setup", { body: { token: admin, name: "x" } })).status,
    410,
  );
  for (const key of [tokens.accessToken, tokens.refreshToken]) {
    const said = await berth.call("POST /api/settings/api-keys/verify", { token: admin, body: { key } });
    assert.deepEqual(said.body, { valid: false, reason: "malformed" });
  }
});

Deno.test("GET /api/auth/status always answers 200, and says who is signed in and until when", async () => {
  const { berth, tokens } = await stolen();
  await using _ = berth;
  const nobody = await berth.call("GET /api/auth/status");
  assert.deepEqual([nobody.status, nobody.body], [200, {
    authenticated: false,
    principal: null,
    expiresAt: null,
    provider: null,
    setupRequired: true,
  }]);
  for (const token of ["rubbish", tokens.refreshToken, "a, Bearer b"]) {
    const bad = await berth.call("GET /api/auth/status", { token });
    assert.deepEqual([bad.status, bad.body.authenticated], [200, false]);
  }
  const ada = await berth.call("GET /api/auth/status", { token: tokens.accessToken });
  assert.deepEqual([ada.body.authenticated, ada.body.principal.name], [true, "Ada"]);
  const left = Date.parse(ada.body.expiresAt) - Date.now();
  assert.ok(left > 0 && left <= 300_000);
  const admin = await berth.setUp();
  const key = await berth.call("GET /api/auth/status", { token: admin });
  assert.deepEqual([key.body.principal.kind, key.body.expiresAt, key.body.setupRequired], [
    "apiKey",
    null,
    false,
  ]);
});

Deno.test("An access token ends after five minutes, remembered or not", async () => {
  const { berth, tokens } = await stolen();
  await using _ = berth;
  const me = () => berth.call("GET /api/auth/me", { token: tokens.accessToken });
  assert.equal((await me()).status, 200);
  berth.clock.move(240_000);
  assert.equal((await me()).status, 200);
  berth.clock.move(60_000);
  assert.equal((await me()).status, 401);
});

Deno.test("A clock that was set back by an hour fails closed, and ends no session by itself (F10)", async () => {
  const { berth, tokens } = await stolen();
  await using _ = berth;
  berth.clock.move(-3_600_000);
  assert.equal((await berth.call("GET /api/auth/me", { token: tokens.accessToken })).status, 401);
  berth.clock.move(3_600_000);
  assert.equal((await berth.call("GET /api/auth/me", { token: tokens.accessToken })).status, 200);
});

Deno.test("A clock that goes two minutes back or an hour on ends no session: a refresh is all it takes (F10)", async () => {
  for (const step of [-120_000, 3_600_000]) {
    const { berth, tokens } = await stolen();
    await using _ = berth;
    berth.clock.move(step);
    const early = await berth.call("GET /api/auth/me", { token: tokens.accessToken });
    assert.equal(early.status, 401, `${step} ms`);
    const next = await berth.call("POST /api/auth/refresh", { body: { refreshToken: tokens.refreshToken } });
    if (step > 0) {
      assert.equal(next.status, 200, next.text);
      const me = await berth.call("GET /api/auth/me", { token: next.body.accessToken });
      assert.equal(me.status, 200);
    } else {
      assert.equal(next.status, 401, "it is not good yet");
      berth.clock.move(-step);
      assert.equal((await berth.call("GET /api/auth/me", { token: tokens.accessToken })).status, 200);
    }
  }
});

Deno.test("Verified credentials are remembered within a bound, and a flood of bad ones leaves nothing behind (F48)", async () => {
  const { berth, tokens } = await stolen();
  await using _ = berth;
  const admin = await berth.setUp();
  await makeKey(berth, admin, { role: "viewer" });
  await berth.call("GET /api/auth/me", { token: tokens.accessToken });
  const before = berth.access.credentials.size;
  for (let n = 0; n < 300; n++) {
    const id = n.toString(16).padStart(16, "0");
    await assert.rejects(async () =>
      await berth.access.credentials.check(`berth_${id}_${"A".repeat(43)}`, "127.0.0.1")
    );
  }
  assert.equal(berth.access.credentials.size, before);
});
