/** Which lines of a log come before a cursor: the other way round from resuming behind it. */
import type { Line } from "./lines.ts";
import { badCursor, CURSOR, hashOf } from "./log_position.ts";
import { compareLogTimes, inUtc, type LogTime, readLogTime } from "./log_time.ts";

const decoder = new TextDecoder();

/** The latest line of one stream, as a cursor names it. */
interface Place {
  readonly time: LogTime;
  /** Of a cursor whose count began within its second. */
  readonly mark: number | null;
  /** Nothing of the stream was read up to the cursor. */
  readonly isFloor: boolean;
  /** Lines of this time that are still to come, its own included. */
  left: number;
  isReached: boolean;
}

export class LogHorizon {
  readonly #places: Readonly<Record<1 | 2, Place | null>>;
  #isBegun = false;
  /** The first line was written when the cursor's was, so that others of that time may have come before. */
  isCut = false;

  /** Throws `invalid_request`. */
  constructor(cursor: string) {
    const match = CURSOR.exec(cursor);
    this.#places = {
      1: placeOf(match?.[1], match?.[2], match?.[3]),
      2: placeOf(match?.[4], match?.[5], match?.[6]),
    };
    if (this.#known.length === 0) throw badCursor();
  }

  /** No line before the cursor is later. */
  get latest(): LogTime {
    return this.#known.map(({ time }) => time).reduce((one, other) =>
      compareLogTimes(one, other) > 0 ? one : other
    );
  }

  /** Returns true if the line comes before the cursor's own. Asked about lines in the order of the log. */
  isBefore({ stream, bytes, timeFrom, timeTo, to }: Line): boolean {
    const time = readLogTime(inUtc(decoder.decode(bytes.subarray(timeFrom, timeTo))));
    if (time === null) return false;
    if (!this.#isBegun) {
      // Lines that were written long before the first one here do not come any more.
      for (const place of this.#known) {
        const order = compareLogTimes(place.time, time);
        place.isReached = order < 0;
        this.isCut ||= order === 0;
      }
      this.#isBegun = true;
    }
    if (this.#isOver) return false;
    const place = this.#places[stream === 2 ? 2 : 1];
    if (place === null) return false;
    const order = compareLogTimes(time, place.time);
    if (order !== 0 || place.isFloor) return order <= 0;
    if (place.isReached) return false;
    if (place.left > 1) place.left--;
    else place.isReached = place.mark === null || hashOf(bytes, timeTo, to) === place.mark;
    return !this.#isOver; // the last of the places is the cursor's own line
  }

  get #known(): Place[] {
    return [this.#places[1], this.#places[2]].filter((place) => place !== null);
  }

  get #isOver(): boolean {
    return this.#known.every(({ isReached, isFloor }) => isReached || isFloor);
  }
}

function placeOf(text: string | undefined, count = "1", mark?: string): Place | null {
  if (text === undefined) return null;
  const time = readLogTime(text);
  if (time === null) throw badCursor();
  return {
    time,
    mark: mark === undefined ? null : Number(mark),
    isFloor: Number(count) === 0,
    left: Number(count),
    isReached: false,
  };
}
