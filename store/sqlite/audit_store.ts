/** The audit log in SQLite: written, listed, sealed, counted and delivered. */
import type { AuditChain, AuditStore } from "../../core/store.ts";
import { entryFrom, type EntryRow } from "../records.ts";
import { ENTRY_COLUMNS, insertEntry } from "./audit.ts";
import { auditChains } from "./audit_chains.ts";
import { auditStrangers } from "./audit_strangers.ts";
import type { SqliteDatabase } from "./database.ts";

export function sqliteAudit(database: SqliteDatabase): AuditStore {
  return {
    append: (entries) =>
      database.write(() => {
        for (const entry of entries) insertEntry(database, entry);
      }),
    list: ({ before, limit, action, actor, result }) =>
      database.read(() => {
        const asked = { action, actor_id: actor, result };
        const given = Object.entries(asked).flatMap(([column, value]) =>
          value === null ? [] : [[column, value]]
        );
        const matches = ["TRUE", ...given.map(([column]) => `${column} = ?`)].join(" AND ");
        const values = given.map(([, value]) => value ?? null);
        const rows = database.all<EntryRow>(
          `SELECT ${ENTRY_COLUMNS} FROM audit WHERE ${matches} AND id < ? ORDER BY id DESC LIMIT ?`,
          ...values,
          before ?? Number.MAX_SAFE_INTEGER,
          limit,
        );
        // Everything is the two chains and what waits for its seal: a million rows need not be counted for that.
        const counted = given.length === 0
          ? database.get<{ n: number }>(
            "SELECT (SELECT sum(seq - floor_seq) FROM audit_chains) + " +
              "(SELECT count(*) FROM audit WHERE seq IS NULL) AS n",
          )
          : database.get<{ n: number }>(`SELECT count(*) AS n FROM audit WHERE ${matches}`, ...values);
        return { items: rows.map(entryFrom), total: counted?.n ?? 0 };
      }),
    ...auditChains(database),
    ...auditStrangers(database),
    delivered: (receiver) =>
      database.read(() => {
        const rows = database.all<{ chain: AuditChain; seq: number }>(
          "SELECT chain, seq FROM audit_deliveries WHERE receiver = ?",
          receiver,
        );
        return { changes: 0, refusals: 0, ...Object.fromEntries(rows.map(({ chain, seq }) => [chain, seq])) };
      }),
    deliver: (receiver, places) =>
      database.write(() => {
        for (const [chain, seq] of Object.entries(places)) {
          database.run(
            "INSERT INTO audit_deliveries (receiver, chain, seq) VALUES (?, ?, ?) " +
              "ON CONFLICT (receiver, chain) DO UPDATE SET seq = excluded.seq",
            receiver,
            chain,
            seq,
          );
        }
      }),
  };
}
