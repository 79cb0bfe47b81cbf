/** Starts plugins in order and stops them in reverse; one that cannot start is reported, and the rest goes on. */
import { ServiceError } from "../core/error.ts";
import type { Log } from "../core/log.ts";
import { NO_SERVICES } from "../core/running_services.ts";
import type { ActingSwarmRuntime } from "../core/stack_acts.ts";
import type { LiveFeed } from "../http/live/feed.ts";
import { nameOf, type Router } from "../http/declare/router.ts";
import type { Site } from "../http/site/static_site.ts";
import { CORE_CODES } from "../http/declare/status.ts";
import { joinRuntimes } from "./joined_runtime.ts";
import type { Plugin, PluginHost, RunningPlugin } from "./plugin.ts";

type PluginState = "running" | "disabled" | "failed";

/** The state of one plugin, as /api/system/plugins shows it. */
interface PluginReport {
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  readonly enabled: boolean;
  readonly state: PluginState;
  readonly reason?: string;
  readonly routes: readonly string[];
}

export interface Plugins extends AsyncDisposable {
  readonly reports: readonly PluginReport[];
  readonly routers: readonly Router[];
  /** The feeds of running plugins for `/api/live`. */
  readonly feeds: readonly LiveFeed[];
  /** The runtimes of all plugins as one; null while no plugin brings one. */
  readonly runtime: ActingSwarmRuntime | null;
  /** The descriptions of the route groups of running plugins. */
  readonly tags: Readonly<Record<string, string>>;
  /** The page of the plugin that brings one. */
  readonly site: Site | null;
  /** Returns why no route answers at this path, if a plugin that does not run has one there. */
  explainMissing(path: string): ServiceError | null;
}

/** A plugin that does not stop within this time is left behind, and said so. */
const STOP_MS = 4_000;

/** Starts the plugins that have settings; `hostOf` makes what each is given. */
export async function startPlugins(
  plugins: readonly Plugin[],
  settings: ReadonlyMap<string, unknown>,
  hostOf: (name: string) => Omit<PluginHost, "engines" | "services" | "stacks">,
  log: Log,
): Promise<Plugins> {
  mustNotClash(plugins);
  const reports: PluginReport[] = [];
  const running: { readonly plugin: Plugin; readonly started: RunningPlugin }[] = [];
  const lent = () => running.flatMap(({ started }) => started.engines?.() ?? []);
  // One plugin tells of services, as one has the page.
  const services = () => running.find(({ started }) => started.services)?.started.services?.() ?? NO_SERVICES;
  const stacks = () => running.find(({ started }) => started.stacks)?.started.stacks ?? null;
  for (const plugin of plugins) {
    const { name, summary, version } = plugin;
    const about = { name, summary, version, enabled: settings.has(name) };
    if (!about.enabled) {
      const reason = plugin.optIn ? "Off unless the settings name it" : "Switched off by the settings";
      reports.push({ ...about, state: "disabled", reason, routes: [] });
      continue;
    }
    const outcome = running.some((other) => other.plugin.site !== null) && plugin.site !== null
      ? "Another plugin already serves the page; switch one of them off"
      : await startOne(
        plugin,
        settings.get(name),
        { ...hostOf(name), engines: plugin.uses.includes("engines") ? lent : notLent, services, stacks },
        log,
      );
    if (typeof outcome === "string") {
      reports.push({ ...about, state: "failed", reason: outcome, routes: [] });
    } else {
      running.push({ plugin, started: outcome });
      reports.push({ ...about, state: "running", routes: plugin.routes.map(nameOf) });
    }
  }
  return {
    reports,
    routers: running.flatMap(({ started }) => started.routes ?? []),
    feeds: running.flatMap(({ started }) => started.feeds ?? []),
    runtime: joinRuntimes(running.flatMap(({ started }) => started.runtime ?? [])),
    tags: Object.assign({}, ...running.map(({ plugin }) => plugin.tags)),
    site: running.find(({ plugin }) => plugin.site !== null)?.plugin.site ?? null,
    explainMissing: explainer(plugins, reports),
    async [Symbol.asyncDispose]() {
      for (const { plugin, started } of running.reverse()) await stopOne(plugin, started, log);
    },
  };
}

