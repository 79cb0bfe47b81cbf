/** Joins the plugin's route groups, with what they share. */
import type { Log } from "../../core/log.ts";
import type { ContainerRuntime, Ownership } from "../../core/runtime.ts";
import { type Router, router } from "../../http/router.ts";
import type { Backends } from "./backends/backends.ts";
import { findLiveIn } from "./backends/live_container.ts";
import { StreamLimit } from "./backends/stream_limit.ts";
import { diskUsage } from "./disk_usage/routes.ts";
import { Meter } from "./disk_usage/meter.ts";
import { EventHub } from "./events/event_hub.ts";
import { terminalRoutes } from "./events/routes.ts";
import { Execs } from "./exec/routes.ts";
import { images } from "./images/routes.ts";
import { awakenBy } from "./logs/merged_logs.ts";
import { logRoutes } from "./logs/routes.ts";
import { networks } from "./networks/routes.ts";
import { pruning } from "./prune/routes.ts";
import { statsRoutes } from "./stats/routes.ts";
import { StatsFeeds } from "./stats/stats_feed.ts";
import { volumes } from "./volumes/routes.ts";

export interface ObjectsOptions {
  readonly backends: Backends;
  /** The registries that pulls may go to; null for all. */
  readonly registries: readonly string[] | null;
}

export function objects({ backends, registries }: ObjectsOptions): Router {
  const meter = new Meter();
  return router()
    .add(images({ backends, registries }))
    .add(volumes({ backends }))
    .add(networks({ backends }))
    .add(diskUsage({ backends, meter }))
    .add(pruning({ backends, meter }));
}

export interface StreamsOptions {
  readonly backends: Backends;
  readonly runtime: Pick<ContainerRuntime, "containers">;
  readonly ownership: Ownership;
  readonly log: Log;
}

/** Disposing it waits until every command was hung up: dispose it before the engines. */
export class Streams implements AsyncDisposable {
  readonly routes: Router;
  readonly #execs: Execs;
  readonly #feeds = new StatsFeeds();
  readonly #hub: EventHub;

  constructor({ backends, runtime, ownership, log }: StreamsOptions) {
    const { feed } = backends;
    const streamLimit = new StreamLimit();
    const find = findLiveIn(backends);
    const onFailure = (error: unknown) => log.error("A stream failed", { error });
    this.#hub = new EventHub(feed);
    this.#execs = new Execs({ find, streamLimit, onFailure });
    this.routes = router()
      .add(logRoutes({ find, streamLimit, awaken: awakenBy(feed) }))
      .add(this.#execs.routes)
      .add(statsRoutes({ find, streamLimit, feeds: this.#feeds, onFailure }))
      .add(terminalRoutes({
        find,
        engineOf: (name) => backends.named(name).engine,
        streamLimit,
        feed,
        hub: this.#hub,
        ownership,
        containers: () => runtime.containers(),
        onFailure,
      }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#execs[Symbol.asyncDispose]();
    await this.#feeds[Symbol.asyncDispose]();
    this.#hub[Symbol.dispose]();
  }
}
