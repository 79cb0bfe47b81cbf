/**
 * Builds the container image from the packages that this machine has installed; what its module cache lacks is fetched:
 * `deno run -A tools/image.ts [--tag NAME:VERSION] [--with docker|podman] [--ssh] [--prepare] [--out FOLDER]`.
 * `--ssh` also builds the one with ssh and git, whose tag ends in `-ssh`. `--prepare` only makes the folder, `dist/image` unless
 * `--out` names another: the stages of `Dockerfile` behind the first one are built in it without a network.
 */
import { DatabaseSync } from "node:sqlite";
import { VERSION } from "../version.ts";
import { pathOf } from "../page/build.ts";
import { IMAGE, REPOSITORY } from "./names.ts";
import { bundledFiles, bundleProgram } from "./bundle.ts";
import { lateEntries, ROOT } from "./program.ts";
import { run } from "./run.ts";

/** Of files, so that the same input makes the same layers, but for that of what the runtime has learned. */
const EPOCH = new Date(0);
const CERTIFICATES = "ca-certificates";
/** Of the image, below `org.opencontainers.image`. */
const LABELS = {
  title: "berth",
  description: "Projects in folders, and the containers they run in",
  licenses: "MIT",
  source: REPOSITORY,
};

/** Makes the folder that the image is built in; `ssh` adds what the one with ssh has more. */
export async function prepareImage(context: string, { ssh = false } = {}): Promise<void> {
  await Deno.remove(context, { recursive: true }).catch(() => {});
  await Deno.mkdir(`${context}/volumes`, { recursive: true });
  await Deno.mkdir(`${context}/volumes/data`, { mode: 0o700 });
  await addRuntime(`${context}/runtime`);
  await addProgram(`${context}/program`);
  if (ssh) await addSsh(`${context}/ssh`);
  const stages = preparedStages(await Deno.readTextFile(`${ROOT}Dockerfile`));
  await Deno.writeTextFile(`${context}/Dockerfile`, ssh ? stages : withoutSsh(stages));
  await setTimes(context);
}

/** Returns the stages of `Dockerfile` behind the first, which take from their own folder what that one makes. */
function preparedStages(dockerfile: string): string {
  const stages = dockerfile.slice(dockerfile.indexOf("FROM scratch"));
  return stages.replaceAll("COPY --from=build ", "COPY ").replaceAll("/src/dist/image/", "");
}

function withoutSsh(stages: string): string {
  return stages.replace(/^FROM program AS ssh\n(?:.+\n)+/m, "");
}

const GIT_CORE = "/usr/lib/git-core";
const SSH = ["/usr/bin/ssh", "/usr/bin/ssh-keygen", "/usr/bin/git", `${GIT_CORE}/git-remote-http`];

/** Adds the programs of ssh and git, and the libraries that the runtime does not bring already. */
async function addSsh(root: string): Promise<void> {
  const there = await librariesOf(Deno.execPath());
  const libraries = (await Promise.all(SSH.map(librariesOf))).flat().filter((path) => !there.includes(path));
  for (const path of SSH) await place(path, root + path);
  for (const path of new Set(libraries)) await place(await Deno.realPath(path), root + path);
  await Deno.symlink("git-remote-http", `${root}${GIT_CORE}/git-remote-https`);
  for (const name of await owners([...SSH, ...libraries])) {
    await place(`/usr/share/doc/${name}/copyright`, `${root}/usr/share/doc/${name}/copyright`);
  }
}

async function librariesOf(program: string): Promise<readonly string[]> {
  return [...(await run("ldd", [program])).matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!);
}

