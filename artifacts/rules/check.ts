/** Runs every rule over a model, and applies its settings to what they find. */

import type { Finding, Group, Model } from "../artifact.ts";
import { graphOf, mainGroups } from "../graph/graph.ts";
import { namesOf } from "../graph/names.ts";
import { checkCards } from "./card.ts";
import type { RuleCode } from "./catalog.ts";
import { checkComposeFile } from "./compose_file.ts";
import { checkService } from "./compose_service.ts";
import { checkValues } from "./compose_value.ts";
import { checkConditions } from "./condition.ts";
import { checkGraph } from "./cycle.ts";
import { checkEnvironment } from "./env.ts";
import { checkPaths } from "./file.ts";
import { checkImage } from "./image.ts";
import { checkNames } from "./name.ts";
import { checkOperation, OPERATION_CODES } from "./operation.ts";
import { checkPorts } from "./port.ts";
import { checkGroupReferences, checkNativeReferences } from "./ref.ts";
import { sayInto } from "./say.ts";
import { checkShapes, checkWhole } from "./schema.ts";
import { checkSecurity } from "./security.ts";
import { judge, type Judged, wantsRule } from "./settings.ts";
import { findingsOfVariables } from "./unset.ts";
import { checkUnused } from "./unused.ts";

const ofGroup = new WeakMap<Group, readonly Finding[]>();
const ofModel = new WeakMap<Model, Judged>();

/** Every finding with its severity, and how many were silenced. Worked out once for a model. */
export function check(model: Model): Judged {
  let judged = ofModel.get(model);
  if (judged === undefined) ofModel.set(model, judged = judge(model, collect(model)));
  return judged;
}

/** How many errors and warnings there are about each node; nodes without any are left out. */
export function problemCounts(model: Model): Map<string, { error: number; warning: number }> {
  const counts = new Map<string, { error: number; warning: number }>();
  for (const { subject, severity } of check(model).findings) {
    if (subject === undefined || (severity !== "error" && severity !== "warning")) continue;
    const count = counts.get(subject);
    if (count) count[severity]++;
    else counts.set(subject, { error: 0, warning: 0, [severity]: 1 });
  }
  return counts;
}

/** How long the rules run before the event loop gets a turn. */
const TURN_MS = 15;
/** From this many units on, graph and names are each made in a turn of their own. */
const MANY = 5_000;

const turn = () => new Promise<void>((done) => setTimeout(done));

/** Like `check`, group by group, with turns for the event loop in between. */
export async function checkInTurns(model: Model): Promise<Judged> {
  if (!ofModel.has(model)) {
    let began = performance.now();
    for (const group of model.groups) {
      checkGroup(group);
      if (performance.now() - began < TURN_MS) continue;
      await turn();
      began = performance.now();
    }
    for (const make of [graphOf, namesOf]) {
      make(model);
      if (model.units.length > MANY) await turn();
    }
  }
  return check(model);
}

function* collect(model: Model): Iterable<Finding> {
  yield* model.findings;
  for (const file of model.files) yield* file.findings;
  for (const group of model.groups) {
    yield* checkGroup(group);
  }
  yield* acrossGroups(model);
}

/** Findings that need one group alone, worked out once for it. */
function checkGroup(group: Group): readonly Finding[] {
  const known = ofGroup.get(group);
  if (known !== undefined) return known;
  const findings: Finding[] = [];
  const say = sayInto(findings);
  findings.push(...findingsOfVariables(group), ...checkShapes(group));
  // An included file is checked as a part of the file that includes it.
  if (group.standing !== "included") {
    const whole = group.standing === "main";
    checkComposeFile(group, say);
    for (const unit of group.units) {
      checkService(group, unit, whole, say);
      checkValues(unit, say);
      checkSecurity(unit, say);
      if (!whole) continue;
      checkImage(unit, say);
    }
    if (whole) {
      checkWhole(group, say);
      checkGroupReferences(group, say);
      checkConditions(group, say);
      checkPaths(group, say);
      checkUnused(group, say);
      checkEnvironment(group, say);
    }
  }
  ofGroup.set(group, findings);
  return findings;
}

/** Findings that need all groups. */
function acrossGroups(model: Model): readonly Finding[] {
  const findings: Finding[] = [];
  const say = sayInto(findings);
  const wants = (code: RuleCode) => wantsRule(model, code);
  if (OPERATION_CODES.some(wants)) {
    for (const group of mainGroups(model)) for (const unit of group.units) checkOperation(unit, say);
  }
  checkNativeReferences(model, say);
  checkGraph(model, wants, say);
  checkNames(model, say);
  checkPorts(model, say);
  checkCards(model, say);
  return findings;
}
