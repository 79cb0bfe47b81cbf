/** Sessions: somebody signed in, as a chain of refresh tokens of which only the newest is good. */
import { type Grant, type PermissionCatalogue, type Principal, roleEverywhere } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import type {
  AccountRecord,
  NewSession,
  SessionHolder,
  SessionRecord,
  SessionStore,
} from "../../core/access_store.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import type { AddressRange } from "../../core/address_range.ts";
import { isAlive, principalOfKey, rangesOf } from "../keys/api_keys.ts";
import type { Clock } from "../clock.ts";
import type { Identity } from "../provider/identity_provider.ts";
import type { RoleRule } from "../../core/sign_in.ts";
import { credentialText } from "../../core/credential.ts";
import { claimsToKeep, grantsOf, grantsOfAccount } from "../keys/roles.ts";
import { Seal } from "../sealing/sealing.ts";
import { digest, randomSecret, sameDigest } from "../secret.ts";
import { ACCESS_S, type Tokens } from "./tokens.ts";

export const SESSION_MS = 12 * 3_600_000;
export const IDLE_MS = 2 * 3_600_000;
/** The time within which a lost answer may be requested again. */
const GRACE_MS = 10_000;

export interface IssuedTokens {
  readonly accessToken: string;
  readonly accessExpiresInS: number;
  readonly refreshToken: string;
  readonly refreshExpiresInS: number;
  readonly principal: Principal;
  readonly session: string;
}

/** The device that signs in: a page of ours, bound to one browser by `X-Berth`, or a program. */
export interface Device {
  readonly binding: string | null;
  /** The name it gives itself. */
  readonly name: string | null;
}

const MAX_DEVICE = 200;

/** A person or a key that has just proved who they are: a key by the secret with this digest, which may end before it. */
type Proven =
  | Extract<SessionHolder, { kind: "user" }>
  | (Extract<SessionHolder, { kind: "apiKey" }> & {
    readonly secret: Uint8Array;
    readonly expiresAt: number;
  });

/** A session that is alive, with its holder. */
export interface LivingSession {
  readonly principal: Principal;
  readonly holder: SessionHolder;
  /** The addresses it may come from; null for all. */
  readonly from: readonly AddressRange[] | null;
  readonly expiresAt: number;
  readonly provedAt: number;
}

export class Sessions {
  readonly #store: SessionStore;
  readonly #tokens: Tokens;
  readonly #rules: () => readonly RoleRule[];
  readonly #permissions: PermissionCatalogue;
  readonly #clock: Clock;
  readonly #onEnd: (session: string) => void;
  readonly #onReuse: (session: SessionRecord) => void;

  constructor(options: {
    readonly store: SessionStore;
    readonly tokens: Tokens;
    /** As they are now. */
    readonly rules: () => readonly RoleRule[];
    readonly permissions: PermissionCatalogue;
    readonly clock: Clock;
    /** Called for every session that ends here, so that its streams end too. */
    readonly onEnd: (session: string) => void;
    /** Called when a spent token comes back: two parties hold it. */
    readonly onReuse: (session: SessionRecord) => void;
  }) {
    this.#store = options.store;
    this.#tokens = options.tokens;
    this.#rules = options.rules;
    this.#permissions = options.permissions;
    this.#clock = options.clock;
    this.#onEnd = options.onEnd;
    this.#onReuse = options.onReuse;
  }

