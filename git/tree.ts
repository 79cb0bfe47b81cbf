/** The tree of a commit as a list, refused where no folder can or should hold it. */

export interface TreeEntry {
  readonly path: string;
  readonly kind: "file" | "link";
  readonly executable: boolean;
  /** The id of its content. */
  readonly id: string;
  /** In bytes. */
  readonly size: number;
}

/** An entry that is not written, and why. */
export interface Skipped {
  readonly path: string;
  readonly why: string;
}

export interface Tree {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  readonly skipped: readonly Skipped[];
}

export const TREE_BOUNDS = { files: 20_000, bytes: 256 * 1024 * 1024, levels: 64 } as const;
/** Bytes of one name on every usual file system. */
const LONGEST_NAME = 255;
const LONGEST_PATH = 4_000;
/** A link's target is read only if it may be one. */
export const LONGEST_TARGET = 4_000;

/** A tree that is refused: `message` says why, in words that follow "Cannot use the commit: ". */
export class RefusedTree extends Error {}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads what `git ls-tree -r -z -l` wrote. Throws `RefusedTree`. */
export function readTree(output: Uint8Array): Tree {
  const entries = new Map<string, TreeEntry>();
  const skipped: Skipped[] = [];
  let bytes = 0;
  for (const record of recordsOf(output)) {
    const [, mode, kind, id, written, path] = /^(\d+) (\w+) ([0-9a-f]+) +(-|\d+)\t([^]+)$/.exec(record) ?? [];
    if (mode === undefined || path === undefined) throw new RefusedTree("git lists it in an unknown form");
    mustBePath(path);
    if (entries.size + skipped.length >= TREE_BOUNDS.files) {
      throw new RefusedTree(`it has over ${TREE_BOUNDS.files} files`);
    }
    if (kind === "commit") {
      skipped.push({ path, why: "it is a submodule" });
      continue;
    }
    const isLink = mode === "120000";
    if (!isLink && mode !== "100644" && mode !== "100755" && mode !== "100664") {
      throw new RefusedTree(`"${path}" has the mode ${mode}`);
    }
    const size = Number(written);
    bytes += size;
    if (bytes > TREE_BOUNDS.bytes) {
      throw new RefusedTree(`its files have over ${TREE_BOUNDS.bytes / 1024 / 1024} MiB`);
    }
    if (entries.has(path)) throw new RefusedTree(`it holds "${path}" twice`);
    entries.set(path, {
      path,
      kind: isLink ? "link" : "file",
      executable: mode === "100755",
      id: id!,
      size,
    });
  }
  mustNest(entries);
  return { entries, skipped };
}

/**
 * Returns the link's target below the folder; null for one that leads out of it, which is skipped. A ".." behind a name
 * may lead anywhere, since that name may be a link itself.
 */
export function targetInside(path: string, target: string): string | null {
  if (target === "" || target.startsWith("/") || target.includes("\0")) return null;
  const parts = path.split("/").slice(0, -1);
  let isBelow = false;
  for (const part of target.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") {
      parts.push(part);
      isBelow = true;
    } else if (isBelow || parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

function* recordsOf(output: Uint8Array): Generator<string> {
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0, at);
    if (end < 0) throw new RefusedTree("git lists it in an unknown form");
    let record: string;
    try {
      record = utf8.decode(output.subarray(at, end));
    } catch {
      const path = new TextDecoder().decode(output.subarray(at, end)).split("\t")[1] ?? "";
      throw new RefusedTree(`the name ${JSON.stringify(path.slice(0, 100))} is not UTF-8`);
    }
    yield record;
    at = end + 1;
  }
}

function mustBePath(path: string): void {
  const parts = path.split("/");
  const shown = JSON.stringify(path.length > 100 ? `${path.slice(0, 100)}…` : path);
  if (parts.length > TREE_BOUNDS.levels) {
    throw new RefusedTree(`${shown} is in folders more than ${TREE_BOUNDS.levels} levels deep`);
  }
  if (path.length > LONGEST_PATH) throw new RefusedTree(`the path ${shown} is too long`);
  if (/[\p{Cc}\u2028\u2029\ufffd]/u.test(path)) {
    throw new RefusedTree(`the name ${shown} holds a control character`);
  }
  for (const part of parts) {
    if (part === "" || part === "." || part === ".." || /^\.git$/i.test(part)) {
      throw new RefusedTree(`${shown} is no path of a file`);
    }
    if (new TextEncoder().encode(part).length > LONGEST_NAME) {
      throw new RefusedTree(`a name in ${shown} has over ${LONGEST_NAME} bytes`);
    }
  }
}

/** Nothing may be a file and a folder at once. */
function mustNest(entries: ReadonlyMap<string, TreeEntry>): void {
  for (const path of entries.keys()) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at);
      if (entries.has(folder)) throw new RefusedTree(`it holds "${folder}" as a file and as a folder`);
    }
  }
}
