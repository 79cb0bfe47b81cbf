/** The steps that stop and remove containers, and those that applies left aside. */

import type { Resource } from "../../artifacts/artifact.ts";
import { NO_REMEDY } from "../../core/remedy.ts";
import type { Declared } from "../fields/field.ts";
import { carriedOver } from "../specs/carried_over.ts";
import { plannedSpec, unknownsOf } from "../specs/container_spec.ts";
import { lostWith, removesItself } from "../specs/removes_itself.ts";
import type { Draft, NewStep } from "./draft.ts";
import { planHooks } from "./hooks.ts";
import { applying } from "./needs.ts";
import type { Reason } from "./plan_shape.ts";
import type { Member } from "./members.ts";
import type { Scene } from "./scene.ts";

export const isUp = ({ state }: Pick<Member["container"], "state">): boolean =>
  ["running", "restarting", "paused"].includes(state);

/** The common part of the steps for a container that an apply left aside. */
export const leftover = (scene: Scene, { name }: Pick<Member["container"], "name">) => ({
  target: name,
  unit: null,
  why: [{ code: "leftOver" as const }],
  needs: [applying(scene)],
});

/** Stops a container if it runs, and removes it; its volumes stay. */
export function removeContainer(
  scene: Scene,
  draft: Draft,
  { name, state }: Pick<Member["container"], "name" | "state">,
  { of, code, needs, after = [] }: {
    /** Null for one whose service is not in the files. */
    readonly of: Declared | null;
    readonly code: "scaleDown" | "orphan" | "leftOver" | "down";
    readonly needs: NewStep["needs"];
    readonly after?: readonly number[];
  },
): number {
  const why: Reason[] = [{ code }];
  const runs = isUp({ state });
  const base = { target: name, unit: of?.unit.id ?? null, why, needs };
  const hooked = runs ? planHooks(scene, draft, of, { when: "preStop", container: name, after }) : after;
  const stopped = runs
    ? [draft.add({ ...base, kind: "container.stop", after: hooked, risk: "interruption" })]
    : [...after];
  return draft.add({ ...base, kind: "container.remove", after: stopped });
}

/** Blocks a stop of a container of `--rm` that would take data along, and warns of one that takes the container alone. */
export function checkOwnRemoval(
  draft: Draft,
  { unit }: Pick<Declared, "unit">,
  container: Member["container"],
): void {
  if (!isUp(container) || !removesItself(container)) return;
  const message =
    `Container "${container.name}" was made with --rm: its engine removes it as soon as it stops`;
  const lost = lostWith(container).map((target) => `"${target}"`).join(", ");
  if (lost === "") return draft.warn("project/removes-itself", message, unit.source, unit.id, BY_ITS_ENGINE);
  const told =
    `${message}, and the volumes without a name at ${lost} with it. Copy their data, and stop it yourself`;
  draft.block("project/removes-itself", told, unit.source, unit.id, BY_ITS_ENGINE);
}

/** Blocks a replacement of a container of `--rm` that would lose data, and warns of one without a way back. */
export function checkOwnReplacement(draft: Draft, of: Declared, container: Member["container"]): void {
  if (!removesItself(container)) return;
  const { unit } = of;
  const message =
    `Container "${container.name}" was made with --rm: its engine removes it as soon as it stops`;
  const mounts = carriedOver(plannedSpec(of), container);
  // A value that is not known blocks the plan by itself.
  const lost = unknownsOf(of).length > 0 ? [] : lostWith(container, mounts);
  if (lost.length > 0) {
    const places = lost.map((target) => `"${target}"`).join(", ");
    const told =
      `${message}, and its volume without a name at ${places}, which the new one would not mount, with it: let the ` +
      "file keep a volume without a name there, or copy its data and remove the container yourself";
    return draft.block("project/removes-itself", told, unit.source, unit.id, BY_ITS_ENGINE);
  }
  if (!isUp(container)) return;
  const told = `${message}, so it cannot come back if the new one fails`;
  draft.warn("project/removes-itself", told, unit.source, unit.id, BY_ITS_ENGINE);
}

/** Blocks the replacement of a network whose members would not be there any more to connect. */
export function blockByOwnRemoval(
  draft: Draft,
  { at, id }: Pick<Resource, "at" | "id">,
  network: string,
  users: readonly Member["container"][],
): boolean {
  const going = users.filter((one) => isUp(one) && removesItself(one)).map(({ name }) => `"${name}"`);
  if (going.length === 0) return false;
  const message =
    `The network "${network}" must be replaced, and the engine would remove ${going.join(", ")}, made with ` +
    "--rm, as soon as it stops: take the change of the network back, and have that container replaced first";
  draft.block("project/removes-itself", message, at, id, BY_ITS_ENGINE);
  return true;
}

const BY_ITS_ENGINE = NO_REMEDY("it was said when the container was made, and no engine takes it back");
