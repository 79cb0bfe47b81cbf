/** Secrets in what berth does: who may not reveal them is told none by applies, incidents, notices, drafts, Git and logs. */
import assert from "node:assert/strict";
import { writeCopy } from "../../store/copy_file.ts";
import { SourceScene, web } from "../git/source_scene.ts";
import { hasGit } from "../support/git_server.ts";
import { servedDocuments } from "../support/served_documents.ts";
import { serveEngines, type TestCaller, type TestService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { ACTING } from "./masked_acts.ts";
import { askAll, hearAll, type Known } from "./masked_places.ts";
import { around } from "./masked_search.ts";
import { CANARY, fileOf, SHAPES } from "./masked_shapes.ts";

const { test } = await sharedEngine("docker");
const NAMES = Object.keys(ACTING);
const FAST = {
  logLevel: "debug" as const,
  watchTimes: {
    beginMs: 0,
    tickMs: 50,
    wellMs: 200,
    notices: { tickMs: 20, foldMs: 0, retryMs: [50], deadMs: 60_000 },
  },
};
const APPLIES_AT_ONCE = 4;
/** Of the projects at least so many fail, and have an incident. */
const MANY = NAMES.length / 3;

async function registered(berth: TestService): Promise<void> {
  const root = `${berth.folder}/workspaces/acts`;
  for (const [name, text] of Object.entries(ACTING)) {
    await Deno.mkdir(`${root}/${name}`, { recursive: true });
    await Deno.writeTextFile(`${root}/${name}/compose.yaml`, text);
  }
  const made = await berth.call("POST /api/workspaces", { path: root });
  assert.equal(made.status, 201, made.text);
}

/** Applies every project; returns the ids of the applies, and how many have failed. */
async function applyAll(berth: TestService): Promise<{ ids: string[]; failed: number }> {
  const open = [...NAMES];
  const ids: string[] = [];
  let failed = 0;
  const work = async () => {
    for (let name = open.shift(); name !== undefined; name = open.shift()) {
      const plan = await berth.call(`POST /api/workspaces/acts/artifacts/groups/${name}/plan`, {});
      const begun = await berth.call(`POST /api/plans/${plan.body.id}/apply`, {});
      assert.equal(begun.status, 202, `${name}: ${plan.text} ${begun.text}`);
      ids.push(begun.body.id);
      const { state } = await eventually(`${name} is over`, async () => {
        const { body } = await berth.call(`GET /api/applies/${begun.body.id}`);
        return body.state === "running" ? null : body;
      }, { timeoutMs: 120_000 });
      if (state !== "done") failed++;
    }
  };
  await Promise.all(Array.from({ length: APPLIES_AT_ONCE }, work));
  return { ids, failed };
}

/** Has receivers of each kind told of incidents. Returns what they take. */
async function receivers(berth: TestService, owned: AsyncDisposableStack): Promise<readonly string[]> {
  const taken: string[] = [];
  const { addr } = owned.use(
    Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
      taken.push(JSON.stringify([...request.headers]) + await request.text());
      return new Response(null, { status: 204 });
    }),
  );
  for (const kind of ["webhook", "ntfy", "slack", "apprise"]) {
    const address = `http://127.0.0.1:${addr.port}/${kind}/a`;
    const tells = ["broken", "differs", "notStarted", "stopped"];
    const made = await berth.call("POST /api/notices", { name: kind, kind, address, tells, afterS: 0 });
    assert.equal(made.status, 201, made.text);
  }
  return taken;
}

const idsOf = async (caller: TestCaller, route: string): Promise<string[]> =>
  (await caller.call(route)).body.items.map(({ id }: { readonly id: string }) => id);

function assertSilent(texts: Iterable<string>, what: string): void {
  for (const text of texts) assert.ok(!text.includes(CANARY), `${what}: ${around(text)}`);
}

