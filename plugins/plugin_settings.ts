/** The settings of plugins: gathered from the environment and config.yaml, and checked, all mistakes at once. */
import { inWords } from "../core/input_words.ts";
import { nearest } from "../core/nearest.ts";
import type { Plugin } from "./plugin.ts";

/** The settings of the start, as far as they concern plugins. */
export interface GivenSettings {
  /** The plugins that run; null for those that run by default. */
  readonly plugins: readonly string[] | null;
  /** By the plugin's name. */
  readonly pluginSettings: Readonly<Record<string, unknown>>;
  /** Keys of config.yaml that are no setting of the core. */
  readonly unclaimed: Readonly<Record<string, unknown>>;
  /** Variables that begin with `BERTH_` and that the core does not read; `meant` is the core's that is nearest. */
  readonly strays: readonly { readonly name: string; readonly meant: string | null }[];
  /** The file that they stand in. */
  readonly file: string | null;
  /** Reads one environment variable; undefined for one that is empty. */
  readonly variable: (name: string) => string | undefined;
}

/** The settings of each plugin that is to run, by its name, unless there are mistakes. */
export interface CheckedSettings {
  readonly settings: ReadonlyMap<string, unknown>;
  readonly mistakes: readonly string[];
  /** Variables that begin with `BERTH_` and that nobody reads. */
  readonly unread: readonly string[];
}

/** The most edits by which a variable is taken for a misspelt known one. */
const MOST_EDITS = 2;

export function checkPluginSettings(plugins: readonly Plugin[], given: GivenSettings): CheckedSettings {
  const mistakes: string[] = [];
  const settings = new Map<string, unknown>();
  const known = new Set(plugins.map(({ name }) => name));
  const names = [...known].map((name) => `"${name}"`).join(", ") || "none";
  for (
    const [key, named] of [["plugins", given.plugins], [
      "pluginSettings",
      Object.keys(given.pluginSettings),
    ]] as const
  ) {
    for (const name of named ?? []) {
      if (!known.has(name)) mistakes.push(`${key}: there is no plugin "${name}"; there are ${names}`);
    }
  }
  const claimed = new Set(plugins.flatMap(({ variables }) => Object.values(variables).map(keyOf)));
  for (const key of Object.keys(given.unclaimed)) {
    if (!claimed.has(key)) mistakes.push(`"${key}" in "${given.file}" is not a setting`);
  }
  for (const plugin of plugins) {
    if (!isEnabled(plugin, given)) continue;
    const { values, writtenAs } = gather(plugin, given);
    const parsed = plugin.settings.safeParse(values, { error: inWords });
    if (parsed.success) settings.set(plugin.name, parsed.data);
    const places = new Set<string>();
    for (const { path: [key = "", ...inside], message } of parsed.error?.issues ?? []) {
      const place = [writtenAs(String(key)), ...inside.map(String)].join(".");
      // The first thing wrong at each place; the rest often only repeats it.
      if (!places.has(place)) mistakes.push(`${place}: ${message}`);
      places.add(place);
    }
  }
  const own = plugins.flatMap(({ variables }) => Object.values(variables));
  const unread: string[] = [];
  for (const { name, meant } of given.strays) {
    if (own.includes(name)) continue;
    const likely = meant ?? nearest(name, own, MOST_EDITS);
    if (likely === null) unread.push(name);
    else mistakes.push(`${name}: there is no such setting; did you mean ${likely}?`);
  }
  return { settings, mistakes, unread };
}

function isEnabled({ name, optIn }: Plugin, { plugins }: GivenSettings): boolean {
  return plugins === null ? !optIn : plugins.includes(name);
}

/** The environment goes before the file, and a key of the file before `pluginSettings`. */
function gather({ name, variables }: Plugin, given: GivenSettings) {
  const own = given.pluginSettings[name];
  const values: Record<string, unknown> = { ...(typeof own === "object" ? own : {}) };
  const writtenAs = new Map<string, string>();
  for (const [setting, variable] of Object.entries(variables)) {
    const key = keyOf(variable);
    if (key !== null && Object.hasOwn(given.unclaimed, key)) {
      values[setting] = given.unclaimed[key];
      writtenAs.set(setting, key);
    }
    const text = given.variable(variable);
    if (text !== undefined) {
      values[setting] = text.trim();
      writtenAs.set(setting, variable);
    }
  }
  return {
    values,
    writtenAs: (key: string) => writtenAs.get(key) ?? ["pluginSettings", name, key].join("."),
  };
}

/** `BERTH_BASE_URL` is `baseUrl` in config.yaml; a variable of somebody else's has no key there. */
export function keyOf(variable: string): string | null {
  if (!variable.startsWith("BERTH_")) return null;
  return variable.slice("BERTH_".length).toLowerCase().replace(
    /_([a-z])/g,
    (_, letter) => letter.toUpperCase(),
  );
}
