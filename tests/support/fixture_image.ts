/** The file system of the image that tests run: a static busybox with all its names, made once in a run. */
import { onceARun } from "./once_a_run.ts";

const IDLE = `#!/bin/sh
trap 'exit 0' TERM INT
while :; do sleep 3600 & wait $!; done
`;

let made: Promise<Uint8Array> | undefined;

/** A tar of it. */
export function fixtureImage(): Promise<Uint8Array> {
  return made ??= (async () => {
    await using folder = await onceARun("fixture", async (path) => {
      await Deno.writeFile(`${path}/image.tar`, await make());
    });
    return await Deno.readFile(`${folder.path}/image.tar`);
  })();
}

async function make(): Promise<Uint8Array> {
  const root = await Deno.makeTempDir({ prefix: "bf" });
  try {
    for (const folder of ["bin", "etc", "tmp", "usr/bin", "root", "home/guest"]) {
      await Deno.mkdir(`${root}/${folder}`, { recursive: true });
    }
    const busybox = (await output("sh", "-c", "command -v busybox")).trim();
    await Deno.copyFile(busybox, `${root}/usr/bin/busybox`);
    await Deno.chmod(`${root}/usr/bin/busybox`, 0o755);
    for (const name of (await output(busybox, "--list")).trim().split("\n")) {
      if (name !== "busybox") await Deno.symlink("/usr/bin/busybox", `${root}/bin/${name}`);
    }
    await Deno.writeTextFile(`${root}/bin/idle`, IDLE);
    await Deno.chmod(`${root}/bin/idle`, 0o755);
    const users = "root:x:0:0:root:/root:/bin/sh\nguest:x:1000:1000:guest:/home/guest:/bin/sh\n";
    await Deno.writeTextFile(`${root}/etc/passwd`, users);
    await Deno.writeTextFile(`${root}/etc/group`, "root:x:0:\nguest:x:1000:\n");
    const tar = await new Deno.Command("tar", { args: ["-C", root, "--numeric-owner", "-c", "."] }).output();
    if (!tar.success) throw new Error("Cannot make the fixture image");
    return tar.stdout;
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function output(program: string, ...args: string[]): Promise<string> {
  return new TextDecoder().decode((await new Deno.Command(program, { args }).output()).stdout);
}
