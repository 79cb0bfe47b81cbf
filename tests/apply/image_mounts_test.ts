/** Images that are mounted: asked for as Compose does, pulled where they are absent, and compared by their name. */
import assert from "node:assert/strict";
import type { EngineView } from "../../projects/fields/engine_view.ts";
import { mountDifferences, mountsOf } from "../../projects/fields/mounts.ts";
import { ApplyScene, project, service } from "./apply_scene.ts";
import { pushVersion } from "./update_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { newerEngine } from "../support/newer_engine.ts";
import { HAS_REGISTRY, startReachableRegistry } from "../support/reachable_registry.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";

Deno.test("an image that is mounted differs by its name alone: it is read-only whatever the file says", async () => {
  const lines = "volumes: [{ type: image, source: other/app, target: /image }]";
  await using folder = await workspaceFolder({
    "compose.yaml": project("mounting", [service("web", lines)]),
  });
  const model = await folder.read();
  const group = model.groups[0]!;
  const unit = group.units[0]!;
  const differences = (source: string) =>
    mountDifferences(
      mountsOf({ model, group, unit, service: unit.service! }),
      {
        // As Docker 28 shows one.
        mounts: [{ type: "image", source, target: "/image", readOnly: true, options: [] }],
        tmpfs: {},
        imageDefaults: null,
        volumesFrom: [],
        isSystem: false,
        readOnlyRoot: false,
      },
      VIEW,
      { model, group, unit, service: unit.service! },
    ).map(({ declared, seen }) => [declared, seen]);

  assert.deepEqual(differences("other/app"), []);
  assert.deepEqual(differences("other/app:latest"), []);
  assert.deepEqual(differences("other/app:2"), [["other/app", "other/app:2"]]);
});

const VIEW: EngineView = {
  kind: "docker",
  mappedTo: (path) => path,
  realOf: (path) => path,
  sourceAt: () => undefined,
  neighbour: () => undefined,
  imageNow: () => undefined,
  digest: null,
  contents: new Map(),
};

const { test } = await sharedEngine("docker");

test(
  "An image that is mounted is pulled where it is absent, and asked for as Compose asks for it",
  async (engine) => {
    await using registry = await startReachableRegistry({}, engine);
    await pushVersion(engine, registry, "mounted:1", "1");
    const reference = `${registry.host}/mounted:1`;
    const isHeld = async () => (await engine.ask(`GET /images/${reference}/json`)).status === 200;
    const mount = `{ type: image, source: '${reference}', target: /image, image: { subpath: bin } }`;
    await using newer = await newerEngine(engine.socket, "1.48");
    await using berth = await serveEngines({ docker: { socket: newer.socket } });
    const text = project("mounting", [service("web", `volumes: [${mount}]`)]);
    const scene = await ApplyScene.on(engine, berth, "mounting", text);
    try {
      const never = await scene.plan({ pull: "never" });
      assert.deepEqual(never.blocked.map(({ code }) => code), ["project/image-absent"]);
      const plan = await scene.plan();
      const pulls = plan.steps.filter(({ kind }) => kind === "image.pull");
      assert.deepEqual([plan.blocked, pulls.map(({ target }) => target)], [[], [reference]]);

      const begun = await scene.begin(plan);
      const apply = await scene.over(begun.body.id);

      assert.ok(await isHeld(), apply.reason ?? "");
      // The engine behind is older than what it is asked for.
      assert.deepEqual(apply.steps.find(({ kind }) => kind === "container.create")?.state, "failed");
      await engine.cli("rmi", reference);
      assert.match(await composeToday(newer.socket, scene.path, "create"), /image/);
      assert.ok(await isHeld());
      const [ofBerth, ofCompose] = newer.asked.map(({ HostConfig }) => HostConfig.Mounts);
      assert.equal(newer.asked.length, 2);
      assert.deepEqual(ofBerth.map(plainMount), ofCompose.map(plainMount));
      assert.equal(ofBerth[0].Source, reference);
    } finally {
      await scene.clear();
      await engine.cli("rmi", reference).catch(() => {});
    }
  },
  composeOfToday.missing ?? (HAS_REGISTRY ? null : "there is no docker-registry"),
);

/** Without what is not asked for: Go leaves it out. */
const plainMount = (mount: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(mount).filter(([, value]) => value !== false && value !== ""));
