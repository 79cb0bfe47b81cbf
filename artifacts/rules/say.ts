/** Rules report through this: one call for each finding, with a code of the table. */

import type { Finding, Place } from "../artifact.ts";
import type { RuleCode } from "./catalog.ts";

/** The optional parts of a finding. */
type Beside = Pick<Finding, "severity" | "subject" | "related" | "data" | "path">;

/** Reports one finding. */
export type Say = (code: RuleCode, at: Place | null, message: string, beside?: Beside) => void;

/** A `Say` that collects into a list. */
export function sayInto(findings: Finding[]): Say {
  return (code, at, message, beside) => void findings.push({ code, at, message, ...beside });
}
