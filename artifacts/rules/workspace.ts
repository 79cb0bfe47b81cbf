/** Rules about the place of a workspace among the others. */

import type { Model } from "../artifact.ts";
import { ruleOf } from "./catalog.ts";
import type { JudgedFinding } from "./settings.ts";

/** Another registered workspace. */
export interface Neighbour {
  readonly workspace: { readonly name: string; readonly path: string };
}

/** Reports a folder inside that of another workspace: its artifacts then belong to both. */
export function nestedIn(model: Model, others: readonly Neighbour[]): JudgedFinding[] {
  const code = "workspace/nested";
  const set = model.settings.rules.get(code);
  if (set === "off") return [];
  return others.filter(({ workspace: { path } }) =>
    path !== model.root && model.root.startsWith(path.endsWith("/") ? path : `${path}/`)
  ).map(({ workspace }) => ({
    code,
    severity: set ?? ruleOf(code).severity,
    message: `This folder is inside the workspace "${workspace.name}"`,
    at: null,
  }));
}
