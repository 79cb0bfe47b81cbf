/** Finds out if this process runs in a container. */

/** Docker and Podman leave a file at the root; systemd-nspawn, Podman and berth's own image set `container`. */
export async function isInContainer(env: (name: string) => string | undefined): Promise<boolean> {
  if (env("container") !== undefined) return true;
  const marks = ["/.dockerenv", "/run/.containerenv"];
  return (await Promise.all(marks.map((path) => Deno.stat(path).then(() => true, () => false)))).includes(
    true,
  );
}

/** The same, by this process's own environment. */
export async function isContainedHere(): Promise<boolean> {
  return await isInContainer(Deno.env.get);
}
