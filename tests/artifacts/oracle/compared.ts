/** Projects read by berth and by Compose's loader, and every difference between the two. */

import type { ArtifactFile, Group, Model } from "../../../artifacts/artifact.ts";
import { mainGroups } from "../../../artifacts/graph/graph.ts";
import { WorkspaceReader } from "../../../artifacts/reading/workspace_reader.ts";
import { check } from "../../../artifacts/rules/check.ts";
import type { JudgedFinding } from "../../../artifacts/rules/settings.ts";
import { type Asked, load, type Loaded } from "./compose_go.ts";
import { fieldsOfBerth, fieldsOfCompose } from "./fields.ts";

export interface Difference {
  /** The first file of the project, from the folder that was read. */
  readonly project: string;
  /** `verdict`, or a field such as `services.web.ports`. */
  readonly field: string;
  readonly compose: unknown;
  readonly berth: unknown;
  /** Findings of berth that explain it: for a verdict its errors, or all findings where it has none. */
  readonly codes: readonly string[];
}

export interface Compared {
  readonly projects: number;
  readonly fields: number;
  readonly differences: Difference[];
}

/** No limit but the machine's: more projects may be asked for than a workspace may have. */
const LIMITS = { files: Infinity, entries: Infinity };

/** A workspace folder; the projects of it are found by berth, and Compose is asked where each of them lies. */
export async function compared(program: string, folder: string): Promise<Compared> {
  const model = await new WorkspaceReader(folder, LIMITS).read();
  const groups = mainGroups(model).filter((group) => group.files.length > 0);
  const projects = groups.map((group) => asked(model, group));
  // berth also says what is wrong with a service that no active profile enables.
  const answers = await load(program, [...projects, ...projects.map((one) => ({ ...one, profiles: ["*"] }))]);
  const differences: Difference[] = [];
  let fields = 0;
  groups.forEach((group, index) => {
    const found = compare(model, group, answers[index], answers[index + groups.length]);
    fields += found.fields;
    differences.push(...found.differences);
  });
  return { projects: groups.length, fields, differences };
}

/** Compose finds files by itself where it can, so that finding them is compared, too. */
function asked(model: Model, group: Group): Asked {
  const at = (path: string) => path === "" ? model.root : `${model.root}/${path}`;
  const isFound = group.envFiles.some((file) => /^COMPOSE_FILE=/m.test(file.text)) ||
    group.files.every(({ path }) =>
      /^\/?(?:docker-)?compose(?:\.override)?\.ya?ml$/.test(path.slice(group.folder.length))
    );
  return { folder: at(group.folder), ...(!isFound && { files: group.files.map((file) => at(file.path)) }) };
}

function compare(
  model: Model,
  group: Group,
  loaded: Loaded,
  whole: Loaded,
): { fields: number; differences: Difference[] } {
  const project = group.files[0]!.path;
  const differences: Difference[] = [];
  const findings = findingsOf(model, group);
  const refusals = findings.filter(({ severity, data }) =>
    severity === "error" || data?.["refused"] === true
  );
  const reason = loaded.error ?? whole.error;
  if ((refusals.length > 0) !== (reason !== undefined)) {
    differences.push({
      project,
      field: "verdict",
      compose: reason ?? "accepted",
      berth: refusals.length > 0 ? "refused" : "accepted",
      codes: [...new Set((refusals.length > 0 ? refusals : findings).map(({ code }) => code))],
    });
  }
  if (loaded.error !== undefined) return { fields: 1, differences };
  const theirs = fieldsOfCompose(loaded);
  const { fields: ours, unset } = fieldsOfBerth(model, group);
  const names = new Set([...theirs.keys(), ...ours.keys()]);
  for (const field of names) {
    const [compose, berth] = [theirs.get(field), ours.get(field)];
    if (JSON.stringify(compose) === JSON.stringify(berth)) continue;
    differences.push({
      project,
      field,
      compose,
      berth,
      codes: unset.has(field) ? ["env/unset-variable"] : [],
    });
  }
  return { fields: names.size + 1, differences };
}

/** Returns the findings of this project alone: several may share a file, and a finding is told once. */
function findingsOf(model: Model, group: Group): readonly JudgedFinding[] {
  const files = new Set<ArtifactFile>([...group.sources, ...group.envFiles]);
  for (const { paths } of group.units) for (const { file } of paths) if (file) files.add(file);
  const alone: Model = {
    ...model,
    groups: [group],
    units: group.units,
    cards: [],
    files: [...files],
    findings: model.findings.filter(({ at }) => at !== null && files.has(at.file)),
  };
  return check(alone).findings;
}
