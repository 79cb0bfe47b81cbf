/** Wakes those who wait for a container to run again or to be removed. */
import type { EventFeed } from "../mirror/event_feed.ts";

/** Calls `wake` when something happens that a container's log may go on after, so that it need not be polled. */
export type Awaken = (id: string, wake: () => void) => Disposable;

const AWAKENING: ReadonlySet<string> = new Set(["start", "restart", "unpause", "destroy"]);

/** Wakes by the events of the engines, and when an engine comes back. */
export function awakenBy(feed: EventFeed): Awaken {
  return (id, wake) =>
    feed.subscribe({
      event: (event) => {
        if (event.id === id && AWAKENING.has(event.action)) wake();
      },
      backend: (_, state) => {
        if (state === "up") wake();
      },
    });
}
