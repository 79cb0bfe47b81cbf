/** The keys that tokens are signed with, sealed. */
import type { SigningKeyRecord, SigningKeyStore } from "../../core/access_store.ts";
import { insertEntry } from "./audit.ts";
import { all, get, run, type Sql } from "./steps.ts";

export function sqlSigningKeys(sql: Sql): SigningKeyStore {
  return {
    list: () =>
      sql.read(() =>
        all<SigningKeyRecord>(
          'SELECT kid, algorithm, public_key AS "publicKey", sealed, state, created_at AS "createdAt", since ' +
            "FROM signing_keys ORDER BY created_at, kid",
        )
      ),
    add: (key, entry) =>
      sql.write(function* () {
        // The partial unique indexes decide between two replicas that add at the same time.
        const added = (yield* run(
          "INSERT INTO signing_keys (kid, algorithm, public_key, sealed, state, created_at, since) " +
            "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
          key.kid,
          key.algorithm,
          key.publicKey,
          key.sealed,
          key.state,
          key.createdAt,
          key.since,
        )) === 1;
        if (added) yield* insertEntry(entry);
        return added;
      }),
    activate: (kid, now, entry) =>
      sql.write(function* () {
        const pending = yield* get(
          "SELECT 1 FROM signing_keys WHERE kid = $1 AND state = 'pending' FOR UPDATE",
          kid,
        );
        if (pending === undefined) return false;
        // A retiring key only verifies, so its private half is destroyed with the turn.
        yield* run(
          "UPDATE signing_keys SET state = 'retiring', sealed = $1, since = $2 WHERE state = 'active'",
          new Uint8Array(),
          now,
        );
        yield* run("UPDATE signing_keys SET state = 'active', since = $1 WHERE kid = $2", now, kid);
        yield* insertEntry(entry);
        return true;
      }),
    forget: (before) =>
      sql.write(function* () {
        yield* run("DELETE FROM signing_keys WHERE state = 'retiring' AND since < $1", before);
      }),
  };
}
