/** Identity providers that lie, hang, flood or turn their keys over, and GitHub's plain OAuth. */
import assert from "node:assert/strict";
import { GitHub } from "../../auth/provider/github.ts";
import { OpenIdConnect } from "../../auth/provider/openid_connect.ts";
import type { Clock } from "../../auth/clock.ts";
import { boundedFetch } from "../../auth/provider/outbound.ts";
import { ServiceError } from "../../core/error.ts";
import { MovableClock, startAccess } from "../support/access_service.ts";
import { CLIENT, type ScriptedIssuer, startScriptedIssuer } from "../support/scripted_issuer.ts";

const NONCE = "nonce-of-this-sign-in";
const PAGE = "http://127.0.0.1/signed-in";
const ROLES = [{ claim: "groups", value: "ops", role: "admin" }] as const;
const ANSWER = { code: "the-code", codeVerifier: "v".repeat(43), redirectUri: PAGE, nonce: NONCE };

function providerAt(
  { issuer }: { issuer: string },
  clock: Clock = new MovableClock(),
  fetch = boundedFetch(),
) {
  const settings = { issuer, clientId: CLIENT, clientSecretFile: null, redirectUris: [PAGE] };
  return new OpenIdConnect({
    settings,
    secret: () => Promise.resolve(null),
    rules: () => ROLES,
    clock,
    fetch,
  });
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "let in";
  } catch (thrown) {
    return thrown instanceof ServiceError ? thrown.code : `${thrown}`;
  }
}

