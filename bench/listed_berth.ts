/** A berth under measurement beside an engine full of containers. */
import type { EngineAnswer, TestEngine } from "../tests/support/engine.ts";
import { adminKey } from "./admin_key.ts";
import {
  AS_SHIPPED,
  programOf,
  type ServerOptions,
  type ServerProcess,
  startServer,
} from "./server_process.ts";

/** Makes the containers `bench-<from>` to `bench-<to - 1>`; none of them runs. */
export async function fill(engine: TestEngine, from: number, to: number): Promise<void> {
  for (let number = from; number < to; number += 1) {
    const { status, body }: EngineAnswer = await engine.ask(`POST /containers/create?name=bench-${number}`, {
      Image: "berth-fixture:latest",
      Cmd: ["idle"],
      Env: ["A=1", "B=2", "TOKEN=something"],
      Labels: {
        "com.docker.compose.project": "bench",
        "com.docker.compose.service": `s${number}`,
        tier: "web",
      },
      HostConfig: { NetworkMode: "none" },
    });
    if (status !== 201 && status !== 409) throw new Error(`no container: ${status} ${body}`);
  }
}

/** Starts berth as it is shipped, or from the sources of a checkout, with a data folder of its own, and makes its first admin. */
export async function startBerth(
  stack: AsyncDisposableStack,
  engines: string,
  checkout?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ server: ServerProcess; key: string }> {
  const data = await Deno.makeTempDir({ prefix: "berth-bench-" });
  stack.defer(() => Deno.remove(data, { recursive: true }));
  const server = await startServer({
    args: ["-A", await programOf(checkout), "serve"],
    path: "/api/health",
    env: { BERTH_DATA: data, BERTH_PORT: "PORT", BERTH_ENGINES: engines, ...AS_SHIPPED, ...more },
    ...(checkout === undefined ? {} : { cwd: checkout }),
  });
  return { server, key: await adminKey(`http://127.0.0.1:${server.port}`, `${data}/setup-token`) };
}

/**
 * Returns how to start berth on a data folder that is there, until it answers its first list: health is answered
 * before the modules of the other routes are read.
 */
export async function restartable(
  stack: AsyncDisposableStack,
  checkout?: string,
): Promise<ServerOptions> {
  const data = await Deno.makeTempDir({ prefix: "berth-bench-" });
  stack.defer(() => Deno.remove(data, { recursive: true }));
  const options = {
    args: ["-A", await programOf(checkout), "serve"],
    env: { BERTH_DATA: data, BERTH_PORT: "PORT", BERTH_ENGINES: "none", ...AS_SHIPPED },
    ...(checkout === undefined ? {} : { cwd: checkout }),
  };
  await using first = await startServer({ ...options, path: "/api/health" });
  const key = await adminKey(`http://127.0.0.1:${first.port}`, `${data}/setup-token`);
  return { ...options, path: "/api/containers", headers: { authorization: `Bearer ${key}` } };
}

/** Until the mirror is whole; answers one container's id. */
export async function waitForAll(server: ServerProcess, key: string, count: number): Promise<string> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/containers?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { items, total } = await answer.json();
    if (total >= count) return items[0].id;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`berth never listed ${count} containers`);
}
