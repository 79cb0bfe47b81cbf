/** Signing in, staying signed in and being attacked in a real browser, at a real identity provider. */
import assert from "node:assert/strict";
import type { Page } from "npm:playwright-core@1.65.1";
import { router, socketRoute } from "../../http/declare/router.ts";
import { openSocket } from "../../http/socket/socket.ts";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { CLIENT_ID, startProvider } from "../support/oidc_provider.ts";
import { startService } from "../support/service.ts";

const PAGE = "/api/docs";
const COOKIE = "__Host-berth_refresh";

const echo = socketRoute({
  path: "/echo",
  summary: "Sends back what it gets",
  permission: "containers:exec",
  subject: "everything",
});
const echoes = () =>
  router().socket(echo, (call) =>
    openSocket(call.request, async (socket) => {
      for await (const message of socket) socket.send(message);
    }, { revoked: call.revoked, stopping: call.stopping }));

async function together() {
  const stack = new AsyncDisposableStack();
  const provider = stack.use(
    await startProvider({
      people: [{ sub: "ada", name: "Ada", groups: ["ops"] }],
      redirectUris: [`http://127.0.0.1${PAGE}`],
      secret: false,
    }),
  );
  const berth = stack.use(
    await startService({
      roles: [{ claim: "groups", value: "ops", role: "admin" }],
      identityProvider: {
        issuer: provider.issuer,
        clientId: CLIENT_ID,
        clientSecretFile: null,
        redirectUris: [`http://127.0.0.1${PAGE}`],
      },
      mount: () => [echoes()],
    }),
  );
  const browser = stack.use(await startBrowser());
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const cookie = async () => (await context.cookies(berth.url)).find((one) => one.name === COOKIE);
  return { berth, context, page, cookie, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Signs somebody in as a page of ours does; the browser does the rest. */
async function signIn(
  page: Page,
  berthUrl: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  await page.goto(berthUrl + PAGE);
  const link = await page.evaluate(async (redirectUri) => {
    const base64url = (bytes: Uint8Array) =>
      btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
    const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
    const { provider } = await (await fetch("/api/auth/status")).json();
    const [state, nonce, codeVerifier] = [random(), random(), random()];
    sessionStorage.setItem("sign-in", JSON.stringify({ state, nonce, codeVerifier, redirectUri }));
    localStorage.setItem("x-berth", random());
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(codeVerifier));
    const link = new URL(provider.authorizationEndpoint);
    link.search = new URLSearchParams({
      response_type: "code",
      response_mode: "fragment",
      client_id: provider.clientId,
      redirect_uri: redirectUri,
      scope: provider.scopes.join(" "),
      state,
      nonce,
      code_challenge: base64url(new Uint8Array(digest)),
      code_challenge_method: provider.pkce,
    }).toString();
    return link.href;
  }, berthUrl + PAGE);
  await page.goto(link);
  await page.fill("[name=login]", "ada");
  await page.fill("[name=password]", "any");
  await page.click("[type=submit]");
  await page.waitForSelector("[name=prompt][value=consent]", { state: "attached" });
  await page.click("[type=submit]");
  await page.waitForURL((url) => url.hash.includes("code="));
  return await page.evaluate(async () => {
    const answer = new URLSearchParams(location.hash.slice(1));
    const { state, ...begun } = JSON.parse(sessionStorage.getItem("sign-in") ?? "{}");
    if (answer.get("state") !== state) throw new Error("another state came back");
    const response = await fetch("/api/auth/idp", {
      method: "POST",
      headers: { "content-type": "application/json", "x-berth": localStorage.getItem("x-berth") ?? "" },
      body: JSON.stringify({ ...begun, code: answer.get("code"), iss: answer.get("iss") ?? undefined }),
    });
    return { status: response.status, body: await response.json() };
  });
}

function refresh(page: Page): Promise<{ status: number; body: Record<string, unknown> }> {
  return page.evaluate(async () => {
    const response = await fetch("/api/auth/refresh", {
      method: "POST",
      headers: { "x-berth": localStorage.getItem("x-berth") ?? "" },
    });
    return { status: response.status, body: await response.json() };
  });
}

/** Opens a socket from the page, and says whether it was let in. */
function socketFrom(page: Page, url: string, token: string): Promise<string> {
  return page.evaluate(([url = "", token = ""]) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(url, ["berth.v1", `berth.bearer.${token}`]);
      socket.onopen = () => socket.send("hello");
      socket.onmessage = ({ data }) => resolve(`let in, ${socket.protocol}: ${data}`);
      socket.onerror = () => resolve("refused");
    }), [url, token]);
}

