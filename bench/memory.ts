/** Resident memory: of an idle service, of one whose lists are read, and after a peak. `idle` or a number measures that alone. */
import { inspected, scriptedId, ScriptedWorld } from "../tests/support/scripted_world.ts";
import { startBerth, waitForAll } from "./listed_berth.ts";
import { rounds } from "./rounds.ts";
import { AS_SHIPPED, programOf, type ServerProcess, startServer } from "./server_process.ts";

const here = new URL("./", import.meta.url);
const ROOT = new URL("../", here).pathname;
const MINUTE_MS = 60_000;
/** The runtime keeps what it has compiled some time after a start. */
const COMPILED_MS = 15_000;
const PEAK = 5_000;
const USUAL = 50;
const MORE = 500;

await using stack = new AsyncDisposableStack();
const options = { unit: "MiB", exact: true };

// Memory does not depend on what else runs, so that these wait for their minutes together.
const isPeakAsked = isAsked(String(PEAK));
const held = {
  idle: isAsked("idle") ? Promise.all([bare(), idle(), idle(ROOT)]) : null,
  [USUAL]: isPeakAsked || isAsked(String(USUAL)) ? listed(USUAL) : null,
  [MORE]: isAsked(String(MORE)) ? listed(MORE) : null,
  [PEAK]: isPeakAsked ? listed(PEAK) : null,
};
if (held.idle !== null) {
  const [same, own, sources] = await held.idle;
  await rounds("memory-idle", [
    { name: "a process with the same packages", run: () => same },
    { name: "berth", run: () => own },
    { name: "berth from its sources", run: () => sources },
  ], { ...options, about: "resident a minute after the start, without engines; the aim is 1.3" });
}
for (const [count, aim] of [[USUAL, 100], [MORE, 110]] as const) {
  const resident = await held[count];
  if (resident === null || !isAsked(String(count))) continue;
  await rounds(`memory-${count}`, [{ name: "berth", run: () => resident }], {
    ...options,
    about: `resident with ${count} containers whose lists were read each second; the aim is ${aim}`,
  });
}
const [usual, after] = [await held[USUAL], await held[PEAK]];
if (usual !== null && after !== null) {
  await rounds("memory-peak", [
    { name: `${USUAL} containers from the start`, run: () => usual },
    { name: `${PEAK} containers until a minute before`, run: () => after },
  ], { ...options, about: `resident with ${USUAL} containers after a peak; the aim is 1.3` });
}

function isAsked(part: string): boolean {
  return Deno.args.length === 0 || Deno.args.includes(part);
}

async function resident(server: ServerProcess): Promise<number> {
  return await server.rssBytes() / 1024 ** 2;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function bare(): Promise<number> {
  const args = ["-A", new URL("peers/same_packages.ts", here).pathname, "PORT"];
  await using server = await startServer({ args, path: "/" });
  await wait(MINUTE_MS);
  return await resident(server);
}

async function idle(checkout?: string): Promise<number> {
  const data = await Deno.makeTempDir({ prefix: "berth-bench-" });
  stack.defer(() => Deno.remove(data, { recursive: true }));
  const env = { BERTH_DATA: data, BERTH_PORT: "PORT", BERTH_ENGINES: "none", ...AS_SHIPPED };
  const options = { args: ["-A", await programOf(checkout), "serve"], path: "/api/health", env };
  // The first start of a program compiles it, and holds 8 MiB more for that.
  {
    await using _first = await startServer(options);
    await wait(COMPILED_MS);
  }
  await using server = await startServer(options);
  await wait(MINUTE_MS);
  return await resident(server);
}

/** Reads lists of so many containers for a minute; of more than the peak only the usual number is left after it. */
async function listed(count: number): Promise<number> {
  await using own = new AsyncDisposableStack();
  const ids = Array.from({ length: count }, (_, number) => scriptedId(number + 1));
  const containers = new Map(ids.map((id, number) => [id, inspected(id, `c-${number}`)]));
  const world = own.use(new ScriptedWorld({ containers }));
  const { server, key } = await startBerth(own, `docker=unix://${world.socket}`);
  own.use(server);
  await waitForAll(server, key, count);
  await read(server, key);
  if (count === PEAK) {
    for (const id of ids.slice(USUAL)) containers.delete(id);
    world.hangUp(); // berth lists anew
    await read(server, key);
  }
  return await resident(server);
}

/** Lists are read each second for a minute, as by a page that stands open. */
async function read({ port }: ServerProcess, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  for (const until = performance.now() + MINUTE_MS; performance.now() < until; await wait(1_000)) {
    for (const path of ["containers", "overview", "images"]) {
      await (await fetch(`http://127.0.0.1:${port}/api/${path}`, { headers })).bytes();
    }
  }
}
