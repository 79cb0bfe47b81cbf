/** The CPU time of a start of berth from a copy of its sources, counted by a control group of its own. */
import { freePort } from "../tests/support/free_port.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const GROUPS = "/sys/fs/cgroup/cpuacct";

/**
 * Copies berth with another text of `plugins/plugins.ts`. Returns what starts it once and answers with the milliseconds of
 * CPU that it took until a route answered, or the reason that this machine cannot tell.
 */
export async function startCost(
  stack: AsyncDisposableStack,
  change: (plugins: string) => string,
): Promise<(() => Promise<number>) | string> {
  const folder = await Deno.makeTempDir({ prefix: "berth-bench-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const copy =
    `cd "$1" && tar -c --exclude=./.git --exclude=./tests --exclude=./dist --exclude=./page/shots . | tar -x -C "$2"`;
  await new Deno.Command("sh", { args: ["-c", copy, "sh", ROOT, folder] }).output();
  const named = `${folder}/plugins/plugins.ts`;
  await Deno.writeTextFile(named, change(await Deno.readTextFile(named)));
  const group = `${GROUPS}/${folder.slice(folder.lastIndexOf("/") + 1)}`;
  try {
    await Deno.mkdir(group);
  } catch {
    return "no control group can be made";
  }
  stack.defer(() => Deno.remove(group));
  const spent = async () => Number(await Deno.readTextFile(`${group}/cpuacct.usage`)) / 1e6;
  return async () => {
    const data = await Deno.makeTempDir({ prefix: "berth-bench-" });
    const port = freePort();
    const before = await spent();
    const serve = `echo $$ > "$1/tasks" && exec "$2" run -A "$3/main.ts" serve`;
    const child = new Deno.Command("sh", {
      args: ["-c", serve, "sh", group, Deno.execPath(), folder],
      env: { BERTH_DATA: data, BERTH_PORT: String(port), BERTH_ENGINES: "none" },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await answered(`http://127.0.0.1:${port}/api/containers`);
    const cost = await spent() - before;
    child.kill("SIGTERM");
    await child.status;
    await Deno.remove(data, { recursive: true });
    return cost;
  };
}

/** A route answers once its service has started, if only that a stranger may not see it. */
async function answered(url: string): Promise<void> {
  for (let attempt = 0; attempt < 3_000; attempt += 1) {
    try {
      const answer = await fetch(url);
      await answer.bytes();
      if (answer.status === 401) return;
    } catch {
      // it does not listen yet
    }
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`${url} did not answer`);
}
