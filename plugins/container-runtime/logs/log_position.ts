/**
 * Where in a container's log somebody stands. An engine numbers nothing, so a place is, for each of the two
 * streams, the time of the latest line and how many lines of that time there were: each stream is written by
 * one process in order, while the two may overtake each other by a little.
 */
import { ServiceError } from "../../../core/error.ts";
import type { Stream } from "../frames/frames.ts";
import type { Line } from "./lines.ts";
import { compareLogTimes, engineTime, inUtc, type LogTime, ofMs, readLogTime } from "./log_time.ts";

/** How far apart the engine may write the two streams of one container. */
const OVERTAKING_S = 2;
const LONGEST_TIME = 40;
/** No cursor is longer. */
export const CURSOR_BYTES = 2 * (LONGEST_TIME + 32);
const CURSOR =
  /^(?:o([^*~e]{20,40})(?:\*(\d{1,9}))?(?:~(\d{1,10}))?)?(?:e([^*~]{20,40})(?:\*(\d{1,9}))?(?:~(\d{1,10}))?)?$/;
/** Where the fraction of a time begins, if it has one. */
const SECONDS_LENGTH = 19;
const DOT = 0x2e;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The latest line of one stream. */
class Place {
  /** As the engine wrote it. */
  readonly raw = new Uint8Array(LONGEST_TIME);
  rawLength = 0;
  /** In UTC, as we write it: nearly always the same bytes. */
  utc: Uint8Array = this.raw.subarray(0, 0);
  #isUtc = true;
  /** How many lines had this time. */
  count = 0;
  /** Podman tells whole seconds, and the reading began within this one: there are older lines of the same time. */
  isPartial = false;
  /** Then a hash of the latest line finds the place again, behind at least `count` lines. */
  mark = 0;
  /** While the place is searched in a stream that was opened again: lines of its time still to come. */
  toSkip = 0;
  /** Nothing of this stream was seen; what is not behind its time was not wanted when the reading began. */
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

