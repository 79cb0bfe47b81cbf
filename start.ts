/** Starts berth, and stops it: first what health needs, so that it is answered soon, then everything else. */
import type { Config } from "./config.ts";
import { ServiceError } from "./core/error.ts";
import { lookAtHealth } from "./core/health.ts";
import type { AppParts, Overrides } from "./compose_app.ts";
import { Responder } from "./http/responder.ts";
import { authoritiesOf } from "./http/authorities.ts";
import { tooFewDescriptors } from "./http/descriptors.ts";
import { StartupGate } from "./http/startup_gate.ts";
import { listen, type Listener, listenFailure } from "./http/listener.ts";
import type { ConsoleStream } from "./log/console.ts";
import { type OpenLog, openLog } from "./log/log.ts";
import { StartFailure } from "./start_failure.ts";
import { openStore } from "./store/open.ts";
import { VERSION } from "./version.ts";

export type { AppParts } from "./compose_app.ts";

export interface StartOptions extends Omit<Overrides, "plugins"> {
  readonly config: Config;
  /** A function is asked once the listener is open: loading plugins takes longer than opening it. */
  readonly plugins: Overrides["plugins"] | (() => Promise<Overrides["plugins"]>);
  /** Standard error unless told otherwise; null for silence. */
  readonly console?: ConsoleStream | null;
}

/** A running service. */
export interface Berth extends AppParts, AsyncDisposable {
  /** Where people reach it, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly listener: Listener;
  /** Reads again what can be read while it runs: the certificate. What does not hold leaves everything as it is. */
  reload(): Promise<void>;
  /** Ends streams, answers what is open, and closes everything; false when something had to be left behind. */
  stop(): Promise<boolean>;
}

/** What is imported by a constant is read by the runtime now, and not already before the first line runs. */
const COMPOSE_APP = "./compose_app.ts";

/** What remains of the ten seconds of a stop is for plugins, audit and store. */
const DRAIN_MS = 6_000;

/** Loading the rest takes the loop for a while; whoever is at the door already is answered before that. */
const FIRST_LOOK_MS = 5;

/** @throws StartFailure, SettingsError or ServiceError with a sentence for whoever starts the service. */
export async function startBerth(options: StartOptions): Promise<Berth> {
  const { config } = options;
  const startedAt = new Date();
  await using owned = new AsyncDisposableStack();
  await mustHaveDataFolder(config.data);
  mustHaveDescriptors(config);
  const log = owned.use(openLogIn(config, options.console));
  const stopping = new AbortController();
  const store = owned.use(await openStore(config));
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
    health: () => lookAtHealth({ ...health, auditFailure: () => null, plugins: null, runtime: null }),
    onAccess: (entry) => log.access(entry),
  });
  const listener = startListening(config, tls, gate, log);
  owned.defer(async () => {
    gate.close();
    await listener.drain(DRAIN_MS);
  });
  // Only now is the port known, when it was 0; no request can have been read before this turn ends.
  const known = authoritiesOf({
    hostname: config.host,
    port: listener.port,
    tls: tls !== null,
    baseUrl: config.baseUrl,
  });
  for (const host of known.hosts) names.hosts.add(host);
  for (const origin of known.origins) names.origins.add(origin);

  await pause(FIRST_LOOK_MS);
  const [{ composeApp }, plugins] = await Promise.all([
    import(COMPOSE_APP) as Promise<typeof import("./compose_app.ts")>,
    typeof options.plugins === "function" ? options.plugins() : options.plugins,
  ]);
  const { parts, edge } = await composeApp(
    { config, store, log, stopping: stopping.signal, startedAt, responder, tls: isTls, names, health },
    { ...options, plugins },
    owned,
  );
  gate.open(edge);
  log.info("berth listens", { version: VERSION, url: known.baseUrl });

  const stack = owned.move();
  let stopped: Promise<boolean> | undefined;
  const stop = () =>
    stopped ??= (async () => {
      log.info("berth stops");
      stopping.abort();
      const drained = await listener.drain(DRAIN_MS);
      if (!drained) log.warn("Some requests did not end in time and are cut");
      await stack.disposeAsync();
      return drained;
    })();
  return {
    ...parts,
    reload: () => reload(config, listener, log),
    url: known.baseUrl,
    port: listener.port,
    listener,
    stop,
    [Symbol.asyncDispose]: async () => void await stop(),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function mustHaveDataFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartFailure(`Cannot use the data folder "${path}": ${reasonOf(error)}`);
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

function openLogIn(config: Config, console: ConsoleStream | null | undefined): OpenLog {
  const path = `${config.data}/berth.log`;
  try {
    return openLog({
      level: config.logLevel,
      path: config.logFile === "none" ? null : path,
      ...(console === undefined ? {} : { console }),
    });
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

async function reload(config: Config, listener: Listener, log: OpenLog): Promise<void> {
  try {
    const tls = await readTls(config);
    if (tls === null) return;
    await listener.renew(tls);
    log.info("The certificate was read again");
  } catch (error) {
    log.error("The certificate cannot be renewed, and the one before is kept", { error });
  }
}

function startListening(
  config: Config,
  tls: { cert: string; key: string } | null,
  gate: StartupGate,
  log: OpenLog,
): Listener {
  try {
    return listen({ hostname: config.host, port: config.port, tls, handler: gate.handle, log });
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
