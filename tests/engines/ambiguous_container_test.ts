/** One name on two engines: no route and no socket that takes a container's id chooses for the caller. */
import assert from "node:assert/strict";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";
import { Visitor } from "../support/stream_service.ts";

const docker = await sharedEngine("docker");
const podman = await sharedEngine("podman");
/** Runs where both engines do. */
const { test } = docker.engine === null ? docker : podman;

async function serve(engines: readonly TestEngine[]): Promise<TestService> {
  const berth = await startService({
    engines: engines.map(({ kind, socket }) => ({ name: kind, url: `unix://${socket}` })),
  });
  await eventually("both engines are up", async () => {
    const { body } = await berth.call("GET /api/system/backends");
    return body.items.every(({ state }: { state: string }) => state === "up");
  });
  return berth;
}

/** An operation as the API document has it. */
interface Described {
  readonly "x-websocket"?: boolean;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema: { readonly $ref?: string } }>;
  };
}

interface Operation {
  readonly method: string;
  readonly isSocket: boolean;
  /** With "web" wherever a container is named, and the network that both engines have. */
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
}

/** A history keeps to a name on all engines, and a difference is settled with one of its unit's own containers. */
const CHOOSES_OTHERWISE = new Set(["/api/endings", "/api/workspaces/{id}/artifacts/units/{name}/settle"]);

/** Every operation of the served document that names a container in its path, its query or its body. */
async function operationsOnContainers(berth: TestService): Promise<Operation[]> {
  const { body: document } = await berth.call("GET /api/openapi.json");
  const found: Operation[] = [];
  for (const [path, methods] of Object.entries<Record<string, Described>>(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const inPath = /\/containers\/\{\w+\}|\{container\w*\}/.test(path);
      const { parameters = [], requestBody } = operation;
      const inQuery = parameters.filter((one) => one.in === "query" && /^container(Id)?$/.test(one.name));
      const reference = requestBody?.content["application/json"]?.schema.$ref ?? "";
      const fields = document.components.schemas[reference.split("/").at(-1)!]?.properties ?? {};
      const inBody = Object.keys(fields).filter((name) => /^container(Id)?$/.test(name));
      if (CHOOSES_OTHERWISE.has(path)) continue;
      if (!inPath && inQuery.length === 0 && inBody.length === 0) continue;
      found.push({
        method: method.toUpperCase(),
        isSocket: operation["x-websocket"] === true,
        path: path.replace(/\/containers\/\{\w+\}|\{container\w*\}/, "/containers/web")
          .replace(/\{\w+\}/g, "bridge"),
        query: inQuery.map(({ name }) => `${name}=web`).join("&"),
        // A new name is needed to come as far as the container.
        body: reference === "" ? undefined : Object.fromEntries(
          [...inBody, ...Object.keys(fields).filter((name) => name === "name")].map((name) => [name, "web"]),
        ),
      });
    }
  }
  return found;
}

/** The refusal: over HTTP by its status, on a socket by its last frame and its closing code less 4000. */
async function refusal(
  berth: TestService,
  { method, isSocket, path, query, body }: Operation,
): Promise<{ readonly status: number; readonly code: string; readonly title: string }> {
  const target = `${path}${query === "" ? "" : `?${query}`}`;
  if (!isSocket) {
    const answer = await berth.call(`${method} ${target}`, body, { signal: AbortSignal.timeout(20_000) });
    return { status: answer.status, code: answer.body.code, title: answer.body.title };
  }
  const visitor = new Visitor(berth.url + target, undefined, [`berth.bearer.${berth.admin}`]);
  const late = setTimeout(() => visitor.wire.close(), 5_000);
  const { code: closed } = await visitor.closed;
  clearTimeout(late);
  const [error = { code: `open: ${visitor.texts}`, title: "" }] = visitor.said("error");
  return { ...error, status: closed - 4000 };
}

test("a name that two engines have is refused with both engines by every route and socket that takes a container", async () => {
  const engines = [docker.engine!, podman.engine!]; // `test` runs where both are
  const ids = await Promise.all(engines.map((engine) => engine.cli("run", "-d", "--name", "web", FIXTURE)));
  await using berth = await serve(engines);
  const operations = await operationsOnContainers(berth);
  assert.ok(operations.length >= 12, `${operations.length} operations`);
  assert.ok(operations.filter(({ isSocket }) => isSocket).length >= 3);

  const wrong: unknown[] = [];
  for (const operation of operations) {
    const { status, code, title } = await refusal(berth, operation);
    const names = engines.every(({ kind }) => title?.includes(`"${kind}"`));
    if (status !== 409 || code !== "ambiguous_id" || !names) {
      wrong.push(`${operation.method} ${operation.path}: ${status} ${code} ${title}`);
    }
  }
  assert.deepEqual(wrong, []);

  for (const [at, engine] of engines.entries()) {
    const { json } = await engine.ask("GET /containers/web/json");
    assert.equal(json.Id, ids[at], "it is there");
    assert.equal(json.State.Running, true, "it runs");
    assert.deepEqual(json.ExecIDs ?? [], [], "no command was run in it");
  }
});

test("of two containers of one name, the engine's name and the beginning of an id choose", async () => {
  const engines = [docker.engine!, podman.engine!];
  await using berth = await serve(engines);
  for (const { kind, ask } of engines) {
    const { Id } = (await ask("GET /containers/web/json")).json;
    const byEngine = await berth.call(`GET /api/containers/web?backend=${kind}`);
    const byId = await berth.call(`GET /api/containers/${Id.slice(0, 12)}`);
    assert.deepEqual([byEngine.body.id, byId.body.id], [Id, Id]);
    assert.equal((await berth.call(`GET /api/containers/web/logs?backend=${kind}`)).status, 200);
    assert.equal((await berth.call(`GET /api/containers/${Id}/logs`)).status, 200);
    const visitor = new Visitor(
      `${berth.url}/api/containers/web/exec?backend=${kind}&tty=false&cmd=true`,
      undefined,
      [`berth.bearer.${berth.admin}`],
    );
    await visitor.closed;
    assert.deepEqual(visitor.said("exit"), [{ type: "exit", code: 0 }]);
    assert.equal(visitor.said("ready")[0].container, Id);
  }
});
