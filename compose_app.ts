/** Composes the app over an open store: access, workspaces, plugins, and all routes. */
import { ContainerOwnership } from "./artifacts/live/ownership.ts";
import { Registry } from "./artifacts/registry/registry.ts";
import type { Judge } from "./artifacts/registry/snapshot.ts";
import { type Access, type AccessOptions, openAccess } from "./auth/access.ts";
import type { Clock } from "./auth/clock.ts";
import type { IdentityProvider } from "./auth/identity_provider.ts";
import { type Config, SettingsError } from "./config.ts";
import type { HealthSources } from "./core/health.ts";
import type { Store } from "./core/store.ts";
import type { Responder } from "./http/responder.ts";
import { createAuditor } from "./http/auditor.ts";
import type { Handler } from "./http/startup_gate.ts";
import { createGuard } from "./http/guard.ts";
import { peerBehind } from "./http/proxy.ts";
import type { Router } from "./http/router.ts";
import type { OpenLog } from "./log/log.ts";
import { logReader } from "./log/reader.ts";
import { pluginMistakes, type Plugins, type PluginSelection, startPlugins } from "./plugins/host.ts";
import type { Plugin } from "./plugins/plugin.ts";
import { StartFailure } from "./start_failure.ts";
import { createApp } from "./routes/app.ts";
import { artifacts } from "./routes/artifacts.ts";
import { audit } from "./routes/audit.ts";
import { auth } from "./routes/auth.ts";
import { docs } from "./routes/docs.ts";
import { settings } from "./routes/settings.ts";
import { system } from "./routes/system.ts";
import { systemLog } from "./routes/system_log.ts";
import { toolProjects } from "./routes/tool_projects.ts";
import { workspaces } from "./routes/workspaces.ts";

/** What a start may bring itself, instead of what the settings say. */
export interface Overrides {
  readonly plugins: readonly Plugin[];
  readonly clock?: Clock;
  /** Another identity provider than the configured one. */
  readonly provider?: IdentityProvider;
  /** Further groups of routes, over the same parts. */
  readonly mount?: (parts: AppParts) => readonly Router[];
}

/** What the first half of a start has opened. */
export interface Foundation {
  readonly config: Config;
  readonly store: Store;
  readonly log: OpenLog;
  readonly stopping: AbortSignal;
  readonly startedAt: Date;
  readonly responder: Responder;
  readonly names: { readonly hosts: ReadonlySet<string>; readonly origins: ReadonlySet<string> };
  readonly health: Omit<HealthSources, "auditFailure" | "plugins" | "runtime">;
}

/** What route groups are made of. */
export interface AppParts {
  readonly config: Config;
  readonly store: Store;
  readonly access: Access;
  readonly log: OpenLog;
  readonly registry: Registry;
  readonly plugins: Plugins;
  readonly stopping: AbortSignal;
}

/** Everything it opens is pushed on `owned`, in order. Throws SettingsError for settings that no plugin has. */
export async function composeApp(
  foundation: Foundation,
  overrides: Overrides,
  owned: AsyncDisposableStack,
): Promise<{ readonly parts: AppParts; readonly edge: Handler }> {
  const { config, store, log, stopping, names } = foundation;
  const selection = selectionOf(config, overrides.plugins);
  const mistakes = pluginMistakes(overrides.plugins, selection);
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  const access = owned.use(
    await openAccess({
      store,
      log,
      dataFolder: config.data,
      config,
      auditReceiver: await auditReceiver(config.auditSyslog),
      ...(overrides.clock === undefined ? {} : { clock: overrides.clock }),
      ...(overrides.provider === undefined ? {} : { provider: overrides.provider }),
    }),
  );
  const registry = owned.use(
    new Registry({ store: store.workspaces, roots: config.roots, hidden: [config.data], judge }),
  );
  const ownership = owned.use(new ContainerOwnership(() => registry.models()));
  const plugins = owned.use(
    await startPlugins(overrides.plugins, selection, (name) => ({
      log: log.with({ plugin: name }),
      stopping,
      workspaces: () => store.workspaces.list(),
      ownership,
    }), log),
  );
  const parts: AppParts = { config, store, access, log, registry, plugins, stopping };
  const runtime = () => plugins.runtime;
  const edge = createApp({
    version: foundation.health.version,
    routers: [
      system({
        ...foundation.health,
        auditFailure: access.auditFailure,
        startedAt: foundation.startedAt,
        plugins: plugins.reports,
        runtime: plugins.runtime,
      }),
      systemLog(log.path === null ? null : logReader(log.path, () => log.flush())),
      auth({ access, origins: names.origins }),
      settings({ access }),
      audit({ access, store: store.audit }),
      docs(),
      workspaces({ registry }),
      artifacts({ registry, runtime, version: foundation.health.version }),
      toolProjects({ registry, runtime }),
      ...plugins.routers,
      ...overrides.mount?.(parts) ?? [],
    ],
    guard: createGuard({ credentials: access.credentials, origins: names.origins }),
    auditor: createAuditor({ audit: access.audit, clock: access.clock }),
    responder: foundation.responder,
    hosts: names.hosts,
    stopping,
    ...(config.trustedProxies.length === 0 ? {} : { peerOf: peerBehind(config.trustedProxies) }),
    onAccess: (entry) => log.access(entry),
    onBug: (error, requestId) => log.error("A request failed", { requestId, error }),
    explainMissing: (path) => plugins.explainMissing(path),
  });
  return { parts, edge };
}

async function auditReceiver(
  syslog: Config["auditSyslog"],
): Promise<NonNullable<AccessOptions["auditReceiver"]> | null> {
  if (syslog === null) return null;
  const { ca, ...address } = syslog;
  if (ca === null) return { address, ca };
  try {
    return { address, ca: await Deno.readTextFile(ca) };
  } catch (cause) {
    throw new StartFailure(`Cannot read the file "${ca}" of "BERTH_AUDIT_SYSLOG_CA"`, { cause });
  }
}

/** Counts what the rules find; they are loaded with the first workspace that is read. */
const judge: Judge = async (model) => (await import("./artifacts/report/report.ts")).problemsOf(model);

const RUNTIME = "container-runtime";

/** Engines and where to look for them are settings of berth's own, and reach the one plugin that talks to them as its. */
function selectionOf(config: Config, plugins: readonly Plugin[]): PluginSelection {
  const settings = { ...config.pluginSettings };
  if (plugins.some(({ name }) => name === RUNTIME)) {
    const own = settings[RUNTIME];
    settings[RUNTIME] = {
      ...config.surroundings,
      ...(typeof own === "object" ? own : {}),
      ...(config.engines === null ? {} : { engines: config.engines }),
    };
  }
  return { enabled: config.plugins, settings };
}
