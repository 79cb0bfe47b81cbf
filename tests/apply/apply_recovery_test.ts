/** Two faults meet: berth is killed in a swap, and what it would need to go on is changed before it starts again. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type Kill, mortal } from "./apply_mortal.ts";
import { ApplyScene, project, service } from "./apply_scene.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, TestCaller, type TestService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const LEASE = { applyTimes: { leaseMs: 1_000 } };
const HEALTH = "healthcheck: { test: [CMD, 'true'], interval: 200ms }";
const KILLS: readonly Kill[] = [
  ["after", "create"],
  ["after", "stop"],
  ["after", "rename"],
  ["after", "start"],
  ["before", "remove"],
];
const IS_PROOF = Deno.env.get("BERTH_PROOF") === "1";

const text = (name: string, colour: string, group = name) =>
  project(group, [service("web", `restart: unless-stopped\nenvironment: { C: ${colour} }\n${HEALTH}`)]);

/** Each takes away what a second start needs for the same apply. */
const CHANGES: Readonly<Record<string, (scene: ApplyScene) => Promise<unknown>>> = {
  "its file was edited": ({ path, name }) => Deno.writeTextFile(`${path}/compose.yaml`, text(name, "green")),
  "its group was renamed": ({ path, name }) =>
    Deno.writeTextFile(`${path}/compose.yaml`, text(name, "green", `${name}-other`)),
  "its folder is away": ({ path }) => Deno.rename(path, `${path}.away`),
  "it was being abandoned, and its file edited": ({ path, name, berth: { folder } }) => {
    using store = new DatabaseSync(`${folder}/data/berth.db`);
    store.exec("UPDATE applies SET wish = 'abandon' WHERE state = 'running'");
    return Deno.writeTextFile(`${path}/compose.yaml`, text(name, "green"));
  },
};

const { test } = await sharedEngine("docker");

/** The kills of a change: all of them in the proof, else each change has two of its own. */
const killsOf = (nth: number) =>
  IS_PROOF ? KILLS : [KILLS[nth % KILLS.length]!, KILLS[(nth + 2) % KILLS.length]!];

for (const [nth, [change, apply]] of Object.entries(CHANGES).entries()) {
  for (const kill of killsOf(nth)) {
    const name = `recover${nth}${kill.join("")}`;
    test(`A service serves although berth was killed ${kill.join(" ")} and ${change}`, async (engine) => {
      const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
      const first = await serveEngines({ docker: engine }, { ...LEASE, folder });
      const admin = first.admin ?? "";
      const scene = await ApplyScene.on(engine, first, name, text(name, "red"));
      try {
        assert.equal((await scene.apply()).state, "done");
        await scene.write(text(name, "blue"));
        await first.berth.stop();
        const { child, url } = await mortal({ folder, admin }, engine, kill);
        const caller = new TestCaller(url, admin);
        await eventually(
          "the engine is read",
          async () => (await caller.call("GET /api/health/ready")).status === 200,
        );
        await scene.begin(await scene.plan({}, caller), {}, caller).catch(() => null);
        assert.equal((await child.status).signal, "SIGKILL");
        await apply(scene);
        await using last = await serveEngines({ docker: engine }, { ...LEASE, folder, admin });
        const { id } = (await last.call("GET /api/applies")).body.items[0];
        const isAbandoned = change.includes("abandoned");
        assert.equal((await scene.over(id, last)).state, isAbandoned ? "cancelled" : "paused");
        await isServed(scene);
        assert.equal((await healthOf(last)).status, "ok");
        const before = await isServed(scene);
        if (isAbandoned) return;
        const abandoned = await last.call(`POST /api/applies/${id}/abandon`);
        assert.deepEqual([abandoned.status, abandoned.body.state], [200, "cancelled"]);
        assert.equal((await isServed(scene)).id, before.id, "an abandoned apply makes nothing");
        assert.deepEqual(last.bugs(), []);
      } finally {
        await scene.clear();
        await Deno.remove(folder, { recursive: true });
      }
    });
  }
}

/** One container of the planned ones runs under its own name, with its restart policy. */
async function isServed(scene: ApplyScene) {
  const containers = await scene.containers();
  const [[name, web] = []] = Object.entries(containers);
  assert.deepEqual(Object.keys(containers), [`${scene.name}-web-1`]);
  assert.ok(name !== undefined && web !== undefined);
  assert.deepEqual([web.state, web.restart], ["running", "unless-stopped"]);
  assert.ok(!web.env.includes("C=green"), "no plan showed it");
  return web;
}

const healthOf = async (berth: TestService) => (await berth.call("GET /api/health")).body;
