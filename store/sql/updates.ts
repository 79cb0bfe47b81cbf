/** Newer images: the rules, and the answers of registries. */
import type { CheckRecord, UpdateRules, UpdateStore } from "../../core/updates.ts";
import { insertEntry } from "./audit.ts";
import { all, get, run, type Sql, type Steps } from "./steps.ts";

type Row = Omit<UpdateRules, "enabled"> & { readonly enabled: boolean | number; readonly revision: number };

const NONE: Row = { enabled: false, coolDownDays: 0, revision: 0 };

export function sqlUpdates(sql: Sql): UpdateStore {
  return {
    rules: () =>
      sql.read(function* () {
        const { enabled, ...rest } = (yield* get<Row>(
          'SELECT enabled, cool_down_days AS "coolDownDays", revision FROM update_rules',
        )) ?? NONE;
        return { ...rest, enabled: Boolean(enabled) };
      }),
    setRules: ({ enabled, coolDownDays }, entry) =>
      sql.write(function* () {
        yield* changed();
        yield* run("UPDATE update_rules SET enabled = $1, cool_down_days = $2", enabled, coolDownDays);
        yield* insertEntry(entry);
      }),
    checks: () =>
      sql.read(() =>
        all<CheckRecord>('SELECT reference, body, next_at AS "nextAt" FROM image_checks ORDER BY reference')
      ),
    putChecks: (checks, most) =>
      sql.write(function* () {
        if (checks.length === 0) return;
        yield* changed();
        for (const { reference, body, nextAt } of checks) {
          const known = yield* run(
            "UPDATE image_checks SET body = $2, next_at = $3 WHERE reference = $1",
            reference,
            body,
            nextAt,
          );
          if (known > 0) continue;
          const count = yield* get<{ count: number }>("SELECT count(*) AS count FROM image_checks");
          if ((count?.count ?? 0) >= most) continue;
          yield* run(
            "INSERT INTO image_checks (reference, body, next_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            reference,
            body,
            nextAt,
          );
        }
      }),
    forgetChecks: (references) =>
      sql.write(function* () {
        if (references.length === 0) return;
        yield* changed();
        for (const reference of references) {
          yield* run("DELETE FROM image_checks WHERE reference = $1", reference);
        }
      }),
    hasten: (at) =>
      sql.write(function* () {
        yield* changed();
        yield* run("UPDATE image_checks SET next_at = $1 WHERE next_at > $1", at);
      }),
  };
}

/** Counts a change, so that every replica reads anew. */
function* changed(): Steps<void> {
  yield* run(
    "INSERT INTO update_rules (id, enabled, cool_down_days, revision) VALUES (1, $1, 0, 0) ON CONFLICT DO NOTHING",
    false,
  );
  yield* run("UPDATE update_rules SET revision = revision + 1");
}
