/**
 * Makes what a release consists of, on the machine that it is for: `deno run -A tools/release.ts --tag v1.2.3 [--out dist/release]`.
 * `--dry-run` goes through all of it without a tag; there the runtime itself stands in for the base of the binary, which
 * then has everything in it and cannot be started. `--sum FOLDER` only writes SHA256SUMS for what lies in a folder.
 */
import { VERSION } from "../version.ts";
import { lateEntries, ROOT } from "./program.ts";
import { run } from "./run.ts";
import { spdxOf } from "./spdx.ts";

export interface ReleaseOptions {
  /** `v1.2.3`; null for a dry run. */
  readonly tag: string | null;
  readonly out: string;
  /** The binary's base for a dry run; otherwise the runtime fetches the real one. */
  readonly base: string | null;
  readonly tell: (line: string) => void;
}

/** @throws Error with one sentence for whatever does not agree. */
export async function release({ tag, out, base, tell }: ReleaseOptions): Promise<void> {
  await checkVersions(tag);
  tell(`version ${VERSION}: version.ts, deno.json, CHANGELOG.md${tag === null ? "" : " and the tag"} agree`);
  await Deno.mkdir(out, { recursive: true });
  const name = `berth-${Deno.build.target}${Deno.build.os === "windows" ? ".exe" : ""}`;
  await compile(`${out}/${name}`, base);
  tell(`${name}: ${((await Deno.stat(`${out}/${name}`)).size / 1e6).toFixed(0)} MB`);
  if (base === null) {
    await tryBinary(`${out}/${name}`);
    tell(`${name}: says its version, checks a folder, starts and stops`);
  }
  const { version } = JSON.parse(await Deno.readTextFile(`${ROOT}client/deno.json`));
  await run(Deno.execPath(), ["publish", "--dry-run", "--allow-dirty"], `${ROOT}client`);
  await run(
    Deno.execPath(),
    ["pack", "--allow-dirty", "-o", `${out}/berth-client-${version}.tgz`],
    `${ROOT}client`,
  );
  tell(`berth-client-${version}.tgz: JSR would take it`);
  await Deno.writeTextFile(`${out}/berth-${VERSION}.spdx.json`, await spdxOf(await timeOfCommit()));
  for (const file of ["berth.service", "berth.1"]) {
    await Deno.copyFile(`${ROOT}packaging/${file}`, `${out}/${file}`);
  }
  await writeSums(out);
  tell(`SHA256SUMS: ${[...Deno.readDirSync(out)].length - 1} files`);
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

/** The same as the task "compile", with another output. */
async function compile(output: string, base: string | null): Promise<void> {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const words = (tasks.compile.command as string).split(" ").slice(1);
  words[words.indexOf("--output") + 1] = output;
  await run(Deno.execPath(), words, ROOT, base === null ? {} : { DENORT_BIN: base });
}

/** Runs the first steps of a user. */
async function tryBinary(binary: string): Promise<void> {
  const said = await run(binary, ["version"]);
  if (said.trim() !== `berth ${VERSION}`) throw new Error(`The binary says it is "${said.trim()}"`);
  const folder = await Deno.makeTempDir({ prefix: "berth-release-" });
  try {
    await Deno.writeTextFile(
      `${folder}/compose.yaml`,
      "name: try\nservices:\n  web:\n    image: nginx:1.27\n",
    );
    await run(binary, ["validate", folder]);
    const child = new Deno.Command(binary, {
      env: { BERTH_DATA: `${folder}/data`, BERTH_PORT: "0", BERTH_ENGINES: "none" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const late = setTimeout(() => child.kill("SIGKILL"), 30_000);
    let text = "";
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += part;
      const url = /listens on (\S+)/.exec(text)?.[1];
      if (url === undefined) continue;
      const word = await (await fetch(`${url}/api/health/live`)).text();
      if (word !== "live\n") throw new Error(`The binary answers "${word}"`);
      break;
    }
    child.kill(Deno.build.os === "windows" ? "SIGKILL" : "SIGTERM");
    await child.status;
    clearTimeout(late);
    if (!text.includes("listens on")) throw new Error("The binary does not start");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function timeOfCommit(): Promise<Date> {
  return new Date(Number(await run("git", ["log", "-1", "--format=%ct"], ROOT)) * 1000);
}

/** As `sha256sum` writes it, of all other files in the folder. */
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

function optionOf(name: string): string | null {
  const at = Deno.args.indexOf(name);
  return at < 0 ? null : Deno.args[at + 1] ?? null;
}

if (import.meta.main) {
  const sums = optionOf("--sum");
  const isDry = Deno.args.includes("--dry-run");
  if (sums !== null) await writeSums(sums);
  else if (!isDry && optionOf("--tag") === null) {
    console.error("usage: tools/release.ts --tag v1.2.3 | --dry-run | --sum FOLDER");
    Deno.exit(2);
  } else {
    await lateEntries(); // fails early where the task "compile" names a file that is gone
    await release({
      tag: isDry ? null : optionOf("--tag"),
      out: optionOf("--out") ?? `${ROOT}dist/release`,
      base: isDry ? Deno.execPath() : null,
      tell: console.log,
    });
  }
}