  /** Signs in a person whom an identity provider has authenticated. Throws `login_refused`. */
  async open(identity: Identity, device: Device, entry: NewAuditEntry): Promise<IssuedTokens> {
    const rules = this.#rules();
    const grants = grantsOf(identity.claims, rules);
    if (grants.length === 0) {
      throw new ServiceError(
        "login_refused",
        `Cannot sign in "${identity.name}": no rule of "BERTH_ROLES" gives them a role; ask an admin of berth`,
      );
    }
    const made = await this.#new(device, entry, identity.authenticatedAt ?? 0, Infinity);
    const account = await this.#store.open(made.session, {
      id: crypto.randomUUID(),
      issuer: identity.issuer,
      subject: identity.subject,
      name: identity.name,
      email: identity.email,
      picture: identity.picture,
      claims: JSON.stringify(claimsToKeep(identity.claims, rules)),
    }, (remembered) => ({
      ...ofSession(entry, made.session.id, { kind: "user", account: remembered }),
      particulars: {
        ...entry.particulars,
        issuer: remembered.issuer,
        role: roleEverywhere(grants) ?? "on scopes",
      },
    }));
    if (account.disabledAt !== null) {
      throw new ServiceError(
        "login_refused",
        `Cannot sign in "${identity.name}": they were disabled; ask an admin of berth`,
      );
    }
    return await this.#first({ ...made.session, holder: { kind: "user", account } }, made.token);
  }

  /**
   * Signs in a person or a key that berth knows and that has just proved who they are.
   * Throws `login_refused` when they were deleted, disabled or rotated meanwhile.
   */
  async openFor(holder: Proven, device: Device, entry: NewAuditEntry): Promise<IssuedTokens> {
    const isKey = holder.kind === "apiKey";
    const made = await this.#new(device, entry, this.#clock.now(), isKey ? holder.expiresAt : Infinity);
    const opened = await this.#store.openFor(
      made.session,
      isKey
        ? { kind: "apiKey", id: holder.key.id, secret: holder.secret }
        : { kind: "user", id: holder.account.id },
      ofSession(entry, made.session.id, holder),
    );
    if (opened === null) {
      throw new ServiceError("login_refused", "Cannot sign in: you were just deleted, disabled or rotated");
    }
    return await this.#first(opened, made.token);
  }

  async #new(device: Device, entry: NewAuditEntry, provedAt: number, end: number) {
    const createdAt = this.#clock.now();
    const token = randomSecret();
    const session: NewSession & { lastUsedAt: number } = {
      id: crypto.randomUUID(),
      createdAt,
      lastUsedAt: createdAt,
      expiresAt: Math.min(createdAt + SESSION_MS, end),
      provedAt,
      peer: entry.peer,
      device: device.name?.slice(0, MAX_DEVICE) ?? null,
      binding: device.binding === null ? null : await digest(device.binding),
      token: await digest(token),
    };
    return { session, token };
  }

  async #first(session: SessionRecord, token: string): Promise<IssuedTokens> {
    const refreshToken = await this.#tokens.sign("refresh", {
      subject: holderId(session.holder),
      session: session.id,
      id: token,
      expiresAt: session.expiresAt,
    });
    return await this.#issue(session, refreshToken);
  }

  /** The session of a refresh token that berth signed and that has not expired. */
  async sessionOf(refreshToken: string): Promise<string | null> {
    return (await this.#tokens.verify("refresh", refreshToken))?.session ?? null;
  }

  /**
   * Exchanges a refresh token for its successor. Throws `refresh_refused` for a token that is not good any more, and
   * `forbidden`, with nothing rotated, for one that is bound to another browser.
   */
  async refresh(
    refreshToken: string,
    binding: string | null,
    entry: NewAuditEntry,
  ): Promise<IssuedTokens> {
    const content = await this.#tokens.verify("refresh", refreshToken);
    if (content === null) throw refused("it is not one of ours, or it ran out");
    const now = this.#clock.now();
    const session = await this.#store.get(content.session, now, IDLE_MS);
    if (session === null || holderId(session.holder) !== content.subject) {
      throw refused("its session has ended");
    }
    await mustBeBound(session, binding);
    if (this.today(session.holder) === null) {
      await this.end(session.id, { ...ofSession(entry, session.id, session.holder), action: "session.end" });
      throw refused(NOTHING_LEFT);
    }
    const next = randomSecret();
    const successor = await this.#tokens.sign("refresh", {
      ...content,
      id: next,
      expiresAt: session.expiresAt,
    });
    const seal = await Seal.from(new TextEncoder().encode(content.id), "successor");
    const place = `refresh_tokens|sealed_successor|${session.id}`;
    const result = await this.#store.rotate({
      session: session.id,
      presented: await digest(content.id),
      successor: await digest(next),
      sealed: await seal.seal(successor, place),
      now,
      graceMs: GRACE_MS,
      idleMs: IDLE_MS,
    }, {
      ...ofSession(entry, session.id, session.holder),
      action: "session.reuse",
      result: "refresh_refused",
    });
    switch (result.kind) {
      case "rotated":
        return await this.#issue(session, successor);
      case "repeated": {
        const opened = await seal.open(result.sealed, place);
        if (opened === null) throw refused("its successor cannot be read");
        return await this.#issue(session, opened);
      }
      case "reused":
        this.#onEnd(session.id);
        this.#onReuse(session);
        throw refused("it was used before, so its session was ended; sign in again");
      case "ended":
        throw refused("its session has ended");
    }
  }

  /** The session an access token belongs to, and until when the token itself is good. Null for any other token. */
  async check(accessToken: string): Promise<{ readonly session: string; readonly expiresAt: number } | null> {
    const content = await this.#tokens.verify("access", accessToken);
    return content === null ? null : { session: content.session, expiresAt: content.expiresAt };
  }

  /** Returns the session's holder with today's rights; null if it has ended. */
  async principal(session: string): Promise<LivingSession | null> {
    const found = await this.#store.get(session, this.#clock.now(), IDLE_MS);
    if (found === null) return null;
    const { holder, provedAt } = found;
    const principal = this.today(holder);
    if (principal === null) return null;
    const isKey = holder.kind === "apiKey";
    const expiresAt = Math.min(found.expiresAt, isKey ? holder.key.expiresAt ?? Infinity : Infinity);
    return { principal, holder, from: isKey ? rangesOf(holder.key) : null, expiresAt, provedAt };
  }

  /** The living sessions of a person or key, the newest first. */
  list(holder: string): Promise<SessionRecord[]> {
    return this.#store.list(holder, this.#clock.now(), IDLE_MS);
  }

  /** Returns the holder of a session; null if it has ended or never existed. */
  async holderOf(session: string): Promise<SessionHolder | null> {
    return (await this.#store.get(session, this.#clock.now(), IDLE_MS))?.holder ?? null;
  }

  /** Records when the session's holder proved who they are. */
  async prove(session: string, at: number, entry: NewAuditEntry): Promise<void> {
    if (!await this.#store.prove(session, at, entry)) {
      throw new ServiceError("unauthenticated", "The session has ended: sign in again");
    }
  }

  /** Ends all sessions of a person or key but `keep`, and says how many. */
  async endAll(holder: string, keep: string | null, entry: NewAuditEntry): Promise<number> {
    const ended = await this.#store.endAll(holder, keep, this.#clock.now(), entry);
    for (const session of ended) this.#onEnd(session);
    return ended.length;
  }

  /** Ends a session. Returns true if it was alive. */
  async end(session: string, entry: NewAuditEntry): Promise<boolean> {
    const ended = await this.#store.end(session, this.#clock.now(), entry);
    this.#onEnd(session);
    return ended;
  }

  async sweep(): Promise<void> {
    await this.#store.sweep(this.#clock.now(), IDLE_MS);
  }

  /** Returns the holder with today's rights; null for a disabled person, and for a key that has ended. */
  today(holder: SessionHolder): Principal | null {
    if (holder.kind === "apiKey") {
      return isAlive(holder.key, this.#clock.now(), this.#rules())
        ? principalOfKey(holder.key, this.#permissions, this.#rules())
        : null;
    }
    const { account } = holder;
    const grants = this.grantsOf(account);
    if (grants.length === 0 || account.disabledAt !== null) return null;
    const { id, name, email, picture } = account;
    return {
      kind: "user",
      id,
      name,
      ...(email === null ? {} : { email }),
      ...(picture === null ? {} : { picture }),
      ...this.#permissions.rightsOf(grants),
    };
  }

  /** Returns the grants of a person: their own, or those of the rules. */
  grantsOf(account: AccountRecord): readonly Grant[] {
    return grantsOfAccount(account, this.#rules());
  }

  async #issue(session: SessionRecord, refreshToken: string): Promise<IssuedTokens> {
    const principal = this.today(session.holder);
    if (principal === null) throw refused(NOTHING_LEFT);
    const now = this.#clock.now();
    const expiresAt = Math.min(now + ACCESS_S * 1000, session.expiresAt);
    const accessToken = await this.#tokens.sign("access", {
      subject: holderId(session.holder),
      session: session.id,
      id: crypto.randomUUID(),
      expiresAt,
    });
    return {
      accessToken,
      accessExpiresInS: Math.floor((expiresAt - now) / 1000),
      refreshToken,
      refreshExpiresInS: Math.floor((session.expiresAt - now) / 1000),
      principal,
      session: session.id,
    };
  }
}

async function mustBeBound(session: SessionRecord, binding: string | null): Promise<void> {
  const given = binding === null ? null : await digest(binding);
  const good = session.binding === null
    ? given === null
    : given !== null && sameDigest(session.binding, given);
  if (!good) {
    throw new ServiceError("forbidden", "Cannot refresh: this session is bound to another browser");
  }
}

const NOTHING_LEFT = "you may do nothing here any more: no rule gives you a role, or you were disabled";

function holderId(holder: SessionHolder): string {
  return holder.kind === "user" ? holder.account.id : holder.key.id;
}

/** The entry as that of whose session it is. */
function ofSession(entry: NewAuditEntry, session: string, holder: SessionHolder): NewAuditEntry {
  const { id, name } = holder.kind === "user" ? holder.account : holder.key;
  return {
    ...entry,
    actor: { kind: holder.kind, id, name },
    credential: credentialText({ kind: "session", id: session }),
    target: session,
  };
}

function refused(why: string): ServiceError {
  return new ServiceError("refresh_refused", `Cannot refresh: ${why}`);
}
