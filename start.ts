/** Puts the parts together: settings, log, store, access, plugins, app, listener; and takes them apart in reverse. */
import { type Access, openAccess } from "./auth/access.ts";
import type { Clock } from "./auth/clock.ts";
import type { IdentityProvider } from "./auth/identity_provider.ts";
import { type Config, SettingsError } from "./config.ts";
import { ServiceError } from "./core/error.ts";
import type { Store } from "./core/store.ts";
import { createAuditor } from "./http/auditor.ts";
import { Finisher } from "./http/answer.ts";
import { authoritiesOf } from "./http/authorities.ts";
import { mustHaveDescriptors } from "./http/descriptors.ts";
import { createGuard } from "./http/guard.ts";
import { listen, type Listener, listenFailure } from "./http/listener.ts";
import { peerBehind } from "./http/proxy.ts";
import type { Router } from "./http/router.ts";
import type { ConsoleStream } from "./log/console.ts";
import { type OpenLog, openLog } from "./log/log.ts";
import { logReader } from "./log/tail.ts";
import { pluginMistakes, type Plugins, type PluginSelection, startPlugins } from "./plugins/host.ts";
import type { Plugin } from "./plugins/plugin.ts";
import { ContainerOwnership } from "./artifacts/live/ownership.ts";
import { Registry } from "./artifacts/registry/registry.ts";
import type { Judge } from "./artifacts/registry/snapshot.ts";
import { createApp } from "./routes/app.ts";
import { artifacts } from "./routes/artifacts.ts";
import { audit } from "./routes/audit.ts";
import { auth } from "./routes/auth.ts";
import { docs } from "./routes/docs.ts";
import { settings } from "./routes/settings.ts";
import { system } from "./routes/system.ts";
import { toolProjects } from "./routes/tool_projects.ts";
import { workspaces } from "./routes/workspaces.ts";
import { systemLog } from "./routes/system_log.ts";
import { StartFailure } from "./start_failure.ts";
import { openStore } from "./store/open.ts";
import { VERSION } from "./version.ts";

export interface StartOptions {
  readonly config: Config;
  readonly plugins: readonly Plugin[];
  /** Standard error unless told otherwise; null for silence. */
  readonly console?: ConsoleStream | null;
  readonly clock?: Clock;
  /** Another identity provider than the configured one. */
  readonly provider?: IdentityProvider;
  /** Further groups of routes, over the same parts. */
  readonly mount?: (parts: Parts) => readonly Router[];
}

/** What route groups are made of. */
export interface Parts {
  readonly config: Config;
  readonly store: Store;
  readonly access: Access;
  readonly log: OpenLog;
  readonly registry: Registry;
  readonly plugins: Plugins;
  readonly stopping: AbortSignal;
}

/** A running service. */
export interface Berth extends Parts, AsyncDisposable {
  /** Where people reach it, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly listener: Listener;
  /** Ends streams, answers what is open, and closes everything; false when something had to be left behind. */
  stop(): Promise<boolean>;
}

/** What remains of the ten seconds of a stop is for plugins, audit and store. */
const DRAIN_MS = 6_000;

