/** Composes the watcher with the routes, the feed and the metrics of incidents. */
import type { Registry } from "./artifacts/registry/registry.ts";
import type { Access } from "./auth/access.ts";
import type { Metrics } from "./core/metrics.ts";
import type { Replicas } from "./core/replicas.ts";
import type { Store } from "./core/store.ts";
import type { LiveFeed } from "./http/live/feed.ts";
import type { Router } from "./http/declare/router.ts";
import type { OpenLog } from "./log/log.ts";
import type { Plugins } from "./plugins/host.ts";
import type { WatchTimes } from "./projects/watch/watch_options.ts";
import { Watcher } from "./projects/watch/watcher.ts";
import { ownSide } from "./routes/artifact_lookup.ts";
import { measureIncidents } from "./routes/incident_metrics.ts";
import { incidents } from "./routes/incidents.ts";

interface WatchParts {
  readonly store: Store;
  readonly registry: Registry;
  readonly plugins: Plugins;
  readonly access: Access;
  readonly replicas: Replicas;
  readonly log: OpenLog;
  readonly metrics: Metrics;
}

/** Everything it opens is pushed on `owned`. */
export function composeWatch(
  { store, registry, plugins, access, replicas, log, metrics }: WatchParts,
  times: Partial<WatchTimes> = {},
  owned: AsyncDisposableStack,
): { readonly routers: readonly Router[]; readonly feeds: readonly LiveFeed[] } {
  const now = () => access.clock.now();
  const watcher = owned.use(
    new Watcher({
      store: store.incidents,
      audit: store.audit,
      applies: store.applies,
      versions: store.fileVersions,
      ignored: store.ignored,
      registry,
      runtime: () => plugins.runtime,
      own: (workspace) => ownSide({ registry, digests: access.digests }, workspace),
      isOurTurn: (ms) => replicas.turn("watch", ms),
      now,
      log,
      times,
    }),
  );
  measureIncidents(metrics, { store: store.incidents, isWatching: () => watcher.isWatching });
  const history = owned.use(incidents({ store: store.incidents, now }));
  return { routers: [history.router], feeds: history.feeds };
}
