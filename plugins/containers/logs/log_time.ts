/** The times before log lines: RFC 3339 with up to nine digits, compared to the nanosecond. */
import { engineError } from "../../../engines/calls/errors.ts";

export interface LogTime {
  readonly seconds: number;
  readonly nanos: number;
}

const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/;

/** Null for a text that is no time. */
export function readLogTime(text: string): LogTime | null {
  const match = RFC3339.exec(text);
  if (match === null) return null;
  const ms = Date.parse(`${match[1]}${match[3]}`);
  if (Number.isNaN(ms)) return null;
  return { seconds: ms / 1000, nanos: Number((match[2] ?? "").padEnd(9, "0")) };
}

export function compareLogTimes(one: LogTime, other: LogTime): number {
  return one.seconds - other.seconds || one.nanos - other.nanos;
}

/** The time in UTC, with as many digits as before. */
export function inUtc(text: string): string {
  if (text.endsWith("Z")) return text;
  const time = readLogTime(text);
  if (time === null) return text;
  const fraction = /\.\d+/.exec(text)?.[0] ?? "";
  return `${new Date(time.seconds * 1000).toISOString().slice(0, 19)}${fraction}Z`;
}

/** A time as engines take it for `since` and `until`. */
export function engineTime({ seconds, nanos }: LogTime): string {
  return `${seconds}.${String(nanos).padStart(9, "0")}`;
}

/** A caller's time: RFC 3339, seconds since 1970, or a duration back from now such as `10m`. */
export function readCallersTime(text: string, nowMs = Date.now()): LogTime {
  const duration = /^(\d{1,9})(s|m|h|d)$/.exec(text);
  if (duration !== null) {
    const unit = { s: 1, m: 60, h: 3_600, d: 86_400 }[duration[2] as "s" | "m" | "h" | "d"]; // the pattern's
    return ofMs(nowMs - Number(duration[1]) * unit * 1000);
  }
  const seconds = /^(\d{1,11})(?:\.(\d{1,9}))?$/.exec(text);
  if (seconds !== null) {
    return { seconds: Number(seconds[1]), nanos: Number((seconds[2] ?? "").padEnd(9, "0")) };
  }
  const time = readLogTime(text);
  if (time === null || time.seconds < 0) {
    throw engineError("invalid_request", "Cannot read the logs: a time is not valid", {
      errors: [{
        path: "query",
        message: `Expected RFC 3339, seconds since 1970 or a duration such as "10m"`,
      }],
    });
  }
  return time;
}

/** A second before the time of an event: the first lines may be earlier than the word that a container has started. */
export function justBefore(text: string): LogTime | null {
  const time = readLogTime(text);
  return time === null ? null : { ...time, seconds: Math.max(0, time.seconds - 1) };
}

export function ofMs(ms: number): LogTime {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  return { seconds, nanos: Math.floor(Math.max(0, ms) - seconds * 1000) * 1_000_000 };
}
