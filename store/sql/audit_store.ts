/** The audit log: written, listed, sealed, counted and delivered. */
import type { AuditStore } from "../../core/audit_store.ts";
import type { AuditChain } from "../../core/store.ts";
import { entryFrom, type EntryRow } from "./records.ts";
import { ENTRY_COLUMNS, insertEntries } from "./audit.ts";
import { auditChains } from "./audit_chains.ts";
import { auditStrangers } from "./audit_strangers.ts";
import { all, get, run, type Sql } from "./steps.ts";

export function sqlAudit(sql: Sql): AuditStore {
  return {
    append: (entries) => sql.write(() => insertEntries(entries)),
    list: ({ before, limit, action, actor, result }) =>
      sql.read(function* () {
        const asked = { action, actor_id: actor, result };
        const values: string[] = [];
        const matches = Object.entries(asked).reduce((all, [column, value]) => {
          if (value === null) return all;
          const places = [value].flat().map((one) => `$${values.push(one)}`);
          return `${all} AND ${column} IN (${places})`;
        }, "TRUE");
        const rows = yield* all<EntryRow>(
          `SELECT ${ENTRY_COLUMNS} FROM audit WHERE ${matches} AND id < $${values.length + 1} ` +
            `ORDER BY id DESC LIMIT $${values.length + 2}`,
          ...values,
          before ?? Number.MAX_SAFE_INTEGER,
          limit,
        );
        // Everything is the two chains and what waits for its seal: a million rows need not be counted for that.
        const counted = values.length === 0
          ? yield* get<{ n: number }>(
            "SELECT CAST((SELECT sum(seq - floor_seq) FROM audit_chains) AS bigint) + " +
              "(SELECT count(*) FROM audit WHERE seq IS NULL) AS n",
          )
          : yield* get<{ n: number }>(`SELECT count(*) AS n FROM audit WHERE ${matches}`, ...values);
        return { items: rows.map(entryFrom), total: counted?.n ?? 0 };
      }),
    between: async (from, to, limit) =>
      (await sql.read(() =>
        all<EntryRow>(
          `SELECT ${ENTRY_COLUMNS} FROM (SELECT * FROM audit ORDER BY id DESC LIMIT $1) AS latest ` +
            "WHERE chain = 'changes' AND at >= $2 AND at <= $3 ORDER BY id DESC",
          limit,
          from,
          to,
        )
      )).map(entryFrom),
    ...auditChains(sql),
    ...auditStrangers(sql),
    delivered: async (receiver) => {
      const rows = await sql.read(() =>
        all<{ chain: AuditChain; seq: number }>(
          "SELECT chain, seq FROM audit_deliveries WHERE receiver = $1",
          receiver,
        )
      );
      return { changes: 0, refusals: 0, ...Object.fromEntries(rows.map(({ chain, seq }) => [chain, seq])) };
    },
    deliver: (receiver, places) =>
      sql.write(function* () {
        for (const [chain, seq] of Object.entries(places)) {
          // One whose turn ended on its way takes nothing back that another one has delivered.
          yield* run(
            "INSERT INTO audit_deliveries (receiver, chain, seq) VALUES ($1, $2, $3) ON CONFLICT (receiver, chain) " +
              "DO UPDATE SET seq = excluded.seq WHERE audit_deliveries.seq < excluded.seq",
            receiver,
            chain,
            seq,
          );
        }
      }),
  };
}
