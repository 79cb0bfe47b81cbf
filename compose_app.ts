/** Composes the app over an open store: access, workspaces, plugins, and all routes. */
import { ContainerOwnership } from "./artifacts/live/ownership.ts";
import { FileEditor } from "./artifacts/registry/file_editor.ts";
import { Registry } from "./artifacts/registry/registry.ts";
import { judge } from "./artifacts/report/judge.ts";
import { auditReceiver } from "./audit_receiver.ts";
import { type Access, openAccess } from "./auth/access.ts";
import type { Clock } from "./auth/clock.ts";
import type { Passwords } from "./auth/people/password.ts";
import type { IdentityProvider } from "./auth/provider/identity_provider.ts";
import { type AllTimes, composeWatch } from "./compose_watch.ts";
import { type Config, SettingsError } from "./config.ts";
import { gitEnvironment } from "./config/git_environment.ts";
import { isOfKubernetes, KUBERNETES_ADVICE } from "./config/strays.ts";
import { PermissionCatalogue } from "./core/access.ts";
import type { HealthSources } from "./core/health.ts";
import type { Metrics } from "./core/metrics.ts";
import { Replicas } from "./core/replicas.ts";
import { Sights } from "./core/sight.ts";
import type { Store } from "./core/store.ts";
import type { Responder } from "./http/serve/responder.ts";
import { createAuditor } from "./http/serve/auditor.ts";
import { createEdge, type EdgeOptions } from "./http/serve/edge.ts";
import { createGuard } from "./http/serve/guard.ts";
import type { Handler } from "./http/serve/listener.ts";
import type { OnRefusal } from "./http/serve/pipeline.ts";
import { peerBehind, proxyCheck } from "./http/serve/proxy.ts";
import type { CoreRouter, Router } from "./http/declare/router.ts";
import { StaticSite } from "./http/site/static_site.ts";
import type { OpenLog } from "./log/log.ts";
import { logReader } from "./log/reader.ts";
import { type Plugins, startPlugins } from "./plugins/host.ts";
import { checkPluginSettings } from "./plugins/plugin_settings.ts";
import type { Plugin } from "./plugins/plugin.ts";
import { createApp } from "./routes/app.ts";
import { artifacts } from "./routes/artifacts.ts";
import { audit } from "./routes/audit.ts";
import { apiKeys } from "./routes/api_keys.ts";
import { auth } from "./routes/auth.ts";
import { docs } from "./routes/docs.ts";
import { fileVersions } from "./routes/file_versions.ts";
import { folders } from "./routes/folders.ts";
import { OpenIncidents } from "./routes/incident_rows.ts";
import { localSignIn } from "./routes/local_sign_in.ts";
import { peopleRoutes } from "./routes/people.ts";
import { replicaRoutes } from "./routes/replicas.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { setupRoutes } from "./routes/setup.ts";
import { countTraffic, metricsRoutes, openMetricsRoutes } from "./routes/metrics.ts";
import { probes, system } from "./routes/system.ts";
import { systemLog } from "./routes/system_log.ts";
import type { Applies } from "./projects/apply/applies.ts";
import type { ApplyTimes } from "./projects/apply/applies_options.ts";
import { adoptionRouters, openClaims } from "./compose_adoption.ts";
import { openApplies, openIgnored, openRegistries, openUpdates, remedyOf } from "./compose_projects.ts";
import type { Updates } from "./projects/updates/updates.ts";
import { Plans } from "./projects/plan/plans.ts";
import { applyRoutes } from "./routes/applies.ts";
import { live } from "./routes/live.ts";
import { workspaceFeeds } from "./routes/live_workspaces.ts";
import { measureUnits } from "./routes/unit_metrics.ts";
import { overviewRoutes } from "./routes/overview.ts";
import { projects } from "./routes/projects.ts";
import { sourceFeeds } from "./routes/live_sources.ts";
import { openSources, type SourceRoom } from "./routes/source_room.ts";
import { sourceRoutes } from "./routes/sources.ts";
import { plans } from "./routes/plans.ts";
import { registryRoutes } from "./routes/registries.ts";
import { toolProjects } from "./routes/tool_projects.ts";
import { proposedUpdates } from "./routes/proposed_updates.ts";
import { updates as updateRoutes } from "./routes/updates.ts";
import { workspaceFiles } from "./routes/workspace_files.ts";
import { workspaces } from "./routes/workspaces.ts";

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
  /** Further groups of routes, over the same parts. */
  readonly mount?: (parts: AppParts) => readonly Router[];
  /** Told of every refusal by a route. */
  readonly onRefusal?: OnRefusal;
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
  readonly sources: SourceRoom;
  readonly openIncidents: OpenIncidents;
  readonly stopping: AbortSignal;
}

