/** Refusals to unknown callers, counted until the hour has ended. */
import type { AuditStore, StrangerCount } from "../../core/audit_store.ts";
import { insertEntries } from "./audit.ts";
import { all, get, lock, run, type Sql, type Steps } from "./steps.ts";

type Strangers = Pick<AuditStore, "countStrangers" | "strangers" | "closeStrangers">;

const COLUMNS = "hour, peer, action, result, count";
/** Stands for all that have no counter of their own. */
const OTHERS = "*";

function* add({ hour, peer, action, result, count }: StrangerCount): Steps<boolean> {
  return (yield* run(
    "UPDATE audit_strangers SET count = count + $1 WHERE hour = $2 AND peer = $3 AND action = $4 AND result = $5",
    count,
    hour,
    peer,
    action,
    result,
  )) === 1;
}

function* insert({ hour, peer, action, result, count }: StrangerCount): Steps<void> {
  yield* run(
    `INSERT INTO audit_strangers (${COLUMNS}) VALUES ($1, $2, $3, $4, $5)`,
    hour,
    peer,
    action,
    result,
    count,
  );
}

export function auditStrangers(sql: Sql): Strangers {
  return {
    countStrangers: (counts, most) =>
      sql.write(function* () {
        yield* lock("strangers");
        for (const one of counts) {
          if (yield* add(one)) continue;
          const others = { ...one, peer: OTHERS, action: OTHERS, result: OTHERS };
          const held = yield* get<{ n: number }>(
            "SELECT count(*) AS n FROM audit_strangers WHERE hour = $1 AND peer <> $2",
            one.hour,
            OTHERS,
          );
          if ((held?.n ?? 0) < most) yield* insert(one);
          else if (!(yield* add(others))) yield* insert(others);
        }
      }),
    strangers: () =>
      sql.read(() => all<StrangerCount>(`SELECT ${COLUMNS} FROM audit_strangers ORDER BY count DESC`)),
    closeStrangers: async (hour, entryOf) => {
      const over = "FROM audit_strangers WHERE hour < $1";
      if (await sql.read(() => get(`SELECT 1 ${over} LIMIT 1`, hour)) === undefined) return 0;
      return await sql.write(function* () {
        yield* lock("strangers");
        const counts = yield* all<StrangerCount>(`SELECT ${COLUMNS} ${over} ORDER BY hour, peer`, hour);
        yield* insertEntries(counts.map(entryOf));
        yield* run(`DELETE ${over}`, hour);
        return counts.length;
      });
    },
  };
}