/** The runtime that runs this, the libraries it needs, certificates, and one user. */
async function addRuntime(root: string): Promise<void> {
  const { deno } = JSON.parse(await Deno.readTextFile(`${ROOT}.ci/versions.json`));
  if (Deno.version.deno !== deno) {
    throw new Error(`This is Deno ${Deno.version.deno}; the image is made with ${deno}`);
  }
  const libraries = await librariesOf(Deno.execPath());
  await place(await Deno.realPath(Deno.execPath()), `${root}/usr/bin/deno`);
  for (const path of libraries) await place(await Deno.realPath(path), root + path);
  for (const name of await owners([...libraries, `/usr/share/doc/${CERTIFICATES}/copyright`])) {
    await place(`/usr/share/doc/${name}/copyright`, `${root}/usr/share/doc/${name}/copyright`);
  }
  await write(`${root}/etc/ssl/certs/ca-certificates.crt`, await certificates());
  await write(`${root}/etc/passwd`, "root:x:0:0::/:/none\nberth:x:65532:65532::/data:/none\n");
  await write(`${root}/etc/group`, "root:x:0:\nberth:x:65532:\n");
  await Deno.mkdir(`${root}/tmp`, { recursive: true });
}

/** The authorities of the package, and none that somebody has added to this machine. */
async function certificates(): Promise<string> {
  const files = (await run("dpkg-query", ["-L", CERTIFICATES])).split("\n").filter((path) =>
    path.startsWith("/usr/share/ca-certificates/mozilla/")
  );
  const texts = await Promise.all(files.sort().map((path) => Deno.readTextFile(path)));
  return texts.map((text) => `${text.trimEnd()}\n`).join("");
}

/** The packages that these files came with. */
async function owners(paths: readonly string[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const path of paths) {
    // A merged /usr leaves packages with the path of before.
    const said = await run("dpkg-query", ["-S", path]).catch(() => run("dpkg-query", ["-S", `/usr${path}`]));
    names.add(/^([^:,\s]+)/.exec(said)?.[1] ?? "");
  }
  return [...names].sort();
}

/** Of the settings of the runtime, what a bundle needs: it has no packages to be found. */
const OF_BUNDLE = ["nodeModulesDir", "unstable"];

/** The program as one bundle, and what the runtime would make of it at the first start. */
async function addProgram(root: string): Promise<void> {
  const program = `${root}/berth`;
  const made = await Deno.makeTempDir({ prefix: "berth-image-" });
  try {
    const bundle = new URL(`file://${made}/bundle/`); // made anew, as where nothing was ever built
    await bundleProgram(bundle);
    for (const path of await bundledFiles(bundle)) {
      await place(pathOf(new URL(path, bundle)), `${program}/${path}`);
    }
    const config = Object.entries(JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`)));
    const own = Object.fromEntries(config.filter(([name]) => OF_BUNDLE.includes(name)));
    await write(`${program}/deno.json`, JSON.stringify(own));
    const cache = `${program}/.deno`;
    const late = (await lateEntries()).map((path) => path.replace(/\.ts$/, ".js"));
    await run(Deno.execPath(), ["cache", "main.ts", ...late], program, { DENO_DIR: made });
    // Compiled modules are found by the path that the program will have.
    await Deno.mkdir(`${cache}/gen/file`, { recursive: true });
    await run("cp", ["-r", `${made}/gen/file${await Deno.realPath(program)}`, `${cache}/gen/file/berth`]);
    await warm(program, made);
    for await (const { name } of Deno.readDir(made)) {
      if (/_cache_v\d+$/.test(name)) {
        copyCache(`${made}/${name}`, `${cache}/${name}`, { [program]: "/berth", [made]: "/berth/.deno" });
      }
    }
  } finally {
    await Deno.remove(made, { recursive: true });
  }
}

/**
 * Starts the program once, and asks for its health as the image does, and for a route as a browser does: what the runtime
 * learns of it, it need not learn again.
 */
async function warm(program: string, cache: string): Promise<void> {
  const env = {
    DENO_DIR: cache,
    BERTH_DATA: `${cache}/data`,
    BERTH_ENGINES: "none",
    BERTH_PORT: "0",
  };
  const start = ["run", "--cached-only", "-A", "main.ts"];
  const berth = new Deno.Command(Deno.execPath(), {
    args: [...start, "serve"],
    cwd: program,
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const words = berth.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await words.read();
  const url = /http:\/\/\S+/.exec(value)?.[0];
  if (url === undefined) throw new Error(`berth does not start in the folder of the image: "${value}"`);
  await run(Deno.execPath(), [...start, "health", "--ready"], program, {
    ...env,
    BERTH_PORT: new URL(url).port,
  });
  await (await fetch(`${url}/api/containers`)).bytes();
  berth.kill("SIGTERM");
  await words.cancel();
  await berth.status;
}

/**
 * Modules are known by their place, and `moved` says where it will be. A database in WAL mode can be read where nothing
 * can be written if its three files are there.
 */
function copyCache(from: string, to: string, moved: Readonly<Record<string, string>>): void {
  using database = new DatabaseSync(from);
  for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()) {
    const columns = database.prepare("SELECT name FROM pragma_table_info(?)").all(String(name));
    if (!columns.some((column) => column["name"] === "specifier")) continue;
    const place = database.prepare(`UPDATE "${name}" SET specifier = replace(specifier, ?, ?)`);
    for (const [before, after] of Object.entries(moved)) {
      place.run(`file://${Deno.realPathSync(before)}/`, `file://${after}/`);
    }
  }
  database.exec("PRAGMA journal_mode = WAL; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  for (const end of ["", "-wal", "-shm"]) Deno.copyFileSync(from + end, to + end);
}

async function place(from: string, to: string): Promise<void> {
  await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
  await Deno.copyFile(from, to);
  const { mode } = await Deno.stat(from);
  await Deno.chmod(to, mode !== null && (mode & 0o111) !== 0 ? 0o755 : 0o644);
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text, { mode: 0o644 });
}

