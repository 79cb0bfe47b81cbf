/** A folder of which entries are opened: what is found there lies in it, whatever its path leads to by then. */

import { closeSync, constants, open } from "node:fs";

/** Bound to the folder itself where the system and the permissions allow that, else compared before and after. */
export interface Folder extends Disposable {
  /**
   * Returns the path of its entry of this name, which must not be followed if it is a link; the folder itself for "".
   */
  at(name: string): string;
  /**
   * Resolves to true if `found` was found in it; `look` finds it again. To be asked before anything is made of what
   * was found.
   */
  stillHas<T>(found: T, look: () => Promise<T>, isEqual: (one: T, other: T) => boolean): Promise<boolean>;
}

/** Opens the folder with this real path, at or below `root`; null where a part of the path is now something else. */
export async function openFolder(root: string, path: string): Promise<Folder | null> {
  return holdsDescriptors() ? await HeldFolder.open(path) : await ComparedFolder.open(root, path);
}

const SELF = "/proc/self/fd";
/** Opens a place, not what is there: no permission to read is needed, and no device notices. Not in `node:fs`. */
const O_PATH = 0o10000000;

let holds: boolean | undefined;

/** Returns true if paths may start at a descriptor: on Linux, by a process that may do everything. */
export function holdsDescriptors(): boolean {
  if (holds === undefined) {
    try {
      holds = Deno.build.os === "linux" && Deno.lstatSync(SELF).isDirectory;
    } catch {
      holds = false;
    }
  }
  return holds;
}

/** Opened as a place alone. Closing it touches no disk. */
function descriptorOf(path: string): Promise<number> {
  const flags = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  return new Promise((resolve, reject) =>
    open(path, flags, (error, descriptor) => error ? reject(error) : resolve(descriptor!))
  );
}

/** Held by a descriptor: nobody can put another folder in its place. */
class HeldFolder implements Folder {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  static async open(path: string): Promise<HeldFolder | null> {
    const folder = new HeldFolder(await descriptorOf(path));
    try {
      // The kernel says where that is which was opened. A link on the way has led to another place.
      if (Deno.readLinkSync(folder.at("")) === path) return folder;
    } catch (error) {
      folder[Symbol.dispose]();
      throw error;
    }
    folder[Symbol.dispose]();
    return null;
  }

  at(name: string): string {
    return name === "" ? `${SELF}/${this.#descriptor}` : `${SELF}/${this.#descriptor}/${name}`;
  }

  stillHas(): Promise<boolean> {
    return Promise.resolve(true);
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}

/** Longer than the second in which times of change are told. What changed longer ago shows its next change. */
const CALM_MS = 2_000;
/**
 * Number of times that an entry must be found again where folders change all the time: a race must be won each time.
 */
const ROUNDS = 10;

/**
 * Found by its path. To bring a link onto the path and to take it away again changes the time of change of a folder on
 * the way, which nobody can set back. Where others change it all the time, it is compared often enough.
 */
class ComparedFolder implements Folder {
  readonly #root: string;
  readonly #path: string;
  readonly #way: Way;
  readonly #isCalm: boolean;

  constructor(root: string, path: string, way: Way) {
    this.#root = root;
    this.#path = path;
    this.#way = way;
    this.#isCalm = Date.now() - way.changedMs > CALM_MS;
  }

  static async open(root: string, path: string): Promise<ComparedFolder | null> {
    const way = await wayTo(root, path);
    return way === null ? null : new ComparedFolder(root, path, way);
  }

  at(name: string): string {
    return name === "" ? this.#path : `${this.#path === "/" ? "" : this.#path}/${name}`;
  }

  async stillHas<T>(
    found: T,
    look: () => Promise<T>,
    isEqual: (one: T, other: T) => boolean,
  ): Promise<boolean> {
    try {
      const way = await wayTo(this.#root, this.#path);
      if (this.#isCalm && way?.times === this.#way.times) return way.folders === this.#way.folders;
      for (let round = 0; round < ROUNDS; round++) {
        if (!isEqual(await look(), found)) return false;
        if ((await wayTo(this.#root, this.#path))?.folders !== this.#way.folders) return false;
      }
      return true;
    } catch {
      return false;
    }
  }

  [Symbol.dispose](): void {}
}

/** The root and every folder on the way from it. */
interface Way {
  readonly folders: string;
  readonly times: string;
  /** When one of them changed last. */
  readonly changedMs: number;
}

/** Null where a part of the path is no folder. */
async function wayTo(root: string, path: string): Promise<Way | null> {
  const folders: string[] = [];
  const times: number[] = [];
  let part = root;
  for (const name of ["", ...path.slice(root.length).split("/").filter((one) => one !== "")]) {
    if (name !== "") part = part === "/" ? `/${name}` : `${part}/${name}`;
    const stat = await Deno.lstat(part);
    if (!stat.isDirectory) return null;
    folders.push(`${stat.dev}:${stat.ino}`);
    times.push(stat.ctime?.getTime() ?? Date.now(), stat.mtime?.getTime() ?? Date.now());
  }
  return { folders: folders.join(" "), times: times.join(" "), changedMs: Math.max(...times) };
}

interface Identity {
  readonly dev: number;
  readonly ino: number | null;
}

/** Returns true if two looks at a name have found the same file or folder. */
export function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}
