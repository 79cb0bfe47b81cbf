/** Everything that flows: logs, commands, measurements and events, with what they share. */
import type { Log } from "../../core/log.ts";
import type { ContainerRuntime, Ownership } from "../../core/runtime.ts";
import { type Router, router } from "../../http/router.ts";
import type { Backends } from "./backends.ts";
import { Execs } from "./exec.ts";
import { logRoutes } from "./logs.ts";
import { statsRoutes } from "./stats.ts";
import { EventHub } from "./streams/event_hub.ts";
import { awakenBy } from "./streams/merged_logs.ts";
import { StatsFeeds } from "./streams/stats_feed.ts";
import { Viewers } from "./streams/viewers.ts";
import { terminalRoutes } from "./terminal.ts";

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
    const viewers = new Viewers();
    const engines = (name: string | undefined) => backends.engines(name);
    const onFailure = (error: unknown) => log.error("A stream failed", { error });
    this.#hub = new EventHub(feed);
    this.#execs = new Execs({ engines, viewers, onFailure });
    this.routes = router()
      .add(logRoutes({ engines, viewers, awaken: awakenBy(feed) }))
      .add(this.#execs.routes)
      .add(statsRoutes({ engines, viewers, feeds: this.#feeds, onFailure }))
      .add(terminalRoutes({
        engines,
        viewers,
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