/** Everything it opens is pushed on `owned`, in order. Throws SettingsError for mistakes in settings of plugins. */
export async function composeApp(
  foundation: Foundation,
  overrides: Overrides,
  owned: AsyncDisposableStack,
): Promise<{ readonly parts: AppParts; readonly edge: Handler; readonly metricsEdge: MetricsEdge }> {
  const { config, store, log, stopping, metrics } = foundation;
  const { settings, mistakes, unread } = checkPluginSettings(overrides.plugins, config);
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  for (const variable of unread) {
    const why = isOfKubernetes(variable) ? KUBERNETES_ADVICE : "docs/settings.md lists what is read";
    log.warn(`A variable is no setting of berth: ${why}`, { variable });
  }
  for (const { name, now } of config.former) {
    const instead = now === null ? "nobody needs it, so leave it out" : `write "${now}" in config.yaml`;
    log.warn(`A setting is read under its old name for one release more: ${instead}`, { name });
  }
  const permissions = new PermissionCatalogue(overrides.plugins);
  const replicas = owned.use(
    await Replicas.join({
      store: store.replicas,
      self: {
        id: crypto.randomUUID(),
        name: foundation.replica,
        startedAt: foundation.startedAt.getTime(),
        version: foundation.health.version,
      },
      log,
    }),
  );
  const access = owned.use(
    await openAccess({
      replica: {
        name: foundation.replica,
        count: () => replicas.count,
        turn: (what, ms) => replicas.turn(what, ms),
      },
      store,
      log,
      permissions,
      dataFolder: config.data,
      config,
      auditReceiver: await auditReceiver(config.auditSyslog),
      ...(overrides.clock === undefined ? {} : { clock: overrides.clock }),
      ...(overrides.provider === undefined ? {} : { provider: overrides.provider }),
      ...(overrides.passwords === undefined ? {} : { passwords: overrides.passwords }),
    }),
  );
  const registry = owned.use(
    new Registry({ store: store.workspaces, roots: config.roots, hidden: [config.data], judge }),
  );
  const editor = new FileEditor({
    registry,
    versions: store.fileVersions,
    seal: access.fileSeal,
    now: () => access.clock.now(),
  });
  const registries = owned.use(openRegistries({ store, access }));
  const ownership = owned.use(new ContainerOwnership(() => registry.models()));
  const claims = owned.use(
    await openClaims({ store, access, log, replicas, runtime: () => plugins.runtime }),
  );
  const plugins: Plugins = owned.use(
    await startPlugins(overrides.plugins, settings, (name) => ({
      log: log.with({ plugin: name }),
      stopping,
      ownership,
      claims,
      metrics,
      commands: store.commands,
      offers: store.offers,
      logins: registries,
    }), log),
  );
  const sights = new Sights(ownership);
  measureUnits(metrics, { registry, runtime: () => plugins.runtime, digests: access.digests });
  const applies = owned.use(
    openApplies({ store, access, log, registry, plugins, config }, overrides.applyTimes),
  );
  const git = { environment: gitEnvironment(), data: config.data, stopping };
  const sources = owned.use(openSources({ store, access, log, registry, editor, replicas, plugins, ...git }));
  const looks = owned.use(openUpdates({ store, access, log, registry, plugins, replicas, registries }));
  const parts: AppParts = {
    updates: looks.updates,
    config,
    store,
    replicas,
    access,
    log,
    registry,
    editor,
    plugins,
    sights,
    permissions,
    applies,
    sources,
    openIncidents: new OpenIncidents(store.incidents),
    stopping,
  };
  const followed = owned.use(sourceFeeds({ store: store.sources, sources: () => sources.sources() }));
  const own = owned.use(workspaceFeeds(registry));
  const rows = owned.use(
    projects({
      registry,
      runtime: () => plugins.runtime,
      sights,
      digests: access.digests,
      incidents: parts.openIncidents,
      applies,
      updates: looks.updates,
      now: () => access.clock.now(),
      versions: store.fileVersions,
      register: remedyOf(parts),
      ignored: openIgnored({ store, access }),
    }),
  );
  const newer = owned.use(updateRoutes({ ...looks, listOf: rows.listOf }));
  const watch = composeWatch({ ...parts, metrics }, overrides.watchTimes, owned);
  const lists = [own, rows, followed, newer, watch, plugins];
  const socket = live({
    feeds: lists.flatMap(({ feeds }) => feeds),
    onFailure: (error) => log.error("A feed failed", { error }),
  });
  const routers = [
    ...coreRouters(parts, foundation),
    rows.router,
    newer.router,
    proposedUpdates({ registry, listOf: rows.listOf }),
    registryRoutes({ registries }),
    ...adoptionRouters({ ...parts, claims }),
    ...watch.routers,
    socket,
    ...plugins.routers,
    ...overrides.mount?.(parts) ?? [],
  ];
  const { onRefusal } = overrides;
  const common = { ...edgeOptions(parts, foundation), ...(onRefusal === undefined ? {} : { onRefusal }) };
  return {
    parts,
    edge: createEdgeOf(parts, foundation, routers, common),
    metricsEdge: (hosts) => createMetricsEdge(parts, foundation, common, hosts),
  };
}

