/** Quiet hours: times of the day in a time zone. */
import type { QuietHours } from "../../core/notices.ts";

/** Returns true while the target is told nothing; `from` may be later than `to`, over midnight. */
export function isQuiet({ from, to, zone }: QuietHours, at: number): boolean {
  const time = timeIn(zone, at);
  return from <= to ? from <= time && time < to : from <= time || time < to;
}

/** Returns the time of the day, as `07:05`. */
function timeIn(zone: string, at: number): string {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  })
    .format(at);
}
