/** People: who they are, how those without an identity provider sign in, and what may be done to whom. */
import { excessOf, type Grant, type PermissionCatalogue, type Principal } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import type { AccountRecord, NewPerson, PeopleStore, PersonRecord } from "../../core/access_store.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import { mustBeKnown } from "../keys/api_keys.ts";
import type { Clock } from "../clock.ts";
import type { Devices } from "./devices.ts";
import { type Passwords, weaknessOf } from "./password.ts";
import type { RateLimit } from "../rate_limit.ts";
import { digest, randomSecret } from "../secret.ts";
import { IDLE_MS, type Sessions } from "../sessions/session.ts";

/** The issuer of people who sign in here; no provider can have it, because it is no address. */
export const LOCAL_ISSUER = "berth";
/** The validity of a link to set a password. */
const LINK_MS = 3 * 86_400_000;

/** A one-time link's secret; the only time anybody sees it. */
interface MadeLink {
  readonly token: string;
  readonly expiresAt: number;
}

/** Makes the audit entry of what is done to somebody, who is given as they were. */
type EntryOf = (person: PersonRecord) => NewAuditEntry;

/** A change of a person; fields that are left out stay. */
interface PersonChange {
  readonly grants?: readonly Grant[] | undefined;
  readonly disabled?: boolean | undefined;
}

interface PeopleOptions {
  readonly store: PeopleStore;
  readonly sessions: Sessions;
  readonly permissions: PermissionCatalogue;
  readonly passwords: Passwords;
  readonly devices: Devices;
  /** Tries per account, and per device that signed in before. */
  readonly tries: RateLimit;
  readonly clock: Clock;
  /** Called when a person's rights, sessions or keys change, so that open streams end. */
  readonly onChange: () => Promise<void>;
}

export class People {
  readonly #options: PeopleOptions;

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  /** The person with this name and password. Throws `login_refused`, always with the same words, and `too_many_requests`. */
  async recognise(
    name: string,
    password: string,
    deviceCookie: string | null,
    peer: string,
  ): Promise<AccountRecord> {
    const { store, passwords, devices, tries } = this.#options;
    const subject = subjectOf(name);
    const found = await store.named(LOCAL_ISSUER, subject);
    const device = found === null ? null : await devices.idOf(deviceCookie, found.account.id);
    const spent = device === null ? `account ${subject}` : `device ${device}`;
    tries.spend(spent);
    const hash = found?.password ?? null;
    const { good, outdated } = await passwords.check(password, hash, { peer, isKnown: device !== null });
    if (found === null || hash === null || !good || found.account.disabledAt !== null) {
      throw new ServiceError("login_refused", "Cannot sign in: the name or the password is wrong");
    }
    tries.refund(spent);
    if (outdated) await store.rehash(found.account.id, hash, await passwords.hash(password));
    return found.account;
  }

  /** A person as they are stored first. Throws `invalid_request` for a weak password. */
  async make(name: string, grants: readonly Grant[], password: string | null): Promise<NewPerson> {
    const { passwords, clock } = this.#options;
    if (password !== null) mustBeStrong(password, name, "body.password");
    return {
      id: crypto.randomUUID(),
      issuer: LOCAL_ISSUER,
      subject: subjectOf(name),
      name,
      grants,
      password: password === null ? null : await passwords.hash(password),
      createdAt: clock.now(),
    };
  }

  /** Adds a person who sets a password by the link. Throws `person_exists`, and `forbidden` for more than `by` holds. */
  async add(
    name: string,
    grants: readonly Grant[],
    by: Principal,
    entry: NewAuditEntry,
  ): Promise<{ person: PersonRecord; link: MadeLink }> {
    this.#mustHold(grants, by, `make "${name}"`);
    const made = await this.make(name, grants, null);
    const { link, stored } = await this.#newLink();
    await this.#options.store.add(made, stored, { ...entry, target: `${entry.target}/${made.id}` });
    return { person: await this.get(made.id), link };
  }

