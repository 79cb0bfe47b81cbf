/** Calls to one registry: where it is, with which credentials, and which token service it may use. */
import type { RegistryLogin } from "../../core/engine_acts.ts";
import { DEFAULT_REGISTRY } from "../../core/image_reference.ts";
import { Outbound, type OutboundAnswer, OutboundFailure } from "../../core/outbound.ts";
import { type Challenge, challengeOf } from "./challenge.ts";
import { refused, unavailable } from "./failure.ts";

/** Docker Hub is called at another host than references have, and signs in at a third. */
const HUB_HOST = "registry-1.docker.io";
const HUB_TOKENS = "auth.docker.io";
/** A token's answer: a token and little else. */
const TOKEN_BYTES = 256 * 1024;
/** A longer header is taken by no registry, and many tokens are kept. */
const MOST_TOKEN = 16 * 1024;
const HOPS = 3;
const TOKEN_MS = 60_000;
/** Before its end a token is not used any more. */
const SPARE_MS = 10_000;
const MOST_TOKENS = 1_000;

/** The rules of a registry: those that people stored, or those of any other one. */
export interface RegistryRules {
  /** Host and port as references have it. */
  readonly host: string;
  readonly plainHttp: boolean;
  readonly allowsPrivate: boolean;
  readonly ca: string | null;
  /** The host of another token service that may be given the credentials; null for the registry's own alone. */
  readonly tokenService: string | null;
  readonly login: RegistryLogin | null;
}

export interface RegistryCall {
  readonly method: "GET" | "HEAD";
  /** Below `/v2/`. */
  readonly path: string;
  readonly accept?: string;
  /** The repository that a token has to be for; null for none. */
  readonly repository: string | null;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

interface Token {
  readonly value: string;
  readonly until: number;
}

/** Calls registries, and keeps their tokens until they end; disposing closes its connections. */
export class RegistryAccess implements Disposable {
  /** By registry, login and repository. */
  readonly #authorizations = new Map<string, Token>();

  readonly #outbound = new Outbound();

  constructor(private readonly now: () => number) {}

  [Symbol.dispose](): void {
    this.#outbound[Symbol.dispose]();
  }

  /**
   * Returns the registry's answer, of whatever status, after at most one round for credentials. Throws
   * `registry_refused` where it may not be called so, and `registry_unavailable`.
   */
  async call(rules: RegistryRules, call: RegistryCall): Promise<OutboundAnswer> {
    const key = await keyOf(rules, call.repository);
    const known = this.#authorizations.get(key);
    const isFresh = known !== undefined && known.until > this.now();
    const first = await this.#follow(rules, call, isFresh ? known.value : null);
    if (first.status !== 401) return first;
    const token = await this.#authorization(rules, challengeOf(first.headers.get("www-authenticate")), call);
    if (token === null) return first;
    this.#remember(key, token);
    return await this.#follow(rules, call, token.value);
  }

  /** Returns the registry's answer to a call without credentials. Throws as `call` does. */
  bare(rules: RegistryRules, call: RegistryCall): Promise<OutboundAnswer> {
    return this.#follow(rules, call, null);
  }

  #remember(key: string, token: Token): void {
    this.#authorizations.delete(key);
    this.#authorizations.set(key, token);
    for (const oldest of this.#authorizations.keys()) {
      if (this.#authorizations.size <= MOST_TOKENS) break;
      this.#authorizations.delete(oldest);
    }
  }

  /** Returns the header that answers a challenge; null where there is nothing to answer with. */
  async #authorization(
    rules: RegistryRules,
    challenge: Challenge,
    { repository, signal }: Pick<RegistryCall, "repository" | "signal">,
  ): Promise<Token | null> {
    const { login, host } = rules;
    if (challenge.scheme === "basic") {
      if (login === null) return null;
      if ("identityToken" in login) {
        throw refused(host, "it wants a user name and a password, and has no use for an identity token");
      }
      return { value: basic(login), until: this.now() + TOKEN_MS };
    }
    if (challenge.scheme !== "bearer") {
      throw refused(host, "it does not say how to sign in, in a way that berth knows");
    }
    assertTokenService(rules, challenge.realm);
    const scope = repository === null ? null : `repository:${repository}:pull`;
    return await this.#token(rules, challenge, scope, signal);
  }

