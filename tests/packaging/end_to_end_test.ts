/** The whole way a newcomer goes, through the typed client: a folder becomes a living graph, and an edit shows as drift. */
import assert from "node:assert/strict";
import { BearerAuth, Client } from "@berth/client";
import {
  CONTAINER,
  CONTAINER_START,
  CONTAINERS,
  SYSTEM_BACKENDS,
  SYSTEM_TOOL_PROJECTS,
  WORKSPACE,
  WORKSPACE_ARTIFACTS,
  WORKSPACE_ARTIFACTS_DAG,
  WORKSPACE_ARTIFACTS_UNIT,
  WORKSPACE_ARTIFACTS_VALIDATE,
  WORKSPACES,
} from "@berth/client/berth";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";

const text = (broken = "db") =>
  `name: shop
services:
  web:
    image: ${FIXTURE}
    command: [idle]
    network_mode: none
    environment: { COLOUR: red }
    depends_on: [${broken}]
  db:
    image: ${FIXTURE}
    command: [idle]
    network_mode: none
`;

/** Creates one service with `docker compose up --no-start`. */
async function create(
  engine: TestEngine,
  folder: string,
  service: string,
  ...options: string[]
): Promise<void> {
  const labels = {
    "com.docker.compose.project": "shop",
    "com.docker.compose.service": service,
    "com.docker.compose.project.working_dir": folder,
    "com.docker.compose.project.config_files": `${folder}/compose.yaml`,
    "com.docker.compose.container-number": "1",
    "com.docker.compose.oneoff": "False",
  };
  const flags = Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]);
  await engine.cli(
    "create",
    "--name",
    `shop-${service}-1`,
    "--network",
    "none",
    ...flags,
    ...options,
    FIXTURE,
    "idle",
  );
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("a newcomer registers a folder, mends a line, starts it, sees it live, edits it and sees the drift", async (engine) => {
    await using berth = await startService({ engines: [{ name: kind, url: `unix://${engine.socket}` }] });
    assert.ok(berth.admin !== null);
    using client = new Client({ baseUrl: berth.url, auth: new BearerAuth(berth.admin) });
    await eventually(
      "the engine is up",
      async () => (await client.get(SYSTEM_BACKENDS)).json().items.every(({ state }) => state === "up"),
    );
    const folder = `${berth.folder}/workspaces/shop`;
    await Deno.mkdir(folder);
    await Deno.writeTextFile(`${folder}/compose.yaml`, text("bd"));

    // Registered as it is, with a misspelt name in it.
    const { id, problems } = (await client.post(WORKSPACES, { payload: { path: folder } })).json();
    assert.deepEqual([id, problems.errors], ["shop", 1]);
    const workspace = { params: { id } };
    const listed = (await client.get(WORKSPACE_ARTIFACTS, workspace)).json();
    assert.deepEqual(listed.items.map((item) => item.id), ["group:shop", "unit:shop.web", "unit:shop.db"]);
    const broken = (await client.post(WORKSPACE_ARTIFACTS_VALIDATE, workspace)).json();
    const first = broken.diagnostics.find(({ severity }) => severity === "error");
    assert.deepEqual(
      [
        first?.code,
        first?.location?.file,
        first?.location?.range.start.line,
        first?.location?.range.start.column,
      ],
      ["ref/unknown-service", "compose.yaml", 8, 18],
    );

    // The edit is tried before it is saved, then saved.
    const files = { "compose.yaml": text() };
    const tried = (await client.post(WORKSPACE_ARTIFACTS_VALIDATE, { ...workspace, payload: { files } }))
      .json();
    assert.equal(tried.valid, true);
    await Deno.writeTextFile(`${folder}/compose.yaml`, text());
    await eventually(
      "the workspace has no errors",
      async () => (await client.get(WORKSPACE, workspace)).json().problems.errors === 0,
    );
    const dag = (await client.get(WORKSPACE_ARTIFACTS_DAG, workspace)).json();
    assert.deepEqual(dag.layers, [["unit:shop.db"], ["unit:shop.web"]]);

    try {
      // Made as Compose makes them, and started through berth.
      await create(engine, folder, "web", "--env", "COLOUR=red");
      await create(engine, folder, "db");
      for (const name of ["shop-db-1", "shop-web-1"]) {
        await eventually(
          `${name} is listed`,
          async () => (await client.get(CONTAINERS, { query: { q: name } })).json().total === 1,
        );
        assert.equal((await client.post(CONTAINER_START, { params: { id: name } })).json().state, "running");
      }
      const web = { params: { id, name: "shop.web" } };
      const live = await eventually("web runs", async () => {
        const { live } = (await client.get(WORKSPACE_ARTIFACTS_UNIT, web)).json();
        return live?.state === "running" ? live : null;
      });
      assert.deepEqual([live.match?.by, live.drift], ["configFiles", []]);
      const drawn = (await client.get(WORKSPACE_ARTIFACTS_DAG, { ...workspace, query: { live: true } }))
        .json();
      const group = drawn.nodes.find((node) => node.id === "group:shop");
      assert.equal(group?.live?.state, "running");
      const projects = (await client.get(SYSTEM_TOOL_PROJECTS)).json().items;
      assert.deepEqual(
        projects.map(({ workspace, project, status }) => [workspace?.id, project, status]),
        [["shop", "shop", "running"]],
      );

      // The tag changes in the file, and nowhere else.
      await Deno.writeTextFile(`${folder}/compose.yaml`, text().replace(FIXTURE, "berth-fixture:2"));
      const drift = await eventually("the drift is seen", async () => {
        const { live } = (await client.get(WORKSPACE_ARTIFACTS_UNIT, web)).json();
        return live?.drift?.length === 1 ? live.drift : null;
      });
      assert.deepEqual(drift.map(({ field, declared, container }) => [field, declared, container]), [
        ["image", "berth-fixture:2", "shop-web-1"],
      ]);

      for (const name of ["shop-db-1", "shop-web-1"]) {
        await client.delete(CONTAINER, { params: { id: name }, query: { force: true } });
      }
      await client.delete(WORKSPACE, workspace);
      assert.deepEqual((await client.get(WORKSPACES)).json().items, []);
      assert.ok((await Deno.stat(`${folder}/compose.yaml`)).isFile, "forgetting a workspace touches no file");
    } finally {
      for (const name of ["shop-db-1", "shop-web-1"]) await engine.cli("rm", "--force", name).catch(() => {});
    }
  });
}
