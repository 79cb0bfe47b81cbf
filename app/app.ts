/** Composes the parts over an open store: access, workspaces, plugins, and what works with them; routes follow later. */
import type { AppParts, CommonOptions, Foundation, MetricsEdge, Overrides } from "./parts.ts";
import { ContainerOwnership } from "../artifacts/live/ownership.ts";
import { FileEditor } from "../artifacts/registry/file_editor.ts";
import { Registry } from "../artifacts/registry/registry.ts";
import { judge } from "../artifacts/report/judge.ts";
import { auditReceiver } from "./audit_receiver.ts";
import { openAccess } from "../auth/access.ts";
import { composeWatch } from "./watch.ts";
import { SettingsError } from "../config/config.ts";
import { gitEnvironment } from "../config/git_environment.ts";
import { isOfKubernetes, KUBERNETES_ADVICE } from "../config/strays.ts";
import { PermissionCatalogue } from "../core/access.ts";
import type { HealthSources } from "../core/health.ts";
import { Replicas } from "../core/replicas.ts";
import { Sights } from "../core/sight.ts";
import { createAuditor } from "../http/serve/auditor.ts";
import { createEdge } from "../http/serve/edge.ts";
import { createGuard } from "../http/serve/guard.ts";
import type { Handler } from "../http/serve/listener.ts";
import { peerBehind, proxyCheck } from "../http/serve/proxy.ts";
import { StaticSite } from "../http/site/static_site.ts";
import { type Plugins, startPlugins } from "../plugins/host.ts";
import { checkPluginSettings } from "../plugins/plugin_settings.ts";
import { OpenIncidents } from "../routes/incident_rows.ts";
import { healthRoutes, probes } from "../routes/health.ts";
import { countTraffic, openMetricsRoutes } from "../routes/metrics.ts";
import { openAutomaticUpdates, planningOf } from "./updates.ts";
import { openApplies, openClaims, openRegistries, openUpdates } from "./projects.ts";
import { measureUnits } from "../routes/unit_metrics.ts";
import { openSources } from "../routes/source_room.ts";

/** The parts with the edges over them. */
interface Composed {
  readonly parts: AppParts;
  readonly healthEdge: Handler;
  /** Loads the edge that answers everything. */
  loadEdge(): Promise<Handler>;
  readonly metricsEdge: MetricsEdge;
}

/** Everything it opens is pushed on `owned`, in order. Throws SettingsError for mistakes in settings of plugins. */
export async function composeApp(
  foundation: Foundation,
  overrides: Overrides,
  owned: AsyncDisposableStack,
): Promise<Composed> {
  const { config, store, log, stopping, metrics, tls } = foundation;
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
      declared: async () => {
        const [all, models] = await Promise.all([store.workspaces.list(), registry.models()]);
        const { declaredObjects } = await import("../projects/drift/declared_objects.ts");
        return declaredObjects(models.map(({ model }) => model), all.length - models.length);
      },
    }), log),
  );
  const sights = new Sights(ownership);
  measureUnits(metrics, { registry, runtime: () => plugins.runtime, digests: access.digests });
  const applies = owned.use(
    openApplies({ store, access, log, registry, plugins, config }, overrides.applyTimes),
  );
  const git = {
    environment: gitEnvironment(),
    data: config.data,
    stopping,
    planning: () => ({ ...planningOf(parts), applies }),
  };
  const sources = owned.use(openSources({ store, access, log, registry, editor, replicas, plugins, ...git }));
  const looks = owned.use(openUpdates({ store, access, log, registry, plugins, replicas, registries }));
  const watched = { config, store, registry, plugins, sights, access, replicas, log, metrics };
  const parts: AppParts = {
    updates: looks.updates,
    checker: looks.checker,
    registries,
    claims,
    ...composeWatch(watched, overrides.watchTimes, owned),
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
    openIncidents: new OpenIncidents(store.incidents, store.mutes, () => access.clock.now()),
    stopping,
  };
  owned.use(openAutomaticUpdates(parts, overrides.updateTimes));
  const { onAnswer } = overrides;
  const common = { ...edgeOptions(parts, foundation), ...(onAnswer === undefined ? {} : { onAnswer }) };
  const health = healthSources(parts, foundation);
  const options = {
    common,
    health: healthRoutes(health),
    mounted: overrides.mount?.(parts) ?? [],
    site: plugins.site === null ? null : new StaticSite(plugins.site, { tls }),
  };
  const routes = owned.use(new AsyncDisposableStack());
  return {
    parts,
    healthEdge: createEdge({ ...common, entries: options.health.entries }),
    loadEdge: async () => {
      // Read at the start, and run by the first request: with their schemas, routes are a tenth of the memory.
      const { composeRoutes } = await import("./routes.ts");
      return composeRoutes(parts, foundation, options, routes);
    },
    metricsEdge: (hosts) => {
      const { entries } = openMetricsRoutes(metrics).add(probes(health));
      return createEdge({ ...common, hosts, entries, onAccess: (entry) => log.access(entry) });
    },
  };
}

function healthSources(
  { access, plugins, applies }: AppParts,
  { health }: Foundation,
): HealthSources {
  return {
    ...health,
    auditFailure: access.auditFailure,
    applyFailure: () => applies.unsettled(),
    plugins: plugins.reports,
    runtime: plugins.runtime,
  };
}

function edgeOptions(
  { config, access, log, stopping }: AppParts,
  { names, responder, metrics }: Foundation,
): CommonOptions {
  const traffic = countTraffic(metrics);
  return {
    hosts: names.hosts,
    onAccess: (entry, route) => {
      log.access(entry);
      traffic(entry, route);
    },
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
