/** What a container is, as one short text: another one if it was changed or replaced since its draft. */
import { sha256 } from "../../artifacts/files/sha256.ts";
import type { InspectedContainer } from "../../core/runtime.ts";

/** Facts that change while a container stays what it is. */
const PASSING: ReadonlySet<string> = new Set([
  "state",
  "status",
  "health",
  "healthOutput",
  "exitCode",
  "restartCount",
  "reason",
  "condition",
  "startedAt",
  "finishedAt",
  "ending",
  "stopped",
  "pid",
  "sourcesAtStart",
  "compose",
]);

/** Holds none of its values. */
export const stampOf = (container: InspectedContainer): string =>
  sha256(JSON.stringify(Object.entries(container).filter(([name]) => !PASSING.has(name))));
