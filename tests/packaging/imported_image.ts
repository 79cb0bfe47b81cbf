/** Images made of this machine's own programs. */
import type { TestEngine } from "../support/engine.ts";

/** Copies programs and what they are linked with to their own places below `root`. */
export async function placeLibraries(root: string, programs: readonly string[]): Promise<void> {
  const { stdout } = await new Deno.Command("ldd", { args: [...programs] }).output();
  const libraries = [...new TextDecoder().decode(stdout).matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!);
  for (const path of new Set([...programs, ...libraries])) {
    await Deno.mkdir(root + path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.copyFile(await Deno.realPath(path), root + path);
    await Deno.chmod(root + path, 0o755);
  }
}

/** Imports a folder as an image; `changes` are lines of a Containerfile. */
export async function importFolder(
  engine: TestEngine,
  root: string,
  tag: string,
  changes: readonly string[],
): Promise<void> {
  const { stdout: tar } = await new Deno.Command("tar", { args: ["-C", root, "--numeric-owner", "-c", "."] })
    .output();
  const [repo = "", name = ""] = tag.split(":");
  const query = new URLSearchParams({ fromSrc: "-", repo, tag: name });
  for (const change of changes) query.append("changes", change);
  const { status, body } = await engine.ask(`POST /images/create?${query}`, tar);
  if (status !== 200 || body.includes('"error')) throw new Error(`Cannot import ${tag}: ${status} ${body}`);
}
