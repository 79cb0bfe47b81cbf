/** Bundles the program into `dist/program/` when its sources have changed: an image and a binary run that, not the sources. */
import { isUnreachable, nameParts, NO_REGISTRY, pathOf, replaceFolder, sha256 } from "../page/build.ts";
import { cachedPackage, lateEntries, lockedPackages, programFiles, ROOT } from "./program.ts";
import { run } from "./run.ts";

/** The folder of the bundle; `main.ts` in it is the program. */
export const BUNDLE = new URL("../dist/program/", import.meta.url);

/** The digest of what the bundle was made from. */
const MARK = "digest";
/** The notices of all packages that are in the bundle or in its page. */
export const NOTICES = "LICENSES";

/** Bundles when needed. Returns what was done, in a sentence, or null when the bundle was up to date. */
export async function bundleProgram(into: URL = BUNDLE): Promise<string | null> {
  const files = await programFiles();
  const digest = await digestOf(files);
  const isMade = async () => await Deno.readTextFile(new URL(MARK, into)).catch(() => null) === digest;
  const ms = await replaceFolder(into, isMade, async (folder) => {
    await bundle(folder);
    await nameParts(folder, (text) => text.replaceAll(OF_PACKAGE, "$1npm/").replace(REQUIRE, BUILT_IN));
    await settleMaps(folder);
    // Its name stays the one under which people start it; a script is TypeScript, too.
    await Deno.rename(new URL("main.js", folder), new URL("main.ts", folder));
    for (const path of files) {
      if (path.startsWith("page/built/") || path === "LICENSE") await copy(path, folder);
    }
    await Deno.writeTextFile(new URL(NOTICES, folder), await notices());
    if (await digestOf(files) !== digest) {
      throw new Error("its sources changed while it was bundled; start it once more");
    }
    await Deno.writeTextFile(new URL(MARK, folder), digest);
  });
  return ms === null ? null : `The program is bundled (${ms} ms)`;
}

/** Returns the paths of the files that are shipped, in order. */
export async function bundledFiles(from: URL = BUNDLE, below = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(below || ".", from))) {
    if (isDirectory) found.push(...await bundledFiles(from, `${below}${name}/`));
    else if (below + name !== MARK) found.push(below + name);
  }
  return found.sort();
}

