/** A real image registry beside a test's engine, in the engine's own network: only the engine can reach it. */

import type { TestEngine } from "./engine.ts";
import { NoEngine } from "./engine.ts";
import { eventually } from "./eventually.ts";
import { quoted } from "./sandbox.ts";

/** The one account of a registry that asks for credentials. */
export const ACCOUNT = { username: "sailor", password: "letmein-berth" };
export const HTPASSWD = "sailor:$2b$04$o9VsDPPXO41GutvJQN5D1eHzE4F3smaevg0vEI4Fs8M7MV4FlHMJW\n";

export interface TestRegistry extends AsyncDisposable {
  /** Host and port as the engine sees it: `127.0.0.1:5000`, or `127.0.0.1:5001` for the one with an account. */
  readonly host: string;
  /** Stores an image of the engine under `<host>/<name>` and removes that name from the engine again. */
  push(image: string, name: string): Promise<string>;
  /** The digest that it knows a pushed image by: `digest("app", "1")`. */
  digest(repository: string, tag: string): Promise<string>;
  /** Returns the requests that it got, one line each, newest last. */
  requests(): Promise<string>;
}

/** Starts Debian's docker-registry in the engine's sandbox; one open and one with `ACCOUNT` fit beside each engine. */
export async function startRegistry(
  engine: TestEngine,
  { account = false }: { account?: boolean } = {},
): Promise<TestRegistry> {
  const { sandbox } = engine;
  if (!sandbox) throw new NoEngine("a registry needs an engine of the test's own");
  const port = account ? 5001 : 5000;
  const host = `127.0.0.1:${port}`;
  const folder = await Deno.makeTempDir({ prefix: "br" });
  await Deno.writeTextFile(`${folder}/htpasswd`, HTPASSWD);
  await Deno.writeTextFile(`${folder}/config.yml`, settings(folder, host, account));
  const process = `registry${port}`;
  await sandbox.run(
    `docker-registry serve ${quoted(`${folder}/config.yml`)} >${
      quoted(`${folder}/log`)
    } 2>&1 & ${process}=$!`,
  );
  const up = `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null`;
  await eventually("the registry listens", async () => await sandbox.run(up) === 0);
  const cliSettings = `${engine.socket.slice(0, engine.socket.lastIndexOf("/"))}/config.json`;
  return {
    host,
    async push(image, name) {
      const reference = `${host}/${name}`;
      await engine.cli("tag", image, reference);
      if (account) await Deno.writeTextFile(cliSettings, credentials(host));
      await engine.cli("push", reference);
      if (account) await Deno.remove(cliSettings);
      await engine.cli("rmi", reference);
      return reference;
    },
    async digest(repository, tag) {
      const manifests = `${folder}/data/docker/registry/v2/repositories/${repository}/_manifests`;
      return (await Deno.readTextFile(`${manifests}/tags/${tag}/current/link`)).trim();
    },
    requests: () => Deno.readTextFile(`${folder}/log`),
    async [Symbol.asyncDispose]() {
      await sandbox.run(`kill -9 $${process}; wait $${process} 2>/dev/null`);
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/**
 * Returns the credentials that "docker login" would have written; Podman refuses to log in without TLS, but takes the
 * header.
 */
function credentials(host: string): string {
  return JSON.stringify({ auths: { [host]: { auth: btoa(`${ACCOUNT.username}:${ACCOUNT.password}`) } } });
}

function settings(folder: string, host: string, account: boolean): string {
  return JSON.stringify({
    version: "0.1",
    log: { accesslog: { disabled: false }, level: "info" },
    storage: { filesystem: { rootdirectory: `${folder}/data` }, delete: { enabled: true } },
    http: { addr: host },
    ...(account ? { auth: { htpasswd: { realm: "berth", path: `${folder}/htpasswd` } } } : {}),
  });
}
