/** The contract of identity providers of any kind. */
import { ServiceError } from "../../core/error.ts";
import type { Claims } from "../keys/roles.ts";

/** All that a browser or command line needs to begin a sign-in. */
export interface ProviderDescription {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly authorizationEndpoint: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
}

/** The provider's answer, as the browser brought it. */
export interface CodeAnswer {
  readonly code: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
  readonly nonce?: string | undefined;
  readonly iss?: string | undefined;
}

/** A person whom the provider has authenticated: (issuer, subject), never their e-mail. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  readonly picture: string | null;
  readonly claims: Claims;
  /** When they last proved to the provider who they are; null where it does not say. */
  readonly authenticatedAt: number | null;
}

export interface IdentityProvider {
  /** The issuer of the identities it gives out. */
  readonly issuer: string;
  /** True if it can ask a person to sign in again, and reports when they did. */
  readonly provesAgain: boolean;
  /** Throws `identity_provider_unavailable`. */
  describe(): Promise<ProviderDescription>;
  /** Throws `login_refused` with a reason to act on, or `identity_provider_unavailable`. */
  exchange(answer: CodeAnswer): Promise<Identity>;
}

export function loginRefused(why: string, cause?: unknown): ServiceError {
  return new ServiceError("login_refused", `Cannot sign in: ${why}`, { cause });
}

/** Throws `login_refused` unless the redirect URI is one of ours. Asked before the code leaves us. */
export function mustBeOurs(redirectUri: string, allowed: readonly string[]): void {
  if (allowed.some((one) => one === redirectUri || isSameLoopback(one, redirectUri))) return;
  throw loginRefused(
    'the redirect URI is not among those that "identityProvider.redirectUris" in config.yaml allows',
  );
}

const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"];

/** A command line listens on whatever port is free (RFC 8252 7.3): only the port may differ, and only where none was named. */
function isSameLoopback(allowed: string, given: string): boolean {
  if (!URL.canParse(allowed) || !URL.canParse(given)) return false;
  const ours = new URL(allowed);
  const theirs = new URL(given);
  if (ours.protocol !== "http:" || ours.port !== "" || !LOOPBACK.includes(ours.hostname)) return false;
  theirs.port = "";
  // `href` of both, so that a user name or a fragment does not slip in; no other spelling of `given` counts.
  return theirs.href === ours.href && new URL(given).href === given;
}

export function isLoopback(url: URL): boolean {
  return LOOPBACK.includes(url.hostname);
}

/** The identity as we keep it: bounded, and without control characters. */
export function identityFrom(
  issuer: string,
  subject: string,
  claims: Claims,
  authenticatedAt: number | null,
): Identity {
  return {
    issuer,
    subject,
    name: text(claims["name"]) ?? text(claims["preferred_username"]) ?? text(claims["login"]) ??
      text(claims["email"]) ?? subject.slice(0, MAX_TEXT),
    email: text(claims["email"]),
    picture: pictureFrom(claims["picture"]),
    claims,
    authenticatedAt,
  };
}

const MAX_TEXT = 200;

function text(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const clean = value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim().slice(0, MAX_TEXT);
  return clean === "" ? null : clean;
}

function pictureFrom(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 2_000 || !URL.canParse(value)) return null;
  const url = new URL(value);
  return url.protocol === "https:" ? url.href : null;
}
