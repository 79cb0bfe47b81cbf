/** A problem of a setup, and its remedy. */

export interface Finding {
  /** `wrong` must be mended; `risky` works until it does not. */
  readonly level: "wrong" | "risky";
  readonly what: string;
  /** The remedy. */
  readonly mend: string;
}

export const wrong = (what: string, mend: string): Finding => ({ level: "wrong", what, mend });
export const risky = (what: string, mend: string): Finding => ({ level: "risky", what, mend });
