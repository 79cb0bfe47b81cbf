/** Lists that may be taken up once. */
import type { OfferStore } from "../../core/store.ts";
import { get, lock, run, type Sql } from "./steps.ts";

export function sqlOffers(sql: Sql): OfferStore {
  return {
    add: ({ id, owner, expiresAt, body }, now, most) =>
      sql.write(function* () {
        yield* lock("plans");
        yield* run("DELETE FROM offers WHERE expires_at <= $1", now);
        yield* run(
          "DELETE FROM offers WHERE id NOT IN (SELECT id FROM offers ORDER BY expires_at DESC, id LIMIT $1)",
          most - 1,
        );
        yield* run(
          "INSERT INTO offers (id, owner, expires_at, body) VALUES ($1, $2, $3, $4)",
          id,
          owner,
          expiresAt,
          body,
        );
      }),
    take: (id, owner, now) =>
      sql.write(function* () {
        const taken = yield* get<{ body: string }>(
          "DELETE FROM offers WHERE id = $1 AND owner = $2 AND expires_at > $3 RETURNING body",
          id,
          owner,
          now,
        );
        return taken?.body ?? null;
      }),
  };
}
