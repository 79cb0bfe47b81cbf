/** The audit log, as every store keeps it: entries in chains, with their seals. */
import type { AuditChain, NewAuditEntry } from "./audit_entry.ts";

export interface AuditEntry extends NewAuditEntry {
  readonly id: number;
  /** Its place in its chain; null until it is sealed. */
  readonly seq: number | null;
}

interface AuditQuery {
  /** Entries older than this one. */
  readonly before: number | null;
  readonly limit: number;
  /** Or any of several. */
  readonly action: string | readonly string[] | null;
  readonly actor: string | null;
  readonly result: string | null;
}

export interface AuditStore {
  /** Appends in one write. */
  append(entries: readonly NewAuditEntry[]): Promise<void>;
  /** Newest first; `total` counts everything that matches, whatever `before` and `limit` say. */
  list(query: AuditQuery): Promise<{ items: AuditEntry[]; total: number }>;
  /** Returns the entries of changes from `from` to `to`, newest first, among the latest `limit` entries of the log. */
  between(from: number, to: number, limit: number): Promise<AuditEntry[]>;

  /**
   * Gives up to `limit` committed entries the next places of their chains and their seals, oldest first, and moves the
   * ends of the chains in the same write. Several processes may do it at once. How many it sealed.
   */
  seal(seals: Seals, limit: number): Promise<number>;
  /** Sealed entries of the chain behind the place `after`, in order. */
  sealed(chain: AuditChain, after: number, limit: number): Promise<SealedEntry[]>;
  chains(): Promise<Readonly<Record<AuditChain, ChainState>>>;
  /** Returns the number of entries that wait for their seal. */
  unsealed(): Promise<number>;
  /**
   * Cuts up to `limit` sealed entries off the old end of the chain: those before `before`, and those behind which
   * `keep` newer ones of known callers stand. How many it cut.
   */
  forget(
    chain: AuditChain,
    bounds: { readonly before: number; readonly keep: number },
    seals: Seals,
    limit: number,
  ): Promise<number>;

  /** Adds to the counters of strangers; an hour has at most `most` of them, and one for all others. */
  countStrangers(counts: readonly StrangerCount[], most: number): Promise<void>;
  /** The counters that are not entries yet, the largest first. */
  strangers(): Promise<StrangerCount[]>;
  /** Makes entries of the counters of hours before `hour`. How many. */
  closeStrangers(hour: number, entryOf: (count: StrangerCount) => NewAuditEntry): Promise<number>;

  /** The place up to which a receiver outside has taken each chain; 0 for one that is not known. */
  delivered(receiver: string): Promise<Readonly<Record<AuditChain, number>>>;
  /** Remembers it. */
  deliver(receiver: string, places: Readonly<Record<AuditChain, number>>): Promise<void>;
}

/** An entry with its place in its chain, and the seal over it and all before it. */
export interface SealedEntry extends AuditEntry {
  readonly seq: number;
  readonly mac: Uint8Array;
}

/** Both ends of a chain, at the entries themselves: the newest, and the last that was forgotten. Zeros for none. */
export interface ChainEnds {
  readonly seq: number;
  readonly mac: Uint8Array;
  readonly floorSeq: number;
  readonly floorMac: Uint8Array;
}

export interface ChainState extends ChainEnds {
  /** Over both ends; empty until something was sealed. */
  readonly proof: Uint8Array;
}

/** Seals that only the holder of the sealing key can make. */
export interface Seals {
  readonly mac: (previous: Uint8Array, entry: Omit<SealedEntry, "mac">) => Uint8Array;
  readonly proof: (chain: AuditChain, ends: ChainEnds) => Uint8Array;
}

/** The number of times that one peer without a valid credential was refused one thing in one hour. */
export interface StrangerCount {
  /** Hours since 1970. */
  readonly hour: number;
  readonly peer: string;
  readonly action: string;
  readonly result: string;
  readonly count: number;
}
