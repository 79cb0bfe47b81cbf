/** Works out what would be done about a group, and changes nothing. */

import type { Unit } from "../../artifacts/artifact.ts";
import { diagnosticOf } from "../../artifacts/report/report.ts";
import { ServiceError } from "../../core/error.ts";
import {
  blockByEngine,
  blockByErrors,
  blockByFiles,
  blockByGrants,
  blockByHooks,
  blockByHost,
  blockByLoops,
  blockByResources,
  blockByUnit,
  blockSelf,
  warnByHash,
} from "./blocked.ts";
import { blockByEncrypted } from "./encrypted.ts";
import { NO_REMEDY, planWith } from "../../core/remedy.ts";
import { Draft, edited } from "./draft.ts";
import { digestOf, type Looked, lookedAt, type Moved, movedBetween } from "./looked.ts";
import { planDown, planRestart, planStop, planVolumes } from "./down.ts";
import { removing } from "./needs.ts";
import { linksOf, ordered } from "./order.ts";
import type { PlanBody } from "./plan_shape.ts";
import type { MadePlan } from "./plans.ts";
import { type Asked, declaredOf, look, type NewerImage, type Scene } from "./scene.ts";
import { isStackPlan } from "./stack_scene.ts";
import { removeContainer } from "./removal.ts";
import { blockByTakenNames } from "./taken_names.ts";
import { planUp } from "./up.ts";

/**
 * `self` is the id of the container that berth itself runs in. Throws `engine_unavailable`, `artifact_not_found`,
 * `invalid_request`, and `forbidden` for callers who do not see the whole project.
 */
export async function makePlan(asked: Asked, self: string | null): Promise<MadePlan> {
  const { group, workspace, request } = asked;
  if (request.volumes.length > 0 && request.action !== "down") {
    const message = "Cannot plan: volumes are removed only when the project is taken down";
    const remedies = [planWith("volumes", null), planWith("action", "down")];
    throw new ServiceError("invalid_request", message, { remedies });
  }
  if (isStackPlan(asked)) return await (await import("./stack_plan.ts")).makeStackPlan(asked);
  const draft = new Draft();
  const named = unitsOf(asked);
  blockByFiles(asked, draft);
  const scene = await look(asked, draft);
  const links = linksOf(group);
  const { action } = request;
  const isUp = action === "up" || action === "update";
  const newer = action === "update" ? newerIn(asked, scene, named) : new Map<string, string>();
  const wanted = action === "update" ? named.filter(({ id }) => newer.has(id)) : named;
  if (action === "update" && wanted.length === 0) warnOfNoNewer(asked, scene, draft);
  const units = ordered(group, wanted, links) ?? blockCircle(scene, wanted, draft);
  const active = units.filter((unit) =>
    isUp ? isTouched(scene, unit, wanted) : wanted.includes(unit) && scene.members.has(unit.label)
  );
  blockSelf(scene, self, draft);
  blockByAllHooks(scene, active, draft);
  let unchanged = 0;
  if (isUp) {
    blockUp(asked, scene, active, draft);
    const check = (unit: Unit, isMade: boolean) => {
      blockByAllHooks(scene, [unit], draft);
      if (isMade) blockUp(asked, scene, [unit], draft);
    };
    const upped = planUp(scene, active, links, { request, newer, check }, draft);
    unchanged = upped.unchanged;
    active.push(...upped.followers);
  } else if (action === "restart") unchanged = planRestart(scene, active, links, draft);
  else if (action === "stop") unchanged = planStop(scene, active, links, draft);
  else planDown(scene, active, links, draft);
  const isWholeDown = action === "down" && request.units === undefined;
  if (isUp) blockByTakenNames(scene, draft);
  if (action === "up" || action === "down") {
    orphans(scene, isWholeDown || request.orphans === "remove", draft);
  }
  const keeps = action === "down" ? planVolumes(scene, request.volumes, draft) : undefined;
  const looked = lookedAt(scene);
  const plan: PlanBody = {
    workspace: workspace.id,
    group: group.name,
    project: group.project,
    backend: scene.backend.name,
    action,
    units: active.map(({ id }) => id),
    steps: draft.steps,
    unchanged,
    blocked: draft.blocked.map(diagnosticOf),
    warnings: draft.warnings.map(diagnosticOf),
    ...(keeps !== undefined && { keeps }),
    basis: {
      revision: asked.revision,
      declared: digestOf(looked.declared, scene.digest),
      observed: digestOf(looked.observed, scene.digest),
    },
  };
  return { plan, request, looked };
}

