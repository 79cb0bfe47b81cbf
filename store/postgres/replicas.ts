/** The state that replicas share, in PostgreSQL. The database's clock decides, since theirs may differ. */
import type { ReplicaRecord, ReplicaStore, SetupToken } from "../../core/store.ts";
import type { PostgresDatabase } from "./database.ts";
import type { Queries } from "./transaction.ts";
import { ALIVE, NOW } from "./migrations.ts";

export function postgresReplicas(database: PostgresDatabase, schema: number): ReplicaStore {
  return {
    seen: ({ id, name, startedAt, version }) =>
      database.write(async (tx) => {
        await tx.run(
          `INSERT INTO replicas (id, name, started_at, seen_at, version, schema) VALUES ($1, $2, $3, ${NOW}, $4, $5) ` +
            `ON CONFLICT (id) DO UPDATE SET seen_at = ${NOW}`,
          id,
          name,
          startedAt,
          version,
          schema,
        );
        await tx.run(`DELETE FROM replicas WHERE NOT (${ALIVE})`);
      }),
    list: () =>
      database.all<ReplicaRecord>(
        `SELECT id, name, started_at AS "startedAt", seen_at AS "seenAt", version FROM replicas WHERE ${ALIVE} ` +
          "ORDER BY started_at, id",
      ),
    gone: async (id) => {
      await database.run("DELETE FROM replicas WHERE id = $1", id);
    },
    turn: async (what, id, ms) =>
      await database.run(
        `INSERT INTO turns (what, replica, until) VALUES ($1, $2, ${NOW} + $3) ON CONFLICT (what) DO UPDATE SET ` +
          "replica = excluded.replica, until = excluded.until WHERE turns.replica = excluded.replica " +
          `OR turns.until <= ${NOW} OR NOT EXISTS (SELECT 1 FROM replicas r WHERE r.id = turns.replica AND r.${ALIVE})`,
        what,
        id,
        ms,
      ) > 0,
    sealedWith: (fingerprint) =>
      database.write(async (tx) => {
        await tx.run(
          "INSERT INTO sealing (id, fingerprint) VALUES (1, $1) ON CONFLICT DO NOTHING",
          fingerprint,
        );
        return (await tx.get<{ fingerprint: string }>("SELECT fingerprint FROM sealing"))?.fingerprint ??
          fingerprint;
      }),
    sealAnew: async (before, fingerprint) =>
      await database.run(
        `UPDATE sealing SET fingerprint = $2 WHERE fingerprint = $1 AND NOT EXISTS (SELECT 1 FROM replicas WHERE ${ALIVE})`,
        before,
        fingerprint,
      ) > 0,
    offerSetup: ({ hash, replica, expiresAt }, now) =>
      database.write(async (tx) => {
        // Another one's token stays while it counts and its replica can still say it.
        await tx.run(
          "INSERT INTO setup_token (id, hash, replica, expires_at) VALUES (1, $1, $2, $3) ON CONFLICT (id) DO UPDATE SET " +
            "hash = excluded.hash, replica = excluded.replica, expires_at = excluded.expires_at " +
            "WHERE setup_token.expires_at <= $4 OR setup_token.replica = excluded.replica OR NOT EXISTS " +
            `(SELECT 1 FROM replicas r WHERE r.name = setup_token.replica AND r.${ALIVE})`,
          hash,
          replica,
          expiresAt,
          now,
        );
        return await setupToken(tx) ?? { hash, replica, expiresAt };
      }),
    setupToken: () => setupToken(database),
    listen: (heard) => database.listen(heard),
  };
}

async function setupToken(queries: Queries): Promise<SetupToken | null> {
  const sql = 'SELECT hash, replica, expires_at AS "expiresAt" FROM setup_token';
  return await queries.get<SetupToken>(sql) ?? null;
}
