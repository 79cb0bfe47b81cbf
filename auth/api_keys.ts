/** API keys: made once, shown once, kept as a digest, never above whoever made them. */
import { may, type Permission, type PermissionCatalogue, type Principal, type Role } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import type { KeyRecord, KeyStore, NewAuditEntry } from "../core/store.ts";
import type { Clock } from "./clock.ts";
import { digest, randomSecret, sameDigest } from "./secret.ts";

const SHAPE = /^berth_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;
const DAY_MS = 86_400_000;
/** A write for every request would cost more than the request. */
const USED_EVERY_MS = 30_000;

export type KeyAsked = {
  readonly name: string;
  readonly expiresInDays?: number | undefined;
} & ({ readonly role: Role } | { readonly permissions: readonly Permission[] });

export interface MadeKey {
  readonly record: KeyRecord;
  /** The only time anybody sees it. */
  readonly key: string;
}

export type KeyVerdict =
  | { readonly valid: true; readonly record: KeyRecord }
  | { readonly valid: false; readonly reason: "unknown" | "expired" | "malformed" };

export class ApiKeys {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #permissions: PermissionCatalogue;
  /** When each key was used, until it is written. */
  readonly #used = new Map<string, number>();
  /** Monotonic: when each key was last noted as used. */
  readonly #usedAt = new Map<string, number>();
  #writtenAt = -Infinity;
  #writing: Promise<void> | null = null;

  constructor(
    { store, clock, permissions }: {
      readonly store: KeyStore;
      readonly clock: Clock;
      readonly permissions: PermissionCatalogue;
    },
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#permissions = permissions;
  }

  /** A key whose permissions its creator has, all of them. Throws `invalid_request`, `key_exceeds_creator`. */
  async add(asked: KeyAsked, creator: Principal, entry: NewAuditEntry): Promise<MadeKey> {
    const wanted = "role" in asked ? this.#permissions.of(asked.role) : asked.permissions;
    const unknown = wanted.filter((permission) => !this.#permissions.has(permission));
    if (unknown.length > 0) {
      throw new ServiceError(
        "invalid_request",
        `Cannot make the key "${asked.name}": there is no permission "${unknown[0]}"`,
        {
          errors: [{
            path: "body.permissions",
            message: `Expected some of ${this.#permissions.names.join(", ")}`,
          }],
        },
      );
    }
    const excess = wanted.filter((permission) => !may<Permission>(creator, permission));
    if (excess.length > 0) {
      throw new ServiceError(
        "key_exceeds_creator",
        `Cannot make the key "${asked.name}": you do not have "${excess.join('", "')}" yourself`,
      );
    }
    const made = await makeKey(asked, creator.name, this.#clock);
    await this.#store.add(made.record, { ...entry, target: `${entry.target}/${made.record.id}` });
    return made;
  }

  async list(): Promise<KeyRecord[]> {
    await this.flush();
    return await this.#store.list();
  }

  /** Throws `not_found`, `last_admin`, and `forbidden` for a key that may do more than who deletes it. */
  async remove(id: string, remover: Principal, entry: NewAuditEntry): Promise<void> {
    const key = await this.#store.get(id);
    if (
      key !== null && !this.permissionsOf(key).every((permission) => may<Permission>(remover, permission))
    ) {
      throw new ServiceError("forbidden", `Cannot delete the key "${key.name}": it may do more than you may`);
    }
    if (key === null || !await this.#store.remove(id, this.#clock.now(), entry)) {
      throw new ServiceError("not_found", "Cannot delete the key: there is none with that id");
    }
    this.#used.delete(id);
    this.#usedAt.delete(id);
  }

  async check(key: string): Promise<KeyVerdict> {
    const id = SHAPE.exec(key)?.[1];
    if (id === undefined) return { valid: false, reason: "malformed" };
    // The digest is made whether or not the id is known, and takes the time that it takes for all keys.
    const [record, hash] = await Promise.all([this.#store.get(id), digest(key)]);
    if (record === null || !sameDigest(record.hash, hash)) return { valid: false, reason: "unknown" };
    if (!isAlive(record, this.#clock.now())) return { valid: false, reason: "expired" };
    return { valid: true, record };
  }

  /** What the key may do; a permission of a plugin that is no longer listed counts for nothing. */
  permissionsOf(key: KeyRecord): readonly Permission[] {
    return key.role === null
      ? key.permissions.filter((permission) => this.#permissions.has(permission))
      : this.#permissions.of(key.role);
  }

  principalOf(key: KeyRecord): Principal {
    return {
      kind: "apiKey",
      id: key.id,
      name: key.name,
      role: key.role,
      permissions: this.permissionsOf(key),
    };
  }

  /** The key as it is now, if it still lives. */
  async alive(id: string): Promise<KeyRecord | null> {
    const record = await this.#store.get(id);
    return record !== null && isAlive(record, this.#clock.now()) ? record : null;
  }

  /** Remembers that the key was used; written in batches. */
  use(id: string): void {
    const now = this.#clock.monotonic();
    // To the second is precise enough, and spares most requests the second look at a clock.
    if (now - (this.#usedAt.get(id) ?? -Infinity) < 1_000) return;
    this.#usedAt.set(id, now);
    this.#used.set(id, this.#clock.now());
    if (now - this.#writtenAt < USED_EVERY_MS) return;
    this.#writtenAt = now;
    this.flush().catch(() => {}); // it stays in memory, and is written with the next
  }

  /** Writes the uses that are not written yet. */
  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
    if (this.#used.size === 0) return;
    const uses = new Map(this.#used);
    this.#used.clear();
    this.#writing = this.#store.used(uses).catch((thrown) => {
      for (const [id, at] of uses) if (!this.#used.has(id)) this.#used.set(id, at);
      throw thrown;
    }).finally(() => this.#writing = null);
    await this.#writing;
  }
}

/** A key that no store holds yet. */
export async function makeKey(asked: KeyAsked, createdBy: string, clock: Clock): Promise<MadeKey> {
  const id = crypto.getRandomValues(new Uint8Array(8)).toHex();
  const key = `berth_${id}_${randomSecret()}`;
  const createdAt = clock.now();
  const record: KeyRecord = {
    id,
    name: asked.name,
    hash: await digest(key),
    role: "role" in asked ? asked.role : null,
    permissions: "role" in asked ? [] : [...new Set(asked.permissions)],
    createdAt,
    createdBy,
    expiresAt: asked.expiresInDays === undefined ? null : createdAt + asked.expiresInDays * DAY_MS,
    lastUsedAt: null,
  };
  return { record, key };
}

function isAlive(key: KeyRecord, now: number): boolean {
  return key.expiresAt === null || key.expiresAt > now;
}