async function setTimes(folder: string): Promise<void> {
  for await (const { name, isDirectory, isSymlink } of Deno.readDir(folder)) {
    if (isDirectory) await setTimes(`${folder}/${name}`);
    if (!isSymlink) await Deno.utime(`${folder}/${name}`, EPOCH, EPOCH);
  }
}

/** Builds what was prepared; `engine` are the words before `build`, as `docker` or `docker -H unix:///…`. */
export async function buildImage(
  context: string,
  tag: string,
  engine: readonly string[],
  target: "berth" | "ssh" = "berth",
): Promise<void> {
  const [program = "docker", ...args] = engine;
  const revision = await run("git", ["rev-parse", "HEAD"], ROOT).then((text) => text.trim(), () => "");
  const labels = { ...LABELS, version: VERSION, ...(revision === "" ? {} : { revision }) };
  await run(program, [
    ...args,
    "build",
    "--network=none",
    `--target=${target}`,
    "-f",
    `${context}/Dockerfile`,
    "-t",
    tag,
    ...Object.entries(labels).flatMap((
      [name, value],
    ) => ["--label", `org.opencontainers.image.${name}=${value}`]),
    context,
  ]);
}

function optionOf(name: string, otherwise: string): string {
  const at = Deno.args.indexOf(name);
  return at < 0 ? otherwise : Deno.args[at + 1] ?? otherwise;
}

async function main(): Promise<void> {
  const context = optionOf("--out", `${ROOT}dist/image`);
  const ssh = Deno.args.includes("--ssh");
  await prepareImage(context, { ssh });
  if (Deno.args.includes("--prepare")) console.log(`${context} is ready to be built in`);
  else {
    const tag = optionOf("--tag", `${IMAGE}:${VERSION}`);
    const engine = [optionOf("--with", "docker")];
    await buildImage(context, tag, engine);
    console.log(`The image ${tag} is built`);
    if (ssh) {
      await buildImage(context, `${tag}-ssh`, engine, "ssh");
      console.log(`The image ${tag}-ssh is built`);
    }
  }
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    Deno.exit(1);
  }
}
