/**
 * A reader's position in a container's log. Engines do not number lines, so a position is the time of the latest line
 * and the number of lines with that time, for each stream: lines of one stream are in order, while the two streams may
 * overtake each other by a little.
 */
import type { ServiceError } from "../../../core/error.ts";
import type { Stream } from "../../../engines/frames/frames.ts";
import type { Line } from "./lines.ts";
import { compareLogTimes, engineTime, inUtc, type LogTime, ofMs, readLogTime } from "./log_time.ts";
import { engineError } from "../../../engines/calls/errors.ts";

/** The seconds by which the engine may write the two streams of one container apart. */
const OVERTAKING_S = 2;
/** No time in a cursor is longer. */
export const LONGEST_TIME = 40;
/** No cursor is longer. */
export const CURSOR_BYTES = 2 * (LONGEST_TIME + 32);
export const CURSOR =
  /^(?:o([^*~e]{20,40})(?:\*(\d{1,9}))?(?:~(\d{1,10}))?)?(?:e([^*~]{20,40})(?:\*(\d{1,9}))?(?:~(\d{1,10}))?)?$/;
/** The index at which the fraction of a time begins, if it has one. */
const SECONDS_LENGTH = 19;
const DOT = 0x2e;
/** The bytes of a line's end that tell it apart from another one of the same nanosecond. */
const HASHED_BYTES = 64;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The latest line of one stream. */
class Place {
  /** The time as the engine wrote it. */
  readonly raw = new Uint8Array(LONGEST_TIME);
  rawLength = 0;
  /** The time in UTC: nearly always the same bytes. */
  utc: Uint8Array = this.raw.subarray(0, 0);
  #isUtc = true;
  #text: string | null = null;
  /** The number of lines with this time. */
  count = 0;
  /** Podman's times are whole seconds and reading began within this one, so older lines have the same time. */
  isPartial = false;
  /** If partial: a hash of the latest line, which finds the place again after at least `count` lines. */
  mark = 0;
  /** If the engine may send a file again: a hash of the end of the first line with this time. */
  first = 0;
  /** After reopening: how many lines of this time are still to be skipped. */
  toSkip = 0;
  /** No line seen yet; lines at or before this time were not requested. */
  isFloor = false;

  get isKnown(): boolean {
    return this.count > 0 || this.isFloor;
  }

  is(bytes: Uint8Array, from: number, to: number): boolean {
    if (to - from !== this.rawLength) return false;
    for (let at = this.rawLength - 1; at >= 0; at--) { // from the digits that differ
      if (bytes[from + at] !== this.raw[at]) return false;
    }
    return true;
  }

