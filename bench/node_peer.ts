/** A peer that runs on Node, its packages taken from the npm registry into a folder of its own. */

export interface NodePeer extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
}

const PATIENCE_MS = 120_000;

/** Starts `bench/peers/<script>` with the arguments, "PORT" standing for its port; a sentence where it cannot be had. */
export async function startNodePeer(
  script: string,
  packages: readonly string[],
  args: readonly string[],
): Promise<NodePeer | string> {
  const folder = await Deno.makeTempDir({ prefix: "berth-peer-" });
  const remove = () => Deno.remove(folder, { recursive: true });
  try {
    await Deno.copyFile(new URL(`peers/${script}`, import.meta.url), `${folder}/${script}`);
    const install = await new Deno.Command("npm", {
      args: ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", ...packages],
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).output();
    if (!install.success) {
      await remove();
      return "its packages could not be installed";
    }
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const port = listener.addr.port;
    listener.close();
    const child = new Deno.Command("node", {
      args: [`${folder}/${script}`, ...args.map((arg) => arg.replaceAll("PORT", String(port)))],
      stdin: "null",
      stdout: "null",
      stderr: "inherit",
    }).spawn();
    const stop = async () => {
      child.kill("SIGKILL");
      await child.status;
      await remove();
    };
    for (let attempt = 0; attempt < 600; attempt++) {
      try {
        (await Deno.connect({ hostname: "127.0.0.1", port })).close();
        return { port, pid: child.pid, [Symbol.asyncDispose]: stop };
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    await stop();
    return "it did not start";
  } catch (error) {
    await remove();
    return error instanceof Deno.errors.NotFound ? "there is no npm or node here" : "it could not be started";
  }
}
