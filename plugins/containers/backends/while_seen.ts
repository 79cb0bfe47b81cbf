/** Ends a stream whose container leaves the scope of its reader: labels, files and workspaces change while it is open. */
import type { Reach } from "../../../core/access.ts";
import type { LiveContainer } from "./live_container.ts";
import { type Engines, inMirrors } from "./seen.ts";

/** The interval at which scopes are judged again. */
export const JUDGE_MS = 2_000;

/** Calls `onLeft` once where the container is no longer in scope, until it is disposed. */
export type WhileSeen = (
  reach: Reach,
  container: Pick<LiveContainer, "engine" | "id">,
  onLeft: () => void,
) => Disposable;

export function whileSeenIn(engines: Engines, everyMs = JUDGE_MS): WhileSeen {
  return (reach, { engine, id }, onLeft) => {
    if (reach.everywhere) return { [Symbol.dispose]: () => {} };
    const sight = engines.sights.of(reach);
    const isLeft = () => {
      const row = inMirrors(engines, engine.name, id);
      return row !== undefined && !sight.sees(row);
    };
    let isOver = false;
    const end = () => {
      isOver = true;
      clearInterval(clock);
    };
    const judge = async () => {
      if (!isLeft()) return;
      await sight.settle(); // its new labels may not have been joined with files yet
      if (isOver || !isLeft()) return;
      end();
      onLeft();
    };
    const clock = setInterval(() => void judge(), everyMs);
    return { [Symbol.dispose]: end };
  };
}
