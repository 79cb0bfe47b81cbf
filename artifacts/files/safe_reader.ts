/** Reads regular files below one folder, and never follows a link out of it or waits at a pipe or device. */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { PathUse } from "../artifact.ts";
import { yieldToEventLoop } from "../event_loop.ts";
import { BUDGETS } from "./budgets.ts";
import { type Folder, isSame, openFolder } from "./folder.ts";
import { baseName, folderOf } from "./paths.ts";
import { sha256 } from "./sha256.ts";

export interface ReadText {
  readonly text: string;
  readonly hash: string;
  readonly stamp: string;
  /** The path below the root that links led to; absent where there were none. */
  readonly leadsTo?: string;
}

/** The reason that a file was not read. `code` is that of the finding; "missing" is for the caller to judge. */
export interface Refusal {
  readonly code:
    | "fs/unreadable"
    | "fs/not-utf8"
    | "fs/too-large"
    | "fs/symlink-escape"
    | "fs/limit-reached"
    | "missing";
  readonly why: string;
  /** Less than the code says by itself. */
  readonly severity?: "info";
}

export interface Listed {
  readonly entries: readonly Deno.DirEntry[];
  /** The number of entries, with those that do not count. */
  readonly looked: number;
}

/** The last listing of a folder. `stamp` is null where the next look must list it again. */
interface KnownList {
  readonly counts: Counts;
  readonly stamp: string | null;
  readonly at: number;
  readonly listed: Listed;
  /** The names as a file system may take them that does not tell case, made when they are first asked for. */
  names: ReadonlySet<string> | null;
}

/** Tells which entries of a folder count. The same function stands for the same answer. */
export type Counts = (entry: Deno.DirEntry) => boolean;

export class SafeReader {
  readonly #prefix: string;
  readonly #lists = new Map<string, KnownList>();

  /** `root` and `hidden` are real paths. Hidden folders count as outside. */
  constructor(
    readonly root: string,
    readonly fileBytes: number = BUDGETS.fileBytes,
    readonly hidden: readonly string[] = [],
    readonly allowHardLinks = false,
  ) {
    this.#prefix = root === "/" ? "/" : `${root}/`;
  }

