/** A file system of 1 MiB unless more is said, which is soon full. */

export class SmallDisk implements AsyncDisposable {
  private constructor(readonly folder: string) {}

  static async mount(size = "1m"): Promise<SmallDisk> {
    const folder = await Deno.makeTempDir({ prefix: "berth-full-" });
    if (await mounts(folder, size)) return new SmallDisk(folder);
    await Deno.remove(folder);
    throw new Error("Cannot mount a small file system; is this root?");
  }

  /** Takes all the room that is left. */
  fill(): void {
    using ballast = Deno.openSync(`${this.folder}/ballast`, { create: true, append: true });
    for (let size = 65_536; size >= 1;) {
      try {
        ballast.writeSync(new Uint8Array(size));
      } catch {
        size = Math.floor(size / 2);
      }
    }
  }

  /** Gives back what `fill` took. */
  empty(): void {
    Deno.removeSync(`${this.folder}/ballast`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Deno.Command("umount", { args: ["-l", this.folder] }).output();
    await Deno.remove(this.folder);
  }
}

async function mounts(folder: string, size: string): Promise<boolean> {
  try {
    const { success } = await new Deno.Command("mount", {
      args: ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder],
      stdout: "null",
      stderr: "null",
    }).output();
    return success;
  } catch {
    return false;
  }
}

/** True if this machine lets us. */
export const mayMount = await SmallDisk.mount().then(
  async (disk) => (await disk[Symbol.asyncDispose](), true),
  () => false,
);
if (!mayMount) console.error("NOT RUN: a full disk, because no small file system may be mounted here");
