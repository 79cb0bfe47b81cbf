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

/**
 * Returns the modules that are imported by a constant, and so are not found by following imports: as the task
 * that compiles lists them.
 */
export async function lateEntries(): Promise<string[]> {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const entries: string[] = [];
  await buildPage();
  for (const [, path = ""] of (tasks.compile.command as string).matchAll(/--include (\S+)/g)) {
    if (path.endsWith(".ts")) entries.push(path);
    else {
      for await (const { name } of Deno.readDir(`${ROOT}${path}`)) {
        if (name.endsWith(".ts") && !name.endsWith("_test.ts")) entries.push(`${path}/${name}`);
      }
    }
  }
  return entries.sort();
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

/** Puts the locked packages into a module cache of their own; only what the machine's cache lacks is fetched. */
export async function copyPackages(cache: string): Promise<void> {
  const packages = await lockedPackages();
  const missing: string[] = [];
  for (const { name, version } of packages) {
    const from = await cachedPackage(name, version);
    if (await Deno.stat(from).then(() => false, () => true)) missing.push(name);
  }
  if (missing.length > 0) await run(Deno.execPath(), ["install", "--frozen"], ROOT);
  for (const { name, version } of packages) {
    const from = await cachedPackage(name, version);
    const to = `${cache}/npm/registry.npmjs.org/${name}`;
    await Deno.mkdir(to, { recursive: true });
    await run("cp", ["-r", from, `${to}/${version}`]);
    // The runtime asks for this of what the program names itself, and fetches it for no other package.
    const versions = `${from}/../registry.json`;
    const isThere = await Deno.stat(versions).then(() => true, () => false);
    if (isThere) await Deno.copyFile(versions, `${to}/registry.json`);
  }
}

let npmCache: string | undefined;

/** Returns the folder in which this machine keeps a package. */
export async function cachedPackage(name: string, version: string): Promise<string> {
  npmCache ??= JSON.parse(await run(Deno.execPath(), ["info", "--json"])).npmCache as string;
  return `${npmCache}/registry.npmjs.org/${name}/${version}`;
}
