/** Brings a person's wish to an apply, which others may pause or resume in that very moment. */

import type { ApplyRecord } from "../../core/applies.ts";
import { ServiceError } from "../../core/error.ts";
import { isOver } from "./shown.ts";

/** Looks at an apply that others change between a look and the wish. */
const MOST_TRIES = 10;

interface Asked {
  record(): Promise<ApplyRecord>;
  /** Leaves the wish to the replica that carries the apply out. Returns false unless it is running. */
  leave(): Promise<boolean>;
  /** Takes the apply on; null unless it is paused. */
  takePaused(): Promise<ApplyRecord | null>;
}

/** Returns the paused apply that the caller has to end; null where a replica carries it out. Throws `apply_over`. */
export async function askToEnd({ record, leave, takePaused }: Asked): Promise<ApplyRecord | null> {
  let found = await record();
  for (let tries = 0; tries < MOST_TRIES && !isOver(found); tries++) {
    if (found.state === "running") {
      if (await leave()) return null;
    } else {
      const paused = await takePaused();
      if (paused !== null) return paused;
    }
    found = await record();
  }
  if (isOver(found)) throw over(found);
  throw new ServiceError("apply_running", "Others pause and resume it again and again; ask once more");
}

export const over = ({ state }: ApplyRecord): ServiceError =>
  new ServiceError(
    "apply_over",
    state === "running" ? "Cannot resume it: it is running" : `It is ${state} already`,
  );
