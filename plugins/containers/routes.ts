/** Joins the plugin's route groups, with what they share. */
import type { DeclaredObjects } from "../../core/declared_objects.ts";
import type { Log } from "../../core/log.ts";
import type { CommandStore, OfferStore } from "../../core/store.ts";
import type { LiveFeed } from "../../http/live/feed.ts";
import { type Router, router } from "../../http/declare/router.ts";
import { ROUTES as BACKEND_ROUTES, systemBackends } from "./backends/routes.ts";
import type { Engines } from "./backends/seen.ts";
import { findLiveIn } from "./backends/live_container.ts";
import { StreamLimit } from "./backends/stream_limit.ts";
import { whileSeenIn } from "./backends/while_seen.ts";
import { ContainerLists } from "./containers/list.ts";
import { containers, ROUTES as CONTAINER_ROUTES } from "./containers/routes.ts";
import { diskUsage, ROUTES as DISK_USAGE_ROUTES } from "./disk_usage/routes.ts";
import { Meter } from "./disk_usage/meter.ts";
import { EventHub } from "./events/event_hub.ts";
import { ROUTES as EVENT_ROUTES, terminalRoutes } from "./events/routes.ts";
import { Execs, ROUTES as EXEC_ROUTES } from "./exec/routes.ts";
import type { PullRules } from "./backends/logins.ts";
import { images, listedImages, ROUTES as IMAGE_ROUTES } from "./images/routes.ts";
import { eventFeed } from "./live/events.ts";
import { logFeed } from "./live/logs.ts";
import { rowFeeds } from "./live/rows.ts";
import { statsFeed } from "./live/stats.ts";
import { awakenBy } from "./logs/awaken.ts";
import { earlierLogs, ROUTES as EARLIER_ROUTES } from "./logs/earlier_routes.ts";
import { logRoutes, ROUTES as LOG_ROUTES } from "./logs/routes.ts";
import { listedNetworks, networks, ROUTES as NETWORK_ROUTES } from "./networks/routes.ts";
import { pruning, ROUTES as PRUNE_ROUTES } from "./prune/routes.ts";
import { ROUTES as SERVICE_LOG_ROUTES, serviceLogs } from "./logs/of_services/routes.ts";
import { ROUTES as STATS_ROUTES, statsRoutes } from "./stats/routes.ts";
import { StatsFeeds } from "./stats/stats_feed.ts";
import { listedVolumes, ROUTES as VOLUME_ROUTES, volumes } from "./volumes/routes.ts";

/** Every route of the plugin, known also while it is switched off. */
export const ROUTES = [
  ...CONTAINER_ROUTES,
  ...BACKEND_ROUTES,
  ...IMAGE_ROUTES,
  ...VOLUME_ROUTES,
  ...NETWORK_ROUTES,
  ...DISK_USAGE_ROUTES,
  ...PRUNE_ROUTES,
  ...LOG_ROUTES,
  ...EARLIER_ROUTES,
  ...SERVICE_LOG_ROUTES,
  ...EXEC_ROUTES,
  ...STATS_ROUTES,
  ...EVENT_ROUTES,
];

/** Every route group of the plugin. Disposing waits until every command has ended: dispose it before the engines. */
export class Routes implements AsyncDisposable {
  readonly routes: Router;
  readonly streamLimit = new StreamLimit();
  readonly feeds: readonly LiveFeed[];
  readonly #rows: Disposable;
  readonly #execs: Execs;
  readonly #feeds = new StatsFeeds();
  readonly #hub: EventHub;

  constructor({ engines, pulls, log, commands, offers, declared }: {
    readonly engines: Engines;
    readonly pulls: PullRules;
    readonly log: Log;
    readonly commands: CommandStore;
    readonly offers: OfferStore;
    readonly declared: () => Promise<DeclaredObjects>;
  }) {
    const { backends } = engines;
    const { feed } = backends;
    const meter = new Meter();
    const { streamLimit } = this;
    const find = findLiveIn(engines);
    const whileSeen = whileSeenIn(engines);
    const onFailure = (error: unknown) => log.error("A stream failed", { error });
    this.#hub = new EventHub(feed);
    const engineOf = (name: string) =>
      backends.links.find((link) => link.name === name && link.state === "up")?.engine ?? null;
    this.#execs = new Execs({
      find,
      whileSeen,
      streamLimit,
      onFailure,
      commands: { store: commands, engineOf, log },
    });
    const lists = {
      containers: new ContainerLists(engines),
      images: listedImages(engines),
      volumes: listedVolumes(engines),
      networks: listedNetworks(engines),
    };
    const rows = this.#rows = rowFeeds(engines, lists);
    this.feeds = [
      ...rows.feeds,
      eventFeed({ engines, hub: this.#hub, streamLimit }),
      logFeed({ engines, streamLimit, onFailure }),
      statsFeed({ engines, streamLimit, feeds: this.#feeds, onFailure }),
    ];
    this.routes = router()
      .add(containers(engines, lists.containers))
      .add(systemBackends(engines))
      .add(images({ engines, list: lists.images, pulls }))
      .add(volumes(engines, lists.volumes))
      .add(networks(engines, lists.networks))
      .add(diskUsage({ backends, meter }))
      .add(
        pruning({ backends, swarms: engines, meter, offers, declared, ownership: engines.sights.ownership }),
      )
      .add(logRoutes({ find, whileSeen, streamLimit, awaken: awakenBy(feed) }))
      .add(earlierLogs({ find, streamLimit }))
      .add(serviceLogs({ engines, streamLimit, awaken: awakenBy(feed) }))
      .add(this.#execs.routes)
      .add(statsRoutes({ find, whileSeen, streamLimit, feeds: this.#feeds, onFailure }))
      .add(terminalRoutes({
        engines,
        streamLimit,
        hub: this.#hub,
        onFailure,
      }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#execs[Symbol.asyncDispose]();
    await this.#feeds[Symbol.asyncDispose]();
    this.#hub[Symbol.dispose]();
    this.#rows[Symbol.dispose]();
  }
}
