/** The first start on a machine fetches the service's own packages, and nothing of its tests. */
import assert from "node:assert/strict";
import { buildPage } from "../../page/build.ts";
import { BerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { noRegistry } from "../support/npm_registry.ts";

const ROOT = new URL("../../", import.meta.url);
const MOST_PACKAGES = 24;
const MOST_BYTES = 15e6;
/** With what the runtime writes beside them: the service's own modules, made ready to run. */
const MOST_CACHE_BYTES = 30e6;
/** Of the page, which the task builds once: Preact and its signals, the terminal, the editor; the bundler is no package but a part of Deno. */
const MOST_PAGE_PACKAGES = 24;
const MOST_PAGE_BYTES = 30e6;

const reason = await noRegistry();
if (reason !== null) console.error(`NOT RUN: the first start with an empty cache, because ${reason}`);

Deno.test({
  name: "a first start fetches at most 24 packages and 15 MB, and none that only tests or benches need",
  ignore: reason !== null,
  async fn() {
    const cache = await Deno.makeTempDir({ prefix: "berth-cache-" });
    try {
      await buildPage(); // what building fetches counts below
      await serveOnce(cache);
      const fetched = await packagesIn(cache);
      const bytes = await sizeOf(`${cache}/npm`);
      const cached = await sizeOf(cache);

      const { imports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
      for (const specifier of Object.values<string>(imports)) {
        assert.ok(fetched.includes(specifier.slice("npm:".length)), `${specifier} was not fetched`);
      }
      assert.ok(fetched.length <= MOST_PACKAGES, `${fetched.length} packages: ${fetched.join(" ")}`);
      assert.ok(bytes <= MOST_BYTES, `${(bytes / 1e6).toFixed(1)} MB`);
      assert.ok(cached <= MOST_CACHE_BYTES, `${(cached / 1e6).toFixed(1)} MB with the runtime's own`);
      const service = await lockedIn("deno.lock");
      assert.deepEqual(fetched.filter((name) => !service.includes(name)), []);
      const others = (await lockedIn("tests/deno.lock")).filter((name) => !service.includes(name));
      assert.ok(others.some((name) => name.startsWith("fast-check@")));
      assert.deepEqual(fetched.filter((name) => others.includes(name)), []);
    } finally {
      await Deno.remove(cache, { recursive: true });
    }
  },
});

Deno.test({
  name:
    "building the page for the first time fetches at most 24 packages and 30 MB, and nothing the second time",
  ignore: reason !== null,
  async fn() {
    const cache = await Deno.makeTempDir({ prefix: "berth-page-cache-" });
    try {
      const build = async (into: string) => {
        const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
          args: ["run", "--no-config", "--no-lock", "-A", "page/build.ts", `${cache}/${into}`],
          cwd: ROOT,
          env: { DENO_DIR: `${cache}/cache` },
          stdin: "null",
        }).output();
        assert.match(
          new TextDecoder().decode(stdout),
          /^The page is built/,
          new TextDecoder().decode(stderr),
        );
      };
      await build("one");
      const fetched = await packagesIn(`${cache}/cache`);
      const bytes = await sizeOf(`${cache}/cache`);
      assert.ok(fetched.length <= MOST_PAGE_PACKAGES, fetched.join(" "));
      assert.deepEqual(fetched, (await lockedIn("page/deno.lock")).map((name) => name.split("_")[0]).sort());
      assert.ok(bytes <= MOST_PAGE_BYTES, `${(bytes / 1e6).toFixed(1)} MB`);
      await build("two");
      assert.deepEqual(await packagesIn(`${cache}/cache`), fetched);
    } finally {
      await Deno.remove(cache, { recursive: true });
    }
  },
});

/** `deno task serve`, as the README says, until it has answered once. */
async function serveOnce(cache: string): Promise<void> {
  const data = await Deno.makeTempDir({ prefix: "berth-first-" });
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "serve"],
    cwd: ROOT,
    env: { DENO_DIR: cache, BERTH_DATA: data, BERTH_PORT: "0", BERTH_ENGINES: "none" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await using berth = new BerthProcess(child, data, false);
  try {
    const url = await eventually("it listens", () => berth.url || (berth.hasEnded && "ended"));
    assert.notEqual(url, "ended", berth.stderr);
    assert.equal((await (await fetch(`${url}/api/health`)).json()).status, "ok");
  } finally {
    // A task hands SIGTERM on to what it runs; killed, it would leave that behind.
    if (!berth.hasEnded) assert.equal((await berth.end("SIGTERM")).code, 0);
  }
}

/** `name@version` of each package in a cache of the runtime. */
async function packagesIn(cache: string): Promise<string[]> {
  const found: string[] = [];
  const visit = async (folder: string, scope: string) => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (!isDirectory) continue;
      if (name.startsWith("@")) await visit(`${folder}/${name}`, `${name}/`);
      else {
        for await (const version of Deno.readDir(`${folder}/${name}`)) {
          if (version.isDirectory) found.push(`${scope}${name}@${version.name}`);
        }
      }
    }
  };
  for await (const { name, isDirectory } of Deno.readDir(`${cache}/npm`)) {
    if (isDirectory) await visit(`${cache}/npm/${name}`, "");
  }
  return found.sort();
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    bytes += isDirectory ? await sizeOf(path) : (await Deno.lstat(path)).size;
  }
  return bytes;
}

async function lockedIn(file: string): Promise<string[]> {
  const { npm } = JSON.parse(await Deno.readTextFile(new URL(file, ROOT)));
  return Object.keys(npm).map((name) => name.split("_", 1)[0]!); // behind it stand the packages that it is beside
}
