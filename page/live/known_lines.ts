/** The last lines of tasks that are shown: a log that is read again after a cut tells some of them once more. */

/** The last line of one stream. */
interface Latest {
  readonly time: string;
  /** The number of lines of this time. */
  count: number;
  /** The number of those that stand behind the last cursor. */
  behind: number;
  /** The number of those that may be told once more; null where only new lines come. */
  again: number | null;
}

interface Task {
  readonly streams: Map<string, Latest>;
  /** The time of its last line. */
  latest: string;
  /** Its last lines are read without a cursor, and there may be more between them and those that are shown. */
  isLoose: boolean;
  /** The time behind which lines were missing last. */
  gap: string | null;
}

interface Gap {
  readonly after: string;
  readonly before: string | null;
}

export class KnownLines {
  readonly #tasks = new Map<string, Task>();

  /** A cursor came: a log that is read again behind it tells nothing of what was told before it. */
  mark(): void {
    for (const { streams } of this.#tasks.values()) {
      for (const last of streams.values()) last.behind = last.again ?? 0;
    }
  }

  /** The log is read again: behind the last cursor, or the last lines of each task. */
  resume(isBehindCursor: boolean): void {
    for (const task of this.#tasks.values()) {
      task.isLoose = !isBehindCursor;
      for (const last of task.streams.values()) last.again = isBehindCursor ? last.behind : last.count;
    }
  }

  /** Returns true for a line that is not shown yet, and the gap before it where lines may be missing. */
  take(key: string, stream: string, time: string): { readonly isNew: boolean; readonly gap: Gap | null } {
    let task = this.#tasks.get(key);
    if (task === undefined) {
      task = { streams: new Map(), latest: time, isLoose: false, gap: null };
      this.#tasks.set(key, task);
    }
    const last = task.streams.get(stream);
    const isNew = last === undefined || !isTold(last, time);
    const gap = isNew && task.isLoose ? { after: task.latest, before: time } : null;
    task.isLoose = false; // the first of the last lines says whether they overlap with those that are shown
    if (!isNew) return { isNew, gap };
    task.latest = time;
    if (last?.time === time) {
      last.count += 1;
      last.behind += 1;
    } else task.streams.set(stream, { time, count: 1, behind: 1, again: null });
    return { isNew, gap };
  }

  /** Returns true for a gap that is not shown yet. */
  takeGap(key: string, { after }: Gap): boolean {
    const task = this.#tasks.get(key);
    if (task?.gap === after) return false;
    if (task !== undefined) task.gap = after;
    return true;
  }
}

/** Returns true for a line that was told before. Behind the first that was not, all are new. */
function isTold(last: Latest, time: string): boolean {
  if (last.again === null) return false;
  const [one, other] = [comparable(time), comparable(last.time)];
  if (one < other) return true;
  if (one > other || last.again === 0) {
    last.again = null;
    return false;
  }
  last.again -= 1;
  return true;
}

/** Returns a time in UTC as text that sorts by time: engines write different numbers of digits. */
const comparable = (time: string): string =>
  `${time.slice(0, -1)}${time.includes(".") ? "" : "."}`.padEnd(30, "0");
