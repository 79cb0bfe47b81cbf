/** API keys: shown once, stored as a digest, with no more rights and no longer life than their creator. */
import { excessOf, type Grant, type PermissionCatalogue, type Principal, within } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import type { RoleRule } from "../../core/sign_in.ts";
import type { KeyRecord, KeyStore, KeyUse, NewKey } from "../../core/access_store.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import { type AddressRange, addressRange } from "../../core/address_range.ts";
import { auditEntry, BERTH } from "../audit/audit.ts";
import type { Clock } from "../clock.ts";
import { grantsOfAccount } from "./roles.ts";
import { digest, randomSecret, sameDigest } from "../secret.ts";

const SHAPE = /^berth_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A write for every request would cost more than the request. */
const USED_EVERY_MS = 30_000;
export const MAX_KEYS = 1_000;
/** The time before its end within which the use of a key causes a warning. */
const WARN_MS = 7 * DAY_MS;

interface KeyAsked {
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly expiresInDays?: number | undefined;
  /** Addresses and ranges it may come from; from everywhere when it is left out. */
  readonly from?: readonly string[] | undefined;
}

/** Makes the audit entry of what is done to a key, which is given as it was. */
type EntryOf = (key: KeyRecord) => NewAuditEntry;

export interface MadeKey {
  readonly record: KeyRecord;
  /** The only time anybody sees it. */
  readonly key: string;
}

type KeyVerdict =
  /** `expiresAt`: when this secret of the key, whose digest is `secret`, ends; `Infinity` for never. */
  | {
    readonly valid: true;
    readonly record: KeyRecord;
    readonly secret: Uint8Array;
    readonly expiresAt: number;
  }
  | { readonly valid: false; readonly reason: "unknown" | "expired" | "malformed" };

export class ApiKeys {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #permissions: PermissionCatalogue;
  readonly #rules: () => readonly RoleRule[];
  readonly #maxDays: number | null;
  /** When each key was used, until it is written. */
  readonly #used = new Map<string, KeyUse>();
  /** Monotonic: when each key was last noted as used. */
  readonly #usedAt = new Map<string, number>();
  #writtenAt = -Infinity;
  #writing: Promise<void> | null = null;

