/** The API's group `settings`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Permission, Role, Scope, Tokens } from "./models.ts";

/** GET: True until the first admin exists. */
export const SETTINGS_SETUP_REQUIRED: Endpoint<"/api/settings/setup-required", {
  get: {
    response: {
      /** True until the first admin exists. */
      readonly setupRequired: boolean;
    };
    query: Record<string, never>;
  };
}> = new Endpoint("/api/settings/setup-required");

/** POST: Make the first admin, with the one-time token of the data folder. */
export const SETTINGS_SETUP: Endpoint<"/api/settings/setup", {
  post: { response: Tokens | ApiKeyCreated; payload: Setup; query: Record<string, never> };
}> = new Endpoint("/api/settings/setup", { post: [200, 201] });

/**
 * GET: All API keys, without their secrets.
 *
 * POST: Make an API key, with a role, with permissions, or with grants on scopes.
 */
export const SETTINGS_API_KEYS: Endpoint<"/api/settings/api-keys", {
  get: {
    response: {
      /** The keys, oldest first. */
      readonly items: readonly (ApiKey)[];
      /** Number of all keys. */
      readonly total: number;
    };
    query: {
      /** The id of their creator. */
      createdBy?: string;
    };
  };
  post: { response: ApiKeyCreated; payload: NewApiKey; query: Record<string, never> };
}> = new Endpoint("/api/settings/api-keys", { post: [201] });

/** POST: Give an API key a new secret while the previous one stays valid for a while. */
export const SETTINGS_API_KEY_ROTATE: Endpoint<"/api/settings/api-keys/{id}/rotate", {
  post: { response: ApiKeyCreated; payload: KeyRotation; query: Record<string, never> };
}> = new Endpoint("/api/settings/api-keys/{id}/rotate");

/** POST: Become the owner of a key, so that it is not deleted with its creator. */
export const SETTINGS_API_KEY_TAKE_OVER: Endpoint<"/api/settings/api-keys/{id}/take-over", {
  post: { response: ApiKey; query: Record<string, never> };
}> = new Endpoint("/api/settings/api-keys/{id}/take-over");

/** DELETE: Delete an API key and those that it made; their open streams end. */
export const SETTINGS_API_KEY: Endpoint<"/api/settings/api-keys/{id}", {
  delete: { query: Record<string, never> };
}> = new Endpoint("/api/settings/api-keys/{id}", { delete: [204] });

/** POST: Check whether a key is valid, and its permissions. */
export const SETTINGS_API_KEYS_VERIFY: Endpoint<"/api/settings/api-keys/verify", {
  post: { response: KeyVerdict; payload: KeyToVerify; query: Record<string, never> };
}> = new Endpoint("/api/settings/api-keys/verify");

/**
 * GET: Everybody who has signed in or may.
 *
 * POST: Add a person who signs in with a password, which they set by a one-time link.
 */
export const SETTINGS_PEOPLE: Endpoint<"/api/settings/people", {
  get: {
    response: {
      /** The people. */
      readonly items: readonly (Person)[];
      /** Number of all people. */
      readonly total: number;
    };
    query: Record<string, never>;
  };
  post: { response: PersonCreated; payload: NewPerson; query: Record<string, never> };
}> = new Endpoint("/api/settings/people", { post: [201] });

/**
 * PUT: Disable a person or let them in again, or change what they hold.
 *
 * DELETE: Delete a person with their sessions and the keys that they made.
 */
export const SETTINGS_PERSON: Endpoint<"/api/settings/people/{id}", {
  put: { response: Person; payload: PersonChange; query: Record<string, never> };
  delete: { query: Record<string, never> };
}> = new Endpoint("/api/settings/people/{id}", { delete: [204] });

/** POST: Make a person another one-time link for their password. */
export const SETTINGS_PERSON_PASSWORD_LINK: Endpoint<"/api/settings/people/{id}/password-link", {
  post: { response: PasswordLink; query: Record<string, never> };
}> = new Endpoint("/api/settings/people/{id}/password-link");

