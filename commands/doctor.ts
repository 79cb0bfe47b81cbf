/** `berth doctor`: looks for common mistakes in the setup, and says how to mend each. */
import { type Config, readConfig, SettingsError } from "../config/config.ts";
import { isContainedHere } from "../config/container.ts";
import type { Surroundings } from "../plugins/plugin.ts";
import { checkPluginSettings } from "../plugins/plugin_settings.ts";
import { PLUGINS } from "../plugins/plugins.ts";
import { visible } from "../log/line.ts";
import type { InspectedDatabase } from "../store/postgres/inspection.ts";
import { inspectStoreFile } from "../store/sqlite/inspection.ts";
import { APPLY_CHECKS } from "./doctor/applies.ts";
import { DATA_CHECKS } from "./doctor/data.ts";
import { type Finding } from "../core/finding.ts";
import { type Check, type Setup } from "./doctor/check.ts";
import { FOLDER_CHECKS } from "./doctor/folders.ts";
import { NETWORK_CHECKS } from "./doctor/network.ts";
import { PEOPLE_CHECKS } from "./doctor/people.ts";
import { PROCESS_CHECKS } from "./doctor/process.ts";
import { writeOut } from "./output.ts";
import type { Line } from "./command.ts";

export const CHECKS: readonly Check[] = [
  ...DATA_CHECKS,
  ...PROCESS_CHECKS,
  ...NETWORK_CHECKS,
  ...PEOPLE_CHECKS,
  ...FOLDER_CHECKS,
  ...APPLY_CHECKS,
];

interface Looked {
  readonly check: string;
  readonly findings: readonly Finding[];
}

/** Answers 1 when something must be mended. */
export async function run(line: Line): Promise<number> {
  const looked = await lookAtAll();
  const all = looked.flatMap(({ findings }) => findings);
  writeOut(
    line.option("--json") === undefined ? shown(looked) : `${JSON.stringify({ checks: looked }, null, 2)}\n`,
  );
  return all.some(({ level }) => level === "wrong") ? 1 : 0;
}

async function lookAtAll(): Promise<readonly Looked[]> {
  let setup: Setup;
  let settingsOf: ReadonlyMap<string, unknown>;
  try {
    const config = await readConfig(
      undefined,
      (given) => Promise.resolve(checkPluginSettings(PLUGINS, given).mistakes),
    );
    const { settings, mistakes } = checkPluginSettings(PLUGINS, config);
    if (mistakes.length > 0) throw new SettingsError(mistakes);
    settingsOf = settings;
    const database = config.database === null ? null : await lookAtDatabase(config.database);
    setup = {
      config,
      database,
      isContained: await isContainedHere(),
      uid: Deno.uid(),
      store: database ?? await inspectStoreFile(`${config.data}/berth.db`),
    };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const mend = "docs/settings.md lists all settings; nothing else can be looked at before";
    return [{ check: "settings", findings: error.mistakes.map((what) => ({ level: "wrong", what, mend })) }];
  }
  const looked: Looked[] = [{ check: "settings", findings: [] }];
  for (const { name, look } of CHECKS) looked.push({ check: name, findings: await look(setup) });
  for (const plugin of PLUGINS) {
    const settings = settingsOf.get(plugin.name);
    if (settings === undefined) continue; // it does not run
    // What a plugin's own schema has checked
    const findings = await plugin.examine(settings as Record<string, unknown>, surroundingsOf(setup));
    looked.push({ check: plugin.name, findings });
  }
  return looked;
}

export function surroundingsOf({ isContained, store, database }: Setup): Surroundings {
  const isKnown = (store.state === "whole" || store.state === "absent") &&
    (database?.failure ?? null) === null;
  return { isContained, applies: isKnown ? store.applies : null };
}

/** Its driver is read only where it is needed. */
async function lookAtDatabase(settings: NonNullable<Config["database"]>): Promise<InspectedDatabase> {
  const { inspectDatabase } = await import("../store/postgres/inspection.ts");
  return await inspectDatabase(settings);
}

function shown(looked: readonly Looked[]): string {
  const lines: string[] = [];
  for (const { check, findings } of looked) {
    if (findings.length === 0) lines.push(`ok     ${check}`);
    for (const { level, what, mend } of findings) {
      lines.push(`${level.padEnd(6)} ${check}: ${visible(what)}`, `       → ${visible(mend)}`);
    }
  }
  const all = looked.flatMap(({ findings }) => findings);
  const count = (level: Finding["level"]) => all.filter((finding) => finding.level === level).length;
  lines.push("", `${looked.length} checks: ${count("wrong")} wrong, ${count("risky")} risky`);
  return `${lines.join("\n")}\n`;
}
