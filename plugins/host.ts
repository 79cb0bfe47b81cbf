/** Starts plugins in order and stops them in reverse; one that cannot start is reported, and the rest goes on. */
import { ServiceError } from "../core/error.ts";
import type { Log } from "../core/log.ts";
import type { ContainerRuntime } from "../core/runtime.ts";
import type { Router } from "../http/router.ts";
import type { Plugin, PluginHost, RunningPlugin } from "./plugin.ts";

export type PluginState = "running" | "disabled" | "failed";

/** How one plugin is doing, as /api/system/plugins shows it. */
export interface PluginReport {
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  readonly enabled: boolean;
  readonly state: PluginState;
  readonly reason?: string;
  readonly routes: readonly string[];
}

export interface PluginSelection {
  /** Null: all of them. */
  readonly enabled: readonly string[] | null;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Plugins extends AsyncDisposable {
  readonly reports: readonly PluginReport[];
  readonly routers: readonly Router[];
  /** Null while no plugin brings one. */
  readonly runtime: ContainerRuntime | null;
  /** Why no route answers at this path, if the reason is a plugin that does not run. */
  explainMissing(path: string): ServiceError | null;
}

/** A plugin that does not stop within this time is left behind, and said so. */
const STOP_MS = 4_000;

/** All that is wrong with the settings of plugins, before any of them starts. */
export function pluginMistakes(plugins: readonly Plugin[], selection: PluginSelection): readonly string[] {
  const mistakes: string[] = [];
  const known = new Set(plugins.map(({ name }) => name));
  const names = [...known].map((name) => `"${name}"`).join(", ") || "none";
  for (const name of selection.enabled ?? []) {
    if (!known.has(name)) mistakes.push(`plugins: there is no plugin "${name}", only ${names}`);
  }
  for (const name of Object.keys(selection.settings)) {
    if (!known.has(name)) mistakes.push(`pluginSettings: there is no plugin "${name}", only ${names}`);
  }
  for (const plugin of plugins) {
    if (!isEnabled(plugin, selection)) continue;
    const parsed = plugin.config.safeParse(selection.settings[plugin.name] ?? {});
    for (const issue of parsed.error?.issues ?? []) {
      mistakes.push(
        `${["pluginSettings", plugin.name, ...issue.path.map(String)].join(".")}: ${issue.message}`,
      );
    }
  }
  return mistakes;
}

/** `hostOf` makes what each plugin is given. The settings have been checked by `pluginMistakes`. */
export async function startPlugins(
  plugins: readonly Plugin[],
  selection: PluginSelection,
  hostOf: (name: string) => PluginHost,
  log: Log,
): Promise<Plugins> {
  const reports: PluginReport[] = [];
  const running: { readonly plugin: Plugin; readonly started: RunningPlugin }[] = [];
  for (const plugin of plugins) {
    const about = { name: plugin.name, summary: plugin.summary, version: plugin.version };
    if (!isEnabled(plugin, selection)) {
      reports.push({
        ...about,
        enabled: false,
        state: "disabled",
        reason: "Switched off by the settings",
        routes: [],
      });
      continue;
    }
    const outcome = await startOne(plugin, selection.settings[plugin.name] ?? {}, hostOf(plugin.name), log);
    if (typeof outcome === "string") {
      reports.push({ ...about, enabled: true, state: "failed", reason: outcome, routes: [] });
    } else {
      running.push({ plugin, started: outcome });
      reports.push({ ...about, enabled: true, state: "running", routes: routesOf(outcome.routes) });
    }
  }
  return {
    reports,
    routers: running.flatMap(({ started }) => started.routes ?? []),
    runtime: running.find(({ started }) => started.runtime !== undefined)?.started.runtime ?? null,
    explainMissing: (path) => explainMissing(plugins, reports, path),
    async [Symbol.asyncDispose]() {
      for (const { plugin, started } of running.reverse()) await stopOne(plugin, started, log);
    },
  };
}

function isEnabled(plugin: Plugin, { enabled }: PluginSelection): boolean {
  return enabled === null || enabled.includes(plugin.name);
}

/** The running plugin, or why it does not run, in words that hold nothing internal. */
async function startOne(
  plugin: Plugin,
  settings: unknown,
  host: PluginHost,
  log: Log,
): Promise<RunningPlugin | string> {
  try {
    const config = plugin.config.parse(settings);
    for (const descriptor of plugin.permissions(config)) {
      const { state } = await Deno.permissions.query(descriptor);
      if (state !== "granted") {
        log.error("A plugin lacks a permission", { plugin: plugin.name, descriptor });
        return `It lacks the permission --allow-${descriptor.name}; the log says for what`;
      }
    }
    return await plugin.start(host, config);
  } catch (error) {
    log.error("A plugin failed to start", { plugin: plugin.name, error });
    return error instanceof ServiceError ? error.message : "It failed to start; the log says why";
  }
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

function routesOf(routes: Router | undefined): readonly string[] {
  return (routes?.entries ?? []).map((entry) =>
    `${entry.kind === "socket" ? "WS" : entry.route.method.toUpperCase()} /api${entry.route.path}`
  );
}

function explainMissing(
  plugins: readonly Plugin[],
  reports: readonly PluginReport[],
  path: string,
): ServiceError | null {
  const owner = plugins.find(({ paths }) =>
    paths.some((own) => path === `/api/${own}` || path.startsWith(`/api/${own}/`))
  );
  const state = reports.find(({ name }) => name === owner?.name)?.state;
  if (state === "disabled") {
    return new ServiceError("plugin_disabled", `Cannot answer: the plugin "${owner?.name}" is switched off`);
  }
  if (state === "failed") {
    return new ServiceError("plugin_failed", `Cannot answer: the plugin "${owner?.name}" failed to start`);
  }
  return null;
}
