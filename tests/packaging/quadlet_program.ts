/**
 * Quadlet, which Debian's Podman does not have yet: Podman's own, of a version that has it, built from Go's module proxy
 * and held in a cache.
 */
import { run } from "../../tools/run.ts";

const MODULE = "github.com/containers/podman/v4";
const VERSION = "v4.9.5";

/** Returns the path of the generator. @throws Error with the words of what failed. */
export async function quadletProgram(): Promise<string> {
  const folder = `${
    Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME") ?? "/tmp"}/.cache`
  }/berth-tests`;
  const program = `${folder}/quadlet-${VERSION}`;
  if (await Deno.stat(program).then(({ isFile }) => isFile, () => false)) return program;
  await Deno.mkdir(folder, { recursive: true });
  const work = await Deno.makeTempDir({ prefix: "berth-quadlet-" });
  try {
    const { Dir: source } = JSON.parse(
      await run("go", ["mod", "download", "-json", `${MODULE}@${VERSION}`], work),
    );
    await run("go", ["build", "-mod=mod", "-o", `${work}/built`, "./cmd/quadlet"], source);
    // In one step, so that nobody runs half of it.
    await Deno.copyFile(`${work}/built`, `${program}.new`);
    await Deno.chmod(`${program}.new`, 0o755);
    await Deno.rename(`${program}.new`, program);
    return program;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}
