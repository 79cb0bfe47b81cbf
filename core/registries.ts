/** Image registries that people have made known: how berth may call them, and the credentials for them. */
import type { AuditActor, NewAuditEntry } from "./audit_entry.ts";
import type { RegistryLogin } from "./engine_acts.ts";

export const REGISTRY_LOGINS = ["password", "identityToken", "none"] as const;

/** A registry's host, or the repositories below a path of it. */
export interface RegistryRecord {
  readonly id: string;
  /** Host and port as references have it: `ghcr.io`, `registry.lan:5000`. */
  readonly host: string;
  /** The first parts of its repositories' names; empty for all. */
  readonly path: string;
  readonly login: typeof REGISTRY_LOGINS[number];
  /** Null unless it signs in with a password. */
  readonly username: string | null;
  /** The host that gives out tokens for it; null where it does not use one. */
  readonly tokenService: string | null;
  /** True if it is called without TLS. */
  readonly plainHttp: boolean;
  /** The certificates that are trusted for it, as PEM; null for those of the system alone. */
  readonly ca: string | null;
  readonly by: Pick<AuditActor, "kind" | "id" | "name">;
  readonly at: number;
  /** The password or token, sealed for this host, path and token service; null where there is none. */
  readonly sealed: Uint8Array | null;
}

export interface RegistryStore {
  /** Returns all of them, by host and path. */
  list(): Promise<RegistryRecord[]>;
  /** Adds it, in place of the one of the same host and path. Throws `too_many_registries` beyond `most`. */
  put(record: RegistryRecord, most: number, entry: NewAuditEntry): Promise<void>;
  /** Returns false if there is none of this id. */
  remove(id: string, entry: NewAuditEntry): Promise<boolean>;
}

/** The stored credentials, for what pulls images. */
export interface RegistryLogins {
  /** Returns the login for a repository; undefined where none is stored. Throws where it cannot be opened. */
  find(host: string, repository: string): Promise<RegistryLogin | undefined>;
}
