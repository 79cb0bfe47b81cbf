/** Says how a folder that is mounted read-only becomes writable: in a unit of systemd, in a container, or on a host. */

/** Returns the end of a sentence, for a folder in which this process may write nothing. */
export async function readOnlyRemedy(root: string): Promise<string> {
  const [groups, mounts] = await Promise.all(["cgroup", "mountinfo"].map(textOfSelf));
  return remedyIn(root, groups!, mounts!);
}

/** The same, for these `cgroup` and `mountinfo` of a process. */
export function remedyIn(root: string, groups: string, mounts: string): string {
  const unit = unitIn(groups);
  // Another mount of the host would leave the unit's own as it is.
  if (unit !== null && isReadOnlyHereAlone(root, mounts)) {
    const path = root.replaceAll("%", "%%").replaceAll(/["\\]/g, "\\$&");
    return `; its unit lets berth only read there: systemctl ${
      unit.isUsers ? "--user " : ""
    }edit ${unit.name}, ` +
      `[Service] and ReadWritePaths="${path}" in lines of their own, then restart it`;
  }
  return '; mount its folder with the right to write: in a container without ":ro" in its volume and docker compose ' +
    `up -d, elsewhere mount -o remount,rw "$(findmnt -n -o TARGET -T '${root.replaceAll("'", `'\\''`)}')"`;
}

/** Returns null where no service of systemd started this process, as in a container or a terminal. */
function unitIn(groups: string): { readonly name: string; readonly isUsers: boolean } | null {
  const [, path = "", name] = /^(?:0:|\d+:name=\w+):(\/.*?([^/]+\.service))$/m.exec(groups) ?? [];
  return name === undefined ? null : { name, isUsers: path.includes("/user@") };
}

/** Returns true if the mount is read-only and its file system is not, as systemd does it to a service. */
function isReadOnlyHereAlone(root: string, mounts: string): boolean {
  let found = { point: "", isHereAlone: false };
  for (const line of mounts.split("\n")) {
    const [own, ofSystem] = line.split(" - ").map((half) => half.split(" "));
    const point = own?.[4]?.replaceAll(/\\(\d{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)));
    if (point === undefined || ofSystem === undefined) continue;
    if (!`${root}/`.startsWith(point === "/" ? "/" : `${point}/`)) continue;
    // The last of those at one point is on top of the others.
    if (point.length < found.point.length) continue;
    const isReadOnly = (options = "") => options.split(",").includes("ro");
    found = { point, isHereAlone: isReadOnly(own![5]) && !isReadOnly(ofSystem[2]) };
  }
  return found.isHereAlone;
}

async function textOfSelf(name: string): Promise<string> {
  return await Deno.readTextFile(`/proc/self/${name}`).catch(() => "");
}
