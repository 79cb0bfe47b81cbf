/** The keys that tokens are signed with, sealed, in PostgreSQL. */
import type { SigningKeyRecord, SigningKeyStore } from "../../core/store.ts";
import { insertEntry } from "./audit.ts";
import type { PostgresDatabase } from "./database.ts";

export function postgresSigningKeys(database: PostgresDatabase): SigningKeyStore {
  return {
    list: () =>
      database.all<SigningKeyRecord>(
        'SELECT kid, algorithm, public_key AS "publicKey", sealed, state, created_at AS "createdAt", since ' +
          "FROM signing_keys ORDER BY created_at, kid",
      ),
    add: (key, entry) =>
      database.write(async (tx) => {
        // The partial unique indexes decide between two replicas that add at the same time.
        const added = await tx.run(
          "INSERT INTO signing_keys (kid, algorithm, public_key, sealed, state, created_at, since) " +
            "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
          key.kid,
          key.algorithm,
          key.publicKey,
          key.sealed,
          key.state,
          key.createdAt,
          key.since,
        ) === 1;
        if (added) await insertEntry(tx, entry);
        return added;
      }),
    activate: (kid, now, entry) =>
      database.write(async (tx) => {
        const pending = await tx.get(
          "SELECT 1 FROM signing_keys WHERE kid = $1 AND state = 'pending' FOR UPDATE",
          kid,
        );
        if (pending === undefined) return false;
        // A retiring key only verifies, so its private half is destroyed with the turn.
        await tx.run(
          "UPDATE signing_keys SET state = 'retiring', sealed = '', since = $1 WHERE state = 'active'",
          now,
        );
        await tx.run("UPDATE signing_keys SET state = 'active', since = $1 WHERE kid = $2", now, kid);
        await insertEntry(tx, entry);
        return true;
      }),
    forget: async (before) => {
      await database.run("DELETE FROM signing_keys WHERE state = 'retiring' AND since < $1", before);
    },
  };
}
