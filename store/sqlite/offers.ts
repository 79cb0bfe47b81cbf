/** Lists that may be taken up once, in SQLite. */
import type { OfferStore } from "../../core/store.ts";
import type { SqliteDatabase } from "./database.ts";

export function sqliteOffers(database: SqliteDatabase): OfferStore {
  return {
    add: ({ id, owner, expiresAt, body }, now, most) =>
      database.write(() => {
        database.run("DELETE FROM offers WHERE expires_at <= ?", now);
        database.run(
          "DELETE FROM offers WHERE id NOT IN (SELECT id FROM offers ORDER BY expires_at DESC, id LIMIT ?)",
          most - 1,
        );
        database.run(
          "INSERT INTO offers (id, owner, expires_at, body) VALUES (?, ?, ?, ?)",
          id,
          owner,
          expiresAt,
          body,
        );
      }),
    take: (id, owner, now) =>
      database.write(() =>
        database.get<{ body: string }>(
          "DELETE FROM offers WHERE id = ? AND owner = ? AND expires_at > ? RETURNING body",
          id,
          owner,
          now,
        )?.body ?? null
      ),
  };
}
