/** Findings about paths and files that are not read. */

import type { Finding, Place } from "../artifact.ts";

/** A path that a document names leads out of the workspace. */
export function outsideFinding(written: string, at: Place, more: Partial<Finding> = {}): Finding {
  const message = `"${written}" is outside the workspace, so it was not read`;
  return { code: "fs/path-escape", message, at, ...more };
}

/** A file that a document names does not exist. */
export function notFoundFinding(
  code: string,
  written: string,
  at: Place,
  more: Partial<Finding> = {},
): Finding {
  return { code, message: `"${written}" does not exist`, at, ...more };
}
