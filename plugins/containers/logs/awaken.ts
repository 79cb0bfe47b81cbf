/** Wakes readers of logs that wait for a container to run again or to be removed, or for its engine. */
import type { LiveContainer } from "../backends/live_container.ts";
import type { EventFeed } from "../../../engines/mirror/event_feed.ts";

/** Calls `wake` when something happens that a container's log may resume after, so that it need not be polled. */
export type Awaken = (container: Pick<LiveContainer, "id" | "engine">, wake: () => void) => Disposable;

const AWAKENING: ReadonlySet<string> = new Set(["start", "restart", "unpause", "destroy"]);

/** Wakes by the container's events, and when its engine comes back or falls silent. */
export function awakenBy(feed: EventFeed): Awaken {
  return ({ id, engine }, wake) =>
    feed.subscribe({
      event: (event) => {
        if (event.id === id && AWAKENING.has(event.action)) wake();
      },
      backend: (name) => {
        if (name === engine.name) wake();
      },
    });
}
