/** The first start on a machine, from an empty cache to the first answer, beside a commit whose tests shared its lock file. */
import { BEFORE, filesOf } from "./earlier_commit.ts";
import { rounds } from "./rounds.ts";
import { startServer } from "./server_process.ts";

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

await using stack = new AsyncDisposableStack();
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
