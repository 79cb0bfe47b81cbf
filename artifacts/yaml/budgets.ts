/** Limits of one YAML text. */

/** Known real files nest at most ten brackets and have at most 1,491 aliases. */
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
  /** Findings reported of one text. */
  findings: 200,
} as const;
