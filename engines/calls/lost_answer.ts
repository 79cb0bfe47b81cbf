/** Changes whose answer was lost on its way: the engine may have made them, and shows that when it is asked again. */
import { ServiceError } from "../../core/error.ts";
import { pause } from "../../core/pause.ts";
import { EngineAnswer } from "./failure.ts";

/** How long an engine is looked at for a change that it may still be making. */
const LOOK_MS = 2_000;
const LOOK_EVERY_MS = 100;

/**
 * Sends a change. Where its answer is lost, looks until `shown` returns what the engine then shows of it, and returns
 * that. Throws what sending threw if the engine does not show it in time: then nobody knows, and nobody says it is done.
 */
export async function sentOrShown<T>(send: () => Promise<T>, shown: () => Promise<T | null>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!isLost(error)) throw error;
    const until = performance.now() + LOOK_MS;
    do {
      const found = await shown().catch(nothing);
      if (found !== null) return found;
      await pause(LOOK_EVERY_MS);
    } while (performance.now() < until);
    throw error;
  }
}

/** Returns true if a read of the object ends in `missing`, as after its removal. */
export async function isGone(read: Promise<unknown>, missing: string): Promise<boolean> {
  try {
    await read;
    return false;
  } catch (error) {
    if (error instanceof ServiceError && error.code === missing) return true;
    throw error;
  }
}

/** Returns true if the engine may have done what it was asked: it gave no answer, not even a refusal. */
function isLost(error: unknown): boolean {
  return error instanceof ServiceError && !(error.cause instanceof EngineAnswer) &&
    (error.code === "runtime_unavailable" || error.code === "engine_timeout");
}

/** Takes a look that failed for one that shows nothing. */
function nothing(error: unknown): null {
  if (error instanceof ServiceError) return null;
  throw error;
}
