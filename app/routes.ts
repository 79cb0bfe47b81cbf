/**
 * Composes the routes over the parts, and the edge around them. They are loaded by the first request that asks for more
 * than health: with their schemas they are a fifth of what berth holds.
 */
import { planningOf } from "./updates.ts";
import type { AppParts, Foundation, RouteOptions } from "./parts.ts";
import { openIgnored, remedyOf } from "./projects.ts";
import type { CoreRouter } from "../http/declare/router.ts";
import type { Handler } from "../http/serve/listener.ts";
import { logReader } from "../log/reader.ts";
import { Plans } from "../projects/plan/plans.ts";
import { createApp } from "../routes/app.ts";
import { artifacts } from "../routes/artifacts.ts";
import { audit } from "../routes/audit.ts";
import { apiKeys } from "../routes/api_keys.ts";
import { auth } from "../routes/auth.ts";
import { docs } from "../routes/docs.ts";
import { fileVersions } from "../routes/file_versions.ts";
import { folders } from "../routes/folders.ts";
import { localSignIn } from "../routes/local_sign_in.ts";
import { peopleRoutes } from "../routes/people.ts";
import { replicaRoutes } from "../routes/replicas.ts";
import { sessionRoutes } from "../routes/sessions.ts";
import { fromRunRoute } from "../routes/from_run.ts";
import { settling } from "../routes/settling.ts";
import { setupRoutes } from "../routes/setup.ts";
import { metricsRoutes } from "../routes/metrics.ts";
import { system } from "../routes/system.ts";
import { systemLog } from "../routes/system_log.ts";
import { applyRoutes } from "../routes/applies.ts";
import { live } from "../routes/live.ts";
import { workspaceFeeds } from "../routes/live_workspaces.ts";
import { overviewRoutes } from "../routes/overview.ts";
import { projects } from "../routes/projects.ts";
import { sourceFeeds } from "../routes/live_sources.ts";
import { sourceRoutes } from "../routes/sources.ts";
import { plans } from "../routes/plans.ts";
import { workspacePlans } from "../routes/workspace_plans.ts";
import { registryRoutes } from "../routes/registries.ts";
import { toolProjects } from "../routes/tool_projects.ts";
import { updates as updateRoutes } from "../routes/updates.ts";
import { workspaceFiles } from "../routes/workspace_files.ts";
import { workspaces } from "../routes/workspaces.ts";
import { adoptions } from "../routes/adoptions.ts";
import { claimRoutes } from "../routes/claims.ts";
import { endingRoutes } from "../routes/endings.ts";
import { projectUpdateRules } from "../routes/project_update_rules.ts";
import { proposedUpdates } from "../routes/proposed_updates.ts";
import { incidents } from "../routes/incidents.ts";
import { muteRoutes } from "../routes/mutes.ts";
import { steadyClock } from "../core/steady.ts";
import { noticeRoutes } from "../routes/notices.ts";

/** Everything it opens is pushed on `owned`. */
export function composeRoutes(
  parts: AppParts,
  foundation: Foundation,
  { common, health, mounted, site }: RouteOptions,
  owned: AsyncDisposableStack,
): Handler {
  const {
    access,
    applies,
    checker,
    log,
    openIncidents,
    permissions,
    plugins,
    registry,
    sights,
    sources,
    store,
    updates,
  } = parts;
  const now = () => access.clock.now();
  const followed = owned.use(sourceFeeds({ store: store.sources, sources: () => sources.sources() }));
  const own = owned.use(workspaceFeeds(registry));
  const rows = owned.use(
    projects({
      registry,
      runtime: () => plugins.runtime,
      sights,
      digests: access.digests,
      incidents: openIncidents,
      applies,
      updates,
      now,
      versions: store.fileVersions,
      register: remedyOf(parts),
      ignored: openIgnored({ store, access }),
    }),
  );
  const newer = owned.use(updateRoutes({ updates, checker, listOf: rows.listOf }));
  const history = owned.use(incidents({ store: parts.incidents, mutes: store.mutes, now }));
  const lists = [own, rows, followed, newer, history, plugins];
  const socket = live({
    feeds: lists.flatMap(({ feeds }) => feeds),
    onFailure: (error) => log.error("A feed failed", { error }),
  });
  const claims = { store: store.claims, known: parts.claims };
  const adopting = { runtime: () => plugins.runtime, sights, claims, now };
  const routers = [
    health,
    ...coreRouters(parts, foundation),
    rows.router,
    newer.router,
    proposedUpdates({ registry, listOf: rows.listOf }),
    projectUpdateRules({ registry, updates, now }),
    registryRoutes({ registries: parts.registries }),
    adoptions({ ...adopting, registry, offers: store.offers }),
    claimRoutes(adopting),
    fromRunRoute(),
    settling({ ...adopting, registry, editor: parts.editor, digests: access.digests }),
    history.router,
    endingRoutes({ ...store, seal: access.endingSeal }),
    noticeRoutes({ notices: parts.notices, store: store.notices, steady: steadyClock(access.clock) }),
    muteRoutes({ ...store, now }),
    socket,
    ...plugins.routers,
    ...mounted,
  ];
  return createApp({
    ...common,
    version: foundation.health.version,
    routers,
    permissions: permissions.names,
    tags: plugins.tags,
    ...(site === null ? {} : { site }),
    explainMissing: (path) => plugins.explainMissing(path),
  });
}

function coreRouters(
  parts: AppParts,
  { health, metrics, startedAt, names }: Foundation,
): readonly CoreRouter[] {
  const {
    config,
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
  } = parts;
  const runtime = () => plugins.runtime;
  const planning = planningOf(parts);
  return [
    system({
      version: health.version,
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
    workspaces({
      registry,
      sources: () => sources.sources(),
      forgetSource: (workspace) => sources.forget(workspace),
    }),
    folders({ registry, roots: config.roots, hidden: [config.data], runtime, sights }),
    workspaceFiles({ registry, editor, runtime, sights }),
    fileVersions({ registry, editor }),
    artifacts({ registry, runtime, sights, digests: access.digests, version: health.version }),
    toolProjects({ registry, runtime, sights }),
    overviewRoutes({ registry, runtime, sights, digests: access.digests, incidents: openIncidents }),
    sourceRoutes({ registry, sources: () => sources.sources(), ...access }),
    plans(planning),
    workspacePlans(planning),
    applyRoutes({ ...planning, applies, plans: new Plans(store.plans) }),
  ];
}
