/** A port of this machine that a test's engine reaches, too, though its network is its own. */
import { NoEngine, type TestEngine } from "./engine.ts";
import { eventually } from "./eventually.ts";
import { quoted } from "./sandbox.ts";

const SCRIPT = new URL("forward_server.ts", import.meta.url).pathname;

/** Opens `127.0.0.1:<port>` in the engine's network, which leads to the same port of this one. */
export async function serveForwarded(
  { sandbox }: TestEngine,
  port: number,
  folder: string,
): Promise<AsyncDisposable> {
  if (!sandbox) throw new NoEngine("a port that is forwarded needs an engine of the test's own");
  const path = `${folder}/p${port}`;
  const listener = Deno.listen({ transport: "unix", path });
  void (async () => {
    for await (const from of listener) {
      const to = await Deno.connect({ hostname: "127.0.0.1", port });
      void Promise.allSettled([from.readable.pipeTo(to.writable), to.readable.pipeTo(from.writable)]);
    }
  })();
  const name = `forward${port}`;
  await sandbox.run(
    `${quoted(Deno.execPath())} run -A --no-config --no-lock ${quoted(SCRIPT)} ${port} ${
      quoted(path)
    } >/dev/null 2>&1 & ${name}=$!`,
  );
  const up = `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null`;
  await eventually("the port is forwarded", async () => await sandbox.run(up) === 0);
  return {
    async [Symbol.asyncDispose]() {
      await sandbox.run(`kill -9 $${name}; wait $${name} 2>/dev/null`);
      listener.close();
    },
  };
}
