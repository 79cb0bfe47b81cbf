/** The choice of dense rows, kept in this browser. */
import { signal } from "@preact/signals";

const DENSE = "berth.dense";

export const isDense = signal(localStorage.getItem(DENSE) !== null);

export function makeDense(dense: boolean): void {
  if (dense) localStorage.setItem(DENSE, "1");
  else localStorage.removeItem(DENSE);
  isDense.value = dense;
}
