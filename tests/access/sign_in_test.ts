/** The whole way in at a real OpenID Connect provider: sign-in, consent, code, PKCE, tokens, refresh, out. */
import assert from "node:assert/strict";
import { startAccess } from "../support/access_service.ts";
import { browse, CLIENT_ID, CLIENT_SECRET, signInAt, startProvider } from "../support/oidc_provider.ts";

const PAGE = "http://127.0.0.1/signed-in";
const ROLES = [
  { claim: "email", value: "root@example.org", role: "admin" },
  { claim: "groups", value: "ops", role: "operator" },
  { claim: "sub", value: "vera", role: "viewer" },
] as const;
const PEOPLE = [
  {
    sub: "ada",
    name: "Ada\u202e Lovelace",
    email: "root@example.org",
    email_verified: true,
    groups: ["ops"],
  },
  { sub: "eve", name: "Eve", email: "root@example.org", email_verified: false },
  { sub: "oskar", name: "Oskar", email: "oskar@example.org", email_verified: true, groups: ["dev", "ops"] },
  { sub: "vera", name: "Vera" },
];

async function together({ secret = true } = {}) {
  const stack = new AsyncDisposableStack();
  const provider = stack.use(
    await startProvider({ people: PEOPLE, redirectUris: [PAGE, `${PAGE}/two`], secret }),
  );
  const secretFile = await Deno.makeTempFile({ prefix: "berth-secret-" });
  stack.defer(() => Deno.remove(secretFile));
  await Deno.writeTextFile(secretFile, `${CLIENT_SECRET}\n`);
  const berth = stack.use(
    await startAccess({
      roles: ROLES,
      identityProvider: {
        issuer: provider.issuer,
        clientId: CLIENT_ID,
        clientSecretFile: secret ? secretFile : null,
        redirectUris: [PAGE],
      },
    }),
  );
  const status = await berth.call("GET /api/auth/status");
  return {
    berth,
    provider,
    description: status.body.provider,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

for (const secret of [true, false]) {
  Deno.test(`POST /api/auth/idp signs in at a real provider, with PKCE and ${secret ? "a" : "no"} client secret (R22)`, async () => {
    await using all = await together({ secret });
    const { berth, provider, description } = all;
    assert.deepEqual([description.issuer, description.clientId, description.pkce, description.redirectUri], [
      provider.issuer,
      CLIENT_ID,
      "S256",
      PAGE,
    ]);
    const answer = await signInAt(description, "http://127.0.0.1/signed-in", "oskar");
    assert.equal(answer.iss, provider.issuer);

    const tokens = await berth.call("POST /api/auth/idp", { body: answer });

    assert.equal(tokens.status, 200, JSON.stringify(tokens.body));
    assert.equal(tokens.headers.get("cache-control"), "no-store");
    const { tokenType, principal } = tokens.body;
    assert.deepEqual([tokenType, principal.name, principal.role, principal.email], [
      "Bearer",
      "Oskar",
      "operator",
      "oskar@example.org",
    ]);
    const me = await berth.call("GET /api/auth/me", { token: tokens.body.accessToken });
    assert.deepEqual(me.body, principal);
    const next = await berth.call("POST /api/auth/refresh", {
      body: { refreshToken: tokens.body.refreshToken },
    });
    assert.equal(next.status, 200);
    assert.deepEqual((await berth.call("POST /api/auth/logout", { token: next.body.accessToken })).body, {
      revoked: true,
    });
    assert.equal((await berth.call("GET /api/auth/me", { token: next.body.accessToken })).status, 401);
    assert.deepEqual(berth.bugs, []);

    const again = await berth.call("POST /api/auth/idp", {
      body: await signInAt(description, PAGE, "oskar"),
    });
    assert.equal(again.body.principal.id, principal.id, "the same account as before");
  });
}

Deno.test("POST /api/auth/idp gives roles by the first rule that matches, e-mail only when it is verified", async () => {
  await using all = await together();
  const { berth, description } = all;
  const roleOf = async (login: string) => {
    const { status, body } = await berth.call("POST /api/auth/idp", {
      body: await signInAt(description, PAGE, login),
    });
    return [status, status === 200 ? body.principal.role : body.code];
  };
  assert.deepEqual(await roleOf("ada"), [200, "admin"]);
  assert.deepEqual(await roleOf("oskar"), [200, "operator"]);
  assert.deepEqual(await roleOf("vera"), [200, "viewer"]);
  const eve = await berth.call("POST /api/auth/idp", { body: await signInAt(description, PAGE, "eve") });
  assert.deepEqual([eve.status, eve.body.code], [401, "login_refused"]);
  assert.match(eve.body.title, /no rule of "BERTH_ROLES" gives them a role/);
  const ada = await berth.call("POST /api/auth/idp", { body: await signInAt(description, PAGE, "ada") });
  assert.equal(ada.body.principal.name, "Ada Lovelace", "no direction override in a name");
});

Deno.test("POST /api/auth/idp with X-Berth puts the refresh token into the cookie alone", async () => {
  await using all = await together();
  const { berth, description } = all;
  const headers = { "x-berth": "k".repeat(43), "sec-fetch-site": "same-origin", origin: berth.origin };
  const answer = await signInAt(description, PAGE, "ada");
  const evil = { ...headers, "sec-fetch-site": "cross-site" };
  assert.equal((await berth.call("POST /api/auth/idp", { body: answer, headers: evil })).status, 403);
  const tokens = await berth.call("POST /api/auth/idp", { body: answer, headers });
  assert.equal(tokens.status, 200);
  assert.ok(!("refreshToken" in tokens.body));
  const cookie = (tokens.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  assert.match(cookie, /^__Host-berth_refresh=ey/);
  const next = await berth.call("POST /api/auth/refresh", { headers: { ...headers, cookie } });
  assert.equal(next.status, 200);
});

Deno.test("POST /api/auth/idp takes a code once, and only with its own verifier, nonce and redirect URI (F42, R23)", async () => {
  await using all = await together();
  const { berth, description } = all;
  const bent: [string, Record<string, string | undefined>, string][] = [
    ["another verifier", { codeVerifier: "v".repeat(43) }, "login_refused"],
    ["another nonce", { nonce: "another nonce" }, "login_refused"],
    ["no nonce", { nonce: undefined }, "login_refused"],
    ["another issuer", { iss: "https://evil.example" }, "login_refused"],
    ["the issuer with a slash", { iss: `${description.issuer}/` }, "login_refused"],
    ["no issuer, though one was promised", { iss: undefined }, "login_refused"],
    ["a redirect URI that is not configured", { redirectUri: `${PAGE}/two` }, "login_refused"],
    ["a redirect URI elsewhere", { redirectUri: "https://evil.example/signed-in" }, "login_refused"],
    ["a redirect URI with a query", { redirectUri: `${PAGE}?x` }, "login_refused"],
    ["another code", { code: "made-up" }, "login_refused"],
    ["a short verifier", { codeVerifier: "short" }, "invalid_request"],
  ];
  for (const [what, change, code] of bent) {
    const answer = await signInAt(description, PAGE, "ada");
    const refused = await berth.call("POST /api/auth/idp", { body: { ...answer, ...change } });
    assert.deepEqual([what, refused.body.code], [what, code]);
    assert.ok(!JSON.stringify(refused.body).includes(answer.code), what);
  }
  const good = await signInAt(description, PAGE, "ada");
  assert.equal((await berth.call("POST /api/auth/idp", { body: good })).status, 200);
  assert.equal((await berth.call("POST /api/auth/idp", { body: good })).status, 401, "replayed");
  const logged = berth.logged.join("\n");
  assert.ok(
    !logged.includes(good.code) && !logged.includes(good.codeVerifier) && !logged.includes(CLIENT_SECRET),
  );
});

Deno.test("POST /api/auth/idp lets a command line listen on any loopback port, and on nothing else", async () => {
  await using all = await together();
  const { berth, description } = all;
  const port = "http://127.0.0.1:49152/signed-in";
  const good = await signInAt(description, port, "ada");
  assert.equal((await berth.call("POST /api/auth/idp", { body: good })).status, 200);
  for (
    const redirectUri of [
      "http://127.0.0.1:49152/other",
      "https://127.0.0.1:49152/signed-in",
      "http://localhost:49152/signed-in",
      "http://127.0.0.1.evil.example:49152/signed-in",
      "http://evil@127.0.0.1:49152/signed-in",
      "http://127.0.0.1:49152/signed-in#x",
      "HTTP://127.0.0.1:49152/signed-in",
    ]
  ) {
    const refused = await berth.call("POST /api/auth/idp", { body: { ...good, redirectUri } });
    assert.deepEqual([redirectUri, refused.body.code], [redirectUri, "login_refused"]);
    assert.match(refused.body.title, /redirect URI/);
  }
});

Deno.test("POST /api/auth/idp says so when no identity provider is configured", async () => {
  await using berth = await startAccess();
  const refused = await berth.call("POST /api/auth/idp", {
    body: { code: "c", codeVerifier: "v".repeat(43), redirectUri: PAGE },
  });
  assert.deepEqual([refused.status, refused.body.code], [404, "identity_provider_not_configured"]);
});

Deno.test("docs/examples/sign_in.ts signs a person in from the command line, as docs/access.md says", async () => {
  await using all = await together();
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-net",
      new URL("../../docs/examples/sign_in.ts", import.meta.url).pathname,
      all.berth.url,
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let printed = "";
  let visited: Promise<void> | undefined;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    printed += text;
    const link = /^ {2}(http:\S+)\n/m.exec(printed)?.[1];
    if (link === undefined || visited !== undefined) continue;
    const start = new URL(link);
    visited = browse(start, start.searchParams.get("redirect_uri") ?? "", "oskar")
      .then(async (back) => void await (await fetch(back)).text())
      .catch((error) => {
        child.kill(); // it would wait for an answer for ever
        throw error;
      });
  }
  await visited;
  assert.equal((await child.status).code, 0, printed);
  assert.match(printed, /You are Oskar, operator/);
  const token = /Bearer (\S+)/.exec(printed)?.[1] ?? "";
  assert.equal((await all.berth.call("GET /api/auth/me", { token })).body.name, "Oskar");
});