function blockByAllHooks({ model, group }: Scene, units: readonly Unit[], draft: Draft): void {
  for (const unit of units) {
    const of = declaredOf(model, group, unit);
    if (of !== null) blockByHooks(of, draft);
  }
}

/** Blocks the plan for whatever keeps these units from being brought up. */
function blockUp(asked: Asked, scene: Scene, units: readonly Unit[], draft: Draft): void {
  blockByErrors(asked, units, draft);
  blockByResources(asked, units, draft);
  for (const unit of units) {
    blockByEngine(scene, unit, draft);
    const of = declaredOf(scene.model, scene.group, unit);
    if (of === null) continue;
    blockByUnit(of, draft);
    blockByEncrypted(of, draft);
    blockByGrants(of, draft);
    blockByHost(scene, of, draft);
    blockByLoops(scene, of, draft);
    warnByHash(of, draft);
  }
}

function warnOfNoNewer(asked: Asked, scene: Scene, draft: Draft): void {
  const { group } = asked;
  const message = unitsOf(asked).some((unit) => newerImage(asked, scene, unit) !== null)
    ? "Each newer image still cools down, or went back to the old one before: name its service to update it all the same"
    : "No newer image is known: look for newer images first";
  const nothing = NO_REMEDY("there is nothing to do");
  draft.warn("project/no-newer-image", message, group.source, group.id, nothing);
}

/**
 * Returns what moved since a plan was made; `asked` is the same request on today's files. Throws as `makePlan` does.
 */
export async function movedSince(asked: Asked, looked: Looked): Promise<Moved[]> {
  if (isStackPlan(asked)) return await (await import("./stack_plan.ts")).stackMovedSince(asked, looked);
  const draft = new Draft();
  blockByFiles(asked, draft);
  const moved = movedBetween(looked, lookedAt(await look(asked, draft)));
  // New reasons to block it are no part of what it looked at: containers from elsewhere, groups of the same name.
  return [...moved, ...draft.blocked.map(({ code }): Moved => ({ what: code, how: "new" }))];
}

/** The units that were named; else all. */
function unitsOf({ group, request }: Asked): Unit[] {
  if (request.units === undefined) return group.units.filter(({ service }) => service !== null);
  return request.units.map((name) => {
    const unit = group.units.find((one) => one.id === name || one.name === name || one.label === name);
    if (unit?.service) return unit;
    throw new ServiceError("artifact_not_found", `No unit "${name}" in the group "${group.name}"`);
  });
}

/** Returns the newer digests by unit: of units that were named also those that still cool down. */
function newerIn(
  asked: Asked,
  scene: Scene,
  units: readonly Unit[],
): Map<string, string> {
  const found = new Map<string, string>();
  for (const unit of units) {
    const newer = newerImage(asked, scene, unit);
    if (newer !== null && (asked.request.units !== undefined || !newer.isHeld)) {
      found.set(unit.id, newer.digest);
    }
  }
  return found;
}

function newerImage({ newerOf }: Asked, { members }: Scene, unit: Unit): NewerImage | null {
  return newerOf(unit, members.get(unit.label)?.map(({ container }) => container) ?? []);
}

/** Enabled by a profile, asked for by name, needed by one that is, or there already. */
function isTouched({ members, group }: Scene, unit: Unit, wanted: readonly Unit[]): boolean {
  const isNamed = wanted.length < group.units.length && wanted.includes(unit);
  return unit.service?.active === true || isNamed || (members.get(unit.label)?.length ?? 0) > 0;
}

function blockCircle({ group }: Scene, wanted: readonly Unit[], draft: Draft): readonly Unit[] {
  const message = "Units depend on each other in a circle";
  draft.block("project/circle", message, group.source, group.id, edited(group.source));
  return wanted;
}

function orphans(scene: Scene, isRemoved: boolean, draft: Draft): void {
  for (const container of scene.orphans) {
    if (isRemoved) {
      removeContainer(scene, draft, container, { of: null, code: "orphan", needs: [removing(scene)] });
    } else {
      const service = container.compose?.service ?? "";
      const message =
        `Container "${container.name}" belongs to the service "${service}", which is not in the files: ` +
        "it stays";
      const remedy = planWith("orphans", "remove");
      draft.warn("project/orphan", message, scene.group.source, scene.group.id, [remedy]);
    }
  }
}
