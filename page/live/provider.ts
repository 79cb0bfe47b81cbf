/** Signing in at an identity provider: the browser goes there, and comes back with a code that buys a session. */
import type { CodeAnswer, Provider } from "../../client/berth/auth.ts";

/** The state that this tab keeps while the browser is at the provider. */
const AWAY = "berth.sign-in";

/** A sign-in that came back: the code, or null where the provider refused; and where the person was before. */
export interface Answer {
  readonly code: CodeAnswer | null;
  readonly from: string;
}

/** Returns the address to which the provider sends the browser back; null if that is not this page. */
export function returnAddress({ redirectUri }: Provider): string | null {
  if (!URL.canParse(redirectUri)) return null;
  const given = new URL(redirectUri);
  // On loopback an address without a port stands for every port.
  const isAnyPort = given.hostname === location.hostname && given.hostname === "127.0.0.1" &&
    given.port === "";
  const address = isAnyPort ? location.origin + given.pathname : redirectUri;
  return new URL(address).origin === location.origin ? address : null;
}

/** The sign-in that was begun; the code is worth nothing without it. */
interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

/** Leaves the page. */
export async function signInAt(provider: Provider, redirectUri: string): Promise<void> {
  const { there, begun } = await begin(provider, redirectUri, random());
  const from = location.pathname + location.search;
  sessionStorage.setItem(AWAY, JSON.stringify({ ...begun, from }));
  location.assign(there);
}

/** Marks the answers that another window waits for, and the channel on which it does. */
const PROOF = "berth.proof.";

/** Has the person asked again, in a window of its own; null where the provider refused. */
export async function askAgainAt(
  provider: Provider,
  redirectUri: string,
  ending: AbortSignal,
): Promise<CodeAnswer | null> {
  const { there, begun } = await begin(provider, redirectUri, PROOF + random());
  there.searchParams.set("max_age", "0");
  const { state, ...rest } = begun;
  const channel = new BroadcastChannel(PROOF);
  const answer = await new Promise<URLSearchParams>((resolve, reject) => {
    channel.onmessage = ({ data }) => {
      const told = new URLSearchParams(String(data));
      if (told.get("state") === state) resolve(told); // any other is of another tab
    };
    ending.throwIfAborted();
    ending.addEventListener("abort", () => reject(ending.reason), { once: true });
    open(there, "_blank", "popup,noopener,width=520,height=720");
  }).finally(() => channel.close());
  const [code, iss] = [answer.get("code"), answer.get("iss")];
  return code === null ? null : { ...rest, code, ...(iss === null ? {} : { iss }) };
}

/** Tells the window that waits for it what the provider answered; whether this is such an answer. */
export function handOver({ searchParams }: URL): boolean {
  if (searchParams.get("state")?.startsWith(PROOF) !== true) return false;
  const channel = new BroadcastChannel(PROOF);
  channel.postMessage(searchParams.toString());
  channel.close();
  return true;
}

async function begin(
  provider: Provider,
  redirectUri: string,
  state: string,
): Promise<{ readonly there: URL; readonly begun: Begun }> {
  const [nonce, codeVerifier] = [random(), random()];
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
  return { there, begun: { state, nonce, codeVerifier, redirectUri } };
}

/** The answer that the address holds, if this tab asked for it; it is taken once. */
export function takeAnswer({ searchParams }: URL): Answer | null {
  const away = sessionStorage.getItem(AWAY);
  if (away === null || !searchParams.has("state")) return null;
  sessionStorage.removeItem(AWAY);
  const { state, from, ...begun } = JSON.parse(away) as Begun & { readonly from: string };
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
