/** The API's group `auth`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Principal, Tokens } from "./models.ts";

/** GET: Check whether the caller is signed in, and how to sign in. */
export const AUTH_STATUS: Endpoint<"/api/auth/status", {
  get: { response: AuthStatus; query: Record<string, never> };
}> = new Endpoint("/api/auth/status");

/** POST: Exchange an identity provider's authorization code for tokens. */
export const AUTH_IDP: Endpoint<"/api/auth/idp", {
  post: { response: Tokens; payload: CodeAnswer; query: Record<string, never> };
}> = new Endpoint("/api/auth/idp");

/** POST: Exchange a refresh token for new tokens; the old one is spent. */
export const AUTH_REFRESH: Endpoint<"/api/auth/refresh", {
  post: { response: Tokens; payload: RefreshToken | undefined; query: Record<string, never> };
}> = new Endpoint("/api/auth/refresh");

/** GET: Return the caller and their permissions. */
export const AUTH_ME: Endpoint<"/api/auth/me", {
  get: { response: Principal; query: Record<string, never> };
}> = new Endpoint("/api/auth/me");

/** POST: End the caller's session, with all its tokens and streams. */
export const AUTH_LOGOUT: Endpoint<"/api/auth/logout", {
  post: {
    response: {
      /** True if a session was ended. */
      readonly revoked: boolean;
    };
    query: Record<string, never>;
  };
}> = new Endpoint("/api/auth/logout");

/**
 * POST: Sign in with a name and a password.
 *
 * PUT: Set another password for oneself; all other sessions end.
 */
export const AUTH_PASSWORD: Endpoint<"/api/auth/password", {
  post: { response: Tokens; payload: NameAndPassword; query: Record<string, never> };
  put: { payload: PasswordChange; query: Record<string, never> };
}> = new Endpoint("/api/auth/password", { put: [204] });

/** POST: Set the password by a one-time link, and sign in. */
export const AUTH_PASSWORD_LINK: Endpoint<"/api/auth/password-link", {
  post: { response: Tokens; payload: PasswordByLink; query: Record<string, never> };
}> = new Endpoint("/api/auth/password-link");

/** POST: Exchange an API key for a session with its rights, which ends with the key. */
export const AUTH_KEY: Endpoint<"/api/auth/key", {
  post: { response: Tokens; payload: KeyForSession; query: Record<string, never> };
}> = new Endpoint("/api/auth/key");

/** POST: Prove again who one is, as `sign_in_again` asks. */
export const AUTH_PROOF: Endpoint<"/api/auth/proof", {
  post: { payload: Proof; query: Record<string, never> };
}> = new Endpoint("/api/auth/proof", { post: [204] });

/**
 * GET: One's own sessions, or those of a person.
 *
 * DELETE: End all one's other sessions, or all those of a person.
 */
export const AUTH_SESSIONS: Endpoint<"/api/auth/sessions", {
  get: {
    response: {
      /** The sessions. */
      readonly items: readonly (Session)[];
      /** Number of all sessions. */
      readonly total: number;
    };
    query: {
      /** The id of another person, for callers with `people:manage`; your own if left out. */
      person?: string;
    };
  };
  delete: {
    response: {
      /** Number of sessions that were ended. */
      readonly ended: number;
    };
    query: {
      /** The id of another person, for callers with `people:manage`; your own if left out. */
      person?: string;
    };
  };
}> = new Endpoint("/api/auth/sessions");

/** DELETE: End a session, with its tokens and streams. */
export const AUTH_SESSION: Endpoint<"/api/auth/sessions/{id}", {
  delete: { query: Record<string, never> };
}> = new Endpoint("/api/auth/sessions/{id}", { delete: [204] });

/** The answer of `GET /api/auth/status`. */
export type AuthStatus = {
  /** True if the caller is known. */
  readonly authenticated: boolean;
  /** The caller. */
  readonly principal: Principal | null;
  /** When the credential ends; null: never. */
  readonly expiresAt: string | null;
  /** Null when none is configured, or when it cannot be asked right now. */
  readonly provider: Provider | null;
  /** True until the first admin exists. */
  readonly setupRequired: boolean;
};

/** The payload of `POST /api/auth/idp`. */
export type CodeAnswer = {
  /** The code that the identity provider sent back. */
  readonly code: string;
  /** The verifier whose challenge went to the identity provider (PKCE). */
  readonly codeVerifier: string;
  /** The address it was sent back to. */
  readonly redirectUri: string;
  /** The nonce that the authorization request had. */
  readonly nonce?: string;
  /** The issuer, where the identity provider sent it along. */
  readonly iss?: string;
};

/** The payload of `POST /api/auth/key`. */
export type KeyForSession = {
  /** An API key. */
  readonly key: string;
};

/** The payload of `POST /api/auth/password`. */
export type NameAndPassword = {
  /** The person's name. */
  readonly name: string;
  /** The person's password. */
  readonly password: string;
};

/** The payload of `POST /api/auth/password-link`. */
export type PasswordByLink = {
  /** The one-time token of the link. */
  readonly token: string;
  /** The password to sign in with from now on. */
  readonly password: string;
};

/** The payload of `PUT /api/auth/password`. */
export type PasswordChange = {
  /** The password so far. */
  readonly password: string;
  /** The password from now on. */
  readonly newPassword: string;
};

/** The payload of `POST /api/auth/proof`. */
export type Proof = {
  /** The person's password. */
  readonly password: string;
} | {
  /** The API key, for callers without a password. */
  readonly key: string;
} | CodeAnswer;

/** A part of `AuthStatus`. */
export type Provider = {
  /** The name to display. */
  readonly name: string;
  /** Its address, or github. */
  readonly issuer: string;
  /** Our client id there. */
  readonly clientId: string;
  /** Address to send the person to. */
  readonly authorizationEndpoint: string;
  /** Scopes to request. */
  readonly scopes: readonly (string)[];
  /** The method of PKCE that must be used. */
  readonly pkce: "S256";
  /** The address to come back to. */
  readonly redirectUri: string;
};

/** The payload of `POST /api/auth/refresh`. */
export type RefreshToken = {
  /** For clients that do not receive it as a cookie. */
  readonly refreshToken?: string;
};

/** The answer of `GET /api/auth/sessions`. */
export type Session = {
  /** The session's id. */
  readonly id: string;
  /** True for the session of this request. */
  readonly current: boolean;
  /** Name that the browser or program gives itself. */
  readonly device: string | null;
  /** The address it was opened from. */
  readonly peer: string | null;
  /** When it began. */
  readonly createdAt: string;
  /** When it was last used. */
  readonly lastUsedAt: string;
  /** When it ends unless it is used. */
  readonly expiresAt: string;
  /** When its owner last proved who they are. */
  readonly provedAt: string | null;
};
