/** Starts berth, and stops it: first what health needs, so that it is answered soon, then everything else. */
import { giveBackFreed } from "../core/freed_memory.ts";
import { pause } from "../core/pause.ts";
import { placeOf } from "../core/place.ts";
import { gainsOfPlugins, gainsSince, ROLE_GAINS } from "../auth/keys/role_gains.ts";
import type { Config } from "../config/config.ts";
import type { AppParts, Foundation, MetricsEdge, Overrides } from "./parts.ts";
import { replicaName } from "../core/replicas.ts";
import { Responder } from "../http/serve/responder.ts";
import { authoritiesOf } from "../http/serve/authorities.ts";
import { tooFewDescriptors } from "../http/serve/descriptors.ts";
import { StartupGate } from "../http/serve/startup_gate.ts";
import { listen, type Listener, listenFailure } from "../http/serve/listener.ts";
import { readTls, renewTls, type TlsTexts } from "./certificate.ts";
import type { ConsoleStream } from "../log/console.ts";
import { type OpenLog, openLog } from "../log/log.ts";
import { tellVersion } from "./running_version.ts";
import { ownerAdvice, reasonOf, StartFailure } from "./start_failure.ts";
import { Metrics } from "../core/metrics.ts";
import type { Store } from "../core/store.ts";
import { measured } from "../store/measured.ts";
import { openStore } from "../store/open.ts";
import { VERSION } from "../version.ts";

export type { AppParts } from "./parts.ts";

export interface StartOptions extends Omit<Overrides, "plugins"> {
  readonly config: Config;
  /** A function is called once the listener is open, because loading plugins takes longer than that. */
  readonly plugins: Overrides["plugins"] | (() => Promise<Overrides["plugins"]>);
  /** Standard error unless told otherwise; null for silence. */
  readonly console?: ConsoleStream | null;
}

/** A running service. */
export interface Berth extends AppParts, AsyncDisposable {
  /** The address for people, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Null without one of its own. */
  readonly metricsPort: number | null;
  readonly listener: Listener;
  /** Reads the certificate again; one that cannot be used changes nothing. */
  reload(): Promise<void>;
  /** Ends streams, answers open requests and closes everything; false when some requests did not end in time. */
  stop(): Promise<boolean>;
}

/** The rest of the ten seconds of a stop is for plugins, audit and store. */
const DRAIN_MS = 6_000;

/** Loading the rest blocks the event loop for a while, so requests that already wait are answered first. */
const FIRST_LOOK_MS = 5;

/** @throws StartFailure, SettingsError or ServiceError whose message says what to do. */
export async function startBerth(options: StartOptions): Promise<Berth> {
  await using owned = new AsyncDisposableStack();
  const opened = await openFoundation(options, owned);
  const { config, log, listener, gate, url, foundation } = opened;
  await pause(FIRST_LOOK_MS);
  const [{ composeApp }, plugins] = await Promise.all([
    import(placeOf("app/app.ts").href) as Promise<typeof import("./app.ts")>,
    typeof options.plugins === "function" ? options.plugins() : options.plugins,
  ]);
  tellRoleGains(foundation.store, plugins, log);
  const { parts, metricsEdge, ...edges } = await composeApp(
    foundation,
    { ...options, plugins },
    owned,
  );
  const metricsListener = await listenForMetrics(config, metricsEdge, log, owned);
  gate.open(edges);
  await tellVersion(config.data, log);
  log.info("berth listens", { version: VERSION, url });
  const stop = stopOnce(opened, owned.move());
  return {
    ...parts,
    reload: () => renewTls(config, metricsListener === null ? [listener] : [listener, metricsListener], log),
    url,
    port: listener.port,
    metricsPort: metricsListener?.port ?? null,
    listener,
    stop,
    [Symbol.asyncDispose]: async () => void await stop(),
  };
}

/** The first half of a start: what must stand before anybody can be answered. */
interface Opened {
  readonly config: Config;
  readonly log: OpenLog;
  readonly listener: Listener;
  readonly gate: StartupGate;
  readonly url: string;
  readonly stopping: AbortController;
  readonly foundation: Foundation;
}

async function openFoundation(
  { config, console }: StartOptions,
  owned: AsyncDisposableStack,
): Promise<Opened> {
  const startedAt = new Date();
  await mustHaveDataFolder(config.data);
  mustHaveDescriptors(config);
  const replica = config.replica ?? replicaName(config.data);
  const log = owned.use(openLogIn(config, replica, console));
  const stopping = new AbortController();
  const metrics = new Metrics();
  measureProcess(metrics, log);
  owned.use(giveBackFreed());
  const timers = metrics.timers({
    name: "berth_store_seconds",
    help: "Time that the store took, by operation.",
  });
  const store = owned.use(measured(await openStore(config), timers));
  measureRetries(metrics, store);
  const tls = await readTls(config);
  const names = { hosts: new Set<string>(), origins: new Set<string>() };
  const isTls = tls !== null || config.baseUrl?.startsWith("https:") === true;
  const responder = new Responder({ tls: isTls });
  const health = {
    version: VERSION,
    startedMs: performance.now(),
    checkStore: () => store.check(),
    logFailure: () => log.failure(),
  };
  const gate = new StartupGate({
    hosts: names.hosts,
    responder,
    onAccess: (entry) => log.access(entry),
  });
  const listener = startListening(config, tls, gate, log);
  owned.defer(async () => {
    gate.close();
    await listener.drain(DRAIN_MS);
  });
  // Only now is the port known, when it was 0; no request can have been read before this turn ends.
  const { baseUrl: url, hosts, origins } = authoritiesOf({
    hostname: config.host,
    port: listener.port,
    tls: tls !== null,
    baseUrl: config.baseUrl,
  });
  for (const host of hosts) names.hosts.add(host);
  for (const origin of origins) names.origins.add(origin);
  const foundation = {
    config,
    store,
    log,
    stopping: stopping.signal,
    startedAt,
    replica,
    responder,
    tls: isTls,
    names,
    health,
    metrics,
  };
  return { config, log, listener, gate, url, stopping, foundation };
}

