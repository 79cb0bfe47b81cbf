/** How much of a folder and of one file reading is willing to take: every limit in one place. */

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

/** Of one YAML text. The deepest real file known nests ten brackets, the one with most aliases has 1,491. */
export const YAML_BUDGETS = {
  nesting: 64,
  anchorsAndAliases: 10_000,
  /** Commas, colons and lines, which bound the tokens. */
  separators: 120_000,
  /** Nodes of one document with its aliases written out. */
  nodes: 100_000,
  /** Longer texts are parsed in a worker: the worst of this length that is known takes the parser 90 ms. */
  inlineLength: 8 * 1024,
  /** Documents of one file that merge. */
  documents: 500,
  workerMs: 10_000,
  /** Findings kept of one text. */
  findings: 200,
} as const;
