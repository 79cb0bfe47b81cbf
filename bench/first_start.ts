/**
 * The first start on a machine: from an empty cache to the first answer, beside a commit whose tests shared its lock
 * file; and what a fresh checkout fetches for it. `start` or `packages` measures that alone.
 */
import { BEFORE, filesOf } from "./earlier_commit.ts";
import { rounds } from "./rounds.ts";
import { startServer } from "./server_process.ts";

/** The fetches, in words, and the most packages and megabytes that are aimed at. */
const ROWS = [
  ["service", "packages that a fresh checkout fetches to serve", [5, 10]],
  ["page", "packages that the build of its page fetches, once", [22, 30]],
] as const;
/** A package's own description, in the cache's folder of a registry. */
const PACKAGE = /\/npm\/[^/]+\/(?:@[^/]+\/)?[^/]+\/[^/]+\/package\.json$/;
const root = new URL("../", import.meta.url).pathname;

async function firstStart(cwd: string): Promise<number> {
  const cache = await Deno.makeTempDir({ prefix: "berth-cache-" });
  const data = await Deno.makeTempDir({ prefix: "berth-first-" });
  try {
    await using server = await startServer({
      command: "task",
      args: ["serve"],
      path: "/api/health",
      env: { DENO_DIR: cache, BERTH_DATA: data, BERTH_PORT: "PORT", BERTH_ENGINES: "none" },
      cwd,
    });
    return server.firstAnswerMs;
  } finally {
    for (const folder of [cache, data]) await Deno.remove(folder, { recursive: true });
  }
}

/** Starts the service of a fresh checkout, or builds its page, with an empty cache, and counts what was fetched. */
async function fetched(what: "service" | "page"): Promise<Fetched> {
  const cache = await Deno.makeTempDir({ prefix: "berth-cache-" });
  const checkout = await Deno.makeTempDir({ prefix: "berth-fresh-" });
  try {
    const absent = await filesOf("HEAD", checkout);
    if (absent !== undefined) return { packages: NaN, megabytes: NaN };
    if (what === "page") {
      const args = ["run", "--no-config", "--no-lock", "-A", "page/build.ts"];
      const env = { DENO_DIR: cache };
      const { success } = await new Deno.Command(Deno.execPath(), { args, cwd: checkout, env }).output();
      if (!success) throw new Error("the page was not built");
    } else {
      const env = {
        DENO_DIR: cache,
        BERTH_DATA: `${checkout}/data`,
        BERTH_PORT: "PORT",
        BERTH_ENGINES: "none",
      };
      const args = ["-A", "main.ts", "serve"];
      await using _server = await startServer({ args, path: "/api/health", env, cwd: checkout });
    }
    return await countOf(what === "page" ? cache : `${cache}/npm`);
  } finally {
    for (const folder of [cache, checkout]) await Deno.remove(folder, { recursive: true });
  }
}

interface Fetched {
  readonly packages: number;
  readonly megabytes: number;
}

/** Counts the packages in a folder of the cache, and all bytes. */
async function countOf(folder: string): Promise<Fetched> {
  let packages = 0;
  let bytes = 0;
  for await (const path of filesBelow(folder)) {
    bytes += (await Deno.stat(path)).size;
    if (PACKAGE.test(path)) packages++;
  }
  return { packages, megabytes: bytes / 1e6 };
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesBelow(`${folder}/${name}`);
    else if (isFile) yield `${folder}/${name}`;
  }
}

await using stack = new AsyncDisposableStack();
const isAsked = (part: string) => Deno.args.length === 0 || Deno.args.includes(part);
if (isAsked("packages")) await packages();
if (isAsked("start")) await start();

async function packages(): Promise<void> {
  for (const [what, about, aims] of ROWS) {
    const { packages, megabytes } = await fetched(what);
    const exact = { exact: true, against: "berth" };
    await rounds(`first-packages-${what}`, [{ name: "berth", run: () => packages }], {
      ...exact,
      unit: "packages",
      about: `${about}; the aim is ${aims[0]}`,
    });
    await rounds(`first-bytes-${what}`, [{ name: "berth", run: () => megabytes }], {
      ...exact,
      unit: "MB",
      about: `the same in the cache; the aim is ${aims[1]}`,
    });
  }
}

async function start(): Promise<void> {
  const before = await Deno.makeTempDir({ prefix: "berth-before-" });
  stack.defer(() => Deno.remove(before, { recursive: true }));
  const absent = await filesOf(BEFORE, before);
  await rounds("first-start", [
    {
      name: `one lock file for everything (${BEFORE})`,
      run: () => firstStart(before),
      ...(absent ? { absent } : {}),
    },
    { name: "a lock file of its own", run: () => firstStart(root) },
  ], {
    about: "`deno task serve` with an empty cache, packages fetched, to the first answer; the aim is 0.15",
    rounds: 7,
  });
}
