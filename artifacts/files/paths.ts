/** Paths below a workspace as plain text: joined without the disk, and never above the root. */

/** The folder of a path; "" for the root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? "" : path.slice(0, slash);
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns true if a path is one of `paths` or lies below one; the same work however many there are. */
export function isAtOrBelow(path: string, paths: ReadonlySet<string>): boolean {
  for (let part = path; part !== ""; part = folderOf(part)) if (paths.has(part)) return true;
  return false;
}

/** The path on disk of one below the root. */
export function fullOf(root: string, path: string): string {
  return path === "" ? root : root === "/" ? `/${path}` : `${root}/${path}`;
}

export function join(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/**
 * The path below the root that `written` means in `folder`; null where it leads outside, starts with `~`, or holds
 * a backslash or NUL.
 */
export function resolve(root: string, folder: string, written: string): string | null {
  if (written.includes("\0") || written.includes("\\")) return null;
  if (written === "~" || written.startsWith("~/")) return null;
  let from = folder;
  let rest = written;
  if (written.startsWith("/")) {
    if (written !== root && !written.startsWith(root === "/" ? "/" : `${root}/`)) return null;
    from = "";
    rest = written.slice(root.length);
  }
  const parts = from === "" ? [] : from.split("/");
  for (const part of rest.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (parts.length === 0) return null;
      parts.pop();
    } else parts.push(part);
  }
  return parts.join("/");
}

/** URLs, git addresses, OCI references: never fetched. */
export function isRemote(written: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|git@|github\.com\/|oci:|docker-image:|remote:)/i.test(written);
}
