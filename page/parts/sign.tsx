/** A verdict as a sign of its own shape beside its word; the colour is added on top. */
import type { Verdict } from "../verdict.ts";
import { words } from "../words/en.ts";

const SHAPES: Readonly<Record<Verdict, string>> = {
  asWritten: "M6 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z",
  differs: "M2 4.4h8M2 7.6h8M8 2 4 10",
  broken: "M2.5 2.5l7 7M9.5 2.5l-7 7",
  notStarted: "M6 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z",
  completed: "M2 6.5 4.8 9.2 10 3",
  stopped: "M3 3h6v6H3z",
  paused: "M4 2.5v7M8 2.5v7",
  unknown: "M3.8 4.2a2.2 2.2 0 1 1 3.3 1.9c-.8.5-1.1.8-1.1 1.6M6 9.9v.1",
  undeclared: "M6 2v8M2 6h8",
};

export function Sign({ verdict }: { readonly verdict: Verdict }) {
  return (
    <svg class={`sign is-${verdict}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      <path d={SHAPES[verdict]} />
    </svg>
  );
}

/** The sign with its word, or another word that says more. */
export function Mark({ verdict, children }: { readonly verdict: Verdict; readonly children?: string }) {
  return (
    <span class={`mark is-${verdict}`}>
      <Sign verdict={verdict} />
      <span>{children ?? words.verdict(verdict)}</span>
    </span>
  );
}
