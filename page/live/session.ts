/**
 * The user's session. The access token is in memory only, the refresh token in a cookie that no script can
 * read.
 */
import { effect, signal } from "@preact/signals";
import {
  AUTH_IDP,
  AUTH_KEY,
  AUTH_LOGOUT,
  AUTH_ME,
  AUTH_PASSWORD,
  AUTH_PASSWORD_LINK,
  AUTH_REFRESH,
  AUTH_STATUS,
  type Provider,
} from "../../client/berth/auth.ts";
import type { Permission, Principal, Tokens } from "../../client/berth/models.ts";
import { SETTINGS_SETUP } from "../../client/berth/settings.ts";
import { type Auth, Client, isStatusError } from "../../client/mod.ts";
import { type Answer, base64url } from "./provider.ts";

/** Undefined until the first answer; null for nobody. */
export const who = signal<Principal | null | undefined>(undefined);
/** True until the first admin exists; null while that is unknown. */
export const setupRequired = signal<boolean | null>(null);
/** The provider for people with an account elsewhere; known once no session was found. */
export const provider = signal<Provider | null>(null);
/** The reason for which the provider's sign-in was refused; undefined if it was not. */
export const refused = signal<unknown>(undefined);
/** The reason for which no session could be read: berth did not answer. */
export const unreachable = signal<unknown>(null);

/**
 * True if the caller holds the permission on anything; the API decides on what exactly. After a session has
 * ended the screen stays as it was behind the sign-in.
 */
export function may(permission: Permission): boolean {
  return (who.value ?? lastSeen)?.grants.some(({ permissions }) => permissions.includes(permission)) === true;
}

/** True if the caller holds the permission on everything, as acts on the service itself need. */
export function mayEverywhere(permission: Permission): boolean {
  return (who.value ?? lastSeen)?.grants.some(({ permissions, on }) =>
    (on ?? []).length === 0 && permissions.includes(permission)
  ) === true;
}

/** True if the caller holds the permission on a whole folder, and not just on projects in it. */
export function mayOnFolder(permission: Permission, workspace: string): boolean {
  return (who.value ?? lastSeen)?.grants.some(({ permissions, on = [] }) =>
    permissions.includes(permission) && (on.length === 0 || on.includes(`workspace:${workspace}`))
  ) === true;
}

/** The value that binds the cookie to this browser; worth nothing without it, as it is without the cookie. */
const BINDING = "berth.binding";
/** Written when somebody signs out, so that every tab hears of it. */
const SIGNED_OUT = "berth.signed-out";

let access: { readonly token: string; readonly until: number } | null = null;
let refreshing: Promise<string | null> | null = null;
/** The first user of this document. */
let shownTo: string | null = null;
let lastSeen: Principal | null = null;
/** True once this document is another user's, and is left for a new one. */
let isReplaced = false;

const open = new Client({
  baseUrl: location.origin,
  fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers as object, "x-berth": binding() } }),
});

const auth: Auth = {
  async authHeaders() {
    const token = access !== null && access.until > Date.now() ? access.token : await refresh();
    // Without one the answer is 401, which every screen already knows how to show.
    return token === null ? {} as Record<string, string> : { authorization: `Bearer ${token}` };
  },
  invalidate() {
    access = null;
  },
};

/** Seconds for an act that waits for an engine or for git: berth lets one take ten minutes. */
export const LONG_S = 660;

/** Calls as whoever is signed in. */
export const client = new Client({ baseUrl: location.origin, auth });

function binding(): string {
  const known = localStorage.getItem(BINDING);
  if (known !== null) return known;
  const made = base64url(crypto.getRandomValues(new Uint8Array(32)));
  localStorage.setItem(BINDING, made);
  return made;
}

function accept({ accessToken, expiresIn, principal }: Tokens): void {
  access = { token: accessToken, until: Date.now() + (expiresIn - 20) * 1_000 };
  setupRequired.value = false;
  unreachable.value = null;
  become(principal);
}

