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
      readonly items: readonly (Session)[];
      readonly total: number;
    };
    query: {
      /** The id of somebody else, for who has `people:manage`; one's own when it is left out. */
      person?: string;
    };
  };
  delete: {
    response: {
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
  readonly authenticated: boolean;
  readonly principal: Principal | null;
  readonly expiresAt: string | null;
  /** Null when none is configured, or when it cannot be asked right now. */
  readonly provider: Provider | null;
  readonly setupRequired: boolean;
};

/** The payload of `POST /api/auth/idp`. */
export type CodeAnswer = {
  readonly code: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
  readonly nonce?: string;
  readonly iss?: string;
};

/** The payload of `POST /api/auth/key`. */
export type KeyForSession = {
  readonly key: string;
};

/** The payload of `POST /api/auth/password`. */
export type NameAndPassword = {
  readonly name: string;
  readonly password: string;
};

/** The payload of `POST /api/auth/password-link`. */
export type PasswordByLink = {
  readonly token: string;
  readonly password: string;
};

/** The payload of `PUT /api/auth/password`. */
export type PasswordChange = {
  readonly password: string;
  readonly newPassword: string;
};

/** The payload of `POST /api/auth/proof`. */
export type Proof = {
  readonly password: string;
} | {
  readonly key: string;
} | CodeAnswer;

/** A part of `AuthStatus`. */
export type Provider = {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly authorizationEndpoint: string;
  readonly scopes: readonly (string)[];
  readonly pkce: "S256";
  readonly redirectUri: string;
};

/** The payload of `POST /api/auth/refresh`. */
export type RefreshToken = {
  readonly refreshToken?: string;
};

/** The answer of `GET /api/auth/sessions`. */
export type Session = {
  readonly id: string;
  /** Whether it is the one that asks. */
  readonly current: boolean;
  /** What the browser or program calls itself. */
  readonly device: string | null;
  /** The address it was opened from. */
  readonly peer: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
  /** When its owner last proved who they are. */
  readonly provedAt: string | null;
};
