/**
 * Everything live, over one socket for the whole page. Screens use it in three ways:
 *
 * - `useRows` of `rows.ts`: a list as a `Resource`, so that `Reading` and `Objects` show it, stale or not.
 * - `follow("events", {…}, { message, ended })`: whatever else a feed tells, until the answer is called; after a loss
 *   it goes on where it was. `useFollow` does it while a component is shown.
 * - `link`: whether the page is live, and since when it is not. `serviceTime()`: what time it is there.
 */
import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type AskedOf, type Feed, type Listener, Live } from "../../client/live.ts";
import { client, lookAgain, who } from "./session.ts";

/** Since when the page is live, or not, and whether it ever was; null before the first attempt has ended. */
export const link = signal<
  {
    readonly live: boolean;
    readonly since: number;
    /** False where no connection was ever made. */
    readonly wasLive: boolean;
  } | null
>(null);

const live = new Live(client, {
  gzip: true,
  onState: (state) => {
    if (state === "live") {
      if (link.value?.live === false) void lookAgain();
      link.value = { live: true, since: Date.now(), wasLive: true };
    } else if (link.value?.live === true || (link.value === null && state === "lost")) {
      link.value = { live: false, since: Date.now(), wasLive: link.value !== null };
    }
  },
});

/** When that was, or what time it is, by the service's clock: what the service tells is compared with that alone. */
export const serviceTime = (time = Date.now()): number => time - live.skewMs;

/** Connects again for whoever signed in, and at once when the machine is online or the tab is seen again. */
export function keepLive(): void {
  effect(() => {
    if (who.value) live.retry();
  });
  addEventListener("online", () => live.retry());
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && live.retry());
}

/** Follows a feed until the answer is called. */
export function follow<F extends Feed>(feed: F, asked: AskedOf<F>, listener: Listener<F>): () => void {
  return live.subscribe(feed, asked, listener);
}

/** Follows while the component is shown and `key` is the same; a null key follows nothing. */
export function useFollow<F extends Feed>(
  key: string | null,
  feed: F,
  asked: AskedOf<F>,
  listener: Listener<F>,
): void {
  useEffect(() => key === null ? undefined : follow(feed, asked, listener), [key]);
}
