/** Undeclared projects and containers that people have put aside. */
import { ServiceError } from "../../core/error.ts";
import type { IgnoredRecord, IgnoredStore } from "../../core/ignored.ts";
import { insertEntry } from "./audit.ts";
import { all, get, run, type Sql } from "./steps.ts";

type Row = Omit<IgnoredRecord, "by"> & {
  readonly byKind: IgnoredRecord["by"]["kind"];
  readonly byId: string;
  readonly byName: string;
};

const COLUMNS = 'engine, kind, name, by_kind AS "byKind", by_id AS "byId", by_name AS "byName", at';

export function sqlIgnored(sql: Sql): IgnoredStore {
  return {
    list: async () =>
      (await sql.read(() => all<Row>(`SELECT ${COLUMNS} FROM ignored ORDER BY engine, kind, name`))).map(
        ({ byKind, byId, byName, ...row }) => ({ ...row, by: { kind: byKind, id: byId, name: byName } }),
      ),
    add: ({ engine, kind, name, by, at }, most, entry) =>
      sql.write(function* () {
        const count = yield* get<{ count: number }>("SELECT count(*) AS count FROM ignored");
        const known = yield* get(
          "SELECT 1 FROM ignored WHERE engine = $1 AND kind = $2 AND name = $3",
          engine,
          kind,
          name,
        );
        if (known !== undefined) return false;
        if ((count?.count ?? 0) >= most) {
          throw new ServiceError(
            "too_many_ignored",
            `Cannot ignore "${name}": ${most} projects and containers are ignored already; show one of them again first`,
          );
        }
        const added = yield* run(
          "INSERT INTO ignored (engine, kind, name, by_kind, by_id, by_name, at) VALUES ($1, $2, $3, $4, $5, $6, $7) " +
            "ON CONFLICT DO NOTHING",
          engine,
          kind,
          name,
          by.kind,
          by.id,
          by.name,
          at,
        );
        if (added > 0) yield* insertEntry(entry);
        return added > 0;
      }),
    remove: ({ engine, kind, name }, entry) =>
      sql.write(function* () {
        const removed = yield* run(
          "DELETE FROM ignored WHERE engine = $1 AND kind = $2 AND name = $3",
          engine,
          kind,
          name,
        );
        if (removed > 0) yield* insertEntry(entry);
        return removed > 0;
      }),
  };
}
