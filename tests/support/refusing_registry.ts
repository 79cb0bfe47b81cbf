/** A registry beside a test's engine that gives nothing: it refuses, limits, breaks off, or has another machine's image. */
import { NoEngine, type TestEngine } from "./engine.ts";
import { eventually } from "./eventually.ts";
import { quoted } from "./sandbox.ts";

const PORT = 5002;
const SCRIPT = new URL("refusing_registry_server.ts", import.meta.url).pathname;

export interface RefusingRegistry extends AsyncDisposable {
  /** Host and port as the engine sees it. */
  readonly host: string;
  /** A repository for each way to refuse, and what has to be said of it. */
  readonly refusals: readonly (readonly [repository: string, why: RegExp])[];
}

/** Starts it in the engine's own network: only the engine can reach it. */
export async function startRefusingRegistry({ sandbox }: TestEngine): Promise<RefusingRegistry> {
  if (!sandbox) throw new NoEngine("a registry needs an engine of the test's own");
  await sandbox.run(
    `${quoted(Deno.execPath())} run -A --no-config --no-lock ${
      quoted(SCRIPT)
    } ${PORT} >/dev/null 2>&1 & refusing=$!`,
  );
  const up = `(exec 3<>/dev/tcp/127.0.0.1/${PORT}) 2>/dev/null`;
  await eventually("the registry listens", async () => await sandbox.run(up) === 0);
  return {
    host: `127.0.0.1:${PORT}`,
    refusals: [
      ["gone", /not found|manifest unknown/i],
      ["denied", /unauthorized|denied|authentication/i],
      ["limited", /toomanyrequests|too many|limit|429/i],
      ["cut", /EOF|short|cut|verify|failed/i],
      ["foreign", /no matching manifest|platform/i],
    ],
    async [Symbol.asyncDispose]() {
      await sandbox.run("kill -9 $refusing; wait $refusing 2>/dev/null");
    },
  };
}