const decode = (text: string) => JSON.parse(atob(text.replace(/-/g, "+").replace(/_/g, "/")));
const encode = (value: unknown) =>
  btoa(JSON.stringify(value)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");

Deno.test("OpenIdConnect.exchange believes no ID token that lies, and an honest one before and after (F42, R24)", async () => {
  await using issuer = await startScriptedIssuer(NONCE);
  const now = Math.floor(Date.now() / 1000);
  const lies: [string, (issuer: ScriptedIssuer) => void][] = [
    ["signed with another key", ({ script }) => script.wrongKey = true],
    ["alg none", ({ script }) =>
      script.idToken = (good) => {
        const [head = "", body] = good.split(".");
        return `${encode({ ...decode(head), alg: "none" })}.${body}.`;
      }],
    ["an algorithm that is not listed", ({ script }) =>
      script.idToken = (good) => {
        const [head = "", ...rest] = good.split(".");
        return [encode({ ...decode(head), alg: "RS256" }), ...rest].join(".");
      }],
    ["another payload under the signature", ({ script }) =>
      script.idToken = (good) => {
        const [head, body = "", signature] = good.split(".");
        return [head, encode({ ...decode(body), sub: "root" }), signature].join(".");
      }],
    ["no signature", ({ script }) => script.idToken = (good) => good.split(".").slice(0, 2).join(".") + "."],
    ["no token at all", ({ script }) => script.idToken = () => ""],
    ["another issuer", ({ script }) => script.claims = { iss: "https://evil.example" }],
    ["the issuer with a slash", ({ script }) => script.claims = { iss: `${issuer.issuer}/` }],
    ["no issuer", ({ script }) => script.claims = { iss: undefined }],
    ["another audience", ({ script }) => script.claims = { aud: "other" }],
    ["two audiences without azp", ({ script }) => script.claims = { aud: [CLIENT, "other"] }],
    [
      "two audiences with another azp",
      ({ script }) => script.claims = { aud: [CLIENT, "other"], azp: "other" },
    ],
    ["one audience with another azp", ({ script }) => script.claims = { azp: "other" }],
    ["no audience", ({ script }) => script.claims = { aud: undefined }],
    ["expired", ({ script }) => script.claims = { exp: now - 120 }],
    ["no exp", ({ script }) => script.claims = { exp: undefined }],
    ["exp as text", ({ script }) => script.claims = { exp: `${now + 300}` }],
    ["made an hour ago", ({ script }) => script.claims = { iat: now - 3_600 }],
    ["made in an hour", ({ script }) => script.claims = { iat: now + 3_600 }],
    ["no iat", ({ script }) => script.claims = { iat: undefined }],
    ["another nonce", ({ script }) => script.claims = { nonce: "other" }],
    ["no nonce", ({ script }) => script.claims = { nonce: undefined }],
    ["no subject", ({ script }) => script.claims = { sub: undefined }],
    ["a subject that is no text", ({ script }) => script.claims = { sub: 1 }],
    ["a crit header nobody knows", ({ script }) =>
      script.idToken = (good) => {
        const [head = "", ...rest] = good.split(".");
        return [encode({ ...decode(head), crit: ["x"], x: 1 }), ...rest].join(".");
      }],
  ];
  for (const [what, lie] of lies) {
    // Each lie meets a provider that never saw an honest token, so no cache hides a missing check.
    const provider = providerAt(issuer);
    issuer.reset();
    lie(issuer);
    assert.deepEqual([what, await codeOf(provider.exchange(ANSWER))], [what, "login_refused"]);
    issuer.reset();
    assert.equal((await provider.exchange(ANSWER)).subject, "ada");
  }
  console.log(`${lies.length} lying ID tokens, all refused`);
});

Deno.test("OpenIdConnect.exchange sends no code for what it can refuse by itself (F42, R23)", async () => {
  await using issuer = await startScriptedIssuer(NONCE);
  issuer.script.discovery = { authorization_response_iss_parameter_supported: true };
  const provider = providerAt(issuer);
  for (
    const change of [
      { redirectUri: "https://evil.example/" },
      { nonce: undefined },
      { iss: "https://evil.example" },
      { iss: `${issuer.issuer}/` },
      { iss: undefined },
    ]
  ) {
    const answer = { ...ANSWER, iss: issuer.issuer, ...change };
    assert.equal(await codeOf(provider.exchange(answer)), "login_refused", JSON.stringify(change));
  }
  assert.equal(issuer.asked.get("/token"), undefined);
  assert.equal(await codeOf(provider.exchange({ ...ANSWER, iss: issuer.issuer })), "let in");
  assert.deepEqual(issuer.forms[0]?.get("code_verifier"), ANSWER.codeVerifier);
});

Deno.test("OpenIdConnect says identity_provider_unavailable for a provider that is away, slow, huge, broken or moves (F43, R35)", async () => {
  await using issuer = await startScriptedIssuer(NONCE);
  const discovery = "/.well-known/openid-configuration";
  const hang = Promise.withResolvers<Response>();
  const faults: [string, string, () => Response | Promise<Response>][] = [
    ["500", discovery, () => new Response("", { status: 500 })],
    ["429", "/token", () => new Response("", { status: 429 })],
    ["no JSON", discovery, () => new Response("<html>")],
    ["10 MiB of keys", "/jwks", () => new Response(new Uint8Array(10 * 1024 * 1024))],
    ["a redirect", discovery, () => Response.redirect("http://127.0.0.1:1/")],
    [
      "a redirected token request",
      "/token",
      () => new Response("", { status: 307, headers: { location: "http://127.0.0.1:1/" } }),
    ],
    ["another issuer's document", discovery, () => Response.json({ issuer: "https://evil.example" })],
    ["silence", "/token", () => hang.promise],
  ];
  for (const [what, path, fault] of faults) {
    issuer.reset();
    issuer.script.answers.set(path, fault);
    const provider = providerAt(issuer, new MovableClock(), boundedFetch({ totalMs: 500 }));
    assert.deepEqual([what, await codeOf(provider.exchange(ANSWER))], [
      what,
      "identity_provider_unavailable",
    ]);
  }
  hang.resolve(new Response(""));
  const away = providerAt({ issuer: "http://127.0.0.1:1" });
  assert.equal(await codeOf(away.exchange(ANSWER)), "identity_provider_unavailable");
});

Deno.test("OpenIdConnect asks a provider that is away once in five seconds, and goes on with what it knew (F43)", async () => {
  await using issuer = await startScriptedIssuer(NONCE);
  const clock = new MovableClock();
  const discovery = "/.well-known/openid-configuration";
  const provider = providerAt(issuer, clock);
  issuer.script.answers.set(discovery, () => new Response("", { status: 500 }));
  for (let n = 0; n < 20; n++) await codeOf(provider.describe());
  assert.equal(issuer.asked.get(discovery), 1);
  issuer.reset();
  clock.move(5_000);
  assert.equal(await codeOf(provider.describe()), "let in");
  issuer.script.answers.set(discovery, () => new Response("", { status: 500 }));
  clock.move(2 * 3_600_000);
  assert.equal(await codeOf(provider.describe()), "let in");
});

Deno.test("OpenIdConnect.exchange takes a token under a key that the issuer just turned to, with one more fetch", async () => {
  await using issuer = await startScriptedIssuer(NONCE);
  // No time passes, so that no second fetch is due however slow this machine is.
  const provider = providerAt(issuer, { now: () => Date.now(), monotonic: () => 0 });
  assert.equal(await codeOf(provider.exchange(ANSWER)), "let in");
  await issuer.turnOver();
  assert.equal(await codeOf(provider.exchange(ANSWER)), "let in");
  assert.equal(issuer.asked.get("/jwks"), 2);
  issuer.script.header = { kid: "nobody-knows" };
  for (let n = 0; n < 20; n++) assert.equal(await codeOf(provider.exchange(ANSWER)), "login_refused");
  assert.equal(issuer.asked.get("/jwks"), 2);
});

Deno.test("OpenIdConnect.exchange takes what the ID token lacks from the userinfo endpoint, for the same subject only", async () => {
  await using issuer = await startScriptedIssuer(NONCE);
  issuer.script.discovery = { userinfo_endpoint: `${issuer.issuer}/userinfo` };
  issuer.script.claims = { groups: undefined, name: undefined };
  issuer.script.userInfo = { sub: "ada", name: "Ada from userinfo", groups: ["ops"], iss: "evil" };
  const identity = await providerAt(issuer).exchange(ANSWER);
  assert.deepEqual([identity.name, identity.claims["groups"]], ["Ada from userinfo", ["ops"]]);
  assert.equal(identity.claims["iss"], issuer.issuer);
  issuer.script.userInfo = { sub: "root", groups: ["ops"] };
  assert.equal(await codeOf(providerAt(issuer).exchange(ANSWER)), "login_refused");
});

Deno.test("POST /api/auth/idp explains, hides what went wrong inside, and limits those who keep failing", async () => {
  await using issuer = await startScriptedIssuer(NONCE);
  await using berth = await startAccess({
    roles: ROLES,
    identityProvider: {
      issuer: issuer.issuer,
      clientId: CLIENT,
      clientSecretFile: null,
      redirectUris: [PAGE],
    },
  });
  issuer.script.answers.set(
    "/token",
    () =>
      Response.json({ error: "invalid_grant", error_description: "CANARY-from-the-provider" }, {
        status: 400,
      }),
  );
  const refused = await berth.call("POST /api/auth/idp", { body: ANSWER });
  assert.deepEqual([refused.status, refused.body.code], [401, "login_refused"]);
  assert.match(refused.body.title, /refused the code/);
  assert.ok(!JSON.stringify(refused.body).includes("CANARY"));
  issuer.script.answers.set("/token", () => Response.json({ error: "invalid_client" }, { status: 401 }));
  const misconfigured = await berth.call("POST /api/auth/idp", { body: ANSWER });
  assert.deepEqual([misconfigured.status, misconfigured.body.code], [503, "identity_provider_unavailable"]);
  const statuses = new Set<number>();
  for (let n = 0; n < 100; n++) {
    statuses.add((await berth.call("POST /api/auth/idp", { body: ANSWER })).status);
  }
  assert.ok(statuses.has(429));
  assert.equal((await berth.call("GET /api/auth/status")).status, 200);
});

Deno.test("A client secret that cannot be read is told to the log at start, and to people who sign in without its path", async () => {
  await using issuer = await startScriptedIssuer(NONCE);
  const clientSecretFile = "/nowhere/CANARY-secret";
  await using berth = await startAccess({
    roles: ROLES,
    identityProvider: { issuer: issuer.issuer, clientId: CLIENT, clientSecretFile, redirectUris: [PAGE] },
  });
  assert.match(berth.logged.join(), /Nobody can sign in/);
  const refused = await berth.call("POST /api/auth/idp", { body: ANSWER });
  assert.deepEqual([refused.status, refused.body.code], [503, "identity_provider_unavailable"]);
  assert.match(refused.body.title, /identityProvider\.clientSecretFile/);
  assert.ok(!refused.body.title.includes("CANARY"));
  assert.equal(issuer.asked.get("/token"), undefined, "the code did not leave");
});

Deno.test("GET /api/auth/status answers without its provider when that one is away", async () => {
  await using berth = await startAccess({
    identityProvider: {
      issuer: "http://127.0.0.1:1",
      clientId: CLIENT,
      clientSecretFile: null,
      redirectUris: [PAGE],
    },
  });
  const { status, body } = await berth.call("GET /api/auth/status");
  assert.deepEqual([status, body.provider], [200, null]);
});

Deno.test("GitHub.exchange knows a person by their number, and takes only a verified address and their organisations", async () => {
  const emails = [
    { email: "other@example.org", primary: false, verified: true },
    { email: "octo@example.org", primary: true, verified: true },
  ];
  let token: unknown = { access_token: "gho_CANARY", token_type: "bearer", scope: "read:user" };
  let primary = emails;
  const seen: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    seen.push(`${pathname} ${request.headers.get("authorization") ?? await request.text()}`);
    if (pathname === "/login/oauth/access_token") return Response.json(token);
    if (pathname === "/user") {
      return Response.json({ id: 583231, login: "octocat", name: null, avatar_url: "javascript:alert(1)" });
    }
    if (pathname === "/user/emails") return Response.json(primary);
    return Response.json([{ login: "ops" }]);
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const github = (secret: string | null) =>
    new GitHub({
      settings: { issuer: "github", clientId: CLIENT, clientSecretFile: null, redirectUris: [PAGE] },
      secret: () => Promise.resolve(secret),
      rules: () => ROLES,
      addresses: { web: url, api: url },
    });
  const identity = await github("shh").exchange({ ...ANSWER, nonce: undefined });
  const { subject, name, email, picture, claims } = identity;
  assert.deepEqual([subject, name, email, picture], ["583231", "octocat", "octo@example.org", null]);
  assert.deepEqual([claims["groups"], claims["email_verified"], claims["login"]], [["ops"], true, "octocat"]);
  assert.ok(
    seen[0]?.includes(`code_verifier=${ANSWER.codeVerifier}`) && seen[0].includes("client_secret=shh"),
  );
  assert.equal(seen[1], "/user Bearer gho_CANARY");

  primary = emails.map((one) => ({ ...one, verified: false }));
  assert.equal((await github("shh").exchange(ANSWER)).email, null);
  token = { error: "bad_verification_code", error_description: "The code passed is incorrect or expired." };
  assert.equal(await codeOf(github("shh").exchange(ANSWER)), "login_refused");
  assert.equal(
    await codeOf(github("shh").exchange({ ...ANSWER, redirectUri: "https://evil.example" })),
    "login_refused",
  );
  assert.equal(await codeOf(github(null).exchange(ANSWER)), "identity_provider_unavailable");
  await server.shutdown();
});
