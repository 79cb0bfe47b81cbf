/** Composes the watcher of incidents and the sender of notices, with their metrics. */
import type { Registry } from "../artifacts/registry/registry.ts";
import type { Access } from "../auth/access.ts";
import type { Subject } from "../core/access.ts";
import type { Config } from "../config/config.ts";
import type { Metrics } from "../core/metrics.ts";
import type { Replicas } from "../core/replicas.ts";
import { steadyClock } from "../core/steady.ts";
import type { Sights } from "../core/sight.ts";
import type { Store } from "../core/store.ts";
import type { OpenLog } from "../log/log.ts";
import type { Plugins } from "../plugins/host.ts";
import { Notices } from "../projects/notices/notices.ts";
import { Sender, type SenderTimes } from "../projects/notices/sender.ts";
import type { WatchTimes } from "../projects/watch/watch_options.ts";
import { Endings } from "../projects/watch/endings.ts";
import { Unrecorded, type UnrecordedTimes, withGap } from "../projects/watch/unrecorded.ts";
import { Watcher } from "../projects/watch/watcher.ts";
import type { IncidentStore } from "../core/incidents.ts";
import { ownSide } from "../routes/artifact_lookup.ts";
import { countEndings, measureIncidents, measureNotices } from "../routes/incident_metrics.ts";

interface WatchParts {
  readonly config: Config;
  readonly store: Store;
  readonly registry: Registry;
  readonly plugins: Plugins;
  readonly sights: Sights;
  readonly access: Access;
  readonly replicas: Replicas;
  readonly log: OpenLog;
  readonly metrics: Metrics;
}

/** Times of the watcher, and of the sender of notices. */
export interface AllTimes extends Partial<WatchTimes> {
  readonly notices?: Partial<SenderTimes>;
  readonly unrecorded?: Partial<UnrecordedTimes>;
}

/** Returns the notices and the incidents as they are shown. Everything it opens is pushed on `owned`. */
export function composeWatch(
  { config, store, registry, plugins, sights, access, replicas, log, metrics }: WatchParts,
  times: AllTimes = {},
  owned: AsyncDisposableStack,
): { readonly notices: Notices; readonly incidents: IncidentStore } {
  const now = () => access.clock.now();
  const steady = steadyClock(access.clock);
  const base = config.baseUrl;
  const notices = owned.use(new Notices({ store: store.notices, seal: access.noticeSeal, now, base }));
  const endings = new Endings({
    store: store.endings,
    seal: access.endingSeal,
    runtime: () => plugins.runtime,
    registry,
    ownership: sights.ownership,
    log,
    ended: countEndings(metrics),
  });
  const watcher = owned.use(
    new Watcher({
      store: store.incidents,
      notices: store.notices,
      audit: store.audit,
      applies: store.applies,
      versions: store.fileVersions,
      ignored: store.ignored,
      registry,
      runtime: () => plugins.runtime,
      ownership: sights.ownership,
      own: (workspace) => ownSide({ registry, digests: access.digests }, workspace),
      isOurTurn: (ms) => replicas.turn("watch", ms),
      endings,
      unrecorded: new Unrecorded({
        notices: store.notices,
        mutes: store.mutes,
        tell: (notice, gap, open) => notices.tellUnrecorded(notice, gap, open),
        now,
        steady,
        times: times.unrecorded,
      }),
      written: () => sender.wake(),
      now,
      steady,
      log,
      times,
    }),
  );
  const incidents = withGap(store.incidents, () => watcher.gap);
  measureIncidents(metrics, { store: incidents, isWatching: () => watcher.isWatching });
  const sender: Sender = owned.use(
    new Sender({
      store: store.notices,
      mutes: store.mutes,
      incidents: store.incidents,
      units: async () => (await registry.models()).flatMap(unitsOf),
      notices,
      isOurTurn: (ms) => replicas.turn("notices", ms),
      now,
      steady,
      base,
      log,
      times: times.notices,
    }),
  );
  measureNotices(metrics, { store: store.notices, isSending: () => sender.isSending });
  return { notices, incidents };
}

/** Returns the subjects of the units of a workspace. */
function unitsOf({ workspace, model }: Awaited<ReturnType<Registry["models"]>>[number]): Subject[] {
  const projects = new Map(model.groups.map(({ id, project }) => [id, project]));
  return model.units.map(({ group }) => ({
    workspace: workspace.id,
    project: group === null ? null : projects.get(group) ?? null,
  }));
}
