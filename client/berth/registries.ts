/** The API's group `registries`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { RegistryCredentials } from "./models.ts";

/**
 * GET: The image registries that berth has credentials or rules for.
 *
 * POST: Store a registry and its credentials, once the registry has accepted them.
 */
export const REGISTRIES: Endpoint<"/api/registries", {
  get: { response: Registries; query: Record<string, never> };
  post: { response: Registry; payload: NewRegistry; query: Record<string, never> };
}> = new Endpoint("/api/registries", { post: [201] });

/** DELETE: Forget a registry and its credentials. */
export const REGISTRY: Endpoint<"/api/registries/{id}", {
  delete: { query: Record<string, never> };
}> = new Endpoint("/api/registries/{id}", { delete: [204] });

/** The payload of `POST /api/registries`. */
export type NewRegistry = {
  /** Host and port, as references have it. */
  readonly host: string;
  /** Only for repositories below this path, as `team/app`. */
  readonly path?: string;
  /** The credentials; absent for a registry that needs none. */
  readonly auth?: RegistryCredentials;
  /** The host that gives out its tokens, if it is another one: the credentials are sent to it. */
  readonly tokenService?: string;
  /** True to call it without TLS: credentials can be read on the way. */
  readonly plainHttp?: boolean;
  /** Certificates that are trusted for it beside those of the system, as PEM. */
  readonly ca?: string;
};

/** The answer of `GET /api/registries`. */
export type Registries = {
  /** The registries. */
  readonly items: readonly (Registry)[];
  /** Number of all registries. */
  readonly total: number;
};

/** A part of `Registries`. */
export type Registry = {
  /** The id to forget it by. */
  readonly id: string;
  /** Host and port, as references have it; `docker.io` is Docker Hub. */
  readonly host: string;
  /** The first parts of the repositories that it is for; empty for all of the host. */
  readonly path: string;
  /** The way to sign in; `none` is a registry without credentials. */
  readonly login: "password" | "identityToken" | "none";
  /** Null unless it signs in with a password. */
  readonly username: string | null;
  /** Another host that is given the credentials, because the registry uses it for its tokens. */
  readonly tokenService: string | null;
  /** True if it is called without TLS. */
  readonly plainHttp: boolean;
  /** True if it has certificates of its own. */
  readonly hasCa: boolean;
  /** The user or key that stored it. */
  readonly createdBy: string;
  /** When it was stored. */
  readonly createdAt: string;
};
