/** The documented failures of the plugin's routes. */

import { problemsOf } from "../../../http/declare/answer.ts";
import { CODES } from "../../../engines/calls/errors.ts";

/** The failures that a route of the plugin may answer with; spread into `answers`. */
export const problems = problemsOf(CODES);
