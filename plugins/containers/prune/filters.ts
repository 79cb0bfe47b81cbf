/** Selects what a prune may remove, by age and by label. */
import * as z from "../../../core/schema.ts";

const DURATION = /^(\d{1,6})(s|m|h|d)$/;
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const PruneFilters = z.strictObject({
  until: z.string().max(64).refine(
    (text) => momentOf(text, new Date()) !== null,
    'Expected a time, or an age like "24h"',
  ).meta({ pattern: `${DURATION.source}|${z.regexes.datetime({ offset: true, local: true }).source}` })
    .optional().describe("Only what was made before this time, or longer ago than this age"),
  labels: z.array(z.string().min(1).max(512)).max(16).optional().describe(
    "Only what has all of them: `name` or `name=value`",
  ),
  tagged: z.boolean().optional().describe("Images that have a name but no container, too"),
  declared: z.boolean().optional().describe(
    "Also what files of registered folders declare, such as the volumes of a project that is down",
  ),
}).meta({ id: "PruneFilters" });
export type PruneFilters = z.infer<typeof PruneFilters>;

interface Prunable {
  readonly createdAt: string | null;
  readonly labels: Readonly<Record<string, string>>;
}

/** An object of unknown age never passes `until`. */
export function passes(one: Prunable, filters: PruneFilters, now: Date): boolean {
  if (filters.until !== undefined) {
    const moment = momentOf(filters.until, now);
    if (moment === null || one.createdAt === null || Date.parse(one.createdAt) >= moment) return false;
  }
  return (filters.labels ?? []).every((wanted) => {
    const equals = wanted.indexOf("=");
    return equals < 0
      ? Object.hasOwn(one.labels, wanted)
      : Object.hasOwn(one.labels, wanted.slice(0, equals)) &&
        one.labels[wanted.slice(0, equals)] === wanted.slice(equals + 1);
  });
}

/** Milliseconds since 1970; null for what is neither a time nor an age. */
function momentOf(text: string, now: Date): number | null {
  const age = DURATION.exec(text);
  if (age !== null) return now.getTime() - Number(age[1]) * UNIT_MS[age[2] as keyof typeof UNIT_MS]; // one of four
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}
