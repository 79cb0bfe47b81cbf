/** Collects the paths below folders that may have changed, until they are asked for. */
import { placeOf } from "../../core/place.ts";
import { Latch } from "../../core/signal.ts";

/** More folders than this are not watched. */
const FOLDERS = 5_000;
/** The longest wait of a reading for its folders to be watched. */
const BEGIN_MS = 1_000;
/** The interval in which the worker is asked to answer, and how late it may be. */
const ASK_MS = 250;
const LATE_MS = 500;

/** A message to the worker. */
export type Asked =
  | { readonly what: "answer" }
  | { readonly what: "stop"; readonly id: number }
  /** Exactly these folders, without what lies deeper. */
  | {
    readonly what: "follow";
    readonly id: number;
    readonly turn: number;
    readonly paths: readonly string[];
  };

/** The worker's news of a watch; `turn` is that of the folders it is about. */
export type WatchNews =
  | { readonly is: "watched" | "unwatched" }
  /** Too much happens; until it is calm, nothing more is told. */
  | { readonly is: "busy" | "calm" }
  /** Null for "anything". */
  | { readonly is: "changed"; readonly paths: readonly string[] | null };

export type Told =
  | { readonly is: "answering" }
  | { readonly is: "news"; readonly id: number; readonly turn: number; readonly news: WatchNews };

/** Watches for all workspaces, in one worker. */
export class Watcher implements Disposable {
  readonly #watches = new Map<number, FolderWatch>();
  #worker: Worker | null = null;
  #askedAt: number | null = null;
  #answeredAt = -Infinity;
  #next = 1;

  /** A watch of folders at and below this one. */
  folder(root: string): FolderWatch {
    const watch = new FolderWatch(root, this, this.#next++);
    // The worker starts while the folder is read.
    this.#start();
    return watch;
  }

  begin(id: number, watch: FolderWatch, turn: number, paths: readonly string[]): void {
    this.#watches.set(id, watch);
    this.#start().postMessage({ what: "follow", id, turn, paths } satisfies Asked);
  }

  end(id: number): void {
    if (!this.#watches.delete(id)) return;
    this.#worker?.postMessage({ what: "stop", id } satisfies Asked);
  }

  /** False while the system holds the worker up, so that changes may not have been told. */
  get isAnswering(): boolean {
    const now = performance.now();
    if (this.#askedAt === null && now - this.#answeredAt >= ASK_MS) {
      this.#askedAt = now;
      this.#worker?.postMessage({ what: "answer" } satisfies Asked);
    }
    return this.#askedAt === null || now - this.#askedAt < LATE_MS;
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(placeOf("artifacts/registry/watch_worker.ts"), {
      type: "module",
      deno: { permissions: { read: "inherit" } },
    });
    worker.onmessage = ({ data: told }: MessageEvent<Told>) => {
      this.#answeredAt = performance.now();
      if (told.is === "news") this.#watches.get(told.id)?.hear(told.turn, told.news);
      else this.#askedAt = null;
    };
    worker.onerror = (event) => {
      // Files are compared until a reading starts another.
      event.preventDefault();
      this.#end();
      for (const watch of this.#watches.values()) watch.lose();
    };
    return this.#worker = worker;
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#askedAt = null;
  }

  [Symbol.dispose](): void {
    this.#end();
    this.#watches.clear();
  }
}

export class FolderWatch implements Disposable {
  readonly #root: string;
  readonly #watcher: Watcher;
  readonly #id: number;
  readonly #changed = new Set<string>();
  #everything = false;
  #state: "unwatched" | "asked" | "watched" | "busy" = "unwatched";
  #folders = "";
  #turn = 0;
  #begun: Latch | null = null;

  constructor(root: string, watcher: Watcher, id: number) {
    this.#root = root;
    this.#watcher = watcher;
    this.#id = id;
  }

  /** False where no events come, or too many to follow, so that files must be compared. */
  get isWatching(): boolean {
    return this.#state === "watched" && this.#watcher.isAnswering;
  }

  /** Follows exactly these folders, without what lies deeper. True if anything could have been missed. */
  async follow(folders: readonly string[]): Promise<boolean> {
    if (this.#state === "busy") return false;
    const wanted = folders.join("\0");
    if (this.#state !== "unwatched" && wanted === this.#folders) return false;
    if (folders.length > FOLDERS) {
      this[Symbol.dispose]();
      return true;
    }
    this.#folders = wanted;
    this.#state = "asked";
    const begun = this.#begun = new Latch();
    const paths = folders.map((folder) => folder === "" ? this.#root : `${this.#root}/${folder}`);
    this.#watcher.begin(this.#id, this, ++this.#turn, paths);
    const late = setTimeout(() => {
      if (this.#begun === begun) this.#begun = null;
      begun.open();
    }, BEGIN_MS);
    await begun.opened;
    clearTimeout(late);
    return true;
  }

  /** Returns the changes since the last call: paths below the root, null for "anything". */
  take(): ReadonlySet<string> | null {
    const changed = this.#everything ? null : new Set(this.#changed);
    this.#everything = false;
    this.#changed.clear();
    return changed;
  }

  hear(turn: number, news: WatchNews): void {
    if (turn !== this.#turn) return;
    if (news.is === "changed") {
      if (news.paths === null) this.#everything = true;
      for (const path of news.paths ?? []) this.#add(path);
      return;
    }
    // Told too late, or after a time without events: only a comparison shows what was missed.
    if (this.#begun === null) this.#everything = true;
    this.#state = news.is === "calm" ? "unwatched" : news.is;
    this.#begun?.open();
    this.#begun = null;
  }

  /** Nothing will be told any more. */
  lose(): void {
    this.hear(this.#turn, { is: "unwatched" });
  }

  #add(path: string): void {
    if (path === this.#root) this.#everything = true;
    else if (path.startsWith(`${this.#root}/`)) this.#changed.add(path.slice(this.#root.length + 1));
  }

  [Symbol.dispose](): void {
    this.#watcher.end(this.#id);
    this.#turn++;
    this.#state = "unwatched";
    this.#folders = "";
    this.#begun?.open();
    this.#begun = null;
  }
}
