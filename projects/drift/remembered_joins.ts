/** The groups that running projects were found to be, until something that says so changes. */

import type { Model } from "../../artifacts/artifact.ts";
import type { Candidates, KnownCandidates } from "../../artifacts/live/join.ts";
import type { RunningContainer } from "../../core/runtime.ts";

interface Remembered {
  readonly containers: readonly RunningContainer[];
  readonly found: Candidates;
  readonly until: number;
}

/** No event tells that a link leads elsewhere. The times differ, so that not all are looked at together. */
const MOST_MS = 10_000;
const LEAST_MS = 5_000;

/** By the first container of a project: the mirror replaces it when the engine tells anything else of it. */
const remembered = new WeakMap<Model, WeakMap<RunningContainer, Remembered>>();

/** Returns what is remembered for a workspace as it was read. */
export function rememberedJoins(model: Model): KnownCandidates {
  let own = remembered.get(model);
  if (own === undefined) remembered.set(model, own = new WeakMap());
  const ofModel = own;
  return {
    get: ({ containers }) => {
      const known = ofModel.get(containers[0]!); // every project has one
      const holds = known !== undefined && performance.now() < known.until &&
        known.containers.length === containers.length &&
        known.containers.every((one, at) => one === containers[at]);
      return holds ? known.found : undefined;
    },
    set: ({ containers }, found) => {
      const until = performance.now() + LEAST_MS + Math.random() * (MOST_MS - LEAST_MS);
      ofModel.set(containers[0]!, { containers, found, until }); // every project has one
    },
  };
}
