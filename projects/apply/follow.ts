/** The events of one apply, from its journal and from whoever works at it. */

import type { ApplyRecord, ApplyStore } from "../../core/applies.ts";
import { pause } from "../../core/pause.ts";
import { Latch } from "../../core/signal.ts";
import type { ApplyEvent } from "./apply_shape.ts";
import type { ApplyFeed } from "./feed.ts";
import { linesOf } from "./journal.ts";
import { eventOf, isOver } from "./shown.ts";

/** A follower looks by itself, too: another replica may write. */
const LOOK_MS = 1_000;
/** Progress of steps that a follower has not read yet, at most. */
const MOST_WAITING = 100;

interface Followed {
  readonly id: string;
  readonly store: ApplyStore;
  readonly feed: ApplyFeed;
  /** Returns the apply as it is now. Throws `apply_not_found`. */
  record(): Promise<ApplyRecord>;
}

/** Yields the journal behind the place `after`, and every later event, until the apply or the signal ends. */
export async function* followApply(
  { id, store, feed, record }: Followed,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<ApplyEvent> {
  const waiting: ApplyEvent[] = [];
  const more = new Latch();
  const wake = () => more.open();
  using _following = feed.follow(id, {
    more: wake,
    progress: (event) => {
      if (waiting.length < MOST_WAITING) waiting.push(event);
      wake();
    },
  });
  for (let place = after; !signal.aborted;) {
    more.close();
    const { state, reason } = await record(); // before its lines: what ends it is written with its last one
    for await (const line of linesOf(store, id, place)) {
      place = line.seq;
      const event = eventOf(line);
      if (event !== null) yield event;
    }
    yield* waiting.splice(0);
    if (isOver({ state })) return yield { kind: "end", state, reason };
    await pause(LOOK_MS, signal, more.opened);
  }
}
