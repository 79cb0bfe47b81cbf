/** `berth.yaml`: the settings of a workspace. */

import type { ArtifactFile, Finding, Node, Settings } from "../artifact.ts";
import type { Severity } from "../kinds.ts";
import { BUDGETS, type Budgets } from "../files/budgets.ts";
import { entriesOf, isNull, numberOf, oneOrMany, textOf, valueAt } from "../yaml/values.ts";

export interface ReadSettings {
  readonly settings: Settings;
  readonly budgets: Budgets;
  readonly findings: readonly Finding[];
}

const SEVERITIES = new Set(["error", "warning", "info", "hint", "off"]);
const KEYS = new Set(["ignore", "rules", "limits", "paths", "projects", "stacks"]);

/** The settings with the limits they set; defaults without a file. */
export function readSettings(file: ArtifactFile | null, budgets: Budgets = BUDGETS): ReadSettings {
  const findings: Finding[] = [];
  const root = file?.documents[0];
  const rules = new Map<string, Severity | "off">();
  const projects = namesIn(valueAt(root, "projects"));
  const stacks = namesIn(valueAt(root, "stacks"));
  const paths: { from: string; to: string }[] = [];
  const wrong = (at: Node, message: string) => findings.push({ code: "schema/invalid", message, at });

  if (root && root.kind !== "mapping" && !isNull(root)) wrong(root, "berth.yaml must be a mapping");
  for (const [key, entry] of entriesOf(root)) {
    if (!KEYS.has(key)) {
      findings.push({ code: "schema/unknown-property", message: `Unknown property "${key}"`, at: entry.key });
    }
  }
  for (const [code, entry] of entriesOf(valueAt(root, "rules"))) {
    const severity = textOf(entry.value) ?? "";
    if (isSeverity(severity)) rules.set(code, severity);
    else wrong(entry.value, `rules.${code}: use error, warning, info, hint or off`);
  }
  for (const item of oneOrMany(valueAt(root, "paths"))) {
    const from = textOf(valueAt(item, "from"));
    const to = textOf(valueAt(item, "to"));
    if (from !== null && to !== null) paths.push({ from, to });
    else wrong(item, 'paths: each entry needs "from" and "to"');
  }
  const ignore = oneOrMany(valueAt(root, "ignore")).map(textOf).filter((line) => line !== null);
  const limits = valueAt(root, "limits");
  // A workspace may ask for less than the service allows, never for more.
  const limit = (key: "depth" | "entries" | "files") =>
    Math.max(1, Math.min(numberOf(valueAt(limits, key)) ?? budgets[key], budgets[key]));
  return {
    settings: { rules, projects, stacks, paths, ignore },
    budgets: { ...budgets, depth: limit("depth"), entries: limit("entries"), files: limit("files") },
    findings,
  };
}

function namesIn(map: Node | null): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, entry] of entriesOf(map)) {
    const group = textOf(entry.value);
    if (group !== null) names.set(name, group);
  }
  return names;
}

function isSeverity(text: string): text is Severity | "off" {
  return SEVERITIES.has(text);
}