function coreRouters(
  {
    config,
    updates,
    access,
    store,
    replicas,
    log,
    registry,
    editor,
    plugins,
    sights,
    applies,
    sources,
    openIncidents,
  }: AppParts,
  { health, metrics, startedAt, names }: Foundation,
): readonly CoreRouter[] {
  const runtime = () => plugins.runtime;
  const planning = {
    registry,
    runtime,
    sights,
    digests: access.digests,
    store: store.plans,
    register: remedyOf({ config, registry, plugins }),
    sources: () => sources.sources(),
    isSyncing: (workspace: string) => sources.isSyncing(workspace),
    updates,
  };
  return [
    system({
      ...health,
      auditFailure: access.auditFailure,
      applyFailure: () => applies.unsettled(),
      startedAt,
      plugins: plugins.reports,
      runtime: plugins.runtime,
      sights,
    }),
    metricsRoutes(metrics),
    replicaRoutes({ replicas }),
    systemLog(log.path === null ? null : logReader(log.path, () => log.flush())),
    auth({ access, origins: names.origins }),
    localSignIn({ access, origins: names.origins }),
    sessionRoutes({ access }),
    setupRoutes({ access, origins: names.origins }),
    apiKeys({ access }),
    peopleRoutes({ access }),
    audit({ access, store: store.audit }),
    docs(),
    workspaces({ registry, sources: () => sources.sources() }),
    folders({ registry, roots: config.roots, hidden: [config.data], runtime, sights }),
    workspaceFiles({ registry, editor, runtime, sights }),
    fileVersions({ registry, editor }),
    artifacts({ registry, runtime, sights, digests: access.digests, version: health.version }),
    toolProjects({ registry, runtime, sights }),
    overviewRoutes({ registry, runtime, sights, digests: access.digests, incidents: openIncidents }),
    sourceRoutes({ registry, sources: () => sources.sources() }),
    plans(planning),
    applyRoutes({ ...planning, applies, plans: new Plans(store.plans) }),
  ];
}

type CommonOptions = Omit<EdgeOptions, "entries" | "hosts" | "onAccess" | "explainMissing">;

function createEdgeOf(
  { log, plugins, permissions }: AppParts,
  { health, metrics, names, tls }: Foundation,
  routers: readonly Router[],
  common: CommonOptions,
): Handler {
  const traffic = countTraffic(metrics);
  return createApp({
    ...common,
    version: health.version,
    routers,
    permissions: permissions.names,
    tags: plugins.tags,
    hosts: names.hosts,
    ...(plugins.site === null ? {} : { site: new StaticSite(plugins.site, { tls }) }),
    onAccess: (entry, route) => {
      log.access(entry);
      traffic(entry, route);
    },
    explainMissing: (path) => plugins.explainMissing(path),
  });
}

/** The port for metrics, by the names that it is asked by. */
export type MetricsEdge = (hosts: ReadonlySet<string>) => Handler;

function createMetricsEdge(
  { access, log, plugins, applies }: AppParts,
  { health, metrics }: Foundation,
  common: CommonOptions,
  hosts: ReadonlySet<string>,
): Handler {
  const sources = {
    ...health,
    auditFailure: access.auditFailure,
    applyFailure: () => applies.unsettled(),
    plugins: plugins.reports,
    runtime: plugins.runtime,
  };
  const { entries } = openMetricsRoutes(metrics).add(probes(sources));
  return createEdge({ ...common, hosts, entries, onAccess: (entry) => log.access(entry) });
}

function edgeOptions(
  { config, access, log, stopping }: AppParts,
  { names, responder }: Foundation,
): CommonOptions {
  return {
    guard: createGuard({
      credentials: access.credentials,
      freshProof: access.freshProof,
      origins: names.origins,
      strangers: access.limits.strangers,
    }),
    auditor: createAuditor({ audit: access.audit, clock: access.clock }),
    responder,
    stopping,
    ...(config.trustedProxies.length === 0 ? {} : { peerOf: peerBehind(config.trustedProxies) }),
    checkProxy: proxyCheck({ trusted: config.trustedProxies, baseUrl: config.baseUrl }),
    onBug: (error, requestId) => log.error("A request failed", { requestId, error }),
  };
}
