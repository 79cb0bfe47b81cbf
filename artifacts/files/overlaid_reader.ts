/** Reads a folder as it would be after changes to its files: contents, links and deletions, none of which is on disk. */
import { baseName, folderOf, join } from "./paths.ts";
import {
  type Counts,
  decode,
  ESCAPES,
  FOLDER,
  type Listed,
  MISSING,
  type ReadText,
  type Refusal,
  refusalOf,
  SafeReader,
  TOO_LARGE,
} from "./safe_reader.ts";
import { sha256 } from "./sha256.ts";

/** A file as it would be. */
export interface LaidFile {
  /** Another one when its content is another. */
  readonly id: string;
  readonly size: number;
  /** Of a link: the path below the folder that it leads to. */
  readonly target?: string;
}

/** The changes. */
interface Overlay {
  /** By path; null for what would be deleted. */
  readonly files: ReadonlyMap<string, LaidFile | null>;
  /** Returns the content of a file that is no link. */
  readonly content: (file: LaidFile) => Promise<Uint8Array>;
  /** True for a folder that stays when its last file is deleted. */
  readonly stays: (folder: string) => boolean;
}

/** Links that are followed one after the other. */
const MOST_LINKS = 40;
/** Entries of a folder that are looked at to tell if it would be empty. */
const MOST_ENTRIES = 5_000;

/** A content that would be there, and the path that links lead to. */
interface Laid {
  readonly bytes: Uint8Array;
  readonly id: string;
  readonly path: string;
}

type Child = "file" | "folder" | "link";

export class OverlaidReader extends SafeReader {
  #overlay: Overlay = { files: new Map(), content: () => Promise.reject(), stays: () => false };
  /** The names that the overlay puts into each folder. */
  #children = new Map<string, Map<string, Child>>();
  /** The folders on the way to deleted files. */
  #emptied = new Set<string>();

  /** Replaces the changes. Nothing may be read meanwhile. */
  lay(overlay: Overlay): void {
    this.#overlay = overlay;
    this.#children = new Map();
    this.#emptied = new Set();
    for (const [path, file] of overlay.files) {
      for (let at = path; at !== "";) {
        const folder = folderOf(at);
        if (file === null) this.#emptied.add(folder);
        else {
          const own = this.#children.get(folder) ?? new Map<string, Child>();
          const kind = at !== path ? "folder" : file.target === undefined ? "file" : "link";
          this.#children.set(folder, own.set(baseName(at), kind));
        }
        at = folder;
      }
    }
  }

  override async read(path: string): Promise<ReadText | Refusal> {
    const laid = await this.#find(path);
    if (typeof laid === "string") {
      const read = await super.read(laid);
      return "why" in read || laid === path ? read : { leadsTo: laid, ...read };
    }
    if ("why" in laid) return laid;
    try {
      return {
        ...(laid.path !== path && { leadsTo: laid.path }),
        text: decode(laid.bytes),
        hash: sha256(laid.bytes),
        stamp: `laid:${laid.id}`,
      };
    } catch (error) {
      return refusalOf(error);
    }
  }

  override async hash(path: string): Promise<string | Refusal> {
    const laid = await this.#find(path);
    if (typeof laid === "string") return await super.hash(laid);
    return "why" in laid ? laid : sha256(laid.bytes);
  }

  override async stamp(path: string): Promise<string | null> {
    const at = await this.#followed(path);
    if (at === null) return null;
    const laid = this.#overlay.files.get(at);
    if (laid) return `laid:${laid.id}`;
    return laid === null || this.#isCovered(at) ? null : await super.stamp(at);
  }

  /** Only the folder on disk has been listed, and not what lies over it. */
  override isListedWithout(path: string): boolean {
    return !this.#overlay.files.has(path) && !this.#children.has(path) && super.isListedWithout(path);
  }

