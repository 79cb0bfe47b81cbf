import assert from "node:assert/strict";
import { Reach } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import { NO_SERVICES } from "../../core/running_services.ts";
import type { Subscription } from "../../http/live/feed.ts";
import { serviceFeeds } from "./live.ts";
import type { Swarms } from "./swarms.ts";

Deno.test("The feed of services goes on where a look at swarms fails that nobody waits for", async () => {
  let looks = 0;
  const swarms = {
    services: NO_SERVICES,
    watched: () => {
      looks += 1;
      return looks === 1
        ? Promise.resolve(true)
        : Promise.reject(new ServiceError("stopping", "berth stops"));
    },
  } as unknown as Swarms; // as far as the feed uses them
  using feeds = serviceFeeds(swarms);
  const ending = new AbortController();
  const told: string[] = [];
  const failures: unknown[] = [];
  const onFailure = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    failures.push(event.reason);
  };
  globalThis.addEventListener("unhandledrejection", onFailure);

  const following = feeds.feeds[0]?.run({
    reach: Reach.EVERYWHERE,
    asked: {},
    signal: ending.signal,
    tell: (type: string) => void told.push(type),
    room: () => Promise.resolve(),
  } as unknown as Subscription<Record<string, unknown>>);
  while (looks < 3) await new Promise((done) => setTimeout(done, 20));
  ending.abort();
  await following;
  globalThis.removeEventListener("unhandledrejection", onFailure);

  assert.deepEqual(failures, []);
  assert.deepEqual(told, ["rows"]);
});
