/** The API's group `settings`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Permission, Role } from "./models.ts";

/** GET: Whether the first admin is still to be made. */
export const SETTINGS_SETUP_REQUIRED: Endpoint<"/api/settings/setup-required", {
  get: {
    response: {
      readonly setupRequired: boolean;
    };
    query: Record<string, never>;
  };
}> = new Endpoint("/api/settings/setup-required");

/** POST: Make the first admin's key, with the one-time token of the data folder. */
export const SETTINGS_SETUP: Endpoint<"/api/settings/setup", {
  post: { response: ApiKeyCreated; payload: Setup; query: Record<string, never> };
}> = new Endpoint("/api/settings/setup");

/**
 * GET: All API keys, without their secrets.
 *
 * POST: Make an API key, with a role or with its own permissions.
 */
export const SETTINGS_API_KEYS: Endpoint<"/api/settings/api-keys", {
  get: {
    response: {
      readonly items: readonly (ApiKey)[];
      readonly total: number;
    };
    query: Record<string, never>;
  };
  post: { response: ApiKeyCreated; payload: NewApiKey; query: Record<string, never> };
}> = new Endpoint("/api/settings/api-keys");

/** DELETE: Delete an API key; its open streams end. */
export const SETTINGS_API_KEY: Endpoint<"/api/settings/api-keys/{id}", {
  delete: { query: Record<string, never> };
}> = new Endpoint("/api/settings/api-keys/{id}");

/** POST: Whether a key is good, and for what. */
export const SETTINGS_API_KEYS_VERIFY: Endpoint<"/api/settings/api-keys/verify", {
  post: { response: KeyVerdict; payload: KeyToVerify; query: Record<string, never> };
}> = new Endpoint("/api/settings/api-keys/verify");

/** The answer of `GET /api/settings/api-keys`. */
export type ApiKey = {
  readonly id: string;
  readonly name: string;
  /** How the key begins: enough to recognise it by. */
  readonly prefix: string;
  /** Null for a key that lists its permissions itself. */
  readonly role: Role | null;
  readonly permissions: readonly (Permission)[];
  readonly createdAt: string;
  readonly createdBy: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
};

/** The answer of `POST /api/settings/setup`. */
export type ApiKeyCreated = {
  readonly id: string;
  readonly name: string;
  /** How the key begins: enough to recognise it by. */
  readonly prefix: string;
  /** Null for a key that lists its permissions itself. */
  readonly role: Role | null;
  readonly permissions: readonly (Permission)[];
  readonly createdAt: string;
  readonly createdBy: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  /** Shown this once. */
  readonly key: string;
};

/** The payload of `POST /api/settings/api-keys/verify`. */
export type KeyToVerify = {
  readonly key: string;
};

/** The answer of `POST /api/settings/api-keys/verify`. */
export type KeyVerdict = {
  readonly valid: boolean;
  readonly reason?: "unknown" | "expired" | "malformed";
  readonly id?: string;
  readonly name?: string;
  readonly role?: Role | null;
  readonly permissions?: readonly (Permission)[];
  readonly expiresAt?: string | null;
};

/** The payload of `POST /api/settings/api-keys`. */
export type NewApiKey = {
  readonly name: string;
  readonly role: Role;
  readonly expiresInDays?: number;
} | {
  readonly name: string;
  readonly permissions: readonly (Permission)[];
  readonly expiresInDays?: number;
};

/** The payload of `POST /api/settings/setup`. */
export type Setup = {
  readonly token: string;
  readonly name: string;
};
