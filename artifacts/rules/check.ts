/** Runs every rule over a model and hands back what they found, settings applied. */

import type { Finding, Group, Model } from "../artifact.ts";
import { graphOf, mainGroups } from "../graph/graph.ts";
import { namesOf } from "../graph/names.ts";
import { checkCards } from "./card.ts";
import type { RuleCode } from "./catalog.ts";
import { checkGraph } from "./circle.ts";
import { checkComposeFile, checkDefaults } from "./compose_file.ts";
import { checkConditions } from "./condition.ts";
import { checkService } from "./compose_service.ts";
import { checkValues } from "./compose_value.ts";
import { checkEnvironment } from "./env.ts";
import { checkPaths } from "./file.ts";
import { checkImage } from "./image.ts";
import { checkNames } from "./name.ts";
import { checkOperation, OPERATION_CODES } from "./operation.ts";
import { checkPorts } from "./port.ts";
import { checkGroupReferences, checkNativeReferences } from "./ref.ts";
import { sayInto } from "./say.ts";
import { checkShapes } from "./schema.ts";
import { checkSecurity } from "./security.ts";
import { judge, type Judged, wantsRule } from "./settings.ts";
import { checkUnused } from "./unused.ts";

const ofGroup = new WeakMap<Group, readonly Finding[]>();
const ofModel = new WeakMap<Model, Judged>();

/** Every finding that counts, with its severity, and how many were silenced. Worked out once for a model. */
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

/** How long the rules run before others get their turn. */
const TURN_MS = 15;
/** From this many units on, what is made of all of them takes a turn of its own. */
const MANY = 5_000;

const turn = () => new Promise<void>((done) => setTimeout(done));

/** The same, a turn at a time: what groups say about themselves is worked out first, and others run between. */
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
    yield* group.findings;
    yield* checkGroup(group);
  }
  yield* acrossGroups(model);
}

/** What a group's own files say about it: kept as long as the group is the same object. */
function checkGroup(group: Group): readonly Finding[] {
  const known = ofGroup.get(group);
  if (known !== undefined) return known;
  const findings: Finding[] = [];
  const say = sayInto(findings);
  findings.push(...checkShapes(group));
  // An included file is judged as a part of what includes it.
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

/** What only shows when all groups are looked at. */
function acrossGroups(model: Model): readonly Finding[] {
  const findings: Finding[] = [];
  const say = sayInto(findings);
  const wants = (code: RuleCode) => wantsRule(model, code);
  if (OPERATION_CODES.some(wants)) {
    for (const group of mainGroups(model)) for (const unit of group.units) checkOperation(unit, say);
  }
  if (model.groups.length === 0 && model.units.length === 0 && model.cards.length === 0) {
    say("workspace/empty", null, "The folder holds no artifacts");
  }
  checkDefaults(model, say);
  checkNativeReferences(model, say);
  checkGraph(model, wants, say);
  checkNames(model, say);
  checkPorts(model, say);
  checkCards(model, say);
  return findings;
}
