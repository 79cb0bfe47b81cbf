/** The two chains of the audit log in SQLite: sealed at the new end, cut at the old one. */
import type { AuditChain, AuditStore, ChainEnds, ChainState, SealedEntry, Seals } from "../../core/store.ts";
import { entryFrom, type EntryRow } from "../records.ts";
import { ENTRY_COLUMNS } from "./audit.ts";
import type { SqliteDatabase } from "./database.ts";

type Chains = Pick<AuditStore, "seal" | "sealed" | "chains" | "unsealed" | "forget">;

interface StateRow extends ChainState {
  readonly chain: AuditChain;
}

export function auditChains(database: SqliteDatabase): Chains {
  function states(): Record<AuditChain, ChainState> {
    const rows = database.all<StateRow>(
      "SELECT chain, seq, mac, floor_seq AS floorSeq, floor_mac AS floorMac, proof FROM audit_chains",
    );
    const of = (wanted: AuditChain) => {
      const found = rows.find(({ chain }) => chain === wanted);
      // Told like every other damage of the file.
      if (found === undefined) throw new SyntaxError(`the chain "${wanted}" has lost its ends`);
      const { chain: _, ...state } = found;
      return state;
    };
    return { changes: of("changes"), refusals: of("refusals") };
  }

  function move(chain: AuditChain, ends: ChainEnds, seals: Seals): void {
    database.run(
      "UPDATE audit_chains SET seq = ?, mac = ?, floor_seq = ?, floor_mac = ?, proof = ? WHERE chain = ?",
      ends.seq,
      ends.mac,
      ends.floorSeq,
      ends.floorMac,
      seals.proof(chain, ends),
      chain,
    );
  }

  return {
    // A transaction waits for nobody where there is nothing to seal.
    seal: async (seals, limit) => {
      const waiting = () => database.get("SELECT 1 FROM audit WHERE seq IS NULL LIMIT 1") !== undefined;
      if (!await database.read(waiting)) return 0;
      return await database.write(() => {
        const ends: Record<AuditChain, ChainEnds> = states();
        const rows = database.all<EntryRow>(
          `SELECT ${ENTRY_COLUMNS} FROM audit WHERE seq IS NULL ORDER BY at, id LIMIT ?`,
          limit,
        );
        for (const row of rows) {
          const before = ends[row.chain];
          const seq = before.seq + 1;
          const mac = seals.mac(before.mac, { ...entryFrom(row), seq });
          database.run("UPDATE audit SET seq = ?, mac = ? WHERE id = ?", seq, mac, row.id);
          ends[row.chain] = { ...before, seq, mac };
        }
        for (const chain of new Set(rows.map((row) => row.chain))) move(chain, ends[chain], seals);
        return rows.length;
      });
    },
    sealed: (chain, after, limit) =>
      database.read(() =>
        database.all<EntryRow & { readonly mac: Uint8Array }>(
          `SELECT ${ENTRY_COLUMNS}, mac FROM audit WHERE chain = ? AND seq > ? ORDER BY seq, id LIMIT ?`,
          chain,
          after,
          limit,
        ).map((row) => entryFrom(row) as SealedEntry) // `seq` is given, and `mac` goes along
      ),
    chains: () => database.read(states),
    unsealed: () =>
      database.read(() =>
        database.get<{ n: number }>("SELECT count(*) AS n FROM audit WHERE seq IS NULL")?.n ?? 0
      ),
    forget: (chain, { before, keep }, seals, limit) =>
      database.write(() => {
        const { proof: _, ...ends } = states()[chain];
        const young = database.get<{ seq: number | null }>(
          "SELECT min(seq) AS seq FROM (SELECT seq, at FROM audit WHERE chain = ? AND seq > ? ORDER BY seq LIMIT ?) " +
            "WHERE at >= ?",
          chain,
          ends.floorSeq,
          limit,
          before,
        )?.seq;
        const old = (young ?? Math.min(ends.floorSeq + limit, ends.seq) + 1) - 1;
        const surplus = ends.seq - ends.floorSeq <= keep ? 0 : database.get<{ seq: number }>(
          "SELECT seq FROM audit WHERE chain = ? AND seq IS NOT NULL AND actor_kind <> 'anonymous' " +
            "ORDER BY seq DESC LIMIT 1 OFFSET ?",
          chain,
          keep,
        )?.seq ?? 0;
        const to = Math.min(Math.max(old, surplus), ends.floorSeq + limit);
        if (to <= ends.floorSeq) return 0;
        const last = database.get<{ mac: Uint8Array }>(
          "SELECT mac FROM audit WHERE chain = ? AND seq = ?",
          chain,
          to,
        );
        // An entry that is missing there was removed by somebody else: nothing is cut that would hide it.
        if (last === undefined) return 0;
        database.run("DELETE FROM audit WHERE chain = ? AND seq <= ?", chain, to);
        move(chain, { ...ends, floorSeq: to, floorMac: last.mac }, seals);
        return to - ends.floorSeq;
      }),
  };
}
