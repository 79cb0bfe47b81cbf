/** The states of the connection to one engine, and the steps that lead from one to another. */
import type { BackendState } from "../../core/runtime.ts";

/** The reason why an engine is down. */
export interface Failure {
  readonly state: "away" | "refused" | "unsupported";
  readonly reason: string;
}

/**
 * - `connecting`: it has not answered yet.
 * - `reading`: it answers and its events are open. The mirror is read; rows of before are shown if it `isKnown`.
 * - `current`: the mirror holds everything and follows the events.
 * - `down`: it cannot be reached, is refused, or is no engine that berth knows. It has no rows.
 * - `silent`: it does not answer over connections that are open. Its rows are shown as stale.
 * - `returning`: it answers again and is connected again. Its rows are still stale.
 *
 *     connecting, reading, down, returning ── opened ──► reading ── complete ──► current ── cut ──► reading
 *     any but silent ── failed ──► down
 *     any ── fellSilent ──► silent ── heard ──► returning
 */
export type LinkState =
  | { readonly kind: "connecting" }
  | { readonly kind: "reading"; readonly isKnown: boolean }
  | { readonly kind: "current" }
  | { readonly kind: "down"; readonly failure: Failure; readonly lostAt: string | null }
  | Silent;

interface Silent {
  readonly kind: "silent" | "returning";
  /** The last time that it answered. */
  readonly since: string;
  readonly isKnown: boolean;
  readonly lostAt: string | null;
}

export const CONNECTING: LinkState = { kind: "connecting" };

/** Its events are open, so that every later change is told. */
export function opened(state: LinkState): LinkState {
  return state.kind === "reading" ? state : { kind: "reading", isKnown: isKnown(state) };
}

/** The mirror was read whole after its events were open. */
export function complete(state: LinkState): LinkState {
  return state.kind === "reading" ? { kind: "current" } : state;
}

/** Its events ended; they are opened again at once. */
export function cut(state: LinkState): LinkState {
  return state.kind === "current" ? { kind: "reading", isKnown: true } : state;
}

/** It could not be connected, or its containers could not be read. */
export function failed(state: LinkState, failure: Failure, now: Date): LinkState {
  return state.kind === "silent" ? state : { kind: "down", failure, lostAt: lostSince(state, now) };
}

/** It has not answered for some time; `since` is the last time that it did. */
export function fellSilent(state: LinkState, since: Date, now: Date): Silent {
  return {
    kind: "silent",
    since: secondOf(since),
    isKnown: isKnown(state),
    lostAt: lostSince(state, now),
  };
}

/** It answers again. */
export function heard(state: LinkState): LinkState {
  return state.kind === "silent" ? { ...state, kind: "returning" } : state;
}

/** Returns the word that the API has for it. */
export function backendState(state: LinkState): BackendState {
  switch (state.kind) {
    case "connecting":
      return "away";
    case "reading":
    case "current":
      return "up";
    case "down":
      return state.failure.state;
    case "silent":
    case "returning":
      return "unresponsive";
  }
}

/** Returns the reason that it is not up; an empty text while it is. */
export function reasonOf(state: LinkState): string {
  switch (state.kind) {
    case "connecting":
      return "it has not answered yet";
    case "reading":
    case "current":
      return "";
    case "down":
      return state.failure.reason;
    case "silent":
    case "returning":
      return `it has not answered since ${state.since}`;
  }
}

/** Returns true if the mirror has rows to show, though they may be old. */
export function isKnown(state: LinkState): boolean {
  return state.kind === "current" || "isKnown" in state && state.isKnown;
}

/** Returns the time of its last answer; null unless it is silent or returning. */
export function silentSince(state: LinkState): string | null {
  return "since" in state ? state.since : null;
}

/** Returns the time at which it was lost; null while it is up, and where it never was. */
export function lostAt(state: LinkState): string | null {
  return "lostAt" in state ? state.lostAt : null;
}

const lostSince = (state: LinkState, now: Date): string | null =>
  backendState(state) === "up" ? secondOf(now) : lostAt(state);

const secondOf = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;
