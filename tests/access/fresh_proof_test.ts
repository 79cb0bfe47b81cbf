/** Proof that it is still them, by a real identity provider, before a terminal opens and before secrets are shown. */
import assert from "node:assert/strict";
import { GitHub } from "../../auth/provider/github.ts";
import { ENTRY } from "./audit_entry.ts";
import { MovableClock, PROGRAM } from "../support/access_service.ts";
import { CLIENT_ID, signInAt, startProvider } from "../support/oidc_provider.ts";
import { sendRaw } from "../support/raw_http.ts";
import { startService, type TestCaller, type TestService } from "../support/service.ts";

const PAGE = "http://127.0.0.1/signed-in";
const ROLES = [{ claim: "groups", value: "ops", role: "admin" }] as const;
const PEOPLE = [{ sub: "ada", name: "Ada", groups: ["ops"] }, { sub: "eve", name: "Eve", groups: ["ops"] }];

async function together() {
  const stack = new AsyncDisposableStack();
  const provider = stack.use(await startProvider({ people: PEOPLE, redirectUris: [PAGE], secret: false }));
  const clock = new MovableClock();
  const berth = stack.use(
    await startService({
      clock,
      roles: ROLES,
      identityProvider: {
        issuer: provider.issuer,
        clientId: CLIENT_ID,
        clientSecretFile: null,
        redirectUris: [PAGE],
      },
    }),
  );
  const { body: { provider: description } } = await berth.anonymous().call("GET /api/auth/status");
  return { berth, clock, description, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function openTerminal(berth: TestService, token: string): Promise<[number | null, string]> {
  const { status, body } = await sendRaw(
    berth.port,
    [
      "GET /api/containers/none/exec HTTP/1.1",
      `host: 127.0.0.1:${berth.port}`,
      "connection: upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
      `authorization: Bearer ${token}`,
      "",
      "",
    ].join("\r\n"),
  );
  return [status, JSON.parse(body).code];
}

const reveal = async (caller: TestCaller) => {
  const { status, body } = await caller.call("GET /api/containers/none?reveal=true");
  return [status, body.code];
};

Deno.test("Exec and reveal ask a session for proof of the last 15 minutes, and a provider's people give it with max_age=0", async () => {
  await using all = await together();
  const { berth, clock, description } = all;
  const silent = await berth.anonymous().call("POST /api/auth/idp", await signInAt(description, PAGE, "ada"));
  assert.equal(silent.status, 200, silent.text);
  const { accessToken } = silent.body;
  const ada = berth.as(accessToken);

  // The provider may have let her in without asking: only what it says it asked counts.
  assert.deepEqual(await openTerminal(berth, accessToken), [403, "sign_in_again"]);
  assert.deepEqual(await reveal(ada), [403, "sign_in_again"]);
  const asked = await ada.call("POST /api/settings/api-keys", { name: "x", role: "viewer" });
  assert.deepEqual([asked.status, asked.body.errors[0].path], [403, "body.code"]);
  assert.match(asked.body.errors[0].message, /max_age=0/);

  const prove = async (login: string, more: Record<string, string>) => {
    const { status, body } = await ada.call(
      "POST /api/auth/proof",
      await signInAt(description, PAGE, login, more),
    );
    return [status, body.code];
  };
  assert.deepEqual(await prove("ada", {}), [401, "login_refused"], "the provider did not say when it asked");
  assert.deepEqual(await prove("eve", { max_age: "0" }), [401, "login_refused"], "somebody else's sign-in");
  assert.deepEqual((await ada.call("POST /api/auth/proof", { password: "not hers at all" })).status, 400);
  assert.deepEqual(await reveal(ada), [403, "sign_in_again"]);
  assert.deepEqual(await prove("ada", { max_age: "0" }), [204, undefined]);

  const terminal = new WebSocket(berth.socketUrl("/api/containers/none/exec"), [
    "berth.v1",
    `berth.bearer.${accessToken}`,
  ]);
  await new Promise((resolve, reject) => {
    terminal.onopen = resolve;
    terminal.onerror = () => reject(new Error("the terminal did not open"));
  });
  await new Promise((resolve) => terminal.onclose = resolve); // there is no such container
  assert.notEqual((await reveal(ada))[1], "sign_in_again");
  clock.move(3 * 60_000);
  const fresh = await berth.anonymous().call("POST /api/auth/refresh", {
    refreshToken: silent.body.refreshToken,
  });
  assert.notEqual((await reveal(berth.as(fresh.body.accessToken)))[1], "sign_in_again");
  clock.move(13 * 60_000);
  const late = await berth.anonymous().call("POST /api/auth/refresh", {
    refreshToken: fresh.body.refreshToken,
  });
  assert.deepEqual(await reveal(berth.as(late.body.accessToken)), [403, "sign_in_again"]);
  assert.notEqual((await reveal(berth))[1], "sign_in_again", "a key in a header is proof itself");
});

Deno.test("A sign-in that the provider was asked for with max_age is a proof", async () => {
  await using all = await together();
  const { berth, description } = all;
  const signedIn = await berth.anonymous().call(
    "POST /api/auth/idp",
    await signInAt(description, PAGE, "ada", { max_age: "0" }),
  );
  assert.notEqual((await reveal(berth.as(signedIn.body.accessToken)))[1], "sign_in_again");
});

Deno.test("Who signed in with GitHub is exempt: GitHub neither asks again nor says when it did", async () => {
  const provider = new GitHub({
    settings: { issuer: "github", clientId: "x", clientSecretFile: null, redirectUris: [PAGE] },
    secret: () => Promise.resolve("x"),
    rules: () => ROLES,
  });
  await using berth = await startService({ provider, roles: ROLES });
  const ada = {
    issuer: provider.issuer,
    subject: "1",
    name: "Ada",
    email: null,
    picture: null,
    claims: { groups: ["ops"] },
    authenticatedAt: null,
  };
  const { sessions } = berth.berth.access;
  const github = await sessions.open(ada, PROGRAM, ENTRY);
  assert.notEqual((await reveal(berth.as(github.accessToken)))[1], "sign_in_again");
  const other = await sessions.open({ ...ada, issuer: "https://elsewhere.example" }, PROGRAM, ENTRY);
  assert.deepEqual(await reveal(berth.as(other.accessToken)), [403, "sign_in_again"]);
});