/** The answer of `GET /api/settings/api-keys`. */
export type ApiKey = {
  /** The key's id, which is no secret. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** The beginning of the key: enough to recognise it. */
  readonly prefix: string;
  /** The role that it holds everywhere; null where permissions or scopes are listed, or its creator holds less by now. */
  readonly role: Role | null;
  /** Permissions that it holds everywhere: never more than its creator holds now. */
  readonly permissions: readonly (Permission)[];
  /** All that it was made with, and on what. */
  readonly grants: readonly (Grant)[];
  /** When it was made. */
  readonly createdAt: string;
  /** The name of its creator. */
  readonly createdBy: string;
  /** The creator, and the person it is deleted with; null if it belongs to nobody. */
  readonly creator: ApiKeyCreator | null;
  /** When it ends; null: never. */
  readonly expiresAt: string | null;
  /** Until when the secret before the last rotation counts. */
  readonly previousUntil: string | null;
  /** The addresses and ranges it may come from; empty for everywhere. */
  readonly from: readonly (string)[];
  /** True if its creator is disabled, so that the key is not valid. */
  readonly disabled: boolean;
  /** When it was last used; null: never. */
  readonly lastUsedAt: string | null;
  /** The address it was last used from. */
  readonly lastUsedPeer: string | null;
};

/** The answer of `POST /api/settings/setup`. */
export type ApiKeyCreated = {
  /** The key's id, which is no secret. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** The beginning of the key: enough to recognise it. */
  readonly prefix: string;
  /** The role that it holds everywhere; null where permissions or scopes are listed, or its creator holds less by now. */
  readonly role: Role | null;
  /** Permissions that it holds everywhere: never more than its creator holds now. */
  readonly permissions: readonly (Permission)[];
  /** All that it was made with, and on what. */
  readonly grants: readonly (Grant)[];
  /** When it was made. */
  readonly createdAt: string;
  /** The name of its creator. */
  readonly createdBy: string;
  /** The creator, and the person it is deleted with; null if it belongs to nobody. */
  readonly creator: ApiKeyCreator | null;
  /** When it ends; null: never. */
  readonly expiresAt: string | null;
  /** Until when the secret before the last rotation counts. */
  readonly previousUntil: string | null;
  /** The addresses and ranges it may come from; empty for everywhere. */
  readonly from: readonly (string)[];
  /** True if its creator is disabled, so that the key is not valid. */
  readonly disabled: boolean;
  /** When it was last used; null: never. */
  readonly lastUsedAt: string | null;
  /** The address it was last used from. */
  readonly lastUsedPeer: string | null;
  /** Shown this once. */
  readonly key: string;
};

/** A part of `ApiKeyCreated`. */
export type ApiKeyCreator = {
  /** Kind of creator. */
  readonly kind: "user" | "apiKey";
  /** Id of the creator. */
  readonly id: string;
};

/** A part of `ApiKeyCreated`. */
export type Grant = {
  /** A role. */
  readonly role: Role;
  /** The scopes it applies to; everywhere if left out. */
  readonly on?: readonly (Scope)[];
} | {
  /** Single permissions. */
  readonly permissions: readonly (Permission)[];
  /** The scopes it applies to; everywhere if left out. */
  readonly on?: readonly (Scope)[];
};

/** The payload of `POST /api/settings/api-keys/{id}/rotate`. */
export type KeyRotation = {
  /** The minutes for which the previous secret stays valid. */
  readonly overlapMinutes?: number;
};

/** The payload of `POST /api/settings/api-keys/verify`. */
export type KeyToVerify = {
  /** The key as it was shown once. */
  readonly key: string;
};

/** The answer of `POST /api/settings/api-keys/verify`. */
export type KeyVerdict = {
  /** True if the key is valid. */
  readonly valid: boolean;
  /** The reason that it is not valid. */
  readonly reason?: "unknown" | "expired" | "malformed";
  /** The key's id. */
  readonly id?: string;
  /** The key's name. */
  readonly name?: string;
  /** Its role. */
  readonly role?: Role | null;
  /** Its permissions. */
  readonly permissions?: readonly (Permission)[];
  /** Its permissions and their scopes. */
  readonly grants?: readonly (Grant)[];
  /** When it ends; null: never. */
  readonly expiresAt?: string | null;
};

