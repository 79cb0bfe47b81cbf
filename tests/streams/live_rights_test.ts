/** Running containers are shown to holders of containers:read alone, by every route. */
import assert from "node:assert/strict";
import { CORE_PERMISSIONS } from "../../core/access.ts";
import { PERMISSIONS } from "../../plugins/containers/backends/permissions.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestCaller } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

/** The container's own words: whatever answer has one of them shows what runs. */
const NAME = "canarything";
const COMMAND = "canaryword";
/** Rights to a container of one's choice, which is more than to see it. */
const OWN = new Set(["containers:read", "containers:logs", "containers:exec", "containers:control"]);

const { test } = await sharedEngine("docker");

test("a key with any one permission but those on containers sees nothing of what runs", async (engine) => {
  await using berth = await serveEngines({ one: engine });
  const path = `${berth.folder}/workspaces/shop`;
  await Deno.mkdir(path);
  await Deno.writeTextFile(
    `${path}/compose.yaml`,
    `name: shop\nservices:\n  web: { image: "${FIXTURE}", network_mode: none }\n`,
  );
  const labels = {
    "com.docker.compose.project": "shop",
    "com.docker.compose.service": "web",
    "com.docker.compose.project.working_dir": path,
    "com.docker.compose.project.config_files": `${path}/compose.yaml`,
    "com.docker.compose.container-number": "1",
    "com.docker.compose.oneoff": "False",
  };
  const options = Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]);
  const { body: workspace } = await berth.call("POST /api/workspaces", { path });
  const volume = ["--volume", "canarydata:/data"];
  await engine.cli("create", "--name", NAME, ...options, ...volume, FIXTURE, "idle", COMMAND);
  try {
    await engine.cli("network", "connect", "bridge", NAME).catch(() => {});
    await eventually(
      "the container is listed",
      async () => (await berth.call(`GET /api/containers?q=${NAME}`)).body.total === 1,
    );
    const container = (await berth.call(`GET /api/containers?q=${NAME}`)).body.items[0];
    const image = (await berth.call(`GET /api/containers/${NAME}`)).body.imageId;
    const shown = new RegExp([NAME, COMMAND, container.id.slice(0, 12)].join("|"));
    const routes = await everyRead(berth, { id: workspace.id, name: NAME, image });
    const all = await answers(berth, routes);
    const said = all.filter(({ text }) => shown.test(text)).map(({ route }) => route.split("?")[0]);
    for (const route of ["/api/images", "/api/volumes", "/api/networks", "/api/containers"]) {
      assert.ok(said.includes(`GET ${route}`), `the canary is not to be seen at ${route}: ${said}`);
    }

    for (const { name } of [...CORE_PERMISSIONS, ...PERMISSIONS]) {
      if (OWN.has(name) || name === "audit:read" || name === "system:logs") continue; // those tell of requests
      for (const { route, text } of await answers(await berth.key([name]), routes)) {
        assert.doesNotMatch(text, shown, `${name}: ${route}`);
      }
    }
  } finally {
    await engine.cli("rm", "--force", NAME).catch(() => {});
    await engine.cli("volume", "rm", "canarydata").catch(() => {});
  }
});

test("what is live is null without containers:read, and the answer names the permission", async (engine) => {
  await using berth = await serveEngines({ one: engine });
  const path = `${berth.folder}/workspaces/shop`;
  await Deno.mkdir(path);
  await Deno.writeTextFile(`${path}/compose.yaml`, `name: shop\nservices:\n  web: { image: "${FIXTURE}" }\n`);
  const { body: { id } } = await berth.call("POST /api/workspaces", { path });
  const reader = await berth.key(["artifacts:read", "system:read"]);
  const base = `/api/workspaces/${id}/artifacts`;

  for (const route of [`${base}/units/web`, `${base}/groups/shop`]) {
    const { body } = await reader.call(`GET ${route}`);
    assert.deepEqual([body.live, body.liveNeeds], [null, "containers:read"], route);
    const whole = (await berth.call(`GET ${route}`)).body;
    assert.deepEqual([whole.live.state, "liveNeeds" in whole], ["absent", false], route);
  }
  const dag = (await reader.call(`GET ${base}/dag?live=true`)).body;
  assert.deepEqual([dag.nodes.map(({ live }: { live: unknown }) => live), dag.liveNeeds], [
    [null, null],
    "containers:read",
  ]);
  assert.equal((await reader.call(`POST ${base}/validate?live=true`)).body.liveNeeds, "containers:read");
  assert.equal((await reader.call(`POST ${base}/validate`)).body.liveNeeds, undefined);
  const projects = (await reader.call("GET /api/system/tool-projects")).body;
  assert.equal(projects.liveNeeds, "containers:read");
  assert.deepEqual([projects.items[0].status, projects.items[0].services], [null, [
    { name: "web", containers: null, running: null, health: null },
  ]]);
  const info = (await reader.call("GET /api/system/info")).body;
  assert.deepEqual([info.containers, info.images, info.liveNeeds], [null, null, "containers:read"]);
  const unused = await (await berth.key(["images:read"])).call("GET /api/images?unused=true");
  assert.deepEqual([unused.status, unused.body.code], [403, "forbidden"]);
});

/** Every GET of the served document, and what else reads, filled in for one thing. */
async function everyRead(
  berth: TestCaller,
  { id, name, image }: { readonly id: string; readonly name: string; readonly image: string },
): Promise<string[]> {
  const { body } = await berth.call("GET /api/openapi.json");
  const artifact: Readonly<Record<string, string>> = { groups: "shop", units: "web", cards: "none" };
  const routes = Object.entries<Record<string, unknown>>(body.paths).filter(([, item]) => "get" in item).map(
    ([path]) => {
      const kind = path.split("/").at(-2) ?? "";
      const filled = path.startsWith("/api/workspaces/")
        ? path.replace("{id}", id).replace("{name}", artifact[kind] ?? "none")
        : path.replace(/\{id[^}]*\}/, path.includes("/images/") ? image : name)
          .replace("{name}", path.includes("/volumes/") ? "canarydata" : "bridge");
      return `GET ${filled}`;
    },
  ).filter((route) => !/\{|logs|terminal|stats|docs/.test(route));
  const base = `/api/workspaces/${id}/artifacts`;
  return [
    ...routes,
    `GET ${base}/dag?live=true`,
    `POST ${base}/validate?live=true`,
    "GET /api/system/disk-usage?type=containers",
    "GET /api/images?unused=true",
    "GET /api/images?q=fixture",
    "GET /api/volumes?q=canary",
    "GET /api/networks?q=bridge",
  ];
}

async function answers(caller: TestCaller, routes: readonly string[]) {
  const said: { route: string; text: string }[] = [];
  for (const route of routes) {
    const { text } = await caller.call(route, undefined, { signal: AbortSignal.timeout(20_000) });
    // The question itself is no answer, nor is what a refusal repeats of it.
    said.push({ route, text: text.replaceAll(`\\"${NAME}\\"`, "").replaceAll(`/${NAME}`, "") });
  }
  return said;
}