  async #token(
    rules: RegistryRules,
    { realm, service }: Extract<Challenge, { scheme: "bearer" }>,
    scope: string | null,
    signal: AbortSignal | undefined,
  ): Promise<Token | null> {
    const { login } = rules;
    const asked = new URL(realm);
    const about = { ...(service !== null && { service }), ...(scope !== null && { scope }) };
    const isToken = login !== null && "identityToken" in login;
    for (const [name, value] of isToken ? [] : Object.entries(about)) asked.searchParams.set(name, value);
    if (login !== null && "username" in login) asked.searchParams.set("account", login.username);
    const answer = await this.#send(rules, asked, {
      ca: rules.ca,
      maxBytes: TOKEN_BYTES,
      ...(signal !== undefined && { signal }),
      ...(isToken
        ? {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams({
            grant_type: "refresh_token",
            refresh_token: login.identityToken,
            client_id: "berth",
            ...about,
          }).toString(),
        }
        : login === null
        ? {}
        : { headers: { authorization: basic(login) } }),
    });
    if (answer.status === 401 || answer.status === 403 || answer.status === 400) return null;
    const token = answer.status === 200 ? tokenIn(answer.body) : null;
    if (token === null) {
      const what = answer.status === 200 ? "without a token that can be used" : String(answer.status);
      throw unavailable(rules.host, `its token service answers ${what}`);
    }
    return { value: `Bearer ${token.value}`, until: this.now() + token.lastsMs - SPARE_MS };
  }

  /** Follows redirects; the credentials stay with the host that they are for. */
  async #follow(
    rules: RegistryRules,
    call: RegistryCall,
    authorization: string | null,
  ): Promise<OutboundAnswer> {
    const { method, path, accept, maxBytes, signal } = call;
    const start = new URL(`/v2/${path}`, originOf(rules));
    let url = start;
    for (let hop = 0; hop <= HOPS; hop++) {
      const answer = await this.#send(rules, url, {
        method,
        ca: rules.ca,
        headers: {
          ...(accept !== undefined && { accept }),
          ...(authorization !== null && url.origin === start.origin && { authorization }),
        },
        ...(maxBytes !== undefined && { maxBytes }),
        ...(signal !== undefined && { signal }),
      });
      const to = [301, 302, 303, 307, 308].includes(answer.status) ? answer.headers.get("location") : null;
      if (to === null) return answer;
      const next = URL.parse(to, url);
      const isSafe = next?.protocol === "https:" || (rules.plainHttp && next?.protocol === "http:");
      if (next === null || !isSafe) throw refused(rules.host, "it redirects to an address that is not HTTPS");
      url = next;
    }
    throw refused(rules.host, "it redirects too often");
  }

  async #send(
    rules: RegistryRules,
    url: URL,
    call: Omit<Parameters<Outbound["call"]>[1], "allowsPrivate" | "sentBy">,
  ): Promise<OutboundAnswer> {
    const { host, allowsPrivate } = rules;
    const sentBy = new URL(originOf(rules)).hostname;
    try {
      return await this.#outbound.call(url, { ...call, allowsPrivate, sentBy });
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      const where = hostOf(url) === host ? "" : ` (at "${hostOf(url)}")`;
      throw error.kind === "address"
        ? refused(host, `${error.message}${where}`, error)
        : unavailable(host, `${error.message}${where}${error.kind === "tls" ? TLS_REMEDY : ""}`, error);
    }
  }
}

const TLS_REMEDY = "; store it with its certificates, or as a registry without TLS";

/** Throws `registry_refused` for a token service that the credentials are not for. */
export function assertTokenService(rules: RegistryRules, realm: URL): void {
  const isPlain = realm.protocol !== "https:";
  if (isPlain && !rules.plainHttp) throw refused(rules.host, "its token service is not called by HTTPS");
  const service = tokenServiceOf(rules.host, realm);
  if (rules.login === null || service === null || service === rules.tokenService) return;
  throw refused(
    rules.host,
    `it names the token service "${service}" now, which its credentials were not stored for; store them again`,
  );
}

/** Returns the host of a token service; null where it is the registry's own, or Docker's. */
export function tokenServiceOf(host: string, realm: URL): string | null {
  const service = hostOf(realm);
  return service === host || (host === DEFAULT_REGISTRY && service === HUB_TOKENS) ? null : service;
}

const hostOf = (url: URL): string => url.host;

function originOf({ host, plainHttp }: RegistryRules): string {
  return `${plainHttp ? "http" : "https"}://${host === DEFAULT_REGISTRY ? HUB_HOST : host}`;
}

/** A secret is no part of a key that is kept. */
async function keyOf({ host, login }: RegistryRules, repository: string | null): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([host, login, repository]));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", text)).toBase64();
}

function basic({ username, password }: Extract<RegistryLogin, { username: string }>): string {
  return `Basic ${new TextEncoder().encode(`${username}:${password}`).toBase64()}`;
}

function tokenIn(body: Uint8Array): { readonly value: string; readonly lastsMs: number } | null {
  try {
    const { token, access_token: other, expires_in: seconds } = JSON.parse(new TextDecoder().decode(body));
    const value = typeof token === "string" && token !== "" ? token : other;
    if (typeof value !== "string" || value.length > MOST_TOKEN || !/^[\x21-\x7e]+$/.test(value)) {
      return null;
    }
    const lastsMs = typeof seconds === "number" && seconds > 0 ? Math.min(seconds, 3_600) * 1_000 : TOKEN_MS;
    return { value, lastsMs };
  } catch {
    return null;
  }
}
