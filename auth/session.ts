/** Sessions: a person signed in, as a chain of refresh tokens of which only the newest is good. */
import type { PermissionCatalogue, Principal } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import type { AccountRecord, NewAuditEntry, SessionRecord, SessionStore } from "../core/store.ts";
import type { Clock } from "./clock.ts";
import type { Identity } from "./identity_provider.ts";
import { claimsToKeep, roleOf, type RoleRule } from "./roles.ts";
import { Seal } from "./sealing.ts";
import { digest, randomSecret, sameDigest } from "./secret.ts";
import { ACCESS_S, type Tokens } from "./tokens.ts";

export const SESSION_MS = 12 * 3_600_000;
export const IDLE_MS = 2 * 3_600_000;
/** How long an answer that got lost on its way may be asked for again. */
const GRACE_MS = 10_000;

export interface IssuedTokens {
  readonly accessToken: string;
  readonly accessExpiresInS: number;
  readonly refreshToken: string;
  readonly refreshExpiresInS: number;
  readonly principal: Principal;
  readonly session: string;
}

export class Sessions {
  readonly #store: SessionStore;
  readonly #tokens: Tokens;
  readonly #rules: readonly RoleRule[];
  readonly #permissions: PermissionCatalogue;
  readonly #clock: Clock;
  readonly #onEnd: (session: string) => void;
  readonly #onReuse: (session: SessionRecord) => void;

  constructor(options: {
    readonly store: SessionStore;
    readonly tokens: Tokens;
    readonly rules: readonly RoleRule[];
    readonly permissions: PermissionCatalogue;
    readonly clock: Clock;
    /** Told of every session that ends here, so that its streams end too. */
    readonly onEnd: (session: string) => void;
    /** Told when a spent token came back: two hold what one was given. */
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

  /** Signs somebody in. `binding` is the value of `X-Berth` that a cookie session is bound to. */
  async open(identity: Identity, binding: string | null, entry: NewAuditEntry): Promise<IssuedTokens> {
    const role = roleOf(identity.claims, this.#rules);
    if (role === null) {
      throw new ServiceError(
        "login_refused",
        `Cannot sign in "${identity.name}": no rule of "BERTH_ROLES" gives them a role; ask whoever runs berth`,
      );
    }
    const createdAt = this.#clock.now();
    const id = crypto.randomUUID();
    const token = randomSecret();
    const account = await this.#store.open({
      id,
      createdAt,
      expiresAt: createdAt + SESSION_MS,
      binding: binding === null ? null : await digest(binding),
      token: await digest(token),
    }, {
      id: crypto.randomUUID(),
      issuer: identity.issuer,
      subject: identity.subject,
      name: identity.name,
      email: identity.email,
      picture: identity.picture,
      claims: JSON.stringify(claimsToKeep(identity.claims, this.#rules)),
    }, (remembered) => ({
      ...ofSession(entry, id, remembered),
      particulars: { ...entry.particulars, issuer: remembered.issuer, role },
    }));
    const session = {
      id,
      account,
      createdAt,
      expiresAt: createdAt + SESSION_MS,
      lastUsedAt: createdAt,
      binding: null,
    };
    const refreshToken = await this.#tokens.sign("refresh", {
      subject: account.id,
      session: id,
      id: token,
      expiresAt: session.expiresAt,
    });
    return await this.#issue(session, refreshToken);
  }

  /** Which session a refresh token speaks of, if we signed it and it did not run out. */
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
    if (session === null || session.account.id !== content.subject) throw refused("its session is over");
    await mustBeBound(session, binding);
    if (this.#principal(session.account) === null) {
      await this.end(session.id, { ...ofSession(entry, session.id, session.account), action: "session.end" });
      throw refused("no rule gives you a role any more");
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
      ...ofSession(entry, session.id, session.account),
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
        throw refused("its session is over");
    }
  }

  /** The session an access token belongs to, and until when the token itself is good. Null for any other token. */
  async check(accessToken: string): Promise<{ readonly session: string; readonly expiresAt: number } | null> {
    const content = await this.#tokens.verify("access", accessToken);
    return content === null ? null : { session: content.session, expiresAt: content.expiresAt };
  }

  /** Who the session belongs to, with the role that today's rules give; null when it is over. */
  async principal(session: string): Promise<{ principal: Principal; expiresAt: number } | null> {
    const found = await this.#store.get(session, this.#clock.now(), IDLE_MS);
    if (found === null) return null;
    const principal = this.#principal(found.account);
    return principal === null ? null : { principal, expiresAt: found.expiresAt };
  }

  /** Whether it was alive. */
  async end(session: string, entry: NewAuditEntry): Promise<boolean> {
    const ended = await this.#store.end(session, this.#clock.now(), entry);
    this.#onEnd(session);
    return ended;
  }

  async sweep(): Promise<void> {
    await this.#store.sweep(this.#clock.now(), IDLE_MS);
  }

  #principal(account: AccountRecord): Principal | null {
    const role = roleOf(JSON.parse(account.claims), this.#rules);
    if (role === null) return null;
    const { id, name, email, picture } = account;
    return {
      kind: "user",
      id,
      name,
      ...(email === null ? {} : { email }),
      ...(picture === null ? {} : { picture }),
      role,
      permissions: this.#permissions.of(role),
    };
  }

  async #issue(session: SessionRecord, refreshToken: string): Promise<IssuedTokens> {
    const principal = this.#principal(session.account);
    if (principal === null) throw refused("no rule gives you a role any more");
    const now = this.#clock.now();
    const expiresAt = Math.min(now + ACCESS_S * 1000, session.expiresAt);
    const accessToken = await this.#tokens.sign("access", {
      subject: session.account.id,
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

/** The entry as the person's whose session it is. */
function ofSession(entry: NewAuditEntry, session: string, account: AccountRecord): NewAuditEntry {
  return {
    ...entry,
    actor: { kind: "user", id: account.id, name: account.name },
    credential: `session:${session}`,
    target: session,
  };
}

function refused(why: string): ServiceError {
  return new ServiceError("refresh_refused", `Cannot refresh: ${why}`);
}