Deno.test("A browser signs in, keeps its refresh token out of every script's reach, and stays signed in", {
  ...BROWSER_TEST,
}, async () => {
  await using all = await together();
  const { berth, page, cookie } = all;
  const tokens = await signIn(page, berth.url);
  assert.equal(tokens.status, 200, JSON.stringify(tokens.body));
  assert.ok(!("refreshToken" in tokens.body));
  const set = await cookie();
  assert.deepEqual([set?.secure, set?.httpOnly, set?.sameSite, set?.path], [true, true, "Strict", "/"]);
  assert.equal(await page.evaluate("document.cookie"), "");

  await page.reload();
  const next = await refresh(page);
  assert.equal(next.status, 200, JSON.stringify(next.body));
  assert.notEqual((await cookie())?.value, set?.value, "rotated");
  const token = String(next.body["accessToken"]);
  assert.match(await socketFrom(page, berth.socketUrl("/api/echo"), token), /^let in, berth\.v1: hello$/);

  const out = await page.evaluate(async (token) => {
    const headers = { authorization: `Bearer ${token}`, "x-berth": localStorage.getItem("x-berth") ?? "" };
    return (await fetch("/api/auth/logout", { method: "POST", headers })).status;
  }, token);
  assert.equal(out, 200);
  assert.equal(await cookie(), undefined);
  assert.equal((await refresh(page)).status, 401);
});

Deno.test(
  "A page of another port or site can neither use the cookie nor open a socket, whatever it knows (F44)",
  {
    ...BROWSER_TEST,
  },
  async () => {
    await using all = await together();
    const { berth, context, page, cookie } = all;
    const tokens = await signIn(page, berth.url);
    const token = String(tokens.body["accessToken"]);
    const binding = await page.evaluate(() => localStorage.getItem("x-berth") ?? "");
    const before = await cookie();
    await using evil = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response("<h1>Evil</h1>", { headers: { "content-type": "text/html" } }),
    );
    const { port } = evil.addr;
    for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
      const foreign = await context.newPage();
      await foreign.goto(origin);
      const attempts = await foreign.evaluate(async ([url = "", binding = ""]) => {
        const target = `${url}/api/auth/refresh`;
        const asked = async (init: RequestInit) => {
          try {
            const response = await fetch(target, { method: "POST", credentials: "include", ...init });
            return response.type === "opaque" ? "unreadable" : `read ${response.status}`;
          } catch {
            return "blocked";
          }
        };
        return [
          await asked({ headers: { "x-berth": binding } }),
          await asked({}),
          await asked({ mode: "no-cors" }),
          await asked({ mode: "no-cors", body: new URLSearchParams({ refreshToken: "x" }) }),
        ];
      }, [berth.url, binding]);
      assert.deepEqual(attempts, Array(4).fill("blocked"), origin);

      await foreign.setContent(
        `<form method="post" action="${berth.url}/api/auth/refresh"><button>Go</button></form>`,
      );
      const [answer] = await Promise.all([
        foreign.waitForResponse((response) => response.url().endsWith("/api/auth/refresh")),
        foreign.click("button"),
      ]);
      assert.ok([400, 403, 415].includes(answer.status()), `${answer.status()}`);

      await foreign.goto(origin);
      assert.equal(await socketFrom(foreign, berth.socketUrl("/api/echo"), token), "refused", origin);
      await foreign.close();
    }
    assert.equal((await cookie())?.value, before?.value, "nothing was rotated");
    assert.equal((await refresh(page)).status, 200);
  },
);
