/** Lists that may be taken up once, in PostgreSQL. */
import type { OfferStore } from "../../core/store.ts";
import type { PostgresDatabase } from "./database.ts";

export function postgresOffers(database: PostgresDatabase): OfferStore {
  return {
    add: ({ id, owner, expiresAt, body }, now, most) =>
      database.write(async (tx) => {
        await tx.lock("plans");
        await tx.run("DELETE FROM offers WHERE expires_at <= $1", now);
        await tx.run(
          "DELETE FROM offers WHERE id NOT IN (SELECT id FROM offers ORDER BY expires_at DESC, id LIMIT $1)",
          most - 1,
        );
        await tx.run(
          "INSERT INTO offers (id, owner, expires_at, body) VALUES ($1, $2, $3, $4)",
          id,
          owner,
          expiresAt,
          body,
        );
      }),
    take: (id, owner, now) =>
      database.write(async (tx) => {
        const taken = await tx.get<{ body: string }>(
          "DELETE FROM offers WHERE id = $1 AND owner = $2 AND expires_at > $3 RETURNING body",
          id,
          owner,
          now,
        );
        return taken?.body ?? null;
      }),
  };
}
