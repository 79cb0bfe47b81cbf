/** Hides the environment from the YAML parser, which reads it at every token. */

import process from "node:process";

const NOTHING: typeof process.env = Object.freeze(Object.create(null));

/**
 * Runs `work` while `process.env` is empty. `yaml` looks there whether to log each token: under Deno a call into the
 * runtime that takes a quarter of the whole parsing, and one that needs a permission. As `work` must not wait for
 * anything, no other code runs meanwhile.
 */
export function withoutEnvironment<T>(work: () => T extends PromiseLike<unknown> ? never : T): T {
  const before = process.env;
  process.env = NOTHING;
  try {
    return work();
  } finally {
    process.env = before;
  }
}
