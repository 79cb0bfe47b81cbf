/** When an image is asked of its registry, or built, though it is there. */

import { nanosecondsOf } from "../../artifacts/compose/amounts.ts";
import { textOf } from "../../artifacts/yaml/values.ts";
import { type Declared, nodeAt } from "../fields/field.ts";

const HOUR_MS = 3_600_000;

/** As written; `missing` where nothing is. */
export const policyOf = (of: Declared): string => textOf(nodeAt(of, "pull_policy")) ?? "missing";

/** For `daily`, `weekly` and `every_<time>`; null for all others. */
export function pullEveryMs(of: Declared): number | null {
  const policy = policyOf(of);
  if (policy === "daily") return 24 * HOUR_MS;
  if (policy === "weekly") return 7 * 24 * HOUR_MS;
  const time = /^every_(.+)$/.exec(policy)?.[1];
  if (time === undefined) return null;
  // Go has no days and weeks, so Compose reads these itself.
  const [, count, unit] = /^(\d+)([dw])$/.exec(time) ?? [];
  if (count !== undefined) return Number(count) * (unit === "d" ? 24 : 7 * 24) * HOUR_MS;
  const nanoseconds = nanosecondsOf(time);
  return nanoseconds === null ? null : nanoseconds / 1e6;
}