test("who may not reveal secrets is told none by what berth does, whether it succeeds or fails", async (engine) => {
  await using owned = new AsyncDisposableStack();
  const berth = owned.use(await serveEngines({ docker: engine }, FAST));
  owned.defer(async () => {
    for (const id of (await engine.cli("ps", "--all", "--quiet")).trim().split("\n")) {
      if (id !== "") await engine.cli("rm", "--force", id);
    }
  });
  const taken = await receivers(berth, owned);
  await registered(berth);
  const { ids, failed } = await applyAll(berth);
  const { body: { permissions: all } } = await (await berth.key("operator")).call("GET /api/auth/me");
  // A program's own output is shown as it is to those who may read logs.
  const permissions = all.filter((one: string) => one !== "containers:logs");
  const operator = await berth.key(permissions);
  const containers = await idsOf(operator, "GET /api/containers?limit=500");
  assert.ok(failed > MANY);
  const incidents = await eventually("incidents are open, and told", async () => {
    const found = await idsOf(operator, "GET /api/incidents?limit=500");
    return found.length > MANY && taken.length >= 4 ? found : null;
  });

  const known: Known = (path) => {
    if (path.startsWith("/api/applies/{id}")) return ids.map((id) => [id]);
    if (path.startsWith("/api/incidents/{id}")) return incidents.map((id) => [id]);
    if (path.startsWith("/api/containers/{id}")) return containers.map((id) => [id]);
    if (path.startsWith("/api/projects/{id}")) return NAMES.map((name) => [`${name}@acts`]);
    if (path.startsWith("/api/workspaces/{id}/artifacts/groups/")) return NAMES.map((name) => ["acts", name]);
    return path.includes("{") ? [["acts"]] : [[]];
  };
  const { openapi } = await servedDocuments();
  const answers = await askAll(operator, openapi, permissions, known);
  const key = await berth.call("POST /api/settings/api-keys", { name: "listens", role: "viewer" });
  const listening = { workspaces: ["acts"], containers: containers.slice(0, 1) };
  const messages = await hearAll(berth, key.body.key, listening, () => Promise.resolve());
  const draft = await berth.as(key.body.key).call("POST /api/workspaces/acts/adoptions/draft", {
    containers: containers.map((id) => ({ backend: "docker", id })),
  });
  assert.equal(draft.status, 200, draft.text);
  assertSilent([draft.text], "a draft");
  const pruner = await berth.key(["system:prune", "containers:read"]);
  for (const filters of [{}, { labels: [`app.token=${CANARY}`] }]) {
    const plan = await pruner.call("POST /api/system/prune", {
      types: ["containers"],
      filters,
      dryRun: true,
    });
    assert.equal(plan.status, 200, plan.text);
    assertSilent([plan.text], "the plan of a prune");
  }
  assertSilent([(await berth.call("GET /api/system/audit?limit=500")).text], "the audit log");
  assertSilent(taken, "a notice");
  assertSilent(berth.logged(), "the log");
  const copy = `${berth.folder}/all.ndjson`;
  await writeCopy(berth.berth.store.copy, copy);
  assertSilent((await Deno.readTextFile(copy)).split("\n"), "an export");
  console.log(
    `${ids.length} applies (${failed} failed), ${incidents.length} incidents, ${taken.length} notices, ` +
      `${answers} answers, ${messages} messages: no canary`,
  );
});

Deno.test({
  name: "who may not reveal secrets is told none by a commit, its author or a server that refuses",
  ignore: !hasGit(),
  async fn() {
    await using scene = await SourceScene.with({ "compose.yaml": web("a:1") });
    await scene.follow();
    await scene.repository.git("config", "user.name", `--password=${CANARY}`);
    await scene.repository.push({ "compose.yaml": fileOf(SHAPES, "a:2") }, `rotate DB_PASSWORD=${CANARY}`);
    await scene.check();
    const viewer = await scene.berth.key("viewer");
    const read = async (): Promise<string> => {
      const answer = await viewer.call(`GET /api/workspaces/${scene.id}/source`);
      assert.equal(answer.status, 200, answer.text);
      return answer.text;
    };
    const pending = await read();
    assert.match(pending, /rotate DB_PASSWORD=\*{8}/);
    assertSilent([pending], "the source");
    scene.server.refuse = () =>
      new Response(`no: postgres://ada:${CANARY}@db`, {
        status: 403,
        headers: { "content-type": "text/plain" },
      });
    assert.equal((await scene.check()).state, "failed");
    assertSilent([await read(), ...scene.berth.logged()], "the failure");
  },
});
