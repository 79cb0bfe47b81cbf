/** Signing in at an identity provider: the browser goes there, and comes back with a code that buys a session. */
import type { CodeAnswer, Provider } from "../../client/berth/auth.ts";

/** What is remembered in this tab while the browser is away. */
const AWAY = "berth.sign-in";

/** A sign-in that came back: the code, or null where the provider refused; and where the person was before. */
export interface Answer {
  readonly code: CodeAnswer | null;
  readonly from: string;
}

/** Where the provider sends the browser back to; null where that is not this page, so nobody would take the code. */
export function returnAddress({ redirectUri }: Provider): string | null {
  if (!URL.canParse(redirectUri)) return null;
  const given = new URL(redirectUri);
  // On loopback an address without a port stands for every port.
  const isAnyPort = given.hostname === location.hostname && given.hostname === "127.0.0.1" &&
    given.port === "";
  const address = isAnyPort ? location.origin + given.pathname : redirectUri;
  return new URL(address).origin === location.origin ? address : null;
}

/** Leaves the page. */
export async function signInAt(provider: Provider, redirectUri: string): Promise<void> {
  const [state, nonce, codeVerifier] = [random(), random(), random()];
  const from = location.pathname + location.search;
  sessionStorage.setItem(AWAY, JSON.stringify({ state, nonce, codeVerifier, redirectUri, from }));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(codeVerifier));
  const there = new URL(provider.authorizationEndpoint);
  const asked = {
    response_type: "code",
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    scope: provider.scopes.join(" "),
    state,
    nonce,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: provider.pkce,
  };
  for (const [name, value] of Object.entries(asked)) there.searchParams.set(name, value);
  location.assign(there);
}

/** The answer that the address holds, if this tab asked for it; it is taken once. */
export function takeAnswer({ searchParams }: URL): Answer | null {
  const away = sessionStorage.getItem(AWAY);
  if (away === null || !searchParams.has("state")) return null;
  sessionStorage.removeItem(AWAY);
  const { state, from, ...begun } = JSON.parse(away) as {
    readonly state: string;
    readonly from: string;
    readonly nonce: string;
    readonly codeVerifier: string;
    readonly redirectUri: string;
  };
  const [code, iss] = [searchParams.get("code"), searchParams.get("iss")];
  const isOurs = searchParams.get("state") === state && code !== null;
  return { code: isOurs ? { ...begun, code, ...(iss === null ? {} : { iss }) } : null, from };
}

function random(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

/** Without padding. */
export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
