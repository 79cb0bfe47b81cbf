/** Where berth means to differ from Compose's loader, and why. */

import type { Difference } from "./compared.ts";

export interface Agreed {
  readonly why: string;
  readonly covers: (difference: Difference) => boolean;
}

/** A verdict that is berth's own: all of its errors are among these. */
const refusedFor = (...codes: string[]) => ({ field, berth, codes: found }: Difference) =>
  field === "verdict" && berth === "refused" && found.every((code) => codes.includes(code));

export const AGREED: readonly Agreed[] = [];
