/** A real OpenID Connect provider on a port of its own, and a browser without a window to sign in at it. */
import { createServer } from "node:http";
import Provider from "npm:oidc-provider@9.13.3";
import { toBase64Url } from "../../auth/secret.ts";

export const CLIENT_ID = "berth-test";
export const CLIENT_SECRET = "CANARY-client-secret-0123456789";

export interface Person {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

export interface RunningProvider extends AsyncDisposable {
  readonly issuer: string;
}

export async function startProvider(
  { people, redirectUris, secret = true }: {
    readonly people: readonly Person[];
    readonly redirectUris: readonly string[];
    readonly secret?: boolean;
  },
): Promise<RunningProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const issuer = `http://127.0.0.1:${address.port}`;
  const provider = new Provider(issuer, {
    clients: [{
      client_id: CLIENT_ID,
      redirect_uris: [...redirectUris],
      application_type: "native",
      ...(secret ? { client_secret: CLIENT_SECRET } : { token_endpoint_auth_method: "none" as const }),
    }],
    claims: {
      openid: ["sub"],
      profile: ["name", "picture"],
      email: ["email", "email_verified"],
      groups: ["groups"],
    },
    pkce: { required: () => true },
    cookies: { keys: ["only for tests"] },
    findAccount: (_: unknown, id: string) => {
      const person = people.find((one) => one.sub === id);
      if (person === undefined) return undefined;
      return { accountId: id, claims: () => ({ ...person }) };
    },
  });
  server.on("request", provider.callback());
  return {
    issuer,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface SignIn {
  readonly code: string;
  readonly iss: string | undefined;
  readonly codeVerifier: string;
  readonly nonce: string;
  readonly redirectUri: string;
}

/** Acts as a browser between the sign-in link and the page of ours that gets the code. */
export async function signInAt(
  description: {
    readonly authorizationEndpoint: string;
    readonly clientId: string;
    readonly scopes: readonly string[];
  },
  redirectUri: string,
  login: string,
  more: Readonly<Record<string, string>> = {},
): Promise<SignIn> {
  const codeVerifier = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const challenge = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(codeVerifier));
  const state = crypto.randomUUID();
  const nonce = crypto.randomUUID();
  const start = new URL(description.authorizationEndpoint);
  start.search = new URLSearchParams({
    client_id: description.clientId,
    response_type: "code",
    redirect_uri: redirectUri,
    scope: description.scopes.join(" "),
    state,
    nonce,
    code_challenge: toBase64Url(new Uint8Array(challenge)),
    code_challenge_method: "S256",
    ...more,
  }).toString();
  const back = await browse(start, redirectUri, login);
  if (back.searchParams.get("state") !== state) throw new Error("another state came back");
  const code = back.searchParams.get("code") ?? `refused: ${back.search}`;
  return { code, iss: back.searchParams.get("iss") ?? undefined, codeVerifier, nonce, redirectUri };
}

/** Signs in and consents, and says where the provider sent the browser at last: a page of `redirectUri`. */
export async function browse(start: URL, redirectUri: string, login: string): Promise<URL> {
  const cookies = new Map<string, { readonly name: string; readonly value: string; readonly path: string }>();
  let next: { url: URL; form?: URLSearchParams } = { url: start };
  for (let hop = 0; hop < 20; hop++) {
    const { url, form } = next;
    const sent = [...cookies.values()].filter((one) => url.pathname.startsWith(one.path));
    const response = await fetch(url, {
      redirect: "manual",
      method: form === undefined ? "GET" : "POST",
      body: form ?? null,
      headers: { cookie: sent.map((one) => `${one.name}=${one.value}`).join("; ") },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split("; ");
      const name = pair.slice(0, pair.indexOf("="));
      const path = attributes.find((one) => one.toLowerCase().startsWith("path="))?.slice(5) ?? "/";
      cookies.set(`${name} ${path}`, { name, value: pair.slice(pair.indexOf("=") + 1), path });
    }
    const page = await response.text();
    const location = response.headers.get("location");
    if (location !== null) {
      const to = new URL(location, url);
      if (to.href.startsWith(redirectUri)) return to;
      next = { url: to };
      continue;
    }
    const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (action === undefined || prompt === undefined) {
      throw new Error(`no form at ${url}: ${page.slice(0, 500)}`);
    }
    next = { url: new URL(action, url), form: new URLSearchParams({ prompt, login, password: "any" }) };
  }
  throw new Error("the provider sends in circles");
}