  /** Whether that time is before this one; only of two that are written alike. */
  isBehind(bytes: Uint8Array, from: number, to: number): boolean {
    if (!this.#isUtc || to - from !== this.rawLength) return false;
    for (let at = 0; at < this.rawLength; at++) {
      const difference = bytes[from + at]! - this.raw[at]!; // within the line
      if (difference !== 0) return difference < 0;
    }
    return false;
  }

  set(bytes: Uint8Array, from: number, to: number): void {
    const size = Math.min(to - from, LONGEST_TIME);
    for (let at = 0; at < size; at++) this.raw[at] = bytes[from + at]!; // within the line
    const isUtc = size > 0 && this.raw[size - 1] === 0x5a; // Z
    // The view of the time before shows this one, too
    if (isUtc && this.#isUtc && size === this.utc.length) return;
    this.rawLength = size;
    this.#isUtc = isUtc;
    const raw = this.raw.subarray(0, size);
    this.utc = isUtc ? raw : encoder.encode(inUtc(decoder.decode(raw))).subarray(0, LONGEST_TIME);
  }

  get time(): string {
    return decoder.decode(this.utc);
  }
}

export interface Gap {
  /** The last line that was surely seen. */
  readonly after: string;
  /** The first line that is there again. */
  readonly before: string | null;
}

export class LogPosition {
  readonly #out = new Place();
  readonly #err = new Place();
  readonly #bounded: boolean;
  #searching = 0;
  #liveSince: LogTime | null = null;

  /** `bounded`: the reading begins somewhere in the log, so that older lines are not wanted. */
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

  /**
   * Called before the log is opened again: from where on to ask for it. Until the lines that were seen have
   * gone by, `admit` refuses them.
   */
  resume(): string {
    const times = [this.#out, this.#err].filter(({ isKnown }) => isKnown)
      .map((place) => ({ place, time: readLogTime(place.time) }))
      .filter((one): one is { place: Place; time: LogTime } => one.time !== null);
    const latest = times.reduce((a, b) => compareLogTimes(a.time, b.time) >= 0 ? a : b).time;
    const floor: LogTime = { seconds: latest.seconds - OVERTAKING_S, nanos: latest.nanos };
    // What the other stream wrote before this may stand behind it
    let since = times.length === 2 ? latest : floor;
    this.#searching = 0;
    for (const { place, time } of times) {
      // A stream that has been silent for long is not searched: all that comes of it is new
      const isNear = compareLogTimes(time, floor) >= 0;
      place.toSkip = isNear ? Math.max(1, place.count) : 0;
      if (isNear) this.#searching++;
      if (compareLogTimes(time, since) < 0) since = isNear ? time : floor;
    }
    return engineTime(since);
  }

  /**
   * An engine that rotates a log reads a file again now and then to those who follow it. From here on a line that is
   * older than the latest of its stream begins such a repetition, if the latest was written after `since`: what was
   * written before may go back in time because the clock did.
   */
  expectRepeats(since: LogTime): void {
    this.#liveSince = since;
  }

  /** Whether this line is new; if so it is the latest from here on. */
  admit(line: Line, onGap: (gap: Gap) => void): boolean {
    const { stream, bytes, timeFrom: from, timeTo: to } = line;
    const place = stream === 2 ? this.#err : this.#out;
    if (this.#searching > 0 && place.toSkip > 0 && this.#isOld(line, onGap)) return false;
    if (place.is(bytes, from, to)) {
      if (place.isFloor && isCoarse(bytes, from)) {
        place.isFloor = false;
        place.isPartial = true;
      }
      place.count++;
    } else if (this.#liveSince !== null && place.isBehind(bytes, from, to) && this.#isRepeated(place)) {
      place.toSkip = Math.max(1, place.count);
      this.#searching++;
      return false;
    } else {
      place.isPartial = this.#bounded && !place.isKnown && isCoarse(bytes, from);
      if (this.#bounded && this.empty) this.#setFloor(stream, bytes, from, to);
      place.set(bytes, from, to);
      place.count = 1;
      place.isFloor = false;
    }
    if (place.isPartial) place.mark = hashOf(bytes, to, line.to);
    return true;
  }

  /** Called at the end of a log that does not go on: what was searched and never came is gone. */
  endSearch(onGap: (gap: Gap) => void): void {
    for (const place of [this.#out, this.#err]) {
      const isLost = place.toSkip > 0 && !place.isFloor;
      place.toSkip = 0;
      if (isLost) onGap({ after: place.time, before: null });
    }
    this.#searching = 0;
  }

  /** Puts the cursor of the latest line into `target`: resuming gives what comes after it. Returns where it ends. */
  putCursor(target: Uint8Array, at: number): number {
    if (this.#out.isKnown) at = putPlace(target, at, 0x6f, this.#out); // o
    if (this.#err.isKnown) at = putPlace(target, at, 0x65, this.#err); // e
    return at;
  }

  /** The same for the time of the stream's latest line. */
  putTime(stream: Stream, target: Uint8Array, at: number): number {
    return put(target, at, this.#of(stream).utc);
  }

  toString(): string {
    const text = (letter: string, { count, time, isKnown, isPartial, mark }: Place) =>
      !isKnown ? "" : `${letter}${time}${count === 1 ? "" : `*${count}`}${isPartial ? `~${mark}` : ""}`;
    return text("o", this.#out) + text("e", this.#err);
  }

  #of(stream: Stream): Place {
    return stream === 2 ? this.#err : this.#out;
  }

  #setFloor(stream: Stream, bytes: Uint8Array, from: number, to: number): void {
    const other = this.#of(stream === 1 ? 2 : 1);
    other.set(bytes, from, to);
    other.isFloor = true;
  }

  /** A latest line from the future says that the clock was put back since, and not that anything is repeated. */
  #isRepeated({ time }: Place): boolean {
    const latest = readLogTime(time);
    return latest !== null && this.#liveSince !== null && compareLogTimes(latest, this.#liveSince) >= 0 &&
      compareLogTimes(latest, ofMs(Date.now())) <= 0;
  }

  #isOld(
    { stream, bytes, timeFrom: from, timeTo: to, to: textTo }: Line,
    onGap: (gap: Gap) => void,
  ): boolean {
    const place = this.#of(stream);
    const text = inUtc(decoder.decode(bytes.subarray(from, to)));
    const time = readLogTime(text);
    const sought = readLogTime(place.time);
    if (time === null || sought === null) return false;
    const order = compareLogTimes(time, sought);
    if (order < 0) return true;
    if (order === 0 && place.isFloor) {
      // What Podman wrote behind the other stream's latest line is new, within the same second too
      if (!isCoarse(bytes, from) || this.#of(stream === 1 ? 2 : 1).toSkip > 0) return true;
    } else if (order === 0) {
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

/** Whether a time tells the second alone. */
function isCoarse(bytes: Uint8Array, from: number): boolean {
  return bytes[from + SECONDS_LENGTH] !== DOT;
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193); // within the line
  return hash >>> 0;
}

/** Puts the bytes into `target` and returns where they end. */
export function put(target: Uint8Array, at: number, from: Uint8Array): number {
  target.set(from, at);
  return at + from.length;
}

function badCursor(): ServiceError {
  return new ServiceError("invalid_request", "Cannot resume the logs: this is no cursor of theirs", {
    errors: [{ path: "query.cursor", message: "Expected the cursor of an earlier line" }],
  });
}
