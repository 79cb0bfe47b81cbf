/** Collects the paths below a folder that may have changed, until they are asked for. */

const PATHS = 2000;
const FOLDERS = 5000;

export class FolderWatch implements Disposable {
  readonly #root: string;
  readonly #changed = new Set<string>();
  #everything = false;
  #watcher: Deno.FsWatcher | null = null;
  #folders = "";

  constructor(root: string) {
    this.#root = root;
  }

  /** False where the system gives no events, so that files must be compared. */
  get isWatching(): boolean {
    return this.#watcher !== null;
  }

  /** Follows exactly these folders, without what lies deeper. True if anything could have been missed. */
  follow(folders: readonly string[]): boolean {
    const wanted = folders.join("\0");
    if (this.#watcher && wanted === this.#folders) return false;
    const before = this.#watcher;
    this.#watcher = null;
    if (folders.length <= FOLDERS) {
      try {
        const paths = folders.map((folder) => folder === "" ? this.#root : `${this.#root}/${folder}`);
        this.#watcher = Deno.watchFs(paths, { recursive: false });
        this.#folders = wanted;
        void this.#collect(this.#watcher);
      } catch {
        // No watches left, or a folder was just removed: files are compared instead.
      }
    }
    close(before);
    return true;
  }

  /** What changed since the last call: paths below the root, null for "anything". */
  take(): ReadonlySet<string> | null {
    const changed = this.#everything ? null : new Set(this.#changed);
    this.#everything = false;
    this.#changed.clear();
    return changed;
  }

  async #collect(watcher: Deno.FsWatcher): Promise<void> {
    try {
      for await (const event of watcher) {
        if (event.kind === "access") continue;
        if (event.flag === "rescan" || event.kind === "any") this.#everything = true;
        for (const path of event.paths) this.#add(path);
      }
    } catch {
      // The watcher broke; the next look starts another.
      this.#everything = true;
      if (this.#watcher === watcher) this.#watcher = null;
    }
  }

  #add(path: string): void {
    if (path === this.#root) this.#everything = true;
    else if (path.startsWith(`${this.#root}/`)) this.#changed.add(path.slice(this.#root.length + 1));
    if (this.#changed.size > PATHS) {
      this.#changed.clear();
      this.#everything = true;
    }
  }

  [Symbol.dispose](): void {
    close(this.#watcher);
    this.#watcher = null;
  }
}

function close(watcher: Deno.FsWatcher | null): void {
  try {
    watcher?.close();
  } catch {
    // Already closed by the system.
  }
}
