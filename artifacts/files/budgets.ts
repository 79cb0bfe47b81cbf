/** Limits of reading a workspace. */

export interface Budgets {
  /** Bytes of one file. */
  fileBytes: number;
  /** Folders below each other. */
  depth: number;
  /** Directory entries looked at. */
  entries: number;
  /** Files read. */
  files: number;
}

export const BUDGETS: Readonly<Budgets> = {
  fileBytes: 1024 * 1024,
  depth: 12,
  entries: 100_000,
  files: 5_000,
};
