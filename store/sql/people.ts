/** People: who they are, what local ones hold, their passwords and the links that set them. */
import { ServiceError } from "../../core/error.ts";
import type { NewPerson, PasswordLink, PeopleStore } from "../../core/access_store.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import { ACCOUNT_COLUMNS } from "./accounts.ts";
import { keepingAnAdmin } from "./admins.ts";
import { insertEntry } from "./audit.ts";
import { accountFrom, type AccountRow, personFrom, type PersonRow } from "./records.ts";
import { all, get, lock, RIGHTS, run, type Sql, type Steps, tell } from "./steps.ts";

/** Takes now, and the oldest last use of a session that still counts. */
const PERSON = `SELECT ${ACCOUNT_COLUMNS}, password, (SELECT count(*) FROM sessions s ` +
  "WHERE s.account_id = accounts.id AND s.ended_at IS NULL AND s.expires_at > $1 AND s.last_used_at > $2) AS sessions " +
  "FROM accounts";

export function sqlPeople(sql: Sql): PeopleStore {
  return {
    list: async (now, idleMs) =>
      (await sql.read(() => all<PersonRow>(`${PERSON} ORDER BY name, id`, now, now - idleMs))).map(
        personFrom,
      ),
    get: (id, now, idleMs) =>
      sql.read(function* () {
        const row = yield* get<PersonRow>(`${PERSON} WHERE id = $3`, now, now - idleMs, id);
        return row === undefined ? null : personFrom(row);
      }),
    named: (issuer, subject) =>
      sql.read(function* () {
        const row = yield* get<AccountRow & { password: string | null }>(
          `SELECT ${ACCOUNT_COLUMNS}, password FROM accounts WHERE issuer = $1 AND subject = $2`,
          issuer,
          subject,
        );
        return row === undefined ? null : { account: accountFrom(row), password: row.password };
      }),
    add: (person, link, entry) =>
      sql.write(function* () {
        yield* insertPerson(person);
        yield* setLink(person.id, link);
        yield* insertEntry(entry);
      }),
    change: (id, { grants, disabledAt }, entry) =>
      sql.write(() =>
        keepingAnAdmin(function* () {
          const row = yield* get<AccountRow>(
            `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE id = $1`,
            id,
          );
          if (row === undefined) return false;
          yield* run(
            "UPDATE accounts SET grants = $1, disabled_at = $2 WHERE id = $3",
            grants === undefined ? row.grants : JSON.stringify(grants),
            disabledAt === undefined ? row.disabledAt : disabledAt,
            id,
          );
          // Somebody who may do less than the person may from now on could have made the link.
          if (grants !== undefined || typeof disabledAt === "number") yield* forgetLink(id);
          yield* insertEntry(entry);
          yield* tell(RIGHTS);
          return true;
        })
      ),
    remove: (id, entry) =>
      sql.write(() =>
        keepingAnAdmin(function* () {
          yield* run("DELETE FROM keys WHERE person_id = $1", id);
          if ((yield* run("DELETE FROM accounts WHERE id = $1", id)) === 0) return false;
          yield* insertEntry(entry);
          yield* tell(RIGHTS);
          return true;
        })
      ),
    ...passwords(sql),
  };
}

function passwords(
  sql: Sql,
): Pick<PeopleStore, "rehash" | "setPassword" | "link" | "linked" | "useLink"> {
  return {
    rehash: (id, before, after) =>
      sql.write(function* () {
        yield* run(
          "UPDATE accounts SET password = $1 WHERE id = $2 AND password = $3",
          after,
          id,
          before,
        );
      }),
    setPassword: (id, password, keep, now, entry) =>
      sql.write(function* () {
        yield* lock("rights");
        if ((yield* run("UPDATE accounts SET password = $1 WHERE id = $2", password, id)) === 0) return false;
        yield* passwordIsNew(id, keep, now, entry);
        return true;
      }),
    link: (id, link, held, entry) =>
      sql.write(function* () {
        // Nobody changes or removes them while the link is made.
        yield* lock("rights");
        const row = yield* get<Pick<AccountRow, "grants">>("SELECT grants FROM accounts WHERE id = $1", id);
        if (row === undefined) return false;
        if (row.grants !== JSON.stringify(held)) {
          throw new ServiceError("forbidden", "Cannot make the link: what they may do has just been changed");
        }
        yield* setLink(id, link);
        yield* insertEntry(entry);
        return true;
      }),
    linked: (hash, now) =>
      sql.read(function* () {
        const row = yield* get<AccountRow>(
          `SELECT ${ACCOUNT_COLUMNS} FROM password_links l JOIN accounts ON id = l.account_id ` +
            "WHERE l.hash = $1 AND l.expires_at > $2 AND disabled_at IS NULL",
          hash,
          now,
        );
        return row === undefined ? null : accountFrom(row);
      }),
    useLink: (hash, password, now, entryOf) =>
      sql.write(function* () {
        yield* lock("rights");
        // Of several callers one deletes it.
        const link = yield* get<{ id: string }>(
          "DELETE FROM password_links WHERE hash = $1 AND expires_at > $2 RETURNING account_id AS id",
          hash,
          now,
        );
        if (link === undefined) return null;
        const row = yield* get<AccountRow>(
          `UPDATE accounts SET password = $1 WHERE id = $2 AND disabled_at IS NULL RETURNING ${ACCOUNT_COLUMNS}`,
          password,
          link.id,
        );
        if (row === undefined) return null;
        const account = accountFrom(row);
        yield* passwordIsNew(account.id, null, now, entryOf(account));
        return account;
      }),
  };
}

/** Inside a write. Throws `person_exists`. */
export function* insertPerson(person: NewPerson): Steps<void> {
  const added = yield* run(
    "INSERT INTO accounts (id, issuer, subject, name, claims, grants, password, created_at) " +
      "VALUES ($1, $2, $3, $4, '{}', $5, $6, $7) ON CONFLICT DO NOTHING",
    person.id,
    person.issuer,
    person.subject,
    person.name,
    JSON.stringify(person.grants),
    person.password,
    person.createdAt,
  );
  if (added === 0) {
    throw new ServiceError(
      "person_exists",
      `Cannot add "${person.name}": somebody else has that name already`,
    );
  }
}

/** At most one link a person. */
function* setLink(id: string, link: PasswordLink): Steps<void> {
  yield* run(
    "INSERT INTO password_links (account_id, hash, expires_at) VALUES ($1, $2, $3) " +
      "ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at",
    id,
    link.hash,
    link.expiresAt,
  );
}

function* forgetLink(id: string): Steps<void> {
  yield* run("DELETE FROM password_links WHERE account_id = $1", id);
}

/** Ends the sessions that the password before has opened, and a link that was made before it was changed. */
function* passwordIsNew(
  id: string,
  keep: string | null,
  now: number,
  entry: NewAuditEntry,
): Steps<void> {
  yield* run(
    "UPDATE sessions SET ended_at = $1 WHERE account_id = $2 AND ended_at IS NULL AND id IS DISTINCT FROM $3",
    now,
    id,
    keep,
  );
  yield* forgetLink(id);
  yield* insertEntry(entry);
  yield* tell(RIGHTS);
}
