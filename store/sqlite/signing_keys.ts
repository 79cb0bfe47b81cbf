/** The keys that tokens are signed with, sealed, in SQLite. */
import type { SigningKeyRecord, SigningKeyStore } from "../../core/store.ts";
import { insertEntry } from "./audit.ts";
import type { SqliteDatabase } from "./database.ts";

export function sqliteSigningKeys(database: SqliteDatabase): SigningKeyStore {
  return {
    list: () =>
      database.read(() =>
        database.all<SigningKeyRecord>(
          "SELECT kid, algorithm, public_key AS publicKey, sealed, state, created_at AS createdAt, since " +
            "FROM signing_keys ORDER BY created_at, kid",
        ).map((row) => ({ ...row }))
      ),
    add: (key, entry) =>
      database.write(() => {
        // The partial unique indexes decide between two replicas that add at the same time.
        const added = database.run(
          "INSERT INTO signing_keys (kid, algorithm, public_key, sealed, state, created_at, since) " +
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
          key.kid,
          key.algorithm,
          key.publicKey,
          key.sealed,
          key.state,
          key.createdAt,
          key.since,
        ) === 1;
        if (added) insertEntry(database, entry);
        return added;
      }),
    activate: (kid, now, entry) =>
      database.write(() => {
        if (
          database.get("SELECT 1 FROM signing_keys WHERE kid = ? AND state = 'pending'", kid) === undefined
        ) {
          return false;
        }
        // A retiring key only verifies, so its private half is destroyed with the turn.
        database.run(
          "UPDATE signing_keys SET state = 'retiring', sealed = x'', since = ? WHERE state = 'active'",
          now,
        );
        database.run("UPDATE signing_keys SET state = 'active', since = ? WHERE kid = ?", now, kid);
        insertEntry(database, entry);
        return true;
      }),
    forget: (before) =>
      database.write(() =>
        void database.run("DELETE FROM signing_keys WHERE state = 'retiring' AND since < ?", before)
      ),
  };
}
