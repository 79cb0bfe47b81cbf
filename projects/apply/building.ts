/** Builds the image of a step, and keeps what it printed last if it fails. */

import { TreeRefusal } from "../../artifacts/files/tree.ts";
import type { PullProgress } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import { fullImage } from "../fields/process.ts";
import { failed, type Hand, isAway } from "./hand.ts";

const LAST_LINES = 30;

/** Notes whether the name means another image than before. What was built before is not built again by the engine. */
export async function buildImage(hand: Hand): Promise<void> {
  const { acts, orders, step, ending: signal } = hand;
  const { spec, context, place } = await orders.build(step);
  const name = fullImage(spec.tags[0]!); // it has one at least
  if (hand.noted["before"] === undefined) await hand.note({ before: await acts.imageId(name) });
  hand.progress({ layer: null, status: "sends the context", current: null, total: context.bytes });
  const last: string[] = [];
  const progress = (frame: PullProgress) => {
    if (last.push(frame.status) > LAST_LINES) last.shift();
    hand.progress(frame);
  };
  try {
    await acts.build({ spec, place, context: context.tar(), signal, progress });
  } catch (error) {
    if (error instanceof TreeRefusal) throw failed(`Cannot build "${step.target}": ${error.message}`);
    if (error instanceof ServiceError && !isAway(acts, error) && last.length > 0) {
      await hand.keepLines(step.target, last);
    }
    throw error;
  }
  await hand.note({ changed: await acts.imageId(name) !== hand.noted["before"] });
}
