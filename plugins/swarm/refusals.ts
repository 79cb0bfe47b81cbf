/** The one table of what managers say when they refuse a change, and the codes that callers branch on. */
import { ServiceError } from "../../core/error.ts";
import { EngineAnswer } from "../../engines/calls/failure.ts";
import { swarmError } from "./errors.ts";

type Code = Parameters<typeof swarmError>[0];

interface Refusal {
  readonly words: RegExp;
  readonly code: Code;
  readonly why: string;
}

/** The words of managers when too few of them can be reached. After the last ones, a change may still have been made. */
export const NO_LEADER =
  /does not have a leader|lost leadership|no quorum|lost quorum|context deadline exceeded/i;

/** A manager answers nearly all of these with 500, so its words decide. The order matters. */
const REFUSALS: readonly Refusal[] = [
  {
    words: /update out of sequence/i,
    code: "changed_meanwhile",
    why: "somebody else changed it meanwhile. Look at it again",
  },
  {
    words: NO_LEADER,
    code: "cluster_without_quorum",
    why: "the managers have no leader, because too few of them can be reached. Bring one back",
  },
  {
    words: /does not have a previous spec/i,
    code: "nothing_to_roll_back",
    why: "the swarm remembers no earlier definition of it",
  },
  {
    words: /(?:secret|config) .{0,200}not found|(?:secrets|configs) .{0,200}(?:not found|do not exist)/i,
    code: "previous_secret_gone",
    why: "a secret or config that its definition names is gone",
  },
  { words: /name conflicts with an existing object/i, code: "name_taken", why: "the name is taken" },
  { words: /is in use by (?:the following )?(?:service|task)/i, code: "in_use", why: "a service uses it" },
];

/** Returns the error of a refused change, or the same error where the table has no row. `doing` follows "Cannot". */
export function refusalOf(error: unknown, doing: string): unknown {
  if (!(error instanceof ServiceError) || !(error.cause instanceof EngineAnswer)) return error;
  const { words } = error.cause;
  const found = REFUSALS.find((one) => one.words.test(words));
  return found === undefined
    ? error
    : swarmError(found.code, `Cannot ${doing}: ${found.why}`, { cause: error });
}