/** @throws StartFailure, SettingsError or ServiceError with a sentence for whoever starts the service. */
export async function startBerth(options: StartOptions): Promise<Berth> {
  const { config } = options;
  const startedAt = new Date();
  const selection = selectionOf(config, options.plugins);
  const mistakes = pluginMistakes(options.plugins, selection);
  if (mistakes.length > 0) throw new SettingsError(mistakes);

  await using parts = new AsyncDisposableStack();
  await mustHaveDataFolder(config.data);
  mustHaveDescriptors(config.minDescriptors, `${config.data}/berth.log`);
  const log = parts.use(openLogIn(config, options.console));
  const stopping = new AbortController();
  const store = parts.use(await openStore(config));
  const access = parts.use(
    await openAccess({
      store,
      log,
      dataFolder: config.data,
      config,
      ...(options.clock === undefined ? {} : { clock: options.clock }),
      ...(options.provider === undefined ? {} : { provider: options.provider }),
    }),
  );
  const registry = parts.use(
    new Registry({ store: store.workspaces, roots: config.roots, hidden: [config.data], judge }),
  );
  const ownership = parts.use(new ContainerOwnership(() => registry.models()));
  const plugins = parts.use(
    await startPlugins(options.plugins, selection, (name) => ({
      log: log.with({ plugin: name }),
      stopping: stopping.signal,
      workspaces: () => store.workspaces.list(),
      ownership,
    }), log),
  );
  const shared: Parts = { config, store, access, log, registry, plugins, stopping: stopping.signal };

  const names = { hosts: new Set<string>(), origins: new Set<string>() };
  const tls = await readTls(config);
  const edge = createApp({
    version: VERSION,
    routers: [
      system({
        version: VERSION,
        startedAt,
        plugins: plugins.reports,
        runtime: plugins.runtime,
        checkStore: () => store.check(),
        logFailure: () => log.failure(),
      }),
      systemLog(logReader(log.path, () => log.flush())),
      auth({ access, origins: names.origins }),
      settings({ access }),
      audit({ access, store: store.audit }),
      docs(),
      workspaces({ registry }),
      artifacts({ registry, runtime: () => plugins.runtime, version: VERSION }),
      toolProjects({ registry, runtime: () => plugins.runtime }),
      ...plugins.routers,
      ...options.mount?.(shared) ?? [],
    ],
    guard: createGuard({ credentials: access.credentials, origins: names.origins }),
    auditor: createAuditor({ audit: access.audit, clock: access.clock }),
    finisher: new Finisher({ tls: tls !== null || config.baseUrl?.startsWith("https:") === true }),
    hosts: names.hosts,
    stopping: stopping.signal,
    ...(config.trustedProxies.length === 0 ? {} : { peerOf: peerBehind(config.trustedProxies) }),
    onAccess: (entry) => log.access(entry),
    onBug: (error, requestId) => log.error("A request failed", { requestId, error }),
    explainMissing: (path) => plugins.explainMissing(path),
  });
  const listener = startListening(config, tls, edge, log);
  // Only now is the port known, when it was 0; no request can have been read before this turn ends.
  const known = authoritiesOf({
    hostname: config.host,
    port: listener.port,
    tls: tls !== null,
    baseUrl: config.baseUrl,
  });
  for (const host of known.hosts) names.hosts.add(host);
  for (const origin of known.origins) names.origins.add(origin);
  log.info("berth listens", { version: VERSION, url: known.baseUrl });

  const owned = parts.move();
  let stopped: Promise<boolean> | undefined;
  const stop = () =>
    stopped ??= (async () => {
      log.info("berth stops");
      stopping.abort();
      const drained = await listener.drain(DRAIN_MS);
      if (!drained) log.warn("Some requests did not end in time and are cut");
      await owned.disposeAsync();
      return drained;
    })();
  return {
    ...shared,
    url: known.baseUrl,
    port: listener.port,
    listener,
    stop,
    [Symbol.asyncDispose]: async () => void await stop(),
  };
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

async function mustHaveDataFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartFailure(`Cannot use the data folder "${path}": ${reasonOf(error)}`);
  }
}

function openLogIn(config: Config, console: ConsoleStream | null | undefined): OpenLog {
  const path = `${config.data}/berth.log`;
  try {
    return openLog({ level: config.logLevel, path, ...(console === undefined ? {} : { console }) });
  } catch (error) {
    throw new StartFailure(
      `Cannot use the data folder "${config.data}": its file "berth.log": ${reasonOf(error)}`,
    );
  }
}

async function readTls(config: Config): Promise<{ cert: string; key: string } | null> {
  if (config.tls === null) return null;
  const [cert, key] = await Promise.all([config.tls.cert, config.tls.key].map(async (path) => {
    try {
      return await Deno.readTextFile(path);
    } catch (error) {
      throw new StartFailure(`Cannot read the TLS file "${path}": ${reasonOf(error)}`);
    }
  }));
  return { cert: cert ?? "", key: key ?? "" };
}

function startListening(
  config: Config,
  tls: { cert: string; key: string } | null,
  handler: (request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>,
  log: OpenLog,
): Listener {
  try {
    return listen({ hostname: config.host, port: config.port, tls, handler, log });
  } catch (error) {
    throw new StartFailure(listenFailure(error, config.host, config.port), { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  if (error instanceof Deno.errors.NotFound) return "it does not exist";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof Deno.errors.NotCapable) return "this process was not allowed to";
  if (error instanceof Deno.errors.AlreadyExists || error instanceof Deno.errors.NotADirectory) {
    return "there is a file in its place";
  }
  if (error instanceof Deno.errors.IsADirectory) return "there is a folder in its place";
  if (error instanceof TypeError) return "it is not a regular file";
  if (error instanceof Error && error.message.includes("Read-only file system")) return "it is read-only";
  return "the system refused";
}
