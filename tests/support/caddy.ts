/** Debian's Caddy before replicas, with the Caddyfile that is shipped for two of them. */
import { eventually } from "./eventually.ts";

const PROGRAM = "/usr/bin/caddy";
const SHIPPED = new URL("../../packaging/berth-postgres/Caddyfile", import.meta.url);

export const CANNOT_RUN_CADDY = await Deno.stat(PROGRAM).then(() => null, () => "Caddy is not installed");
if (CANNOT_RUN_CADDY !== null) {
  if (Deno.env.get("BERTH_TEST_ENGINES_REQUIRED") === "1") throw new Error(CANNOT_RUN_CADDY);
  console.error(`NOT RUN: all that takes two replicas behind Caddy, because ${CANNOT_RUN_CADDY}`);
}

/**
 * Listens on this port of loopback until it is disposed of. As shipped it keeps a caller at a replica; else it sends every
 * request to the other one than the last, which tells most.
 */
export async function startCaddy(
  port: number,
  [one, two]: readonly [number, number],
  keepsCaller = false,
): Promise<AsyncDisposable> {
  const folder = await Deno.makeTempDir({ prefix: "berth-caddy-" });
  const shipped = (await Deno.readTextFile(SHIPPED)).replace("\tservers {", "\tadmin off\n\tservers {");
  const text = keepsCaller ? shipped : shipped.replace("lb_policy ip_hash", "lb_policy round_robin");
  await Deno.writeTextFile(`${folder}/Caddyfile`, text);
  const child = new Deno.Command(PROGRAM, {
    args: ["run", "--config", `${folder}/Caddyfile`, "--adapter", "caddyfile"],
    env: {
      ...{ HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      ...{ BERTH_HOSTNAME: `http://127.0.0.1:${port}`, BERTH_PORT_ONE: `${one}`, BERTH_PORT_TWO: `${two}` },
    },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const words = new Response(child.stderr).text();
  let isOver = false;
  const over = child.status.then(() => isOver = true);
  const end = async () => {
    const endedItself = isOver;
    if (!endedItself) child.kill("SIGTERM");
    await over;
    await Deno.remove(folder, { recursive: true });
    if (endedItself) throw new Error(`Caddy ended by itself: ${(await words).slice(-2_000)}`);
  };
  try {
    const ready = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/api/health/ready`);
      await response.body?.cancel();
      return response.status === 200;
    };
    await eventually("berth answers through Caddy", async () => await ready() && await ready());
  } catch (error) {
    await end();
    throw error;
  }
  return { [Symbol.asyncDispose]: end };
}
