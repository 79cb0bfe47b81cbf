/**
 * Makes what a release consists of: `deno run -A tools/release.ts --tag v1.2.3 [--only binary|shared] [--out dist/release]`.
 * `binary` is what must be built on the machine that it is for, `shared` what is the same everywhere; without `--only` it
 * is both. `--dry-run` goes through all of it without a tag; there the runtime itself stands in for the base of the binary,
 * which then has everything in it and cannot be started. `--finish FOLDER` writes the manifests of Homebrew and winget and
 * SHA256SUMS for the files that all machines have made. `--names` prints the names that the workflow publishes under.
 */
import { completions } from "../commands/completion.ts";
import { VERSION } from "../version.ts";
import { BUNDLE, bundleProgram, NOTICES } from "./bundle.ts";
import { makeDebianPackage } from "./debian_package.ts";
import { writeManifests } from "./manifests.ts";
import { IMAGE, REPOSITORY } from "./names.ts";
import { packClient } from "./npm_package.ts";
import { ROOT } from "./program.ts";
import { run } from "./run.ts";
import { spdxOf } from "./spdx.ts";
import { tryBinary } from "./try_binary.ts";

export type ReleasePart = "binary" | "shared";

export interface ReleaseOptions {
  /** `v1.2.3`; null for a dry run. */
  readonly tag: string | null;
  readonly out: string;
  /** The binary's base for a dry run; otherwise the runtime fetches the real one. */
  readonly base: string | null;
  readonly parts?: readonly ReleasePart[];
  readonly tell: (line: string) => void;
}

/** @throws Error with one sentence for whatever does not agree. */
export async function release(options: ReleaseOptions): Promise<void> {
  const { tag, out, tell, parts = ["binary", "shared"] } = options;
  await checkVersions(tag);
  tell(`version ${VERSION}: version.ts, deno.json, CHANGELOG.md${tag === null ? "" : " and the tag"} agree`);
  await Deno.mkdir(out, { recursive: true });
  if (parts.includes("binary")) await makeBinary(options);
  if (parts.includes("shared")) await makeShared(options);
  await writeSums(out);
  tell(`SHA256SUMS: ${[...Deno.readDirSync(out)].length - 1} files`);
}

/** The program for this machine, alone and as a Debian package. */
async function makeBinary({ out, base, tell }: ReleaseOptions): Promise<void> {
  const name = `berth-${Deno.build.target}${Deno.build.os === "windows" ? ".exe" : ""}`;
  await compile(`${out}/${name}`, base);
  tell(`${name}: ${((await Deno.stat(`${out}/${name}`)).size / 1e6).toFixed(0)} MB`);
  if (base === null) {
    await tryBinary(`${out}/${name}`);
    tell(`${name}: says its version, checks a folder, starts and stops`);
  }
  if (Deno.build.os !== "linux") return;
  tell(`${await makeDebianPackage(`${out}/${name}`, completions(), out)}: made for Debian and Ubuntu`);
}

/** The client, the list of parts, and the files that people install beside an image or a binary. */
async function makeShared({ out, tell }: ReleaseOptions): Promise<void> {
  await run(Deno.execPath(), ["publish", "--dry-run", "--allow-dirty"], `${ROOT}client`);
  tell(`${await packClient(out)}: JSR and npm would take the client`);
  await Deno.writeTextFile(`${out}/berth-${VERSION}.spdx.json`, await spdxOf(await timeOfCommit()));
  for (const file of ["berth.service", "berth.1", "podman/berth.container"]) {
    await Deno.copyFile(`${ROOT}packaging/${file}`, `${out}/${file.slice(file.lastIndexOf("/") + 1)}`);
  }
  await makeArchive(`${out}/berth-${VERSION}-packaging.tar.gz`);
}