  list(): Promise<PersonRecord[]> {
    return this.#options.store.list(this.#options.clock.now(), IDLE_MS);
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<PersonRecord> {
    const person = await this.#options.store.get(id, this.#options.clock.now(), IDLE_MS);
    if (person === null) throw noSuchPerson();
    return person;
  }

  /**
   * Throws `not_found`, `last_admin`, `forbidden` for somebody who may do more than `by`, or for more than `by` holds,
   * and `not_local` for the rights of those whose provider vouches for them.
   */
  async change(id: string, change: PersonChange, by: Principal, entryOf: EntryOf): Promise<PersonRecord> {
    const { store, clock, onChange } = this.#options;
    const person = await this.mustBeWithin(id, by, "change");
    if (change.grants !== undefined) {
      if (person.grants === null) {
        throw new ServiceError(
          "not_local",
          `Cannot change what "${person.name}" may do: the rules of "BERTH_ROLES" say it for those who sign in ` +
            "with an identity provider",
        );
      }
      this.#mustHold(change.grants, by, `give "${person.name}" that`);
    }
    const disabledAt = change.disabled === undefined
      ? undefined
      : change.disabled
      ? person.disabledAt ?? clock.now()
      : null;
    const changed = await store.change(id, {
      ...(change.grants === undefined ? {} : { grants: change.grants }),
      ...(disabledAt === undefined ? {} : { disabledAt }),
    }, entryOf(person));
    if (!changed) throw noSuchPerson();
    await onChange();
    return await this.get(id);
  }

  /** Deletes somebody with their sessions and keys. Throws as `change` does. */
  async remove(id: string, by: Principal, entryOf: EntryOf): Promise<void> {
    const person = await this.mustBeWithin(id, by, "delete");
    if (!await this.#options.store.remove(id, entryOf(person))) throw noSuchPerson();
    await this.#options.onChange();
  }

  /** A new one-time link, in place of the one before. Throws as `change` does. */
  async link(id: string, by: Principal, entryOf: EntryOf): Promise<MadeLink> {
    const person = await this.mustBeWithin(id, by, "make a link for");
    if (person.grants === null) {
      throw new ServiceError(
        "not_local",
        `Cannot make a link for "${person.name}": they sign in with an identity provider and have no password here`,
      );
    }
    const { link, stored } = await this.#newLink();
    if (!await this.#options.store.link(id, stored, person.grants, entryOf(person))) throw noSuchPerson();
    return link;
  }

  /** Sets the password by a link. Throws `login_refused` for a link that does not count, `invalid_request`. */
  async useLink(token: string, password: string, entry: NewAuditEntry): Promise<AccountRecord> {
    const { store, passwords, clock, onChange } = this.#options;
    const hash = await digest(token);
    const meant = await store.linked(hash, clock.now());
    if (meant === null) throw badLink();
    mustBeStrong(password, meant.name, "body.password");
    const account = await store.useLink(
      hash,
      await passwords.hash(password),
      clock.now(),
      ({ id, name }) => ({
        ...entry,
        actor: { kind: "user", id, name },
        target: `/api/settings/people/${id}`,
      }),
    );
    if (account === null) throw badLink();
    await onChange();
    return account;
  }

  /** Sets another password for oneself, and ends all other sessions. Throws `login_refused`, `invalid_request`. */
  async changePassword(
    account: AccountRecord,
    change: { readonly password: string; readonly newPassword: string },
    session: string,
    entry: NewAuditEntry,
  ): Promise<void> {
    const { store, passwords, clock, onChange } = this.#options;
    await this.confirm(account, change.password);
    mustBeStrong(change.newPassword, account.name, "body.newPassword");
    const hash = await passwords.hash(change.newPassword);
    if (!await store.setPassword(account.id, hash, session, clock.now(), entry)) throw noSuchPerson();
    await onChange();
  }

  /** Confirms the person by their password. Throws `login_refused`, `too_many_requests`. */
  async confirm(account: AccountRecord, password: string): Promise<void> {
    const { store, passwords, tries } = this.#options;
    // Only who has a session of theirs comes here, so strangers cannot use up these tries.
    const spent = `confirm ${account.id}`;
    tries.spend(spent);
    const found = await store.named(account.issuer, account.subject);
    const { good } = await passwords.check(password, found?.password ?? null);
    if (!good) {
      throw new ServiceError("login_refused", "Cannot confirm that it is you: the password is wrong");
    }
    tries.refund(spent);
  }

  async #newLink() {
    const token = randomSecret();
    const expiresAt = this.#options.clock.now() + LINK_MS;
    return { link: { token, expiresAt }, stored: { hash: await digest(token), expiresAt } };
  }

  #mustHold(grants: readonly Grant[], by: Principal, what: string): void {
    const { permissions } = this.#options;
    mustBeKnown(grants, permissions, what);
    const excess = excessOf(permissions.rightsOf(grants), by);
    if (excess === null) return;
    const where = excess.on === null ? "" : ` on "${excess.on}"`;
    throw new ServiceError(
      "forbidden",
      `Cannot ${what}: you do not have "${excess.permissions.join('", "')}"${where} yourself`,
    );
  }

  /** Refuses to change somebody with permissions that the caller lacks. Throws `not_found`, `forbidden`. */
  async mustBeWithin(id: string, by: Principal, verb: string): Promise<PersonRecord> {
    const { permissions, sessions } = this.#options;
    const person = await this.get(id);
    if (excessOf(permissions.rightsOf(sessions.grantsOf(person)), by) !== null) {
      throw new ServiceError(
        "forbidden",
        `Cannot ${verb} "${person.name}": they have permissions that you lack`,
      );
    }
    return person;
  }
}

/** Returns the common form of all spellings of a name. */
function subjectOf(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

function mustBeStrong(password: string, name: string, path: string): void {
  const weakness = weaknessOf(password, name);
  if (weakness === null) return;
  throw new ServiceError("invalid_request", `Cannot take that password: ${weakness}`, {
    errors: [{ path, message: weakness }],
  });
}

function noSuchPerson(): ServiceError {
  return new ServiceError("not_found", "Cannot find the person: there is nobody with that id");
}

function badLink(): ServiceError {
  return new ServiceError(
    "login_refused",
    "Cannot set the password: the link was used, ran out, or counts no longer; ask for another one",
  );
}
