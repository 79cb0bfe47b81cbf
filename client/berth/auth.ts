/** The API's group `auth`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Principal, Tokens } from "./models.ts";

/** GET: Whether the caller is signed in, and how to sign in. */
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

/** GET: Who the caller is, and what they may do. */
export const AUTH_ME: Endpoint<"/api/auth/me", {
  get: { response: Principal; query: Record<string, never> };
}> = new Endpoint("/api/auth/me");

/** POST: End the caller's session, with all its tokens and streams. */
export const AUTH_LOGOUT: Endpoint<"/api/auth/logout", {
  post: {
    response: {
      /** Whether a session was ended. */
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
}> = new Endpoint("/api/auth/password");

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
}> = new Endpoint("/api/auth/proof");

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
      /** How many there are in all. */
      readonly total: number;
    };
    query: {
      /** The id of somebody else, for who has `people:manage`; one's own when it is left out. */
      person?: string;
    };
  };
  delete: {
    response: {
      /** How many sessions were ended. */
      readonly ended: number;
    };
    query: {
      /** The id of somebody else, for who has `people:manage`; one's own when it is left out. */
      person?: string;
    };
  };
}> = new Endpoint("/api/auth/sessions");

/** DELETE: End a session, with its tokens and streams. */
export const AUTH_SESSION: Endpoint<"/api/auth/sessions/{id}", {
  delete: { query: Record<string, never> };
}> = new Endpoint("/api/auth/sessions/{id}");

/** The answer of `GET /api/auth/status`. */
export type AuthStatus = {
  /** Whether the caller is known. */
  readonly authenticated: boolean;
  /** Who calls. */
  readonly principal: Principal | null;
  /** When the credential ends; null: never. */
  readonly expiresAt: string | null;
  /** Null when none is configured, or when it cannot be asked right now. */
  readonly provider: Provider | null;
  /** Whether the first admin is still to be made. */
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
  /** The API key, for who has no password. */
  readonly key: string;
} | CodeAnswer;

/** A part of `AuthStatus`. */
export type Provider = {
  /** What to call it. */
  readonly name: string;
  /** Its address, or github. */
  readonly issuer: string;
  /** Our client id there. */
  readonly clientId: string;
  /** Where the person is sent. */
  readonly authorizationEndpoint: string;
  /** What to ask for. */
  readonly scopes: readonly (string)[];
  /** The method of PKCE that must be used. */
  readonly pkce: "S256";
  /** The address to come back to. */
  readonly redirectUri: string;
};

/** The payload of `POST /api/auth/refresh`. */
export type RefreshToken = {
  /** Where it does not come as a cookie. */
  readonly refreshToken?: string;
};

/** The answer of `GET /api/auth/sessions`. */
export type Session = {
  /** The session's id. */
  readonly id: string;
  /** Whether it is the one that asks. */
  readonly current: boolean;
  /** What the browser or program calls itself. */
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
