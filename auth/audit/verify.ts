/** Walks the chains of the audit log, and finds the first entry of each that is not as it was sealed. */
import { type AuditStore, type ChainState, type SealedEntry } from "../../core/audit_store.ts";
import { AUDIT_CHAINS, type AuditChain } from "../../core/store.ts";
import { type Checkpoint, type Place, placeText } from "./place.ts";
import { type AllSeals, sameBytes } from "./seals.ts";

const BATCH = 1_000;

interface ChainReport {
  readonly chain: AuditChain;
  readonly from: number;
  readonly to: number;
  /** The last entry that berth itself forgot. */
  readonly forgotten: number;
  readonly end: string;
  /** The first place where something is wrong, and what; null when the chain is whole. */
  readonly broken: { readonly seq: number; readonly what: string } | null;
  /** Which of the checkpoints stand in this chain. */
  readonly passed: readonly Checkpoint[];
}

/**
 * Walks from the oldest checkpoint that stands in the chain, or from its beginning. Reads also while berth writes: what is
 * sealed meanwhile is walked too, what is forgotten meanwhile is left out.
 */
async function verifyChain(
  store: AuditStore,
  seals: AllSeals,
  chain: AuditChain,
  checkpoints: readonly Checkpoint[],
): Promise<ChainReport> {
  let state = (await store.chains())[chain];
  let { seq: at, mac: previous } = await startOf(store, chain, state, checkpoints);
  const from = at + 1;
  const passed: Checkpoint[] = [];
  const pass = (seq: number, mac: Uint8Array) => {
    passed.push(...checkpoints.filter((one) => one.seq === seq && sameBytes(one.mac, mac)));
  };
  const report = (broken: ChainReport["broken"]): ChainReport => ({
    chain,
    from: Math.max(from, state.floorSeq + 1),
    to: state.seq,
    forgotten: state.floorSeq,
    end: placeText(chain, state),
    broken,
    passed,
  });
  const first = isProven(seals, chain, state)
    ? null
    : { seq: state.seq, what: "the ends of the chain were changed" };
  if (at > 0) pass(at, previous);
  while (true) {
    const rows = await store.sealed(chain, at, BATCH);
    if (rows.length === 0) break;
    for (const row of rows) {
      if (row.seq > state.seq) state = (await store.chains())[chain];
      if (row.seq > state.seq) {
        return report({ seq: row.seq, what: "it stands behind the end: it was put in" });
      }
      if (row.seq <= at) return report({ seq: row.seq, what: "it is there twice: one was put in" });
      if (row.seq !== at + 1) {
        state = (await store.chains())[chain];
        if (state.floorSeq <= at) return report({ seq: at + 1, what: "it is missing: it was removed" });
        break; // berth forgot it while we walked
      }
      if (!isSealed(seals, chain, previous, row)) {
        return report({ seq: row.seq, what: "it is not what was sealed: it was changed or put in" });
      }
      at = row.seq;
      previous = row.mac;
      pass(at, previous);
    }
    if (state.floorSeq > at) ({ floorSeq: at, floorMac: previous } = state);
  }
  if (at < state.seq) return report({ seq: at + 1, what: "it is missing: it was removed" });
  if (!sameBytes(previous, state.mac)) return report({ seq: at, what: "the end of the chain was changed" });
  return report(first);
}

/** The place before the one to begin at, with its seal. */
async function startOf(
  store: AuditStore,
  chain: AuditChain,
  { floorSeq, floorMac }: ChainState,
  checkpoints: readonly Checkpoint[],
): Promise<{ readonly seq: number; readonly mac: Uint8Array }> {
  for (const { seq, mac } of checkpoints.toSorted((one, other) => one.seq - other.seq)) {
    if (seq <= floorSeq + 1) continue;
    const [before, row] = await store.sealed(chain, seq - 2, 2);
    if (before?.seq === seq - 1 && row?.seq === seq && sameBytes(row.mac, mac)) return before;
  }
  return { seq: floorSeq, mac: floorMac };
}

/** Returns true if berth itself wrote these ends. */
export function isProven(seals: AllSeals, chain: AuditChain, state: ChainState): boolean {
  if (!seals.earlier.every(({ until }) => endsBefore(until[chain], state))) return false;
  if (state.seq === 0 && state.floorSeq === 0) return true;
  // If nothing was sealed since a key was replaced, the earlier key's proof stands until the old end moves.
  const latest = seals.earlier.filter(({ until }) => until[chain].seq === state.seq).map(({ seals }) =>
    seals
  );
  return [seals, ...latest].some((one) => sameBytes(one.proof(chain, state), state.proof));
}

/** Entries that an earlier key sealed must still exist: a thief of that key cannot make another end. */
function endsBefore(last: Place, { seq, mac }: Place): boolean {
  return last.seq < seq || (last.seq === seq && (seq === 0 || sameBytes(last.mac, mac)));
}

/** An earlier key seals up to where it was replaced, and just what stood there then. */
function isSealed(seals: AllSeals, chain: AuditChain, previous: Uint8Array, entry: SealedEntry): boolean {
  const key = seals.earlier.findLast(({ until }) => entry.seq <= until[chain].seq);
  const last = key?.until[chain];
  if (last?.seq === entry.seq && !sameBytes(last.mac, entry.mac)) return false;
  return sameBytes((key?.seals ?? seals).mac(previous, entry), entry.mac);
}

/** Both chains. `missed` are the checkpoints that stand in none, other than those that berth itself has forgotten. */
export async function verifyAudit(
  store: AuditStore,
  seals: AllSeals,
  checkpoints: readonly Checkpoint[],
): Promise<{ readonly chains: readonly ChainReport[]; readonly missed: readonly Checkpoint[] }> {
  const chains: ChainReport[] = [];
  for (const chain of AUDIT_CHAINS) {
    const mine = checkpoints.filter((one) => one.chain === null || one.chain === chain);
    chains.push(await verifyChain(store, seals, chain, mine));
  }
  const missed = checkpoints.filter((one) =>
    !chains.some((report) => report.passed.includes(one) || hasForgotten(report, one))
  );
  return { chains, missed };
}

function hasForgotten({ chain, forgotten }: ChainReport, checkpoint: Checkpoint): boolean {
  return (checkpoint.chain ?? chain) === chain && checkpoint.seq < forgotten;
}