/** Stops the service at the first call; every call answers whether all requests ended in time. */
function stopOnce({ log, stopping, listener }: Opened, owned: AsyncDisposableStack): () => Promise<boolean> {
  let stopped: Promise<boolean> | undefined;
  return () =>
    stopped ??= (async () => {
      log.info("berth stops");
      stopping.abort();
      const drained = await listener.drain(DRAIN_MS);
      if (!drained) log.warn("Some requests did not end in time and are cut off");
      await owned.disposeAsync();
      return drained;
    })();
}

/** Names what roles may do more than before an upgrade: keys and people with a role may it as well. */
function tellRoleGains(store: Store, plugins: Parameters<typeof gainsOfPlugins>[0], log: OpenLog): void {
  const gains = [...ROLE_GAINS, ...gainsOfPlugins(plugins)];
  for (const [role, permissions] of gainsSince(store.upgradedFrom, gains)) {
    log.warn(
      `This upgrade gave the role ${role} more permissions; "Upgrade" in docs/operations.md says how to keep a key as it was`,
      { role, permissions: permissions.join(" ") },
    );
  }
}

async function mustHaveDataFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartFailure(
      `Cannot use the data folder "${path}": ${reasonOf(error)}${ownerAdvice(path, error)}`,
      { cause: error },
    );
  }
}

function mustHaveDescriptors({ minDescriptors, data }: Config): void {
  const limit = tooFewDescriptors(minDescriptors, `${data}/berth.log`);
  if (limit === null) return;
  throw new StartFailure(
    `Cannot start: only ${limit} file descriptors are allowed, and ${minDescriptors} are needed; raise "ulimit -n" ` +
      "or set BERTH_MIN_DESCRIPTORS",
  );
}

function openLogIn(config: Config, replica: string, console: ConsoleStream | null | undefined): OpenLog {
  const path = `${config.data}/berth.log`;
  try {
    return openLog({
      level: config.logLevel,
      path: config.logFile === "none" ? null : path,
      ...(config.database === null ? {} : { replica }),
      ...(console === undefined ? {} : { console }),
    });
  } catch (error) {
    throw new StartFailure(
      `Cannot use the data folder "${config.data}": its file "berth.log": ${reasonOf(error)}` +
        ownerAdvice(config.data, error),
      { cause: error },
    );
  }
}

/** Opens the port for metrics and probes, if the settings want one. */
async function listenForMetrics(
  config: Config,
  edge: MetricsEdge,
  log: OpenLog,
  owned: AsyncDisposableStack,
): Promise<Listener | null> {
  const { metricsHost: hostname, metricsPort } = config;
  if (metricsPort === null) return null;
  const tls = await readTls(config);
  const hosts = new Set<string>();
  let listener: Listener;
  try {
    listener = listen({ hostname, port: metricsPort, tls, handler: edge(hosts), log });
  } catch (error) {
    throw new StartFailure(listenFailure(error, hostname, metricsPort), { cause: error });
  }
  owned.defer(async () => void await listener.drain(DRAIN_MS));
  const { port } = listener;
  const names = authoritiesOf({ hostname, port, tls: tls !== null, baseUrl: null });
  for (const host of names.hosts) hosts.add(host);
  log.info("Metrics are served", { port });
  return listener;
}

function measureProcess(metrics: Metrics, log: OpenLog): void {
  const { deno } = Deno.version;
  metrics.read("gauge", { name: "berth_build_info", help: "1, with the version that runs." }, () => [
    { labels: { version: VERSION, deno }, value: 1 },
  ]);
  metrics.read("gauge", { name: "process_start_time_seconds", help: "When it started, since 1970." }, () => [
    { value: Math.round(performance.timeOrigin) / 1_000 },
  ]);
  metrics.read("gauge", { name: "process_resident_memory_bytes", help: "Memory that it occupies." }, () => [
    { value: Deno.memoryUsage().rss },
  ]);
  metrics.read("counter", {
    name: "berth_log_dropped_total",
    help: "Lines that did not reach the log's file.",
  }, () => [
    { value: log.dropped() },
  ]);
}

/** Measures repeated changes, if other processes write to the same store. */
function measureRetries(metrics: Metrics, { retries }: Store): void {
  if (retries === null) return;
  metrics.read("counter", {
    name: "berth_store_retries_total",
    help: "Changes that were made again, because those of others were in their way.",
  }, () => [{ value: retries() }]);
}

function startListening(
  config: Config,
  tls: TlsTexts | null,
  gate: StartupGate,
  log: OpenLog,
): Listener {
  try {
    return listen({ hostname: config.host, port: config.port, tls, handler: gate.handle, log });
  } catch (error) {
    throw new StartFailure(listenFailure(error, config.host, config.port), { cause: error });
  }
}