/** The names of files of packages in what the bundler writes, with the place where this machine keeps them. */
const OF_PACKAGE = /^(\s*(?:\/\/ |"))\S*?\/npm\/(?:\S*?\/)?(?=(?:@[\w.-]+\/)?[\w.-]+\/\d+\.\d+\.\d+)/gm;

/** Text that loads half of Node at every start, for the few modules of Node that packages ask for by `require`. */
const REQUIRE =
  /import\s*\{\s*createRequire as (\w+)\s*\}\s*from\s*"node:module";\s*var (\w+)\s*=\s*\1\(import\.meta\.url\);/;
const BUILT_IN = `var $2 = (name) => {
  const found = process.getBuiltinModule(name);
  if (found === undefined) throw Object.assign(new Error(\`Cannot find "\${name}"\`), { code: "MODULE_NOT_FOUND" });
  return found;
};`;

async function bundle(folder: URL): Promise<void> {
  // Text that is shorter takes less memory as long as the program runs; names of functions stand in the maps.
  const output = ["--minify", "--code-splitting", "--sourcemap", "linked", "--outdir", pathOf(folder)];
  try {
    await run(
      Deno.execPath(),
      ["bundle", "--frozen", "--platform=deno", ...output, "main.ts", ...await lateEntries()],
      ROOT,
      { NO_COLOR: "1" },
    );
  } catch (error) {
    throw error instanceof Error && isUnreachable(error.message) ? new Error(NO_REGISTRY) : error;
  }
}

/** Leaves in the maps what a stack needs: the names of sources by their path in the project, and no texts. */
async function settleMaps(folder: URL): Promise<void> {
  for (const path of await bundledFiles(folder)) {
    if (!path.endsWith(".map")) continue;
    const file = new URL(path, folder);
    const { sourcesContent: _, sources, ...map } = JSON.parse(await Deno.readTextFile(file));
    const up = "../".repeat(path.split("/").length - 1);
    const named = (sources as string[]).map((source) => {
      const from = pathOf(new URL(source, file));
      return up +
        (from.startsWith(ROOT) ? from.slice(ROOT.length) : from.replace(/^.*\/npm\/[^/]+\//, "npm/"));
    });
    await Deno.writeTextFile(file, JSON.stringify({ ...map, sources: named }));
  }
}

async function copy(path: string, folder: URL): Promise<void> {
  await Deno.mkdir(new URL("./", new URL(path, folder)), { recursive: true });
  await Deno.copyFile(ROOT + path, new URL(path, folder));
}

/** Over all that the bundle depends on: sources, the page, locks, this tool, and the runtime that bundles. */
async function digestOf(files: readonly string[]): Promise<string> {
  const parts: BlobPart[] = [Deno.version.deno];
  for (const path of [...files, "page/deno.lock", "tools/bundle.ts", "tools/program.ts", "page/build.ts"]) {
    parts.push(`\n${path}\n`, await Deno.readFile(ROOT + path));
  }
  return await sha256(await new Blob(parts).arrayBuffer());
}

/** The licences of the packages, as each of them asks. */
async function notices(): Promise<string> {
  const parts: string[] = [];
  for (
    const { name, version } of [...await lockedPackages(), ...await lockedPackages(`${ROOT}page/deno.lock`)]
  ) {
    const folder = await fetchedPackage(name, version);
    const { license } = JSON.parse(await Deno.readTextFile(`${folder}/package.json`));
    const texts = await noticesIn(folder);
    if (texts.length === 0) throw new Error(`${name} ${version} has no notice that could be shipped with it`);
    parts.push([`${name} ${version}: ${license}`, ...texts.map((text) => text.trim())].join("\n\n"));
  }
  return `${parts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** Returns the folder of a package, which is fetched where a page that was built before is all that this machine has of it. */
async function fetchedPackage(name: string, version: string): Promise<string> {
  const found = await cachedPackage(name, version);
  if (found !== null) return found;
  const options = ["--no-config", "--no-lock"];
  await run(Deno.execPath(), ["cache", ...options, `npm:${name}@${version}`], ROOT).catch((error) => {
    throw isUnreachable(error.message) ? new Error(NO_REGISTRY) : error;
  });
  const fetched = await cachedPackage(name, version);
  if (fetched === null) throw new Error(`${name} ${version} cannot be found in the runtime's cache`);
  return fetched;
}

/** The texts of its files of licences; of a package without one, the end of its README that has it. */
async function noticesIn(folder: string): Promise<string[]> {
  const files = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile).map(({ name }) => name);
  const licences = files.filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name));
  const readAll = (names: readonly string[]) =>
    Promise.all(names.map((name) => Deno.readTextFile(`${folder}/${name}`)));
  if (licences.length > 0) return await readAll(licences);
  const readmes = await readAll(files.filter((name) => /^readme/i.test(name)));
  return readmes.flatMap((text) => /^#+ *licen[cs]e\b[^]*/im.exec(text)?.[0] ?? []);
}

/** `tools/bundle.ts [folder]` bundles into another folder than `dist/program/`. */
if (import.meta.main) {
  const [folder] = Deno.args;
  try {
    const into = folder === undefined ? BUNDLE : new URL(`${folder}/`, `file://${Deno.cwd()}/`);
    const done = await bundleProgram(into);
    if (done !== null) console.log(done);
  } catch (error) {
    console.error(`The program could not be bundled: ${error instanceof Error ? error.message : error}`);
    Deno.exit(1);
  }
}
