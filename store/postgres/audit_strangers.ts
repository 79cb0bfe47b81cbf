/** Refusals to unknown callers, counted in PostgreSQL until the hour has ended. */
import type { AuditStore, StrangerCount } from "../../core/store.ts";
import { insertEntries } from "./audit.ts";
import type { PostgresDatabase } from "./database.ts";
import type { Transaction } from "./transaction.ts";

type Strangers = Pick<AuditStore, "countStrangers" | "strangers" | "closeStrangers">;

const COLUMNS = "hour, peer, action, result, count";
/** Stands for all that have no counter of their own. */
const OTHERS = "*";

async function add(tx: Transaction, { hour, peer, action, result, count }: StrangerCount): Promise<boolean> {
  return await tx.run(
    "UPDATE audit_strangers SET count = count + $1 WHERE hour = $2 AND peer = $3 AND action = $4 AND result = $5",
    count,
    hour,
    peer,
    action,
    result,
  ) === 1;
}

async function insert(tx: Transaction, { hour, peer, action, result, count }: StrangerCount): Promise<void> {
  await tx.run(
    `INSERT INTO audit_strangers (${COLUMNS}) VALUES ($1, $2, $3, $4, $5)`,
    hour,
    peer,
    action,
    result,
    count,
  );
}

export function auditStrangers(database: PostgresDatabase): Strangers {
  return {
    countStrangers: (counts, most) =>
      database.write(async (tx) => {
        await tx.lock("strangers");
        for (const one of counts) {
          if (await add(tx, one)) continue;
          const others = { ...one, peer: OTHERS, action: OTHERS, result: OTHERS };
          const held = await tx.get<{ n: number }>(
            "SELECT count(*) AS n FROM audit_strangers WHERE hour = $1 AND peer <> $2",
            one.hour,
            OTHERS,
          );
          if ((held?.n ?? 0) < most) await insert(tx, one);
          else if (!await add(tx, others)) await insert(tx, others);
        }
      }),
    strangers: () =>
      database.all<StrangerCount>(`SELECT ${COLUMNS} FROM audit_strangers ORDER BY count DESC`),
    closeStrangers: async (hour, entryOf) => {
      const over = "FROM audit_strangers WHERE hour < $1";
      if (await database.get(`SELECT 1 ${over} LIMIT 1`, hour) === undefined) return 0;
      return await database.write(async (tx) => {
        await tx.lock("strangers");
        const counts = await tx.all<StrangerCount>(`SELECT ${COLUMNS} ${over} ORDER BY hour, peer`, hour);
        await insertEntries(tx, counts.map(entryOf));
        await tx.run(`DELETE ${over}`, hour);
        return counts.length;
      });
    },
  };
}
