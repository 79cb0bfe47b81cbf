/** The parts that a start hands on: what has been opened, what is composed of it, and what routes are made of. */
import type { FileEditor } from "../artifacts/registry/file_editor.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import type { Access } from "../auth/access.ts";
import type { Clock } from "../auth/clock.ts";
import type { Passwords } from "../auth/people/password.ts";
import type { IdentityProvider } from "../auth/provider/identity_provider.ts";
import type { AllTimes } from "./watch.ts";
import type { Config } from "../config/config.ts";
import type { PermissionCatalogue } from "../core/access.ts";
import type { HealthSources } from "../core/health.ts";
import type { Metrics } from "../core/metrics.ts";
import type { Replicas } from "../core/replicas.ts";
import type { Sights } from "../core/sight.ts";
import type { Store } from "../core/store.ts";
import type { Responder } from "../http/serve/responder.ts";
import type { EdgeOptions } from "../http/serve/edge.ts";
import type { Handler } from "../http/serve/listener.ts";
import type { OnAnswer } from "../http/serve/pipeline.ts";
import type { CoreRouter, Router } from "../http/declare/router.ts";
import type { StaticSite } from "../http/site/static_site.ts";
import type { OpenLog } from "../log/log.ts";
import type { Plugins } from "../plugins/host.ts";
import type { Plugin } from "../plugins/plugin.ts";
import type { IncidentStore } from "../core/incidents.ts";
import type { OpenIncidents } from "../routes/incident_rows.ts";
import type { Applies } from "../projects/apply/applies.ts";
import type { ApplyTimes } from "../projects/apply/applies_options.ts";
import type { Claims } from "../projects/adopt/claims.ts";
import type { Notices } from "../projects/notices/notices.ts";
import type { Registries } from "../projects/registries/registries.ts";
import type { AutomaticTimes } from "../projects/updates/automatic.ts";
import type { UpdateChecker } from "../projects/updates/checker.ts";
import type { Updates } from "../projects/updates/updates.ts";
import type { SourceRoom } from "../routes/source_room.ts";

/** Parts that replace those of the settings, for tests. */
export interface Overrides {
  readonly plugins: readonly Plugin[];
  readonly clock?: Clock;
  /** Another identity provider than the configured one. */
  readonly provider?: IdentityProvider;
  /** Of another cost than today's. */
  readonly passwords?: Passwords;
  /** A test does not wait as long. */
  readonly applyTimes?: ApplyTimes;
  readonly watchTimes?: AllTimes;
  readonly updateTimes?: AutomaticTimes;
  /** Further groups of routes, over the same parts. */
  readonly mount?: (parts: AppParts) => readonly Router[];
  /** Told of every answer of a route. */
  readonly onAnswer?: OnAnswer;
}

/** The parts that the first half of a start has opened. */
export interface Foundation {
  readonly config: Config;
  readonly store: Store;
  readonly log: OpenLog;
  readonly stopping: AbortSignal;
  readonly startedAt: Date;
  /** The name of this replica. */
  readonly replica: string;
  readonly responder: Responder;
  /** True if callers reach it by TLS. */
  readonly tls: boolean;
  readonly names: { readonly hosts: ReadonlySet<string>; readonly origins: ReadonlySet<string> };
  readonly health: Omit<HealthSources, "auditFailure" | "applyFailure" | "plugins" | "runtime">;
  readonly metrics: Metrics;
}

/** The parts that route groups are made of. */
export interface AppParts {
  readonly config: Config;
  readonly store: Store;
  readonly replicas: Replicas;
  readonly access: Access;
  readonly log: OpenLog;
  readonly registry: Registry;
  readonly editor: FileEditor;
  readonly plugins: Plugins;
  readonly sights: Sights;
  readonly permissions: PermissionCatalogue;
  readonly applies: Applies;
  readonly updates: Updates;
  readonly checker: UpdateChecker;
  readonly registries: Registries;
  readonly claims: Claims;
  readonly notices: Notices;
  /** As they are shown: with what cannot be recorded now. */
  readonly incidents: IncidentStore;
  readonly sources: SourceRoom;
  readonly openIncidents: OpenIncidents;
  readonly stopping: AbortSignal;
}

/** The options of every edge; the port for metrics has hosts of its own, and is not counted. */
export type CommonOptions = Omit<EdgeOptions, "entries" | "explainMissing">;

/** The parts of the whole edge that are there before its routes. */
export interface RouteOptions {
  readonly common: CommonOptions;
  readonly health: CoreRouter;
  readonly mounted: readonly Router[];
  readonly site: StaticSite | null;
}

/** The port for metrics, by the names that it is asked by. */
export type MetricsEdge = (hosts: ReadonlySet<string>) => Handler;
