/** The files that a running berth is made of, and the packages that its lock file names. */
import { fileURLToPath } from "node:url";
import { buildPage, isUnreachable, NO_REGISTRY } from "../page/build.ts";
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
  for (const { name, version } of packages) {
    if (await cachedPackage(name, version) !== null) continue;
    await fetchPackages();
    break;
  }
  await fetchVersions(packages);
  for (const { name, version } of packages) {
    const from = await cachedPackage(name, version);
    if (from === null) throw new Error(`The module cache of this machine has no ${name} ${version}`);
    const to = `${cache}/npm/${REGISTRY_FOLDER}/${name}`;
    await Deno.mkdir(to, { recursive: true });
    await run("cp", ["-r", from, `${to}/${version}`]);
    const versions = `${from}/../${VERSIONS}`;
    if (await exists(versions)) await copyVersion(versions, `${to}/${VERSIONS}`, version);
  }
}

/** Keeps what a registry tells of this version, beside those that were kept before: of a thousand others nobody asks. */
async function copyVersion(from: string, to: string, version: string): Promise<void> {
  const told = JSON.parse(await Deno.readTextFile(from));
  const before = await exists(to) ? JSON.parse(await Deno.readTextFile(to)) : { versions: {}, time: {} };
  const kept = {
    ...told,
    "dist-tags": { latest: version },
    versions: { ...before.versions, [version]: told.versions[version] },
    time: { ...before.time, [version]: told.time?.[version] },
  };
  await Deno.writeTextFile(to, JSON.stringify(kept));
}

/** @throws Error with one sentence where no registry answers. */
async function fetchPackages(): Promise<void> {
  try {
    await run(Deno.execPath(), ["install", "--frozen"], ROOT);
  } catch (error) {
    throw error instanceof Error && isUnreachable(error.message) ? new Error(NO_REGISTRY) : error;
  }
}

/** What a registry tells of a package: the runtime asks for it of each package that the program names itself. */
const VERSIONS = "registry.json";

/** Fetches what the registry tells of the packages that the program names, where a frozen install did without it. */
async function fetchVersions(packages: readonly LockedPackage[]): Promise<void> {
  const { imports } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`)) as {
    imports: Record<string, string>;
  };
  const lacking: string[] = [];
  for (const { name, version } of packages) {
    if (!(name in imports)) continue;
    const from = await cachedPackage(name, version);
    if (from !== null && !await exists(`${from}/../${VERSIONS}`)) lacking.push(`npm:${name}@${version}`);
  }
  if (lacking.length > 0) await run(Deno.execPath(), ["cache", "--no-config", "--no-lock", ...lacking], ROOT);
}

const REGISTRY_FOLDER = "registry.npmjs.org";
/** Of a program that uses what `copyPackages` has copied, wherever that was fetched from. */
export const OF_PUBLIC_REGISTRY = { NPM_CONFIG_REGISTRY: `https://${REGISTRY_FOLDER}/` };

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
