/** People in PostgreSQL: who they are, what local ones hold, their passwords and the links that set them. */
import { ServiceError } from "../../core/error.ts";
import type { NewAuditEntry, NewPerson, PasswordLink, PeopleStore } from "../../core/store.ts";
import { ACCOUNT_COLUMNS } from "./accounts.ts";
import { keepingAnAdmin } from "./admins.ts";
import { insertEntry } from "./audit.ts";
import type { PostgresDatabase } from "./database.ts";
import type { Transaction } from "./transaction.ts";
import { RIGHTS } from "./hints.ts";
import { accountFrom, type AccountRow, personFrom, type PersonRow } from "../records.ts";

/** Takes now, and the oldest last use of a session that still counts. */
const PERSON = `SELECT ${ACCOUNT_COLUMNS}, a.password, (SELECT count(*) FROM sessions s ` +
  "WHERE s.account_id = a.id AND s.ended_at IS NULL AND s.expires_at > $1 AND s.last_used_at > $2) AS sessions " +
  "FROM accounts a";

export function postgresPeople(database: PostgresDatabase): PeopleStore {
  return {
    list: async (now, idleMs) =>
      (await database.all<PersonRow>(`${PERSON} ORDER BY a.name, a.id`, now, now - idleMs)).map(personFrom),
    get: async (id, now, idleMs) => {
      const row = await database.get<PersonRow>(`${PERSON} WHERE a.id = $3`, now, now - idleMs, id);
      return row === undefined ? null : personFrom(row);
    },
    named: async (issuer, subject) => {
      const row = await database.get<AccountRow & { password: string | null }>(
        `SELECT ${ACCOUNT_COLUMNS}, a.password FROM accounts a WHERE a.issuer = $1 AND a.subject = $2`,
        issuer,
        subject,
      );
      return row === undefined ? null : { account: accountFrom(row), password: row.password };
    },
    add: (person, link, entry) =>
      database.write(async (tx) => {
        await insertPerson(tx, person);
        await setLink(tx, person.id, link);
        await insertEntry(tx, entry);
      }),
    change: (id, { grants, disabledAt }, entry) =>
      database.write((tx) =>
        keepingAnAdmin(tx, async () => {
          const row = await tx.get<AccountRow>(
            `SELECT ${ACCOUNT_COLUMNS} FROM accounts a WHERE a.id = $1`,
            id,
          );
          if (row === undefined) return false;
          await tx.run(
            "UPDATE accounts SET grants = $1, disabled_at = $2 WHERE id = $3",
            grants === undefined ? row.grants : JSON.stringify(grants),
            disabledAt === undefined ? row.disabledAt : disabledAt,
            id,
          );
          await insertEntry(tx, entry);
          await tx.tell(RIGHTS);
          return true;
        })
      ),
    remove: (id, entry) =>
      database.write((tx) =>
        keepingAnAdmin(tx, async () => {
          await tx.run("DELETE FROM keys WHERE person_id = $1", id);
          if (await tx.run("DELETE FROM accounts WHERE id = $1", id) === 0) return false;
          await insertEntry(tx, entry);
          await tx.tell(RIGHTS);
          return true;
        })
      ),
    rehash: async (id, before, after) => {
      await database.run(
        "UPDATE accounts SET password = $1 WHERE id = $2 AND password = $3",
        after,
        id,
        before,
      );
    },
    setPassword: (id, password, keep, now, entry) =>
      database.write(async (tx) => {
        if (await tx.run("UPDATE accounts SET password = $1 WHERE id = $2", password, id) === 0) return false;
        await passwordIsNew(tx, id, keep, now, entry);
        return true;
      }),
    link: (id, link, entry) =>
      database.write(async (tx) => {
        // Nobody removes them while the link is made.
        if (await tx.get("SELECT 1 FROM accounts WHERE id = $1 FOR KEY SHARE", id) === undefined) {
          return false;
        }
        await setLink(tx, id, link);
        await insertEntry(tx, entry);
        return true;
      }),
    linked: async (hash, now) => {
      const row = await database.get<AccountRow>(
        `SELECT ${ACCOUNT_COLUMNS} FROM password_links l JOIN accounts a ON a.id = l.account_id ` +
          "WHERE l.hash = $1 AND l.expires_at > $2",
        hash,
        now,
      );
      return row === undefined ? null : accountFrom(row);
    },
    useLink: (hash, password, now, entryOf) =>
      database.write(async (tx) => {
        // Of several callers one deletes it.
        const link = await tx.get<{ id: string }>(
          "DELETE FROM password_links WHERE hash = $1 AND expires_at > $2 RETURNING account_id AS id",
          hash,
          now,
        );
        if (link === undefined) return null;
        const row = await tx.get<AccountRow>(
          `UPDATE accounts AS a SET password = $1 WHERE a.id = $2 RETURNING ${ACCOUNT_COLUMNS}`,
          password,
          link.id,
        );
        if (row === undefined) return null;
        const account = accountFrom(row);
        await passwordIsNew(tx, account.id, null, now, entryOf(account));
        return account;
      }),
  };
}

/** Inside a write. Throws `person_exists`. */
export async function insertPerson(tx: Transaction, person: NewPerson): Promise<void> {
  const added = await tx.run(
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
async function setLink(tx: Transaction, id: string, link: PasswordLink): Promise<void> {
  await tx.run(
    "INSERT INTO password_links (account_id, hash, expires_at) VALUES ($1, $2, $3) " +
      "ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at",
    id,
    link.hash,
    link.expiresAt,
  );
}

/** Sessions that the password before has opened end. */
async function passwordIsNew(
  tx: Transaction,
  id: string,
  keep: string | null,
  now: number,
  entry: NewAuditEntry,
): Promise<void> {
  await tx.run(
    "UPDATE sessions SET ended_at = $1 WHERE account_id = $2 AND ended_at IS NULL AND id IS DISTINCT FROM $3",
    now,
    id,
    keep,
  );
  await insertEntry(tx, entry);
  await tx.tell(RIGHTS);
}
