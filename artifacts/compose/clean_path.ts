/** Paths in a container as Compose and engines keep them. */

/** `/srv/./x/` is `/srv/x`. */
export function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** The target of a mount; one that is not absolute, as on Windows, stays as it is. */
export function cleanTarget(target: string): string {
  return target.startsWith("/") ? cleanPath(target) : target;
}
