/** People in SQLite: who they are, what local ones hold, their passwords and the links that set them. */
import { ServiceError } from "../../core/error.ts";
import type { NewAuditEntry, NewPerson, PasswordLink, PeopleStore } from "../../core/store.ts";
import { ACCOUNT_COLUMNS } from "./accounts.ts";
import { keepingAnAdmin } from "./admins.ts";
import { insertEntry } from "./audit.ts";
import type { SqliteDatabase } from "./database.ts";
import { accountFrom, type AccountRow, personFrom, type PersonRow } from "../records.ts";

/** Takes now, and the oldest last use of a session that still counts. */
const PERSON = `SELECT ${ACCOUNT_COLUMNS}, a.password, (SELECT count(*) FROM sessions s ` +
  "WHERE s.account_id = a.id AND s.ended_at IS NULL AND s.expires_at > ?1 AND s.last_used_at > ?2) AS sessions " +
  "FROM accounts a";

export function sqlitePeople(database: SqliteDatabase): PeopleStore {
  return {
    list: (now, idleMs) =>
      database.read(() =>
        database.all<PersonRow>(`${PERSON} ORDER BY a.name, a.id`, now, now - idleMs).map(personFrom)
      ),
    get: (id, now, idleMs) =>
      database.read(() => {
        const row = database.get<PersonRow>(`${PERSON} WHERE a.id = ?3`, now, now - idleMs, id);
        return row === undefined ? null : personFrom(row);
      }),
    named: (issuer, subject) =>
      database.read(() => {
        const row = database.get<AccountRow & { password: string | null }>(
          `SELECT ${ACCOUNT_COLUMNS}, a.password FROM accounts a WHERE a.issuer = ? AND a.subject = ?`,
          issuer,
          subject,
        );
        return row === undefined ? null : { account: accountFrom(row), password: row.password };
      }),
    add: (person, link, entry) =>
      database.write(() => {
        insertPerson(database, person);
        setLink(database, person.id, link);
        insertEntry(database, entry);
      }),
    change: (id, { grants, disabledAt }, entry) =>
      database.write(() =>
        keepingAnAdmin(database, () => {
          const row = database.get<AccountRow>(
            `SELECT ${ACCOUNT_COLUMNS} FROM accounts a WHERE a.id = ?`,
            id,
          );
          if (row === undefined) return false;
          database.run(
            "UPDATE accounts SET grants = ?, disabled_at = ? WHERE id = ?",
            grants === undefined ? row.grants : JSON.stringify(grants),
            disabledAt === undefined ? row.disabledAt : disabledAt,
            id,
          );
          insertEntry(database, entry);
          return true;
        })
      ),
    remove: (id, entry) =>
      database.write(() =>
        keepingAnAdmin(database, () => {
          database.run("DELETE FROM keys WHERE person_id = ?", id);
          if (database.run("DELETE FROM accounts WHERE id = ?", id) === 0) return false;
          insertEntry(database, entry);
          return true;
        })
      ),
    rehash: (id, before, after) =>
      database.write(() =>
        void database.run("UPDATE accounts SET password = ? WHERE id = ? AND password = ?", after, id, before)
      ),
    setPassword: (id, password, keep, now, entry) =>
      database.write(() => {
        if (database.run("UPDATE accounts SET password = ? WHERE id = ?", password, id) === 0) return false;
        passwordIsNew(database, id, keep, now, entry);
        return true;
      }),
    link: (id, link, entry) =>
      database.write(() => {
        if (database.get("SELECT 1 FROM accounts WHERE id = ?", id) === undefined) return false;
        setLink(database, id, link);
        insertEntry(database, entry);
        return true;
      }),
    linked: (hash, now) =>
      database.read(() => {
        const row = database.get<AccountRow>(
          `SELECT ${ACCOUNT_COLUMNS} FROM password_links l JOIN accounts a ON a.id = l.account_id ` +
            "WHERE l.hash = ? AND l.expires_at > ?",
          hash,
          now,
        );
        return row === undefined ? null : accountFrom(row);
      }),
    useLink: (hash, password, now, entryOf) =>
      database.write(() => {
        const row = database.get<AccountRow>(
          "UPDATE accounts AS a SET password = ? FROM password_links l " +
            `WHERE l.account_id = a.id AND l.hash = ? AND l.expires_at > ? RETURNING ${RETURNED}`,
          password,
          hash,
          now,
        );
        if (row === undefined) return null;
        const account = accountFrom(row);
        database.run("DELETE FROM password_links WHERE account_id = ?", account.id);
        passwordIsNew(database, account.id, null, now, entryOf(account));
        return account;
      }),
  };
}

/** RETURNING knows no names but the table's own. */
const RETURNED = ACCOUNT_COLUMNS.replaceAll("a.", "");

/** Inside a write. Throws `person_exists`. */
export function insertPerson(database: SqliteDatabase, person: NewPerson): void {
  const added = database.run(
    "INSERT INTO accounts (id, issuer, subject, name, claims, grants, password, created_at) " +
      "VALUES (?, ?, ?, ?, '{}', ?, ?, ?) ON CONFLICT DO NOTHING",
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
function setLink(database: SqliteDatabase, id: string, link: PasswordLink): void {
  database.run(
    "INSERT INTO password_links (account_id, hash, expires_at) VALUES (?, ?, ?) " +
      "ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at",
    id,
    link.hash,
    link.expiresAt,
  );
}

/** Sessions that the password before has opened end. */
function passwordIsNew(
  database: SqliteDatabase,
  id: string,
  keep: string | null,
  now: number,
  entry: NewAuditEntry,
): void {
  database.run(
    "UPDATE sessions SET ended_at = ? WHERE account_id = ? AND ended_at IS NULL AND id IS NOT ?",
    now,
    id,
    keep,
  );
  insertEntry(database, entry);
}
