/** Containers that nobody declared and that one does not want to be told of, in this browser. */
import { signal } from "@preact/signals";

const KEPT = "berth.ignored";
const MOST = 500;

export const ignored = signal<ReadonlySet<string>>(new Set(read()));

function read(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string").slice(0, MOST) : [];
  } catch {
    return []; // somebody else wrote there
  }
}

/** By engine and name: one that is made anew is the same. */
export function ignore(name: string): void {
  keep(new Set([...ignored.peek(), name]));
}

export function ignoreNothing(): void {
  keep(new Set());
}

function keep(names: ReadonlySet<string>): void {
  ignored.value = names;
  localStorage.setItem(KEPT, JSON.stringify([...names].slice(-MOST)));
}