function notLent(): never {
  throw new Error('A plugin that works with engines declares uses: ["engines"]');
}

/** Two plugins that declare the same name or code are a mistake in `plugins/plugins.ts`. */
function mustNotClash(plugins: readonly Plugin[]): void {
  for (
    const names of [
      plugins.map(({ name }) => name),
      [...CORE_CODES, ...plugins.flatMap(({ errors }) => Object.keys(errors))],
    ]
  ) {
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new Error(`Two plugins, or a plugin and the core, declare "${twice}"`);
  }
}

/** The running plugin, or why it does not run, in words that hold nothing internal. */
async function startOne(
  plugin: Plugin,
  settings: unknown,
  host: PluginHost,
  log: Log,
): Promise<RunningPlugin | string> {
  try {
    const checked = settings as Parameters<Plugin["start"]>[1]; // by its own schema, before
    for (const descriptor of [...plugin.needs(checked), ...siteNeeds(plugin)]) {
      const { state } = await Deno.permissions.query(descriptor);
      if (state !== "granted") {
        log.error("A plugin lacks a permission", { plugin: plugin.name, descriptor });
        return `It lacks the permission --allow-${descriptor.name}; the log says for what`;
      }
    }
    const started = await plugin.start(host, checked);
    const wrong = undeclared(plugin, started);
    if (wrong.length === 0) return started;
    log.error("A plugin's routes are not those that it declares", { plugin: plugin.name, routes: wrong });
    await stopOne(plugin, started, log);
    return "Its routes are not those that it declares; the log says which";
  } catch (error) {
    log.error("A plugin failed to start", { plugin: plugin.name, error });
    return error instanceof ServiceError ? error.message : "It failed to start; the log says why";
  }
}

function siteNeeds({ site }: Plugin): Deno.PermissionDescriptor[] {
  return site?.files instanceof URL ? [{ name: "read", path: site.files }] : [];
}

/** The routes that are declared or served, but not both. */
function undeclared(plugin: Plugin, { routes }: RunningPlugin): string[] {
  const declared = new Set(plugin.routes.map(nameOf));
  const served = new Set((routes?.entries ?? []).map(({ route }) => nameOf(route)));
  return [...declared.symmetricDifference(served)];
}

async function stopOne(plugin: Plugin, started: RunningPlugin, log: Log): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => timer = setTimeout(() => resolve("late"), STOP_MS));
  try {
    const ended = await Promise.race([started[Symbol.asyncDispose](), late]);
    if (ended === "late") {
      log.error("A plugin did not stop in time", { plugin: plugin.name, waitedMs: STOP_MS });
    }
  } catch (error) {
    log.error("A plugin failed to stop", { plugin: plugin.name, error });
  } finally {
    clearTimeout(timer);
  }
}

/** Answers for every path at or below a route of a plugin that does not run, and for its page at `/`. */
function explainer(plugins: readonly Plugin[], reports: readonly PluginReport[]): Plugins["explainMissing"] {
  const absent = plugins.flatMap(({ routes, site }, index) => {
    const { name, state } = reports[index]!; // one for each plugin, in the same order
    if (state === "running") return [];
    const patterns = routes.map(({ path }) => patternOf(path));
    return [...patterns, ...(site === null ? [] : [/^\/$/])].map((pattern) => ({ name, state, pattern }));
  });
  return (path) => {
    const found = absent.find(({ pattern }) => pattern.test(path));
    if (found === undefined) return null;
    return found.state === "disabled"
      ? new ServiceError(
        "plugin_disabled",
        `Plugin "${found.name}" is switched off; name it in the setting "plugins" to use this route`,
      )
      : new ServiceError(
        "plugin_failed",
        `Plugin "${found.name}" failed to start; see /api/system/plugins and the log`,
      );
  };
}

function patternOf(path: string): RegExp {
  const parts = path.split("/").map((part) =>
    part.startsWith("{") ? (part.endsWith("...}") ? ".+" : "[^/]+") : RegExp.escape(part)
  );
  return new RegExp(`^/api${parts.join("/")}(?:/|$)`);
}
