/** The files that a running berth is made of, and the packages that its lock file names. */
import { fileURLToPath } from "node:url";
import { buildPage } from "../page/build.ts";
import { run } from "./run.ts";

/** The folder of the project, with a separator behind it. */
export const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Folders beside the program, which nothing of it imports. */
const BESIDE = ["tests", "bench", "docs", "tools", "packaging", "dist", "node_modules", "coverage"];

/** Paths from the root of the project, in order; of the page only what is built. */
export async function programFiles(): Promise<string[]> {
  await buildPage();
  const found: string[] = ["LICENSE", "deno.json", "deno.lock"];
  async function walk(folder: string): Promise<void> {
    for await (const { name, isDirectory } of Deno.readDir(ROOT + folder)) {
      const path = folder + name;
      if (name.startsWith(".") || BESIDE.includes(path)) continue;
      if (path === "page") await walk("page/built/");
      else if (isDirectory) await walk(`${path}/`);
      else if (/\.(?:ts|js|css|html)$/.test(name) && !name.endsWith("_test.ts")) found.push(path);
      else if (path === "client/deno.json") found.push(path); // a member of the workspace
    }
  }
  await walk("");
  return found.sort();
}

/** Returns the modules that are found by their path (`core/place.ts`), and not by following imports. */
export async function lateEntries(): Promise<string[]> {
  const entries = new Set<string>();
  for (const file of await programFiles()) {
    if (!file.endsWith(".ts")) continue;
    const source = await Deno.readTextFile(ROOT + file);
    for (const [, path] of source.matchAll(/\bplaceOf\("([\w/]+\.ts)"\)/g)) entries.add(path!);
    for (const [, name] of source.matchAll(/\bread\("\.\/(\w+\.ts)"\)/g)) entries.add(`commands/${name}`);
  }
  return [...entries].sort();
}

/** One package of a lock file. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** As npm writes it: the name of a hash, and the hash in base64. */
  readonly integrity: string;
}

/** The packages of the service, in order. */
export async function lockedPackages(lock = `${ROOT}deno.lock`): Promise<LockedPackage[]> {
  const { npm } = JSON.parse(await Deno.readTextFile(lock)) as { npm: Record<string, { integrity: string }> };
  return Object.entries(npm).map(([key, { integrity }]) => {
    // `name@1.2.3`, `@scope/name@1.2.3`, and both with `_peer@2.0.0` behind
    const [, name = "", version = ""] = /^(@?[^@]+)@([^_]+)/.exec(key) ?? [];
    return { name, version, integrity };
  }).sort((one, other) => one.name < other.name ? -1 : 1);
}

const REGISTRY_FOLDER = "registry.npmjs.org";

let npmCache: string | undefined;

/** Returns the folder in which this machine keeps a package, or null; a copy from another registry is taken as well. */
export async function cachedPackage(name: string, version: string): Promise<string | null> {
  npmCache ??= JSON.parse(await run(Deno.execPath(), ["info", "--json"])).npmCache as string;
  const usual = `${npmCache}/${REGISTRY_FOLDER}/${name}/${version}`;
  if (await exists(usual)) return usual;
  if (!await exists(npmCache)) return null;
  // The path of another registry's address is a path here, too.
  const words = ["-maxdepth", "8", "-type", "d", "-path", `*/${name}/${version}`, "-print", "-quit"];
  return (await run("find", [npmCache, ...words])).trim() || null;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
