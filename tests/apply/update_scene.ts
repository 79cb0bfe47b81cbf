/** A project whose image is pushed again: what tests of newer images begin with. */
import { makePrivateFile } from "../../auth/sealing/private_file.ts";
import { randomSecret } from "../../auth/secret.ts";
import type { Config } from "../../config/config.ts";
import { ACCEPT } from "../../projects/updates/manifest.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import type { ReachableRegistry } from "../support/reachable_registry.ts";
import { serveEngines, type ServiceOptions, type TestService } from "../support/service.ts";

/** Pushes the fixture as this version of a tag, with further changes; nothing on the engine has that name. */
export async function pushVersion(
  engine: TestEngine,
  registry: ReachableRegistry,
  name: string,
  version: string,
  changes: readonly string[] = [],
): Promise<void> {
  const [repository = "", tag = ""] = name.split(":");
  const made = `made-${crypto.randomUUID().slice(0, 8)}`;
  await engine.cli("create", "--name", made, FIXTURE);
  const lines = [
    `LABEL version=${version}`,
    "LABEL org.opencontainers.image.source=https://github.com/example/app",
    ...changes,
  ];
  const temporary = `localhost/temporary:${made}`;
  // Podman answers the command line's own commit, which sends no body, with an error.
  const asked = new URLSearchParams({ container: made, repo: "localhost/temporary", tag: made });
  for (const line of engine.kind === "docker" ? [lines.join("\n")] : lines) asked.append("changes", line);
  const { status, body } = await engine.ask(`POST /commit?${asked}`, {});
  if (status !== 201) throw new Error(body);
  await engine.cli("rm", made);
  const next = `${registry.host}/${repository}:pushed`;
  await engine.cli("tag", temporary, next);
  await engine.cli("push", next);
  await engine.cli("rmi", next);
  await engine.cli("rmi", temporary).catch(() => {});
  const headers = { accept: ACCEPT };
  const pushed = await registry.direct(`/v2/${repository}/manifests/pushed`, { headers });
  const moved = await registry.direct(`/v2/${repository}/manifests/${tag}`, {
    method: "PUT",
    headers: { "content-type": pushed.headers.get("content-type")! },
    body: await pushed.text(),
  });
  if (moved.status !== 201) throw new Error(await moved.text());
  await moved.body?.cancel();
}

/** Stores the registry and switches the look on. */
export async function lookFor(
  berth: TestService,
  { host }: ReachableRegistry,
  coolDownDays = 0,
): Promise<void> {
  await berth.call("POST /api/registries", { host, plainHttp: true });
  await berth.call("PUT /api/updates", { enabled: true, coolDownDays });
}

/** Looks now, and returns the item of a reference once it was checked after that. */
export async function lookedAt(berth: TestService, reference: string) {
  const since = new Date().toISOString();
  const asked = await berth.call("POST /api/updates/check");
  if (asked.status !== 202) throw new Error(asked.text);
  return await eventually("the registry was asked", async () => {
    const { body } = await berth.call("GET /api/updates");
    // deno-lint-ignore no-explicit-any -- a test reads what it expects
    const all: any[] = body.items;
    const isOver = all.every(({ checkedAt }) => checkedAt >= since);
    return isOver ? all.find((one) => one.reference === reference) : null;
  });
}

interface Pair extends AsyncDisposable {
  readonly berth: TestService;
  readonly second: TestService;
}

/** Starts two replicas over one engine and one database. */
export async function startPair(
  engine: TestEngine,
  database: NonNullable<Config["database"]>,
  options: ServiceOptions = {},
): Promise<Pair> {
  await using stack = new AsyncDisposableStack();
  const folders = await Promise.all([0, 1].map(async () => {
    const made = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-pair-" }));
    stack.defer(() => Deno.remove(made, { recursive: true }));
    return made;
  }));
  const [folder = "", other = ""] = folders;
  await makePrivateFile(`${folder}/sealing-key`, randomSecret());
  const shared = {
    database,
    sealingKeyFile: `${folder}/sealing-key`,
    roots: [`${folder}/workspaces`],
    ...options,
  };
  const berth = stack.use(await serveEngines({ docker: engine }, { ...shared, folder, replica: "one" }));
  const sibling = { ...shared, folder: other, replica: "two", admin: berth.admin! };
  const second = stack.use(await serveEngines({ docker: engine }, sibling));
  const all = stack.move();
  return { berth, second, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
