/** A real Docker Compose of today, built from Go's module proxy once and held in a cache: the oracle beside berth. */

const VERSION = "2.40.3";

/** How to run it; throws where it cannot be had, with the reason as its message. */
export async function composeProgram(): Promise<string> {
  const named = Deno.env.get("BERTH_TEST_COMPOSE");
  if (named?.startsWith("/")) return named;
  const folder = `${
    Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME") ?? "/tmp"}/.cache`
  }/berth-tests`;
  const program = `${folder}/docker-compose-${VERSION}`;
  if (await Deno.stat(program).then(({ isFile }) => isFile, () => false)) return program;
  // The first build takes minutes, so nobody gets it without asking.
  if (named === undefined) {
    throw new Error(
      `Compose ${VERSION} is not in ${folder}: BERTH_TEST_COMPOSE=1 builds it, and an absolute path names one`,
    );
  }
  await Deno.mkdir(folder, { recursive: true });
  const work = await Deno.makeTempDir({ prefix: "berth-compose-" });
  try {
    await build(work, program);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return program;
}

async function build(work: string, program: string): Promise<void> {
  const module = `github.com/docker/compose/v2@v${VERSION}`;
  const { Dir: source } = JSON.parse(await output(work, "go", "mod", "download", "-json", module));
  await output(work, "cp", "-r", source, `${work}/source`);
  await output(work, "chmod", "-R", "u+w", `${work}/source`);
  const flags = `-s -w -X github.com/docker/compose/v2/internal.Version=v${VERSION}`;
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
    throw new Error(`There is no "${name}" on this machine to build Compose ${VERSION} with`);
  });
  const text = new TextDecoder();
  if (!success) throw new Error(`${name} ${args[0]}: ${text.decode(stderr).slice(-2_000)}`);
  return text.decode(stdout);
}

/** The program, or why there is none: for tests that are skipped aloud. */
export const composeOfToday: { readonly program: string; readonly missing: string | null } =
  await composeProgram().then(
    (program) => ({ program, missing: null }),
    (error: Error) => ({ program: "", missing: error.message }),
  );

/** What Compose complained of: nothing, when it did what it was asked. */
export async function composeToday(socket: string, folder: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(composeOfToday.program, {
    args,
    cwd: folder,
    env: { DOCKER_HOST: `unix://${socket}` },
    clearEnv: false,
  }).output();
  const text = new TextDecoder();
  return success ? "" : text.decode(stderr) + text.decode(stdout);
}
