/** Runs every rule over a model, and applies its settings to what they find. */

import type { Finding, Group, Model } from "../artifact.ts";
import { isForSwarm, saysSwarm } from "../compose/swarm_target.ts";
import { yieldToEventLoop } from "../event_loop.ts";
import { graphInTurns, graphOf, mainGroups } from "../graph/graph.ts";
import { namesOf } from "../graph/names.ts";
import { checkCards } from "./card.ts";
import { isRuleCode, type RuleCode, ruleOf } from "./catalog.ts";
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
import { type Say, sayInto } from "./say.ts";
import { checkShapes, checkWhole } from "./schema.ts";
import { checkSecurity } from "./security.ts";
import { checkTarget, findingsInSwarm } from "./swarm.ts";
import { type Judged, type JudgedFinding, Judging, wantsRule } from "./settings.ts";
import { findingsOfVariables } from "./unset.ts";
import { checkUnused } from "./unused.ts";

const ofGroup = new WeakMap<Group, readonly Finding[]>();
const ofModel = new WeakMap<Model, Judged>();

/** Every finding with its severity, and how many were silenced. Worked out once for a model. */
export function check(model: Model): Judged {
  const known = ofModel.get(model);
  if (known !== undefined) return known;
  const judging = new Judging(model);
  for (const step of steps(model)) judging.take(step());
  return remember(model, judging);
}

/** Like `check`, a step at a time, with turns for the event loop in between. */
export async function checkInTurns(model: Model): Promise<Judged> {
  const judging = new Judging(model);
  if (!ofModel.has(model)) await graphInTurns(model);
  for (const step of steps(model)) {
    const known = ofModel.get(model);
    if (known !== undefined) return known;
    await yieldToEventLoop();
    judging.take(step());
  }
  return remember(model, judging);
}

function remember(model: Model, judging: Judging): Judged {
  const judged = judging.result();
  ofModel.set(model, judged);
  return judged;
}

/** Counts the errors and warnings of each node; nodes without any are left out. */
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

/** Files whose own findings are judged in one step. */
const FILES = 500;

/** All the work of checking, in pieces that are short even for a large workspace. */
function* steps(model: Model): Iterable<() => Iterable<Finding>> {
  yield () => model.findings;
  for (let first = 0; first < model.files.length; first += FILES) {
    yield () => model.files.slice(first, first + FILES).flatMap((file) => file.findings);
  }
  for (const group of model.groups) {
    if (!isForSwarm(model, group)) yield () => checkGroup(group);
    else {yield () => [
        ...ofSwarm(checkGroup(group)),
        ...group.standing === "main" ? findingsInSwarm(group) : [],
      ];}
  }
  // The graph that several rules need is made in a step of its own.
  yield () => (graphOf(model), []);
  yield () => (namesOf(model), []);
  const wants = (code: RuleCode) => wantsRule(model, code);
  const rules: readonly ((say: Say) => void)[] = [
    (say) => checkNativeReferences(model, say),
    (say) => checkGraph(model, wants, say),
    (say) => checkNames(model, say),
    (say) => checkPorts(model, say),
    (say) => checkCards(model, say),
  ];
  for (const rule of rules) yield () => found(rule);
  if (!OPERATION_CODES.some(wants)) return;
  for (const group of mainGroups(model)) {
    yield () => found((say) => group.units.forEach((unit) => checkOperation(unit, say)));
  }
}

/** Tasks have names of their own, however many there are. */
const ofSwarm = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ code }) => code !== "compose/container-name-with-scale");

function found(rule: (say: Say) => void): readonly Finding[] {
  const findings: Finding[] = [];
  rule(sayInto(findings));
  return findings;
}

/** Findings of which Compose would refuse the file, or read one of two values. */
const REFUSED = /^(?:schema\/|compose\/|yaml\/duplicate-key$|ref\/unknown-(?:link|namespace|volumes-from)$)/;

/** Returns the errors of a group's files by which it cannot run as written, as the reader found them. */
export function errorsOf(group: Group): JudgedFinding[] {
  const own = saysSwarm(group) ? ofSwarm(checkGroup(group)) : checkGroup(group);
  const all = [...group.findings, ...group.sources.flatMap(({ findings }) => findings), ...own];
  return all.flatMap((one) => {
    const severity = one.severity ?? (isRuleCode(one.code) ? ruleOf(one.code).severity : "error");
    return REFUSED.test(one.code) && severity === "error" ? [{ ...one, severity }] : [];
  });
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
      checkTarget(group, say);
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