  override async list(path: string, limit: number, counts: Counts): Promise<Listed | Refusal> {
    const own = this.#children.get(path);
    const isNew = this.#overlay.files.has(path) || this.#isCovered(path);
    const onDisk: Listed | Refusal = isNew ? MISSING : await super.list(path, limit, counts);
    if ("why" in onDisk && (own === undefined || onDisk.code !== "missing")) return onDisk;
    const before = "why" in onDisk ? { entries: [], looked: 0 } : onDisk;
    const kept = before.entries.filter(({ name }) =>
      own?.has(name) !== true && !this.#overlay.files.has(join(path, name))
    );
    const added = [...own ?? []].map(([name, kind]): Deno.DirEntry => ({
      name,
      isFile: kind === "file",
      isDirectory: kind === "folder",
      isSymlink: kind === "link",
    })).filter(counts);
    return { entries: [...kept, ...added], looked: before.looked + (own?.size ?? 0) };
  }

  override async look(path: string): ReturnType<SafeReader["look"]> {
    const at = await this.#followed(path);
    if (at === null) return "outside";
    const laid = this.#overlay.files.get(at);
    if (laid) return "file";
    if (this.#children.has(at)) return "folder";
    if (laid === null || this.#isCovered(at)) return "missing";
    const found = await super.look(at);
    if (found !== "folder" || this.#overlay.stays(at)) return found;
    return await this.#wouldBeEmpty(at) ? "missing" : "folder";
  }

  /** Resolves to the path on disk that decides, to the content that would be there, or to the reason against it. */
  async #find(path: string): Promise<string | Refusal | Laid> {
    const at = await this.#followed(path);
    if (at === null) return ESCAPES;
    const laid = this.#overlay.files.get(at);
    if (this.#children.has(at)) return FOLDER;
    if (laid === null) return MISSING;
    if (laid === undefined) return this.#isCovered(at) ? MISSING : at;
    if (laid.size > this.fileBytes) return TOO_LARGE(this.fileBytes);
    return { bytes: await this.#overlay.content(laid), id: laid.id, path: at };
  }

  /** Follows the links of the overlay and of the disk; null where one leads outside, or in a circle. */
  async #followed(path: string): Promise<string | null> {
    let at = path;
    for (let hops = 0; hops < MOST_LINKS; hops++) {
      const next = this.#throughLaid(at) ?? await this.#throughDisk(at);
      if (next === at) return at;
      at = next;
    }
    return null;
  }

  #throughLaid(path: string): string | null {
    for (let at = path; at !== ""; at = folderOf(at)) {
      const target = this.#overlay.files.get(at)?.target;
      if (target !== undefined) return at === path ? target : join(target, path.slice(at.length + 1));
    }
    return null;
  }

  /** A link that is on disk may lead to something that would change. */
  async #throughDisk(path: string): Promise<string> {
    if (path === "" || this.#overlay.files.has(path) || this.#children.has(path)) return path;
    try {
      const real = await Deno.realPath(`${this.root}/${path}`);
      const prefix = this.root === "/" ? "/" : `${this.root}/`;
      return real.startsWith(prefix) && real !== prefix + path ? real.slice(prefix.length) : path;
    } catch {
      return path;
    }
  }

  /** True for what lies below a path that would be a file. */
  #isCovered(path: string): boolean {
    for (let at = folderOf(path); at !== ""; at = folderOf(at)) {
      if (this.#overlay.files.get(at)) return true;
    }
    return false;
  }

  async #wouldBeEmpty(path: string): Promise<boolean> {
    if (!this.#emptied.has(path)) return false;
    const listed = await super.list(path, MOST_ENTRIES, () => true);
    if ("why" in listed || listed.looked > MOST_ENTRIES) return false;
    for (const { name, isDirectory } of listed.entries) {
      const at = join(path, name);
      if (
        isDirectory
          ? this.#overlay.stays(at) || !await this.#wouldBeEmpty(at)
          : this.#overlay.files.get(at) !== null
      ) {
        return false;
      }
    }
    return true;
  }
}
