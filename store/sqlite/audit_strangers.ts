/** Refusals to unknown callers, counted in SQLite until the hour has ended. */
import type { AuditStore, StrangerCount } from "../../core/store.ts";
import { insertEntry } from "./audit.ts";
import type { SqliteDatabase } from "./database.ts";

type Strangers = Pick<AuditStore, "countStrangers" | "strangers" | "closeStrangers">;

const COLUMNS = "hour, peer, action, result, count";
/** Stands for all that have no counter of their own. */
const OTHERS = "*";

export function auditStrangers(database: SqliteDatabase): Strangers {
  function add({ hour, peer, action, result, count }: StrangerCount): boolean {
    return database.run(
      "UPDATE audit_strangers SET count = count + ? WHERE hour = ? AND peer = ? AND action = ? AND result = ?",
      count,
      hour,
      peer,
      action,
      result,
    ) === 1;
  }

  function insert({ hour, peer, action, result, count }: StrangerCount): void {
    database.run(
      `INSERT INTO audit_strangers (${COLUMNS}) VALUES (?, ?, ?, ?, ?)`,
      hour,
      peer,
      action,
      result,
      count,
    );
  }

  return {
    countStrangers: (counts, most) =>
      database.write(() => {
        for (const one of counts) {
          if (add(one)) continue;
          const others = { ...one, peer: OTHERS, action: OTHERS, result: OTHERS };
          const held = database.get<{ n: number }>(
            "SELECT count(*) AS n FROM audit_strangers WHERE hour = ? AND peer <> ?",
            one.hour,
            OTHERS,
          );
          if ((held?.n ?? 0) < most) insert(one);
          else if (!add(others)) insert(others);
        }
      }),
    strangers: () =>
      database.read(() =>
        database.all<StrangerCount>(`SELECT ${COLUMNS} FROM audit_strangers ORDER BY count DESC`).map((
          row,
        ) => ({
          ...row,
        }))
      ),
    closeStrangers: async (hour, entryOf) => {
      const over = "FROM audit_strangers WHERE hour < ?";
      if (await database.read(() => database.get(`SELECT 1 ${over} LIMIT 1`, hour)) === undefined) return 0;
      return await database.write(() => {
        const counts = database.all<StrangerCount>(`SELECT ${COLUMNS} ${over} ORDER BY hour, peer`, hour);
        for (const count of counts) insertEntry(database, entryOf({ ...count }));
        database.run(`DELETE ${over}`, hour);
        return counts.length;
      });
    },
  };
}
