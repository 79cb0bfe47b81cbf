/** A folder with all that lies in it: found and read by descriptors, so that no link leads out of it. */

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isInside } from "./inside.ts";
import { isSame, openFolder } from "./folder.ts";
import { baseName, folderOf } from "./paths.ts";

export interface TreeEntry {
  /** Below the folder. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly size: number;
  readonly mode: number;
  /** Seconds since 1970. */
  readonly changed: number;
  /** The place that a link leads to; empty for others. */
  readonly target: string;
}

interface TreeOptions {
  /** `enter`: a folder does not count itself, but what lies in it may. */
  readonly judge: (path: string) => "take" | "enter" | "skip";
  /** Real paths that are never read. */
  readonly hidden: readonly string[];
  readonly allowHardLinks: boolean;
}

/** Something in the folder cannot be taken. Its message names the path and says why. */
export class TreeRefusal extends Error {}

const PIECE = 64 * 1_024;

export class Tree {
  /** `root` is the real path of a workspace, and `path` that of a folder at or below it. */
  constructor(readonly root: string, readonly path: string, private readonly options: TreeOptions) {}

  /** All that counts, each folder before what is in it. Throws `TreeRefusal`. */
  async *entries(below = ""): AsyncGenerator<TreeEntry> {
    using folder = await openFolder(this.root, this.#full(below)).catch((cause) => {
      throw new TreeRefusal(`"${below || "."}" cannot be read`, { cause });
    });
    if (folder === null) throw new TreeRefusal(`"${below || "."}" was exchanged while it was read`);
    const names = (await Array.fromAsync(Deno.readDir(folder.at("")))).map(({ name }) => name).sort();
    for (const name of names) {
      const path = below === "" ? name : `${below}/${name}`;
      const stat = await Deno.lstat(folder.at(name)).catch(() => null); // it is gone again
      if (stat === null || this.options.hidden.some((one) => isInside(this.#full(path), one))) continue;
      const verdict = this.options.judge(path);
      if (verdict === "skip") continue;
      const about = {
        path,
        mode: (stat.mode ?? 0o644) & 0o7777,
        changed: (stat.mtime?.getTime() ?? 0) / 1_000,
      };
      if (stat.isDirectory) {
        if (verdict === "take") yield { ...about, kind: "folder", size: 0, target: "" };
        yield* this.entries(path);
      } else if (verdict === "enter") {
        continue;
      } else if (stat.isSymlink) {
        yield { ...about, kind: "link", size: 0, target: await Deno.readLink(folder.at(name)) };
      } else if (stat.isFile) {
        if (!this.options.allowHardLinks && (stat.nlink ?? 1) > 1) throw new TreeRefusal(hardLinked(path));
        yield { ...about, kind: "file", size: stat.size, target: "" };
      }
      // Pipes, sockets and devices are nothing to copy.
    }
  }

  /** Returns the size of a file; null where there is none. */
  async sizeOf(path: string): Promise<number | null> {
    using folder = await openFolder(this.root, folderOf(this.#full(path)) || "/").catch(() => null);
    const stat = folder === null ? null : await Deno.lstat(folder.at(baseName(path))).catch(() => null);
    return stat?.isFile ? stat.size : null;
  }

  /** The bytes of a file, exactly as many as it had. Throws `TreeRefusal` if it is no longer what was found. */
  async *bytes({ path, size }: Pick<TreeEntry, "path" | "size">): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const exchanged = () => new TreeRefusal(`"${path}" changed while it was read`);
    using folder = await openFolder(this.root, folderOf(this.#full(path)) || "/");
    if (folder === null) throw exchanged();
    const at = folder.at(baseName(path));
    const before = await Deno.lstat(at).catch(() => null);
    if (before === null || !before.isFile) throw exchanged();
    await using file = await open(at, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
      .catch((cause) => {
        throw new TreeRefusal(`"${path}" cannot be read`, { cause });
      });
    const opened = await file.stat();
    if (!isSame(opened, before) || opened.size !== size) throw exchanged();
    if (!this.options.allowHardLinks && opened.nlink > 1) throw new TreeRefusal(hardLinked(path));
    if (!await folder.stillHas(opened, () => Deno.lstat(at), isSame)) throw exchanged();
    for (let left = size; left > 0;) {
      const { buffer, bytesRead } = await file.read(new Uint8Array(Math.min(PIECE, left)));
      if (bytesRead === 0) throw exchanged();
      left -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  #full(below: string): string {
    if (below === "") return this.path;
    return this.path === "/" ? `/${below}` : `${this.path}/${below}`;
  }
}

const hardLinked = (path: string): string =>
  `"${path}" has several hard links, so it may be a file from outside the workspace; leave it out in .dockerignore, ` +
  "or let an admin allow hard links for this workspace";
