/**
 * Watches folders where waiting for the system blocks nobody. Adding and removing watches waits for a thread that is
 * busy while many files change; on the main loop that held up every request.
 */

import type { Asked, Told, WatchNews } from "./watch.ts";

/** Faster than this, comparing time stamps costs less than following what happens. */
const EVENTS_A_SECOND = 500;
/**
 * The runtime compares each event with each watched folder, which takes over a microsecond and holds up the events of
 * all workspaces. More than so many a second are not followed.
 */
const COMPARISONS_A_SECOND = 100_000;
const SECOND_MS = 1_000;
/** Milliseconds between giving up and looking whether the folders are calm. */
const PAUSE_MS = 2_000;
/** Changes within this time travel together. */
const GATHER_MS = 10;
/** More changed paths than this are "anything". */
const PATHS = 2_000;

/** `self` typed for a worker: the compiler knows that of a window. */
const scope = self as unknown as {
  onmessage: ((event: MessageEvent<Asked>) => void) | null;
  postMessage(message: Told): void;
};

/** Counts events by folder; a second begins with the first event after the last one. */
class Rate {
  #begun = -Infinity;
  #count = 0;
  #folders = new Map<string, number>();

  /** Returns true if there were too many within this second. */
  add(paths: readonly string[]): boolean {
    const now = performance.now();
    if (now - this.#begun > SECOND_MS) {
      this.#begun = now;
      this.#count = 0;
      this.#folders.clear();
    }
    for (const path of paths) {
      const folder = path.slice(0, path.lastIndexOf("/")) || "/";
      this.#folders.set(folder, (this.#folders.get(folder) ?? 0) + 1);
    }
    this.#count++;
    return this.isTooFast;
  }

  get isTooFast(): boolean {
    return this.#count > Math.min(EVENTS_A_SECOND, COMPARISONS_A_SECOND / folders());
  }

  /** The folder in which most happened. */
  get busiest(): string {
    return [...this.#folders].sort(([, one], [, other]) => other - one)[0]?.[0] ?? "/";
  }
}

/** Counts the folders of all workspaces, also of those that are too busy to be watched. */
function folders(): number {
  let count = 0;
  for (const watch of watches.values()) count += watch.folders;
  return count;
}

/** Resolves when every watcher that was told to close is closed. */
let closed: Promise<unknown> = Promise.resolve();

class Watch {
  readonly #id: number;
  #watcher: Deno.FsWatcher | null = null;
  #paths: ReadonlySet<string> = new Set();
  /** Resolves when the watcher is closed. */
  #ended: Promise<void> = Promise.resolve();
  #turn = 0;
  #changed: Set<string> | null = new Set();
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #probe: Deno.FsWatcher | null = null;
  #rate = new Rate();
  #isStopped = false;

  constructor(id: number) {
    this.#id = id;
  }

  get folders(): number {
    return this.#paths.size;
  }

  /**
   * Closes the watcher before opening another: all watchers of this thread share one of the system's, which does not
   * watch a path again that another still names, even if a new folder is there by now. What changes meanwhile is found
   * by comparing files.
   */
  async follow(turn: number, paths: readonly string[]): Promise<void> {
    this.#turn = turn;
    this.#endPause();
    this.#close();
    await closed;
    if (this.#turn !== turn || this.#isStopped) return;
    try {
      this.#watcher = Deno.watchFs([...paths], { recursive: false });
      this.#paths = new Set(paths);
      this.#ended = this.#collect(this.#watcher);
    } catch {
      // No watches left, or a folder was just removed: files are compared instead.
    }
    this.#tell({ is: this.#watcher === null ? "unwatched" : "watched" });
  }

  end(): void {
    this.#isStopped = true;
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#changed = new Set();
    this.#endPause();
    this.#close();
  }

  #close(): void {
    close(this.#watcher);
    this.#watcher = null;
    closed = Promise.all([closed, this.#ended]);
  }

  #endPause(): void {
    clearTimeout(this.#pause);
    close(this.#probe);
    this.#probe = null;
  }

  async #collect(watcher: Deno.FsWatcher): Promise<void> {
    try {
      for await (const event of watcher) {
        if (this.#watcher !== watcher) return;
        if (this.#rate.add(event.paths)) return this.#giveUp();
        if (event.kind === "access") continue;
        if (this.#hasLost(event)) {
          this.#stop();
          return this.#tell({ is: "unwatched" });
        }
        this.#add(event.flag === "rescan" || event.kind === "any" ? null : event.paths);
      }
    } catch {
      // The watcher broke; the next look starts another.
      if (this.#watcher !== watcher) return;
      this.#watcher = null;
      this.#tell({ is: "unwatched" });
    }
  }

  /**
   * Returns whether a watched folder was itself removed, renamed or made again: a new one of its name is not watched.
   */
  #hasLost({ kind, paths }: Deno.FsEvent): boolean {
    return kind !== "modify" && paths.some((path) => this.#paths.has(path));
  }

  #add(paths: readonly string[] | null): void {
    if (paths === null) this.#changed = null;
    for (const path of paths ?? []) this.#changed?.add(path);
    if (this.#changed && this.#changed.size > PATHS) this.#changed = null;
    this.#gathering ??= setTimeout(() => {
      const changed = this.#changed;
      this.#gathering = undefined;
      this.#changed = new Set();
      this.#tell({ is: "changed", paths: changed && [...changed] });
    }, GATHER_MS);
  }

  #giveUp(): void {
    const folder = this.#rate.busiest;
    this.#stop();
    this.#tell({ is: "busy" });
    this.#lookAgain(folder);
  }

  /** Watches the one folder where most happened, for a second at a time, until little happens there. */
  #lookAgain(folder: string): void {
    this.#rate = new Rate();
    this.#pause = setTimeout(() => {
      try {
        this.#probe = Deno.watchFs([folder], { recursive: false });
        void this.#count(this.#probe);
      } catch {
        // It is gone, and so is what happened there.
      }
      this.#pause = setTimeout(() => {
        close(this.#probe);
        this.#probe = null;
        if (this.#rate.isTooFast) this.#lookAgain(folder);
        else this.#tell({ is: "calm" });
      }, SECOND_MS);
    }, PAUSE_MS);
  }

  async #count(probe: Deno.FsWatcher): Promise<void> {
    try {
      for await (const event of probe) if (this.#rate.add(event.paths)) return close(probe);
    } catch {
      // Closed by the system.
    }
  }

  #tell(news: WatchNews): void {
    scope.postMessage({ is: "news", id: this.#id, turn: this.#turn, news });
  }
}

function close(watcher: Deno.FsWatcher | null): void {
  try {
    watcher?.close();
  } catch {
    // Already closed by the system.
  }
}

const watches = new Map<number, Watch>();

scope.onmessage = ({ data: asked }) => {
  if (asked.what === "answer") return scope.postMessage({ is: "answering" });
  let watch = watches.get(asked.id);
  if (asked.what === "stop") {
    watch?.end();
    watches.delete(asked.id);
    return;
  }
  if (!watch) watches.set(asked.id, watch = new Watch(asked.id));
  void watch.follow(asked.turn, asked.paths);
};
