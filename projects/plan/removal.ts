/** The steps that stop and remove containers, and those that applies left aside. */

import type { Declared } from "../fields/field.ts";
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
