/** The API's group `auth`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Permission, Role } from "./models.ts";

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

/** A part of `AuthStatus`. */
export type Principal = {
  readonly kind: "user" | "apiKey";
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly picture?: string;
  /** Null for a key that lists its permissions itself. */
  readonly role: Role | null;
  readonly permissions: readonly (Permission)[];
};

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

/** The answer of `POST /api/auth/idp`. */
export type Tokens = {
  readonly tokenType: "Bearer";
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Absent when it went into the cookie. */
  readonly refreshToken?: string;
  /** Seconds. */
  readonly refreshExpiresIn: number;
  readonly principal: Principal;
};