function become(principal: Principal): void {
  const name = `${principal.kind}:${principal.id}`;
  // The screen never keeps what another user was shown.
  if (shownTo !== null && shownTo !== name) {
    isReplaced = true;
    return location.reload();
  }
  shownTo = name;
  lastSeen = principal;
  // Told only when it is another: everything that is read and followed begins anew with it.
  if (JSON.stringify(principal) !== JSON.stringify(who.peek())) who.value = principal;
}

/** True while the document is left because another user signed in: no unsaved text of the first one keeps it. */
export const isLeft = (): boolean => isReplaced;

/** Looks what they may do now: while nothing was heard, or because of it, their rights may have changed. */
export async function lookAgain(): Promise<void> {
  try {
    become((await client.get(AUTH_ME)).json());
  } catch { // whatever is asked next says why
  }
}

/** One at a time in all tabs: each spends the token that the one before it got. */
function refresh(): Promise<string | null> {
  return refreshing ??= (async () => {
    try {
      const ask = async () => (await open.post(AUTH_REFRESH)).json();
      accept(await (navigator.locks?.request("berth.refresh", ask) ?? ask()));
      return access!.token;
    } catch (error) {
      if (!isStatusError(error) || ![401, 403].includes(error.response.statusCode)) throw error;
      forget();
      return null;
    } finally {
      refreshing = null;
    }
  })();
}

/** Signs in with what came back from the provider, or looks who was signed in before, and who can be. */
export async function begin(answer: Answer | null): Promise<void> {
  addEventListener("storage", ({ key }) => key === SIGNED_OUT && forget());
  try {
    if (answer !== null && await signInWithCode(answer)) return;
    if (localStorage.getItem(BINDING) !== null && await refresh() !== null) return;
    const status = (await open.get(AUTH_STATUS)).json();
    setupRequired.value = status.setupRequired;
    provider.value = status.provider;
    who.value = null;
  } catch (error) {
    unreachable.value = error;
  }
}

async function signInWithCode({ code }: Answer): Promise<boolean> {
  try {
    if (code === null) refused.value = null;
    else accept((await open.post(AUTH_IDP, { payload: code })).json());
    return code !== null;
  } catch (error) {
    refused.value = error;
    return false;
  }
}

export async function signIn(name: string, password: string): Promise<void> {
  accept((await open.post(AUTH_PASSWORD, { payload: { name, password } })).json());
}

/** The key buys a session and is not held anywhere. */
export async function signInWithKey(key: string): Promise<void> {
  accept((await open.post(AUTH_KEY, { payload: { key } })).json());
}

/** By the one-time link that an admin made; whoever has it is signed in with it. */
export async function setPassword(token: string, password: string): Promise<void> {
  accept((await open.post(AUTH_PASSWORD_LINK, { payload: { token, password } })).json());
}

/** Makes the first admin: a person, who is signed in. */
export async function setUp(token: string, name: string, password: string): Promise<void> {
  const made = (await open.post(SETTINGS_SETUP, { payload: { token, name, password } })).json();
  if ("accessToken" in made) accept(made);
}

/** Makes the first admin a key, which is shown once. */
export async function setUpWithKey(token: string, name: string): Promise<string | null> {
  const made = (await open.post(SETTINGS_SETUP, { payload: { token, name } })).json();
  return "key" in made ? made.key : null;
}

/** Resolves as soon as somebody is signed in, or the signal says not to wait. */
export function somebody(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (who.value || signal.aborted) queueMicrotask(() => end()); // it is there by then
    });
    const end = () => {
      stop();
      signal.removeEventListener("abort", end);
      resolve();
    };
    signal.addEventListener("abort", end);
  });
}

/** Ends the session, in every tab. */
export async function signOut(): Promise<void> {
  try {
    await client.post(AUTH_LOGOUT);
  } finally {
    localStorage.removeItem(BINDING);
    localStorage.setItem(SIGNED_OUT, String(Date.now()));
    forget();
  }
}

function forget(): void {
  access = null;
  who.value = null;
}
