/** The daily time in which updates may begin by themselves. */
import type { UpdateWindow } from "../../core/updates.ts";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Returns when the window began that is open now; null while it is closed. Without a window it is always open, from a day ago on. */
export function openSince(window: UpdateWindow | null, now: number): number | null {
  if (window === null) return now - DAY_MINUTES * MINUTE_MS;
  const since = (minutesAt(window.timeZone, now) - minutesOf(window.from) + DAY_MINUTES) % DAY_MINUTES;
  const lasts = (minutesOf(window.to) - minutesOf(window.from) + DAY_MINUTES) % DAY_MINUTES;
  return since < lasts ? now - since * MINUTE_MS - (now % MINUTE_MS) : null;
}

/** Returns true for a time zone that this machine knows. */
export function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

/** Returns the minutes since midnight, as clocks of the time zone show them. */
function minutesAt(timeZone: string, now: number): number {
  const options = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone } as const;
  return minutesOf(new Intl.DateTimeFormat("en-GB", options).format(now));
}
