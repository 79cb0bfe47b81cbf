/** Asks registries which images the tags of a stack are now: each once, a few at a time, all within one time. */

import { eachOf } from "../../artifacts/reading/each_of.ts";
import { ServiceError } from "../../core/error.ts";
import { orAborted } from "../../core/signal.ts";
import type { StackScene } from "./stack_scene.ts";

/** The milliseconds that all registries of a plan may take together. */
export const PINNING_MS = 20_000;

/** Returns the digests of the images; without those that nobody tells in time. */
export async function digestsOf(
  { stacks, cluster }: Pick<StackScene, "stacks" | "cluster">,
  images: Iterable<string>,
  ms: number,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    await eachOf([...new Set(images)], async (image) => {
      if (late.signal.aborted) return;
      try {
        found.set(image, await orAborted(stacks.digestOf(cluster.id, image, late.signal), late.signal));
      } catch (error) {
        if (!late.signal.aborted && !(error instanceof ServiceError)) throw error;
      }
    });
  } finally {
    clearTimeout(timer);
  }
  return found;
}