  /** Returns true if that time is before this one; false if they are written differently. */
  isBehind(bytes: Uint8Array, from: number, to: number): boolean {
    if (!this.#isUtc || to - from !== this.rawLength) return false;
    for (let at = 0; at < this.rawLength; at++) {
      const difference = bytes[from + at]! - this.raw[at]!; // within the line
      if (difference !== 0) return difference < 0;
    }
    return false;
  }

  set(bytes: Uint8Array, from: number, to: number): void {
    this.#text = null;
    const size = Math.min(to - from, LONGEST_TIME);
    for (let at = 0; at < size; at++) this.raw[at] = bytes[from + at]!; // within the line
    const isUtc = size > 0 && this.raw[size - 1] === 0x5a; // Z
    // `utc` is a view of the same bytes and shows the new time already
    if (isUtc && this.#isUtc && size === this.utc.length) return;
    this.rawLength = size;
    this.#isUtc = isUtc;
    const raw = this.raw.subarray(0, size);
    this.utc = isUtc ? raw : encoder.encode(inUtc(decoder.decode(raw))).subarray(0, LONGEST_TIME);
  }

  get time(): string {
    return this.#text ??= decoder.decode(this.utc);
  }
}

export interface Gap {
  /** The time of the last line before the gap. */
  readonly after: string;
  /** The time of the first line after it. */
  readonly before: string | null;
}

export class LogPosition {
  readonly #out = new Place();
  readonly #err = new Place();
  readonly #bounded: boolean;
  #searching = 0;
  #liveSince: LogTime | null = null;

  /** `bounded`: reading begins somewhere inside the log, and older lines are not wanted. */
  constructor(options: { readonly bounded: boolean } = { bounded: false }) {
    this.#bounded = options.bounded;
  }

  /** Reads a cursor. Throws `invalid_request`. */
  static parse(cursor: string): LogPosition {
    const match = CURSOR.exec(cursor);
    const position = new LogPosition();
    for (
      const [place, time, count, mark] of [
        [position.#out, match?.[1], match?.[2], match?.[3]],
        [position.#err, match?.[4], match?.[5], match?.[6]],
      ] as const
    ) {
      if (time === undefined) continue;
      if (readLogTime(time) === null) throw badCursor();
      const bytes = encoder.encode(time);
      place.set(bytes, 0, bytes.byteLength);
      place.count = Number(count ?? 1);
      place.isFloor = place.count === 0;
      place.isPartial = mark !== undefined;
      place.mark = Number(mark ?? 0);
    }
    if (position.empty) throw badCursor();
    return position;
  }

  get empty(): boolean {
    return this.#out.count === 0 && this.#err.count === 0;
  }

  /** The time of the latest line of a stream, in UTC. */
  timeOf(stream: Stream): string {
    return this.#of(stream).time;
  }

  /** The time from which to open the log again. `admit` then refuses the lines that were seen already. */
  resume(): string {
    const times = [this.#out, this.#err].filter(({ isKnown }) => isKnown)
      .map((place) => ({ place, time: readLogTime(place.time) }))
      .filter((one): one is { place: Place; time: LogTime } => one.time !== null);
    const latest = times.reduce((a, b) => compareLogTimes(a.time, b.time) >= 0 ? a : b).time;
    const floor: LogTime = { seconds: latest.seconds - OVERTAKING_S, nanos: latest.nanos };
    // Lines of the other stream with an earlier time may come later
    let since = times.length === 2 ? latest : floor;
    this.#searching = 0;
    for (const { place, time } of times) {
      // After a long silence of a stream, all its lines are new
      const isNear = compareLogTimes(time, floor) >= 0;
      place.toSkip = isNear ? Math.max(1, place.count) : 0;
      if (isNear) this.#searching++;
      if (compareLogTimes(time, since) < 0) since = isNear ? time : floor;
    }
    return engineTime(since);
  }

  /**
   * Call this for a log that rotates: engines sometimes send a file again to a follower. From now on, a line older than
   * the latest of its stream begins a repetition, if the latest was written after `since`. Earlier lines may be out of
   * order because the clock was set back. A line of the latest's time that says what the first of that time said begins
   * one too: the file had no line before it.
   */
  expectRepeats(since: LogTime): void {
    this.#liveSince = since;
  }

  /** Returns true if this line is new, and remembers it as the latest. */
  admit(line: Line, onGap: (gap: Gap) => void): boolean {
    const { stream, bytes, timeFrom: from, timeTo: to } = line;
    const place = stream === 2 ? this.#err : this.#out;
    if (this.#searching > 0 && place.toSkip > 0 && this.#isOld(line, onGap)) return false;
    const isLive = this.#liveSince !== null;
    if (place.is(bytes, from, to)) {
      if (isLive && place.first === endHash(line) && !isCoarse(bytes, from) && this.#isRepeated(place)) {
        place.toSkip = place.count - 1;
        if (place.toSkip > 0) this.#searching++;
        return false;
      }
      if (place.isFloor && isCoarse(bytes, from)) {
        place.isFloor = false;
        place.isPartial = true;
      }
      place.count++;
    } else if (isLive && place.isBehind(bytes, from, to) && this.#isRepeated(place)) {
      place.toSkip = Math.max(1, place.count);
      this.#searching++;
      return false;
    } else {
      place.isPartial = this.#bounded && !place.isKnown && isCoarse(bytes, from);
      if (this.#bounded && this.empty) this.#setFloor(stream, bytes, from, to);
      place.set(bytes, from, to);
      place.count = 1;
      place.isFloor = false;
      if (isLive) place.first = endHash(line);
    }
    if (place.isPartial) place.mark = hashOf(bytes, to, line.to);
    return true;
  }

  /** Called at the end of a log that is not followed: lines that were sought and never came are lost. */
  endSearch(onGap: (gap: Gap) => void): void {
    for (const place of [this.#out, this.#err]) {
      const isLost = place.toSkip > 0 && !place.isFloor;
      place.toSkip = 0;
      if (isLost) onGap({ after: place.time, before: null });
    }
    this.#searching = 0;
  }

  /** Writes the cursor of the latest line into `target` and returns where it ends. */
  putCursor(target: Uint8Array, at: number): number {
    if (this.#out.isKnown) at = putPlace(target, at, 0x6f, this.#out); // o
    if (this.#err.isKnown) at = putPlace(target, at, 0x65, this.#err); // e
    return at;
  }

  /** Writes the time of the stream's latest line. */
  putTime(stream: Stream, target: Uint8Array, at: number): number {
    return put(target, at, this.#of(stream).utc);
  }

  toString(): string {
    return this.partOf(1) + this.partOf(2);
  }

  /** Returns the cursor's part of one stream; nothing before its first line. */
  partOf(stream: Stream): string {
    const { isKnown, time } = this.#of(stream);
    return isKnown ? `${stream === 2 ? "e" : "o"}${time}${this.countOf(stream)}` : "";
  }

  /** Returns the end of that part, behind the time: nothing for a line that is alone at its time. */
  countOf(stream: Stream): string {
    const { count, isPartial, mark } = this.#of(stream);
    if (count === 1 && !isPartial) return ""; // nearly always
    return `${count === 1 ? "" : `*${count}`}${isPartial ? `~${mark}` : ""}`;
  }

  #of(stream: Stream): Place {
    return stream === 2 ? this.#err : this.#out;
  }

  #setFloor(stream: Stream, bytes: Uint8Array, from: number, to: number): void {
    const other = this.#of(stream === 1 ? 2 : 1);
    other.set(bytes, from, to);
    other.isFloor = true;
  }

  /** A latest line from the future means that the clock was set back, not that lines are repeated. */
  #isRepeated({ time }: Place): boolean {
    const latest = readLogTime(time);
    return latest !== null && this.#liveSince !== null && compareLogTimes(latest, this.#liveSince) >= 0 &&
      compareLogTimes(latest, ofMs(Date.now())) <= 0;
  }

  #isOld(
    line: Line,
    onGap: (gap: Gap) => void,
  ): boolean {
    const { stream, bytes, timeFrom: from, timeTo: to, to: textTo } = line;
    const place = this.#of(stream);
    const text = inUtc(decoder.decode(bytes.subarray(from, to)));
    const time = readLogTime(text);
    const sought = readLogTime(place.time);
    if (time === null || sought === null) return false;
    const order = compareLogTimes(time, sought);
    if (order < 0) return true;
    if (order === 0 && place.isFloor) {
      // A line that Podman wrote after the other stream's latest line is new, even within the same second
      if (!isCoarse(bytes, from) || this.#of(stream === 1 ? 2 : 1).toSkip > 0) return true;
    } else if (order === 0) {
      if (place.first === 0 && this.#liveSince !== null) place.first = endHash(line);
      if (place.toSkip > 1) place.toSkip--;
      else if (!place.isPartial || hashOf(bytes, to, textTo) === place.mark) {
        place.toSkip = 0;
        this.#searching--;
      }
      return true;
    }
    place.toSkip = 0;
    this.#searching--;
    if (!place.isFloor) onGap({ after: place.time, before: text });
    return false;
  }
}

function putPlace(target: Uint8Array, at: number, letter: number, place: Place): number {
  target[at++] = letter;
  at = put(target, at, place.utc);
  if (place.count !== 1) at = putNumber(target, at, 0x2a, place.count); // *
  return place.isPartial ? putNumber(target, at, 0x7e, place.mark) : at; // ~
}

function putNumber(target: Uint8Array, at: number, sign: number, number: number): number {
  target[at++] = sign;
  const digits = String(number);
  for (let digit = 0; digit < digits.length; digit++) target[at++] = digits.charCodeAt(digit);
  return at;
}

/** Returns true if a time has no fraction of a second. */
function isCoarse(bytes: Uint8Array, from: number): boolean {
  return bytes[from + SECONDS_LENGTH] !== DOT;
}

/** Of a line's length and last bytes: long lines need not be read to tell two of one moment apart. */
function endHash({ bytes, from, to }: Line): number {
  return hashOf(bytes, Math.max(from, to - HASHED_BYTES), to) ^ (to - from);
}

/** FNV-1a, of a line's text. */
export function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193); // within the line
  return hash >>> 0;
}

/** Puts the bytes into `target` and returns where they end. */
export function put(target: Uint8Array, at: number, from: Uint8Array): number {
  target.set(from, at);
  return at + from.length;
}

export function badCursor(): ServiceError {
  return engineError("invalid_request", "Cannot resume the logs: this is not a cursor of a log", {
    errors: [{ path: "query.cursor", message: "Expected the cursor of an earlier line" }],
  });
}