  /** `path` lies below the root, lexically (`resolve` of paths.ts saw to that). */
  async read(path: string): Promise<ReadText | Refusal> {
    return await this.#read(path, (bytes, stamp, real) => ({
      text: decode(bytes),
      hash: sha256(bytes),
      stamp,
      ...(real !== path && { leadsTo: real }),
    }));
  }

  /** The bytes of a file of any kind. */
  async bytes(path: string): Promise<Uint8Array | Refusal> {
    return await this.#read(path, (bytes) => bytes);
  }

  /** Hex SHA-256 of a file of any kind. */
  async hash(path: string): Promise<string | Refusal> {
    return await this.#read(path, sha256);
  }

  async #read<T>(
    path: string,
    made: (bytes: Uint8Array, stamp: string, real: string) => T,
  ): Promise<T | Refusal> {
    try {
      const real = await this.#real(path);
      if (typeof real !== "string") return real;
      if (real === this.root) return FOLDER;
      using folder = await openFolder(this.root, folderOf(real) || "/");
      if (!folder) return CHANGED;
      const at = folder.at(baseName(real));
      const openedAt = Date.now();
      const before = await Deno.lstat(at);
      const refusal = this.#refusal(before);
      if (refusal) return refusal;
      // A pipe or a link may have taken the file's place since: neither wait at one nor follow the other.
      await using file = await open(at, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
      const opened = await file.stat();
      if (!opened.isFile() || !isSame(opened, before)) return CHANGED;
      const bytes = await readAtMost(file, opened.size, this.fileBytes);
      const isInside = await folder.stillHas(opened, () => Deno.lstat(at), isSame);
      if (!isInside) return CHANGED;
      if (bytes === null) return TOO_LARGE(this.fileBytes);
      return made(bytes, stampOf(before, openedAt), real.slice(this.#prefix.length));
    } catch (error) {
      return refusalOf(error);
    }
  }

  /**
   * The entries of a folder that count, of so many at most; links in `path` are not followed. A folder whose time of
   * change is the same as at the last listing has the same entries.
   */
  async list(path: string, limit: number, counts: Counts): Promise<Listed | Refusal> {
    const stamp = await this.#folderStamp(path);
    const known = this.#lists.get(path);
    if (known !== undefined && isStill(known, stamp, counts) && known.listed.looked <= limit) {
      return known.listed;
    }
    this.#lists.delete(path);
    const listed = await this.#listed(path, limit, counts);
    if ("why" in listed || listed.looked > limit) return listed;
    if (this.#lists.size >= MOST_LISTS) this.#lists.clear();
    this.#lists.set(path, { counts, stamp, at: performance.now(), listed, names: null });
    return listed;
  }

  /** True if the last listing of the folder says that nothing has this path. For callers that have just listed it. */
  isListedWithout(path: string): boolean {
    const name = baseName(path);
    const known = this.#lists.get(folderOf(path));
    if (known === undefined || !known.counts({ name, isFile: true, isDirectory: false, isSymlink: false })) {
      return false;
    }
    known.names ??= new Set(known.listed.entries.map((entry) => folded(entry.name)));
    return !known.names.has(folded(name));
  }

  /** Another one when entries have come or gone; null where the clock is too coarse to tell, or nothing is there. */
  async #folderStamp(path: string): Promise<string | null> {
    try {
      const stat = await Deno.lstat(this.#full(path));
      const changedMs = Math.max(stat.mtime?.getTime() ?? Infinity, stat.ctime?.getTime() ?? Infinity);
      return stat.isDirectory && Date.now() - changedMs > CALM_MS ? `${stat.dev}:${stampOf(stat)}` : null;
    } catch {
      return null;
    }
  }

  async #listed(path: string, limit: number, counts: Counts): Promise<Listed | Refusal> {
    const full = this.#full(path);
    if (this.#isHidden(full)) return ESCAPES;
    try {
      using folder = await openFolder(this.root, full);
      if (!folder) return CHANGED;
      const look = () => entriesOf(folder, limit, counts);
      const listed = await look();
      const isInside = await folder.stillHas(
        listed,
        look,
        (one, other) =>
          one.looked === other.looked && JSON.stringify(one.entries) === JSON.stringify(other.entries),
      );
      return isInside ? listed : CHANGED;
    } catch (error) {
      return isAbsent(error) ? MISSING : refusalOf(error);
    }
  }

  /** Changes when the content may have changed; null where there is no such file. */
  async stamp(path: string): Promise<string | null> {
    try {
      return stampOf(await Deno.stat(this.#prefix + path));
    } catch {
      return null;
    }
  }

  /** Looks at a path without opening it. Behind a link, absent, outside and forbidden are not told apart. */
  async look(path: string): Promise<PathUse["found"]> {
    try {
      const real = await this.#real(path);
      if (typeof real !== "string") return real.code === "missing" ? "missing" : "outside";
      if (real === this.root) return "folder";
      using folder = await openFolder(this.root, folderOf(real) || "/");
      if (!folder) return "outside";
      const at = folder.at(baseName(real));
      const stat = await Deno.lstat(at);
      const isInside = await folder.stillHas(stat, () => Deno.lstat(at), isSame);
      if (!isInside) return "outside";
      return stat.isFile ? "file" : stat.isDirectory ? "folder" : "other";
    } catch (error) {
      return error instanceof Deno.errors.NotFound ? "missing" : "outside";
    }
  }

  #full(path: string): string {
    return path === "" ? this.root : this.#prefix + path;
  }

  #isHidden(real: string): boolean {
    return this.hidden.some((folder) => real === folder || real.startsWith(`${folder}/`));
  }

  async #real(path: string): Promise<string | Refusal> {
    const full = this.#full(path);
    let real: string;
    try {
      real = await Deno.realPath(full);
    } catch (error) {
      return await this.#throughLink(path) ? ESCAPES : refusalOf(error);
    }
    if (this.#isHidden(real)) return ESCAPES;
    return real === this.root || real.startsWith(this.#prefix) ? real : ESCAPES;
  }

  /** Resolves to true if a part of the path is a link: then its absence tells about places outside. */
  async #throughLink(path: string): Promise<boolean> {
    let part = this.root;
    for (const name of path.split("/")) {
      part = part === "/" ? `/${name}` : `${part}/${name}`;
      try {
        if ((await Deno.lstat(part)).isSymlink) return true;
      } catch {
        return false;
      }
    }
    return false;
  }

  #refusal(stat: Deno.FileInfo): Refusal | null {
    if (stat.isDirectory) return FOLDER;
    if (!stat.isFile) return { code: "fs/unreadable", why: "it is not a regular file" };
    if (!this.allowHardLinks && (stat.nlink ?? 1) > 1) return HARD_LINKED;
    if (stat.size > this.fileBytes) return TOO_LARGE(this.fileBytes);
    return null;
  }
}

export const ESCAPES: Refusal = {
  code: "fs/symlink-escape",
  why: "the link does not lead to anything inside the workspace",
};
export const MISSING: Refusal = { code: "missing", why: "it does not exist" };
export const FOLDER: Refusal = { code: "fs/unreadable", why: "it is a folder" };
const HARD_LINKED: Refusal = {
  code: "fs/unreadable",
  why:
    "it has several hard links, so it may be a file from outside the workspace; an admin can allow hard links " +
    "for this workspace (`PUT /api/workspaces/{id}`)",
};
const DENIED: Refusal = { code: "fs/unreadable", why: "access is denied" };
const CHANGED: Refusal = { code: "fs/unreadable", why: "it changed while it was read" };
export const TOO_LARGE = (limit: number): Refusal => ({
  code: "fs/too-large",
  why: `it is over ${limit} bytes`,
});

export function refusalOf(error: unknown): Refusal {
  if (error instanceof NotText) return { code: "fs/not-utf8", why: error.message };
  if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
    return MISSING;
  }
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) return DENIED;
  const code = codeOf(error);
  if (code === "EACCES" || code === "EPERM") return DENIED;
  if (code === "ENOENT" || code === "ELOOP") return CHANGED;
  return { code: "fs/unreadable", why: "the system refused to open it" };
}