  constructor(options: {
    readonly store: KeyStore;
    readonly clock: Clock;
    readonly permissions: PermissionCatalogue;
    /** As they are now: what a provider's people hold limits the keys that they made. */
    readonly rules: () => readonly RoleRule[];
    /** Days that a new key lives at most. */
    readonly maxDays?: number | null;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#permissions = options.permissions;
    this.#rules = options.rules;
    this.#maxDays = options.maxDays ?? null;
  }

  /**
   * A key that holds no more than its creator and ends no later than they do.
   * Throws `key_exceeds_creator`, `too_many_keys`, and `invalid_request` for a longer life than any key may have.
   */
  async add(asked: KeyAsked, creator: Principal, entry: NewAuditEntry): Promise<MadeKey> {
    mustBeKnown(asked.grants, this.#permissions, `make the key "${asked.name}"`);
    const excess = excessOf(this.#permissions.rightsOf(asked.grants), creator);
    if (excess !== null) {
      const where = excess.on === null ? "" : ` on "${excess.on}"`;
      throw new ServiceError(
        "key_exceeds_creator",
        `Cannot make the key "${asked.name}": you do not have "${
          excess.permissions.join('", "')
        }"${where} yourself`,
      );
    }
    if (this.#maxDays !== null && (asked.expiresInDays ?? 0) > this.#maxDays) {
      const message = `Expected at most ${this.#maxDays}, which is what BERTH_KEY_MAX_DAYS allows`;
      throw new ServiceError(
        "invalid_request",
        `Cannot make the key "${asked.name}": it would live too long`,
        {
          errors: [{ path: "body.expiresInDays", message }],
        },
      );
    }
    const { record, key } = await makeKey(asked, creator.name, this.#clock);
    const ends = [
      record.expiresAt,
      this.#maxDays === null ? null : record.createdAt + this.#maxDays * DAY_MS,
      await this.#endOf(creator),
    ].filter((end) => end !== null);
    const { kind, id } = creator;
    const whole = {
      ...record,
      creator: { kind, id },
      expiresAt: ends.length === 0 ? null : Math.min(...ends),
    };
    await this.#store.add(whole, MAX_KEYS, { ...entry, target: `${entry.target}/${record.id}` });
    return { record: await this.#store.get(record.id) ?? added(whole), key };
  }

  async list(createdBy: string | null = null): Promise<KeyRecord[]> {
    // Uses that are not written yet are known here: a list needs no disk that can be written
    return (await this.#store.list(createdBy)).map((record) => {
      const use = this.#used.get(record.id);
      return use === undefined ? record : { ...record, lastUsedAt: use.at, lastUsedPeer: use.peer };
    });
  }

  /** Deletes a key and all that it made. Throws `not_found`, `last_admin`, and `forbidden` for one that may do more. */
  async remove(id: string, remover: Principal, entryOf: EntryOf): Promise<void> {
    const removed = await this.#mustBeWithin(id, remover, "delete");
    if (!await this.#store.remove(id, entryOf(removed))) throw noSuchKey("delete");
    this.#used.delete(id);
    this.#usedAt.delete(id);
  }

  /**
   * Gives a key another secret. The previous one stays valid for `overlapMinutes`, and so do the key's sessions but
   * the one that asks. Throws `not_found`, and `forbidden` for a key that may do more than the caller.
   */
  async rotate(
    id: string,
    asked: { readonly overlapMinutes: number; readonly session: string | null },
    by: Principal,
    entryOf: EntryOf,
  ): Promise<MadeKey> {
    const before = await this.#mustBeWithin(id, by, "rotate");
    const key = secretOf(id);
    const now = this.#clock.now();
    const until = now + asked.overlapMinutes * MINUTE_MS;
    const rotation = { hash: await digest(key), until, now, keep: asked.session };
    if (!await this.#store.rotate(id, rotation, entryOf(before))) throw noSuchKey("rotate");
    const record = await this.#store.get(id);
    if (record === null) throw noSuchKey("rotate");
    return { record, key };
  }

  /** Makes `by` the creator, so that the key stays when the one before goes, and ends no later than `by`. */
  async takeOver(id: string, by: Principal, entryOf: EntryOf): Promise<KeyRecord> {
    const before = await this.#mustBeWithin(id, by, "take over");
    if (by.kind === "apiKey" && await this.#isMadeBy(by.id, id)) {
      throw new ServiceError(
        "forbidden",
        "Cannot take over the key: it is your own, or the one that made yours",
      );
    }
    const expiresAt = await this.#endOf(by);
    const creator = { kind: by.kind, id: by.id };
    const adopted = await this.#store.adopt(id, { creator, name: by.name, expiresAt }, entryOf(before));
    const record = adopted ? await this.#store.get(id) : null;
    if (record === null) throw noSuchKey("take over");
    return record;
  }

  async check(key: string): Promise<KeyVerdict> {
    const id = SHAPE.exec(key)?.[1];
    if (id === undefined) return { valid: false, reason: "malformed" };
    // The digest is made whether or not the id is known, and takes the time that it takes for all keys.
    const [record, hash] = await Promise.all([this.#store.get(id), digest(key)]);
    const now = this.#clock.now();
    const until = record === null ? null : endOfSecret(record, hash);
    if (record === null || until === null) return { valid: false, reason: "unknown" };
    if (!isAlive(record, now, this.#rules()) || until <= now) return { valid: false, reason: "expired" };
    return { valid: true, record, secret: hash, expiresAt: Math.min(record.expiresAt ?? Infinity, until) };
  }

  /** The key as it is now, if it has not ended and the person behind it is enabled and may do anything. */
  async alive(id: string): Promise<KeyRecord | null> {
    const record = await this.#store.get(id);
    return record !== null && isAlive(record, this.#clock.now(), this.#rules()) ? record : null;
  }

  /** Returns true if a secret with this digest, as base64, is still valid. */
  takes(record: KeyRecord, secret: string): boolean {
    const until = endOfSecret(record, Uint8Array.fromBase64(secret));
    return until !== null && until > this.#clock.now();
  }

  principalOf(record: KeyRecord): Principal {
    return principalOfKey(record, this.#permissions, this.#rules());
  }

  /** Remembers that the key was used; written in batches. */
  use(id: string, peer: string): void {
    const now = this.#clock.monotonic();
    // To the second is precise enough, and spares most requests the second look at a clock.
    if (now - (this.#usedAt.get(id) ?? -Infinity) < 1_000) return;
    this.#usedAt.set(id, now);
    this.#used.set(id, { at: this.#clock.now(), peer });
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
      for (const [id, use] of uses) if (!this.#used.has(id)) this.#used.set(id, use);
      throw thrown;
    }).finally(() => this.#writing = null);
    await this.#writing;
  }

  /** Keys in use that end within a week; each is returned once, and recorded in the audit log. */
  async ending(): Promise<KeyRecord[]> {
    await this.flush();
    const now = this.#clock.now();
    return await this.#store.ending(now, now + WARN_MS, ({ id, name, expiresAt }) =>
      auditEntry({
        at: now,
        actor: BERTH,
        action: "keys.ending",
        target: `/api/settings/api-keys/${id}`,
        particulars: { name, endsAt: new Date(expiresAt ?? now).toISOString() },
      }));
  }

  async #mustBeWithin(id: string, by: Principal, verb: string): Promise<KeyRecord> {
    const key = await this.#store.get(id);
    if (key === null) throw noSuchKey(verb);
    this.mustHold(key, by, verb);
    return key;
  }

  /** Throws `forbidden` for a key that may do more than the caller. */
  mustHold(key: KeyRecord, by: Principal, verb: string): void {
    if (excessOf(this.#permissions.rightsOf(key.grants), by) !== null) {
      throw new ServiceError(
        "forbidden",
        `Cannot ${verb} the key "${key.name}": it has permissions that you lack`,
      );
    }
  }

  /** When a creator ends, as far as that is known beforehand. */
  async #endOf(creator: Principal): Promise<number | null> {
    return creator.kind === "apiKey" ? (await this.#store.get(creator.id))?.expiresAt ?? null : null;
  }

  /** Returns true if `ancestor` is the key or stands in its chain of creators. */
  async #isMadeBy(id: string, ancestor: string): Promise<boolean> {
    for (let at: string | null = id, steps = 0; at !== null && steps < MAX_KEYS; steps++) {
      if (at === ancestor) return true;
      const creator: KeyRecord["creator"] = (await this.#store.get(at))?.creator ?? null;
      at = creator?.kind === "apiKey" ? creator.id : null;
    }
    return false;
  }
}

/** A key that nobody has remembered yet, and that no creator takes along when they go. */
export async function makeKey(asked: KeyAsked, createdBy: string, clock: Clock): Promise<MadeKey> {
  const id = crypto.getRandomValues(new Uint8Array(8)).toHex();
  const key = secretOf(id);
  const createdAt = clock.now();
  const record = added({
    id,
    name: asked.name,
    hash: await digest(key),
    grants: asked.grants.map(withoutRepeats),
    createdAt,
    createdBy,
    creator: null,
    expiresAt: asked.expiresInDays === undefined ? null : createdAt + asked.expiresInDays * DAY_MS,
    from: asked.from ?? [],
  });
  return { record, key };
}

/** With no more than the person behind the key holds today. */
export function principalOfKey(
  { id, name, grants, limit }: KeyRecord,
  permissions: PermissionCatalogue,
  rules: readonly RoleRule[],
): Principal {
  const own = permissions.rightsOf(grants);
  const rights = limit === null ? own : within(own, permissions.rightsOf(grantsOfAccount(limit, rules)));
  return { kind: "apiKey", id, name, ...rights };
}

/** Throws `invalid_request` for a permission that there is not. */
export function mustBeKnown(grants: readonly Grant[], permissions: PermissionCatalogue, what: string): void {
  const unknown = permissions.unknownIn(grants);
  if (unknown === null) return;
  throw new ServiceError("invalid_request", `Cannot ${what}: there is no permission "${unknown}"`, {
    errors: [{ path: "body.permissions", message: `Expected some of ${permissions.names.join(", ")}` }],
  });
}

/** Null for a key that may come from everywhere. */
export function rangesOf({ from }: KeyRecord): readonly AddressRange[] | null {
  return from.length === 0 ? null : from.map(addressRange).filter((range) => range !== null);
}

/** Returns true if the key has not ended and the person behind it is enabled and holds any right. */
export function isAlive(key: KeyRecord, now: number, rules: readonly RoleRule[]): boolean {
  const { disabled, expiresAt, limit } = key;
  return !disabled && (expiresAt === null || expiresAt > now) &&
    (limit === null || grantsOfAccount(limit, rules).length > 0);
}

/** Until when the secret with this digest counts; null when it is none of the key's. */
function endOfSecret({ hash, previous }: KeyRecord, presented: Uint8Array): number | null {
  if (sameDigest(hash, presented)) return Infinity;
  return previous !== null && sameDigest(previous.hash, presented) ? previous.until : null;
}

function secretOf(id: string): string {
  return `berth_${id}_${randomSecret()}`;
}

function added(key: NewKey): KeyRecord {
  return {
    ...key,
    previous: null,
    disabled: false,
    personId: null,
    limit: null,
    lastUsedAt: null,
    lastUsedPeer: null,
  };
}

function withoutRepeats(grant: Grant): Grant {
  return "permissions" in grant ? { ...grant, permissions: [...new Set(grant.permissions)] } : grant;
}

function noSuchKey(verb: string): ServiceError {
  return new ServiceError("not_found", `Cannot ${verb} the key: there is none with that id`);
}
