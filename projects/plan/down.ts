/** Plans how a project is taken down, stopped, or started again. */

import type { Unit } from "../../artifacts/artifact.ts";
import type { Draft } from "./draft.ts";
import { ServiceError } from "../../core/error.ts";
import { planWith } from "../../core/remedy.ts";
import { projectOf } from "../hash/labels.ts";
import { planHooks } from "./hooks.ts";
import { applying, destroying, removing } from "./needs.ts";
import { type Link, withSharers } from "./order.ts";
import type { Reason } from "./plan_shape.ts";
import { declaredOf, named, type Scene } from "./scene.ts";
import { checkOwnRemoval, removeContainer } from "./removal.ts";

const containersOf = ({ members }: Scene, { label }: Unit) =>
  (members.get(label) ?? []).map(({ container }) => container);

/** In reverse order, then the networks that nobody else uses. */
export function planDown(scene: Scene, units: readonly Unit[], links: readonly Link[], draft: Draft): void {
  const removed = new Map<string, number[]>();
  for (const unit of [...units].reverse()) {
    const dependants = links.filter(({ to }) => to === unit.id).flatMap(({ from }) =>
      removed.get(from) ?? []
    );
    const of = declaredOf(scene.model, scene.group, unit);
    const going = [
      ...containersOf(scene, unit).map((container) => ({ container, of })),
      ...(scene.leftovers.get(unit.label) ?? []).map((container) => ({ container, of: null })),
    ];
    if (of !== null) { for (const one of containersOf(scene, unit)) checkOwnRemoval(draft, of, one); }
    const steps = going.map(({ container, of }) =>
      removeContainer(scene, draft, container, {
        of,
        code: "down",
        needs: [removing(scene)],
        after: dependants,
      })
    );
    removed.set(unit.id, steps);
  }
  const gone = new Set(
    units.flatMap((unit) => [...containersOf(scene, unit), ...scene.leftovers.get(unit.label) ?? []])
      .map(({ id }) => id),
  );
  if (units.length === scene.members.size) { for (const { id } of scene.orphans) gone.add(id); }
  for (const { kind, name, external } of scene.group.resources) {
    if (kind !== "network" || external || name === null) continue;
    const held = scene.holdings.networks.find((one) =>
      one.name === name && one.backend === scene.backend.name
    );
    if (held === undefined || held.users.some(({ id }) => !gone.has(id))) continue;
    if (projectOf(held.labels) !== scene.group.project) continue;
    draft.add({
      kind: "network.remove",
      target: name,
      unit: null,
      why: [{ code: "down" }],
      after: [...removed.values()].flat(),
      needs: [applying(scene)],
    });
  }
}

/** Removes no volume after all. */
const KEEP = planWith("volumes", null);

/**
 * After all containers the volumes that were named, and no others. Answers those of the project that stay. Throws
 * `artifact_not_found` for one that the group does not have.
 */
export function planVolumes(scene: Scene, asked: readonly string[], draft: Draft): string[] {
  const { group, holdings, backend } = scene;
  const volumes = group.resources.filter(({ kind }) => kind === "volume");
  for (const name of asked) {
    if (volumes.some((one) => one.name === name)) continue;
    throw new ServiceError("artifact_not_found", `No volume "${name}" in the group "${group.name}"`);
  }
  const removed = draft.steps.filter(({ kind }) => kind === "container.remove");
  const going = new Set(removed.map(({ target }) => target));
  const stays: string[] = [];
  for (const { name, external, at, id } of volumes) {
    const held = holdings.volumes.find((one) => one.name === name && one.backend === backend.name);
    if (name === null || held === undefined) continue;
    const isOwn = !external && projectOf(held.labels) === group.project;
    if (!asked.includes(name)) {
      if (isOwn) stays.push(name);
      continue;
    }
    if (!isOwn) {
      const whose = external ? "external" : "not the project's own";
      const message = `The volume "${name}" is ${whose}: it is never removed here`;
      draft.block("project/not-own", message, at, id, [KEEP]);
      continue;
    }
    const users = held.users.filter((one) => !going.has(one.name));
    if (users.length > 0) {
      const names = named(users, (one) => scene.sees.container(one));
      draft.block("project/volume-in-use", `The volume "${name}" is in use: ${names}`, at, id, [KEEP]);
      continue;
    }
    draft.add({
      kind: "volume.remove",
      target: name,
      unit: null,
      why: [{ code: "asked" }],
      after: removed.map(({ n }) => n),
      needs: [destroying(scene)],
      risk: "dataLoss",
    });
  }
  return stays;
}

const RUNS = ["running", "restarting"];

/** In reverse order. Answers how many containers stay as they are. */
export function planStop(
  scene: Scene,
  units: readonly Unit[],
  links: readonly Link[],
  draft: Draft,
): number {
  const stopped = new Map<string, number[]>();
  let unchanged = 0;
  for (const unit of [...units].reverse()) {
    const members = containersOf(scene, unit);
    const up = members.filter(({ state }) => state === "paused" || RUNS.includes(state));
    const after = links.filter(({ to }) => to === unit.id).flatMap(({ from }) => stopped.get(from) ?? []);
    const of = declaredOf(scene.model, scene.group, unit);
    if (of !== null) { for (const one of up) checkOwnRemoval(draft, of, one); }
    const steps = up.map(({ name }) =>
      draft.add({
        kind: "container.stop",
        target: name,
        unit: unit.id,
        why: [{ code: "asked" }],
        after: planHooks(scene, draft, of, { when: "preStop", container: name, after }),
        needs: [applying(scene)],
        risk: "interruption",
      })
    );
    stopped.set(unit.id, steps);
    unchanged += members.length - up.length;
  }
  return unchanged;
}

/**
 * Each after what it depends on. Who shares a namespace with one of them is started again, too, for it has lost its
 * network; a container that does not run is left alone. Answers how many containers stay as they are.
 */
export function planRestart(
  scene: Scene,
  units: readonly Unit[],
  links: readonly Link[],
  draft: Draft,
): number {
  const restarts = new Map<string, number[]>();
  /** Them, or the last of the hooks behind them. */
  const done = new Map<string, number[]>();
  let unchanged = 0;
  for (const unit of withSharers(scene.group, units, links, ["namespace"])) {
    const from = links.filter((link) => link.from === unit.id);
    const members = containersOf(scene, unit);
    const up = members.filter(({ state }) => RUNS.includes(state));
    const parents = from.filter(({ kind }) => kind === "namespace").flatMap(({ to }) =>
      restarts.get(to) ?? []
    );
    const why: Reason[] = units.includes(unit)
      ? [{ code: "asked" }]
      : parents.map((step) => ({ code: "followsFrom", step, how: "namespace" }));
    const of = declaredOf(scene.model, scene.group, unit);
    const after = from.flatMap(({ to }) => done.get(to) ?? []);
    const restarted = why.length === 0 ? [] : up;
    const last: number[] = [];
    const steps = restarted.map(({ name }) => {
      const restart = draft.add({
        kind: "container.restart",
        target: name,
        unit: unit.id,
        why,
        after: planHooks(scene, draft, of, { when: "preStop", container: name, after }),
        needs: [applying(scene)],
        risk: "interruption",
      });
      last.push(...planHooks(scene, draft, of, { when: "postStart", container: name, after: [restart] }));
      return restart;
    });
    restarts.set(unit.id, steps);
    done.set(unit.id, last);
    unchanged += members.length - restarted.length;
  }
  return unchanged;
}
