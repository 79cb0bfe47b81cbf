/** A real Docker Compose of today, built from Go's module proxy once and held in a cache: the oracle beside berth. */
import { COMPOSE } from "./compose_version.ts";

/** Versions that hash a service in other ways than the one that tests run beside. */
export const OTHER_FORMS = ["2.40.3", "5.5.1", "5.6.0"].filter((version) => version !== COMPOSE);

/** A call that waits for something that never comes ends, too. */
const RUN_MS = 120_000;

/** A program, or why there is none: for tests that are skipped aloud. */
export interface ComposeProgram {
  readonly version: string;
  readonly program: string;
  readonly missing: string | null;
}

/** Built once where BERTH_TEST_COMPOSE is set, for that takes minutes; else only what is there already is used. */
export async function composeProgram(version: string): Promise<ComposeProgram> {
  const folder = `${
    Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME") ?? "/tmp"}/.cache`
  }/berth-tests`;
  const program = `${folder}/docker-compose-${version}`;
  const isThere = () => Deno.stat(program).then(({ isFile }) => isFile, () => false);
  if (await isThere()) return { version, program, missing: null };
  if (Deno.env.get("BERTH_TEST_COMPOSE") === undefined) {
    const missing = `there is no ${program}, and building it takes minutes: BERTH_TEST_COMPOSE=1 does`;
    return { version, program, missing };
  }
  await Deno.mkdir(folder, { recursive: true });
  const work = await Deno.makeTempDir({ prefix: "berth-compose-" });
  try {
    await build(version, work, program);
    return { version, program, missing: null };
  } catch (error) {
    return { version, program, missing: error instanceof Error ? error.message : String(error) };
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

async function build(version: string, work: string, program: string): Promise<void> {
  const name = `github.com/docker/compose/v${version.split(".")[0]}`;
  const { Dir: source } = JSON.parse(
    await output(work, "go", "mod", "download", "-json", `${name}@v${version}`),
  );
  await output(work, "cp", "-r", source, `${work}/source`);
  await output(work, "chmod", "-R", "u+w", `${work}/source`);
  const flags = `-s -w -X ${name}/internal.Version=v${version}`;
  await output(
    `${work}/source`,
    "go",
    "build",
    "-trimpath",
    "-ldflags",
    flags,
    "-o",
    `${work}/built`,
    "./cmd",
  );
  // In one step, so that nobody runs half of it.
  await Deno.copyFile(`${work}/built`, `${program}.new`);
  await Deno.chmod(`${program}.new`, 0o755);
  await Deno.rename(`${program}.new`, program);
}

async function output(cwd: string, name: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(name, { args, cwd }).output().catch(() => {
    throw new Error(`there is no "${name}" on this machine to build Compose with`);
  });
  const text = new TextDecoder();
  if (!success) {
    throw new Error(`${name} ${args[0]}: ${(text.decode(stderr) + text.decode(stdout)).slice(-2_000)}`);
  }
  return text.decode(stdout);
}

/** The one that tests run beside. */
export const composeOfToday = await composeProgram(COMPOSE);

/** The error that Podman's network program gives now and then where two containers start at once; a retry succeeds. */
const LOST_NETWORK = /netavark: : EOF/;
const TRIES = 3;

/** Runs Compose. Returns its complaint; an empty text when it did what it was asked. */
export async function composeToday(socket: string, folder: string, ...args: string[]): Promise<string> {
  return await runCompose(composeOfToday, socket, folder, ...args);
}

export async function runCompose(
  { program }: ComposeProgram,
  socket: string,
  folder: string,
  ...args: string[]
): Promise<string> {
  const env = { DOCKER_HOST: `unix://${socket}` };
  const signal = AbortSignal.timeout(RUN_MS);
  const text = new TextDecoder();
  let complaint = "";
  for (let tried = 0; tried < TRIES; tried += 1) {
    const { success, stdout, stderr } = await new Deno.Command(program, { args, cwd: folder, env, signal })
      .output();
    if (success) return "";
    complaint = text.decode(stderr) + text.decode(stdout);
    if (!LOST_NETWORK.test(complaint)) break;
  }
  return complaint;
}
