/** Endings of containers with their last words, as every store keeps them. */

/**
 * `kept`: there are words; `none`: its log was empty; `removedTooSoon`: it was gone before its engine could be asked;
 * `unreadable`: the engine did not tell its log; `forgotten`: they gave way to newer words.
 */
export const WORDS_STATES = ["kept", "none", "removedTooSoon", "unreadable", "forgotten"] as const;
type WordsState = typeof WORDS_STATES[number];

export interface EndingRecord {
  readonly id: string;
  /** When berth heard of it, in milliseconds since 1970. */
  readonly at: number;
  readonly engine: string;
  readonly containerId: string;
  readonly container: string;
  /** The workspace, group and unit that declare it; null for what no file declares. */
  readonly workspace: string | null;
  readonly group: string | null;
  readonly unit: string | null;
  /** The workspace whose files it was started from: only that one's scope reaches it. */
  readonly startedFrom: string | null;
  /** The Compose project. */
  readonly project: string | null;
  readonly exitCode: number | null;
  /** True only where the engine says that its memory ran out. */
  readonly outOfMemory: boolean;
  readonly words: WordsState;
  /** Endings after this one that were counted and not kept: in a restart loop. */
  readonly more: number;
}

/** What a container said last. */
export interface LastWords {
  readonly exitCode: number | null;
  readonly outOfMemory: boolean;
  /** The end of its log, masked. */
  readonly lines: readonly string[];
  /** True if the log has more than is kept of it. */
  readonly isCut: boolean;
  /** The last output of its health check, masked; empty without one. */
  readonly health: string;
}

export interface EndingQuery {
  readonly workspace: string | null;
  readonly unit: string | null;
  /** A container's name or whole id. */
  readonly container: string | null;
  readonly engine: string | null;
  /** Only those of this time. */
  readonly from: number | null;
  readonly to: number | null;
  readonly before: { readonly at: number; readonly id: string } | null;
  readonly limit: number;
}

export interface EndingStore {
  /** Keeps an ending and its words, as nobody can read them; a workspace that is gone meanwhile counts as none. */
  add(ending: EndingRecord, sealed: Uint8Array | null): Promise<void>;
  /** Counts further endings behind ones that are kept. */
  count(more: readonly { readonly id: string; readonly by: number }[]): Promise<void>;
  /** Newest first. */
  list(query: EndingQuery): Promise<EndingRecord[]>;
  get(id: string): Promise<{ readonly ending: EndingRecord; readonly sealed: Uint8Array | null } | null>;
  /** Forgets those before, the oldest beyond `most`, and the oldest words beyond this many bytes. How many endings. */
  forget(before: number, most: number, mostBytes: number): Promise<number>;
}
