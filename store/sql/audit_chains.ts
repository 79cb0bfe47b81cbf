/** The two chains of the audit log: sealed at the new end, cut at the old one. */
import type { AuditStore, ChainEnds, ChainState, SealedEntry, Seals } from "../../core/audit_store.ts";
import type { AuditChain } from "../../core/store.ts";
import { entryFrom, type EntryRow } from "./records.ts";
import { ServiceError } from "../../core/error.ts";
import { ENTRY_COLUMNS } from "./audit.ts";
import { all, get, run, type Sql, type Steps } from "./steps.ts";

type Chains = Pick<AuditStore, "seal" | "sealed" | "chains" | "unsealed" | "forget">;

interface StateRow extends ChainState {
  readonly chain: AuditChain;
}

const STATES =
  'SELECT chain, seq, mac, floor_seq AS "floorSeq", floor_mac AS "floorMac", proof FROM audit_chains ORDER BY chain';

/** `FOR UPDATE`, the rows are the lock of their chains. */
function* states(lock: "" | " FOR UPDATE" = ""): Steps<Record<AuditChain, ChainState>> {
  const rows = yield* all<StateRow>(STATES + lock);
  const of = (wanted: AuditChain) => {
    const found = rows.find(({ chain }) => chain === wanted);
    if (found === undefined) {
      throw new ServiceError(
        "store_unavailable",
        `Cannot use the store: the chain "${wanted}" of its audit log has lost its ends; restore a backup`,
      );
    }
    const { chain: _, ...state } = found;
    return state;
  };
  return { changes: of("changes"), refusals: of("refusals") };
}

function* move(chain: AuditChain, ends: ChainEnds, seals: Seals): Steps<void> {
  yield* run(
    "UPDATE audit_chains SET seq = $1, mac = $2, floor_seq = $3, floor_mac = $4, proof = $5 WHERE chain = $6",
    ends.seq,
    ends.mac,
    ends.floorSeq,
    ends.floorMac,
    seals.proof(chain, ends),
    chain,
  );
}

export function auditChains(sql: Sql): Chains {
  return {
    // A transaction waits for nobody where there is nothing to seal.
    seal: async (seals, limit) => {
      const waiting = () => get("SELECT 1 FROM audit WHERE seq IS NULL LIMIT 1");
      if (await sql.read(waiting) === undefined) return 0;
      return await sql.write(function* () {
        const ends: Record<AuditChain, ChainEnds> = yield* states(" FOR UPDATE");
        const rows = yield* all<EntryRow>(
          `SELECT ${ENTRY_COLUMNS} FROM audit WHERE seq IS NULL ORDER BY at, id LIMIT $1`,
          limit,
        );
        const sealed = rows.map((row) => {
          const before = ends[row.chain];
          const seq = before.seq + 1;
          const mac = seals.mac(before.mac, { ...entryFrom(row), seq });
          ends[row.chain] = { ...before, seq, mac };
          return { id: row.id, seq, mac };
        });
        yield* run(
          "UPDATE audit SET seq = s.seq, mac = s.mac " +
            "FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS s (id, seq, mac) WHERE audit.id = s.id",
          sealed.map(({ id }) => id),
          sealed.map(({ seq }) => seq),
          sealed.map(({ mac }) => mac),
        );
        for (const chain of new Set(rows.map((row) => row.chain))) yield* move(chain, ends[chain], seals);
        return rows.length;
      });
    },
    sealed: async (chain, after, limit) => {
      const rows = await sql.read(() =>
        all<EntryRow & { readonly mac: Uint8Array }>(
          `SELECT ${ENTRY_COLUMNS}, mac FROM audit WHERE chain = $1 AND seq > $2 ORDER BY seq, id LIMIT $3`,
          chain,
          after,
          limit,
        )
      );
      return rows.map((row) => entryFrom(row) as SealedEntry); // `seq` is given, and `mac` goes along
    },
    chains: () => sql.read(() => states()),
    unsealed: async () =>
      (await sql.read(() => get<{ n: number }>("SELECT count(*) AS n FROM audit WHERE seq IS NULL")))?.n ?? 0,
    forget: (chain, { before, keep }, seals, limit) =>
      sql.write(function* () {
        const { proof: _, ...ends } = (yield* states(" FOR UPDATE"))[chain];
        const young = (yield* get<{ seq: number | null }>(
          "SELECT min(seq) AS seq FROM (SELECT seq, at FROM audit WHERE chain = $1 AND seq > $2 ORDER BY seq LIMIT $3) " +
            "AS oldest WHERE at >= $4",
          chain,
          ends.floorSeq,
          limit,
          before,
        ))?.seq;
        const old = (young ?? Math.min(ends.floorSeq + limit, ends.seq) + 1) - 1;
        const surplus = ends.seq - ends.floorSeq <= keep ? 0 : (yield* get<{ seq: number }>(
          "SELECT seq FROM audit WHERE chain = $1 AND seq IS NOT NULL AND actor_kind <> 'anonymous' " +
            "ORDER BY seq DESC LIMIT 1 OFFSET $2",
          chain,
          keep,
        ))?.seq ?? 0;
        const to = Math.min(Math.max(old, surplus), ends.floorSeq + limit);
        if (to <= ends.floorSeq) return 0;
        const last = yield* get<{ mac: Uint8Array }>(
          "SELECT mac FROM audit WHERE chain = $1 AND seq = $2",
          chain,
          to,
        );
        // An entry that is missing there was removed by somebody else: nothing is cut that would hide it.
        if (last === undefined) return 0;
        yield* run("DELETE FROM audit WHERE chain = $1 AND seq <= $2", chain, to);
        yield* move(chain, { ...ends, floorSeq: to, floorMac: last.mac }, seals);
        return to - ends.floorSeq;
      }),
  };
}