/** The payload of `POST /api/settings/api-keys`. */
export type NewApiKey = {
  /** The name to display. */
  readonly name: string;
  /** Days until it ends; never unless given. */
  readonly expiresInDays?: number;
  /** The addresses and ranges it may come from; from everywhere when it is left out. */
  readonly from?: readonly (string)[];
  /** A role for everything. */
  readonly role: Role;
} | {
  /** The name to display. */
  readonly name: string;
  /** Days until it ends; never unless given. */
  readonly expiresInDays?: number;
  /** The addresses and ranges it may come from; from everywhere when it is left out. */
  readonly from?: readonly (string)[];
  /** Single permissions for everything. */
  readonly permissions: readonly (Permission)[];
} | {
  /** The name to display. */
  readonly name: string;
  /** Days until it ends; never unless given. */
  readonly expiresInDays?: number;
  /** The addresses and ranges it may come from; from everywhere when it is left out. */
  readonly from?: readonly (string)[];
  /** Its permissions and their scopes. */
  readonly grants: readonly (Grant)[];
};

/** The payload of `POST /api/settings/people`. */
export type NewPerson = {
  /** Their name, which they sign in with. */
  readonly name: string;
  /** A role for everything. */
  readonly role: Role;
} | {
  /** Their name, which they sign in with. */
  readonly name: string;
  /** The person's permissions and their scopes. */
  readonly grants: readonly (Grant)[];
};

/** The answer of `POST /api/settings/people/{id}/password-link`. */
export type PasswordLink = {
  /** Shown this once: sets the password at `POST /api/auth/password-link`. */
  readonly passwordToken: string;
  /** Until when the link may be used. */
  readonly passwordTokenExpiresAt: string;
};

/** The answer of `GET /api/settings/people`. */
export type Person = {
  /** The person's id. */
  readonly id: string;
  /** The person's name. */
  readonly name: string;
  /** The address that the identity provider vouched for. */
  readonly email: string | null;
  /** The address of a picture. */
  readonly picture: string | null;
  /** The way of signing in: with a password here, or at the identity provider. */
  readonly signIn: "password" | "provider";
  /** The identity provider's address; null for people who sign in with a password. */
  readonly issuer: string | null;
  /** The role that they hold everywhere as of now. */
  readonly role: Role | null;
  /** All that they hold as of now; of a provider's people, by the rules. */
  readonly grants: readonly (Grant)[];
  /** False until they set one by their link. */
  readonly hasPassword: boolean;
  /** True if the person is locked out. */
  readonly disabled: boolean;
  /** When they first came. */
  readonly createdAt: string | null;
  /** When they were last here. */
  readonly lastSeenAt: string | null;
  /** Number of live sessions. */
  readonly sessions: number;
};

/** The payload of `PUT /api/settings/people/{id}`. */
export type PersonChange = {
  /** True locks the person out at once. */
  readonly disabled: boolean;
} | {
  /** True locks the person out at once. */
  readonly disabled?: boolean;
  /** Another role for everything. */
  readonly role: Role;
} | {
  /** True locks the person out at once. */
  readonly disabled?: boolean;
  /** The person's new permissions and their scopes. */
  readonly grants: readonly (Grant)[];
};

/** The answer of `POST /api/settings/people`. */
export type PersonCreated = {
  /** The person's id. */
  readonly id: string;
  /** The person's name. */
  readonly name: string;
  /** The address that the identity provider vouched for. */
  readonly email: string | null;
  /** The address of a picture. */
  readonly picture: string | null;
  /** The way of signing in: with a password here, or at the identity provider. */
  readonly signIn: "password" | "provider";
  /** The identity provider's address; null for people who sign in with a password. */
  readonly issuer: string | null;
  /** The role that they hold everywhere as of now. */
  readonly role: Role | null;
  /** All that they hold as of now; of a provider's people, by the rules. */
  readonly grants: readonly (Grant)[];
  /** False until they set one by their link. */
  readonly hasPassword: boolean;
  /** True if the person is locked out. */
  readonly disabled: boolean;
  /** When they first came. */
  readonly createdAt: string | null;
  /** When they were last here. */
  readonly lastSeenAt: string | null;
  /** Number of live sessions. */
  readonly sessions: number;
  /** Shown this once: sets the password at `POST /api/auth/password-link`. */
  readonly passwordToken: string;
  /** Until when the link may be used. */
  readonly passwordTokenExpiresAt: string;
};

/** The payload of `POST /api/settings/setup`. */
export type Setup = {
  /** The one-time token that the start printed. */
  readonly token: string;
  /** The name of the first admin, or of the key. */
  readonly name: string;
  /** Makes a person who signs in with it, instead of a key. */
  readonly password?: string;
};