/** Compose files, proxies, units and completions, and the notices of what a binary holds, as one archive. */
async function makeArchive(path: string): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "berth-archive-" });
  const name = `berth-${VERSION}-packaging`;
  try {
    await run("cp", ["-r", `${ROOT}packaging`, `${folder}/${name}`]);
    await Deno.mkdir(`${folder}/${name}/completions`);
    for (const [shell, script] of Object.entries(completions())) {
      await Deno.writeTextFile(`${folder}/${name}/completions/berth.${shell}`, script);
    }
    await bundleProgram();
    await Deno.copyFile(new URL(NOTICES, BUNDLE), `${folder}/${name}/${NOTICES}`);
    await run("tar", ["-czf", path, "-C", folder, name]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The tag, the program, its manifest and the changelog must name the same version. */
export async function checkVersions(tag: string | null): Promise<void> {
  const { version } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  if (version !== VERSION) throw new Error(`deno.json says ${version} and version.ts says ${VERSION}`);
  if (tag !== null && tag !== `v${VERSION}`) {
    throw new Error(`The tag is ${tag} and the version is ${VERSION}`);
  }
  const heading = /^## (.*)$/m.exec(await Deno.readTextFile(`${ROOT}CHANGELOG.md`))?.[1] ?? "";
  const unreleased = `${VERSION}, not released`;
  if (heading !== VERSION && !(tag === null && heading === unreleased)) {
    throw new Error(`The changelog begins with "${heading}", and not with "${VERSION}"`);
  }
}

/** Compiles as the task "compile" does, into another place. */
async function compile(output: string, base: string | null): Promise<void> {
  await bundleProgram();
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const words = (tasks.compile.command as string).split(" ").slice(1);
  words[words.indexOf("--output") + 1] = output;
  await run(Deno.execPath(), words, ROOT, base === null ? {} : { DENORT_BIN: base });
}

async function timeOfCommit(): Promise<Date> {
  return new Date(Number(await run("git", ["log", "-1", "--format=%ct"], ROOT)) * 1000);
}

/** Writes the sums of all other files in the folder as `sha256sum` does. */
export async function writeSums(folder: string): Promise<void> {
  const names = [...Deno.readDirSync(folder)].filter(({ isFile, name }) => isFile && name !== "SHA256SUMS");
  const lines = await Promise.all(
    names.map(({ name }) => name).sort().map(async (name) => {
      const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(`${folder}/${name}`));
      return `${new Uint8Array(digest).toHex()}  ${name}\n`;
    }),
  );
  await Deno.writeTextFile(`${folder}/SHA256SUMS`, lines.join(""));
}

/** Writes what depends on the files of every machine. */
export async function finish(folder: string): Promise<void> {
  await writeSums(folder);
  await writeManifests(folder);
  await writeSums(folder);
}

function optionOf(name: string): string | null {
  const at = Deno.args.indexOf(name);
  return at < 0 ? null : Deno.args[at + 1] ?? null;
}

async function main(): Promise<number> {
  if (Deno.args.includes("--names")) {
    const [major, minor] = VERSION.split(".");
    console.log(`image=${IMAGE}\nversion=${VERSION}\ntags=${VERSION} ${major}.${minor} ${major} latest`);
    console.log(`repository=${REPOSITORY}`);
    return 0;
  }
  const finished = optionOf("--finish");
  if (finished !== null) return await finish(finished), 0;
  const isDry = Deno.args.includes("--dry-run");
  const only = optionOf("--only");
  const isPart = only === null || only === "binary" || only === "shared";
  if (!isDry && optionOf("--tag") === null || !isPart) {
    const ways = "--tag v1.2.3 | --dry-run [--only binary|shared] | --finish FOLDER | --names";
    console.error(`usage: tools/release.ts ${ways}`);
    return 2;
  }
  await release({
    tag: isDry ? null : optionOf("--tag"),
    out: optionOf("--out") ?? `${ROOT}dist/release`,
    base: isDry ? Deno.execPath() : null,
    ...(only === null ? {} : { parts: [only] }),
    tell: console.log,
  });
  return 0;
}

if (import.meta.main) Deno.exit(await main());
