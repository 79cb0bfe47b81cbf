/** The reasons of a unit's steps: fields that differ, and what happened to the units it depends on. */

import { locationOf } from "../../artifacts/position.ts";
import { resolvedAt } from "../../artifacts/report/values.ts";
import type { Declared } from "../fields/field.ts";
import { type FieldDifference, isOpenRow } from "../fields/table.ts";
import { containerSpec, placeholderOf } from "../specs/container_spec.ts";
import type { Fate } from "./fate.ts";
import type { Link } from "./order.ts";
import type { Reason } from "./plan_shape.ts";
import type { Member } from "./members.ts";
import type { Scene } from "./scene.ts";

/** A reason that may turn out to be none, if no step brings another image. */
export interface Follow {
  readonly reason: Reason;
  readonly ifChanged: readonly number[] | null;
}

export interface Follows {
  readonly recreate: readonly Follow[];
  readonly restart: readonly Follow[];
}

/** Returns earlier steps that a unit with these links must follow: a new container, or a new start of the old one. */
export function followsOf(links: readonly Link[], fates: ReadonlyMap<string, Fate>): Follows {
  const recreate: Follow[] = [];
  const restart: Follow[] = [];
  for (const { to, kind, restart: restarts } of links) {
    const fate = fates.get(to);
    if (fate === undefined) continue;
    const { recreated, restarted, ifChanged } = fate;
    const isShared = kind === "namespace" || kind === "volumes_from";
    const how = kind === "namespace" ? "namespace" : kind === "volumes_from" ? "volumes" : "restart";
    const step = recreated ?? restarted;
    if (step === null) continue;
    const follow: Follow = { reason: { code: "followsFrom", step, how }, ifChanged };
    if (isShared && recreated !== null) recreate.push(follow);
    // A container that shares a namespace with one that was started again has lost its network.
    else if (kind === "namespace" || (!isShared && restarts)) restart.push(follow);
  }
  return { recreate, restart };
}

/** Null where one of the reasons is certain. */
export const conditionOf = (follows: readonly Follow[]): readonly number[] | null =>
  follows.some(({ ifChanged }) => ifChanged === null)
    ? null
    : follows.flatMap(({ ifChanged }) => ifChanged ?? []);

/** An engine takes less memory from a running container only as far as it does not use it. */
export function mayBeRefused(
  of: Declared,
  { state, memoryLimitBytes, memorySwapBytes }: Member["container"],
  differences: readonly FieldDifference[],
): boolean {
  const changed = new Set(differences.map(({ row }) => row.key));
  const asked = containerSpec(
    of,
    { name: "", containerOf: placeholderOf, nameOf: placeholderOf },
    (key) => changed.has(key),
  );
  const isLess = (now: number | null | undefined, before: number | null) =>
    (now || Infinity) < (before || Infinity);
  return state === "running" &&
    (isLess(asked.memoryLimitBytes, memoryLimitBytes) || isLess(asked.memorySwapBytes, memorySwapBytes));
}

export const refusedIn = (reason: Reason): number[] =>
  reason.code === "followsFrom" && reason.how === "refused" ? [reason.step] : [];

export const staleMount = ({ field, mount, at }: FieldDifference): Reason => ({
  code: "staleMount",
  field,
  mount: mount!, // rows that ask for a restart have one
  at: locationOf(at),
});

export function reasonOf(
  { field, declared, seen, at, isAbsent, row }: FieldDifference,
  { group, model, showsValues }: Scene,
): Reason {
  const isResolved = showsValues && isOpenRow(row) && !isAbsent;
  return {
    code: "field",
    field,
    declared,
    ...(isResolved && resolvedAt(at, group, model)),
    seen,
    at: locationOf(at),
  };
}
