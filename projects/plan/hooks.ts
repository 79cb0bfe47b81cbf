/** Hooks in a plan: each is a step of its own, before the stop of its container or after its start. */

import { locationOf } from "../../artifacts/position.ts";
import type { Declared } from "../fields/field.ts";
import { type HookKey, shownHooks } from "../fields/hooks.ts";
import type { Draft } from "./draft.ts";
import { runningCommand } from "./needs.ts";
import type { PlanHook } from "./plan_shape.ts";
import type { Scene } from "./scene.ts";

const KEYS: Readonly<Record<PlanHook["when"], HookKey>> = { postStart: "post_start", preStop: "pre_stop" };

/** The key of a service under which the hook stands. */
export const keyOfHook = ({ when }: Pick<PlanHook, "when">): HookKey => KEYS[when];

/** Which hooks of which container, and between which steps. */
export interface HooksWanted {
  readonly when: PlanHook["when"];
  readonly container: string;
  readonly after: readonly number[];
  /** The step that carries them out as a part of itself. */
  readonly within?: number;
  readonly ifChanged?: readonly number[] | null;
}

/**
 * Writes a step for each, one after the other; answers what whatever follows them comes after. Null for a container
 * whose service is not in the files: then nobody knows of hooks.
 */
export function planHooks(
  scene: Scene,
  draft: Draft,
  of: Declared | null,
  { when, container, after, within, ifChanged = null }: HooksWanted,
): readonly number[] {
  const key = KEYS[when];
  if (of === null) return after;
  let before = after;
  for (const [index, { at, ...hook }] of shownHooks(of, key).entries()) {
    before = [
      draft.add({
        kind: "hook.run",
        target: container,
        unit: of.unit.id,
        why: [{ code: "hook", at: locationOf(at) }],
        after: before,
        needs: runningCommand(scene, hook, at),
        ifChanged,
        hook: { when, index, ...hook, command: [...hook.command], environment: [...hook.environment] },
        ...(within !== undefined && { within }),
      }),
    ];
  }
  return before;
}