/** Of `node:fs`, whose errors Deno's own classes do not know. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

/** Returns true if there is no folder of that name: a link to one is none. */
function isAbsent(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(String(codeOf(error)));
}

/** A folder that changed longer ago shows its next change, also on a disk that tells seconds. */
const CALM_MS = 2_000;
/** Some network disks tell no time of change: a listing is believed this long at most. */
const LIST_MS = 30_000;
/** Folders whose listings are kept. */
const MOST_LISTS = 20_000;

const folded = (name: string): string => name.normalize("NFC").toLowerCase();

function isStill(known: KnownList, stamp: string | null, counts: Counts): boolean {
  return stamp !== null && known.stamp === stamp && known.counts === counts &&
    performance.now() - known.at < LIST_MS;
}

/** Times of files are those of the kernel's last tick, at most 10 ms apart. */
const TICK_MS = 20;

/**
 * The birth time tells a new file from an old one whose inode number it got, as on ext4. A file that was read in the
 * tick of its last change gets a stamp that no later look repeats: a second write in that tick leaves the same time.
 */
function stampOf({ size, ino, mtime, ctime, birthtime }: Deno.FileInfo, readAt?: number): string {
  const times = [mtime, ctime, birthtime].map((time) => time?.getTime() ?? 0);
  const isFresh = readAt !== undefined && Math.abs(readAt - times[0]!) < TICK_MS; // there are three
  return [size, ino, ...times, ...(isFresh ? ["fresh"] : [])].join(":");
}

async function entriesOf(
  folder: Folder,
  limit: number,
  counts: Counts,
): Promise<Listed> {
  const entries: Deno.DirEntry[] = [];
  let looked = 0;
  for await (const entry of Deno.readDir(folder.at(""))) {
    if (++looked > limit) break;
    if ((looked & 1023) === 0) await yieldToEventLoop();
    if (counts(entry)) entries.push(entry);
  }
  return { entries, looked };
}

async function readAtMost(file: FileHandle, size: number, limit: number): Promise<Uint8Array | null> {
  let buffer = new Uint8Array(Math.min(size, limit) + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
    if (length > limit) return null;
    if (length === buffer.length) {
      const larger = new Uint8Array(Math.min(buffer.length * 2, limit + 1));
      larger.set(buffer);
      buffer = larger;
    }
  }
}

class NotText extends Error {}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A byte order mark stays: offsets count it, as editors do not show it but files hold it. */
export function decode(bytes: Uint8Array): string {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new NotText("it is not UTF-8 text");
  }
  if (text.includes("\0")) throw new NotText("it holds a NUL byte, as no text does");
  return text;
}
