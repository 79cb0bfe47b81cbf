/** Compose's own loader beside berth: a Go program over compose-go, built once a version of its sources. */

const SOURCES = ["main.go", "go.mod", "go.sum"];
const HERE = new URL("./", import.meta.url).pathname;
const BUILD_MS = 300_000;
/** The loader needs the current folder of its process, so projects are shared out among several. */
const PROCESSES = 2;

/** The folder that `~` leads to. */
export const HOME = "/home/somebody";

/**
 * A project as `docker compose --project-directory` is given it; without `files` it looks for them itself,
 * without `profiles` in its `.env`.
 */
export interface Asked {
  readonly folder: string;
  readonly files?: readonly string[];
  readonly profiles?: readonly string[];
}

// deno-lint-ignore no-explicit-any -- what the loader answers is read field by field, as it is
export type Loaded = any;

/** The program's path, or null, said aloud, where it can be neither found nor built. */
export async function composeGo(): Promise<string | null> {
  const path = `${cacheFolder()}/berth/compose-go-${await hashOfSources()}`;
  try {
    await Deno.stat(path);
    return path;
  } catch {
    // Not built yet.
  }
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  // Two test runs may build at once: each moves its own into place.
  const own = `${path}.${Deno.pid}`;
  try {
    const { code, stderr } = await new Deno.Command("go", {
      args: ["build", "-trimpath", "-mod=readonly", "-buildvcs=false", "-o", own, "."],
      cwd: HERE,
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(BUILD_MS),
    }).output();
    if (code === 0) {
      await Deno.rename(own, path);
      return path;
    }
    const why = new TextDecoder().decode(stderr).trim().split("\n").at(-1);
    // Sources that do not compile are a mistake of ours; a proxy that cannot be reached is not.
    if (!/dial tcp|proxy|lookup|timeout|connection|download|requires go/i.test(why ?? "")) {
      throw new Error(why);
    }
    console.warn(`SKIPPED: Compose's loader cannot be built: ${why}`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.warn("SKIPPED: there is no Go on this machine to build Compose's loader with");
  }
  return null;
}

/** Returns what Compose makes of each project, in order. */
export async function load(program: string, projects: readonly Asked[]): Promise<Loaded[]> {
  const answers: Loaded[] = new Array(projects.length);
  await Promise.all(Array.from({ length: PROCESSES }, async (_, process) => {
    const own = projects.map((_, index) => index).filter((index) => index % PROCESSES === process);
    if (own.length === 0) return;
    const child = new Deno.Command(program, {
      clearEnv: true,
      env: { HOME },
      stdin: "piped",
      stdout: "piped",
    })
      .spawn();
    const text = new Response(child.stdout).text();
    const writer = child.stdin.getWriter();
    for (const index of own) {
      await writer.write(new TextEncoder().encode(`${JSON.stringify(projects[index])}\n`));
    }
    await writer.close();
    const lines = (await text).split("\n").filter((line) => line !== "");
    const { code } = await child.status;
    if (code !== 0 || lines.length !== own.length) {
      throw new Error(`Compose's loader answered ${lines.length} of ${own.length} and ended with ${code}`);
    }
    own.forEach((index, line) => answers[index] = JSON.parse(lines[line]!));
  }));
  return answers;
}

function cacheFolder(): string {
  return Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME") || "/tmp"}/.cache`;
}

async function hashOfSources(): Promise<string> {
  const texts = await Promise.all(SOURCES.map((name) => Deno.readTextFile(HERE + name)));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(texts.join("\0")));
  return new Uint8Array(digest).toHex().slice(0, 16);
}
