/** Two faults meet: berth is killed in a swap, and what it would need to go on is changed before it starts again. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { dieInApply, type Kill } from "./apply_mortal.ts";
import { ApplyScene, project, service } from "./apply_scene.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, TestCaller, type TestService } from "../support/service.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { HEALTHY } from "./health_checks.ts";

const LEASE = { applyTimes: { leaseMs: 1_000 } };
/** Files that cannot be read are not waited for as long. */
const SHORT = { applyTimes: { ...LEASE.applyTimes, awayMs: 3_000 } };
const KILLS: readonly Kill[] = [
  ["after", "create"],
  ["after", "stop"],
  ["after", "rename"],
  ["after", "start"],
  ["before", "remove"],
];
const IS_PROOF = Deno.env.get("BERTH_PROOF") === "1";

const text = (name: string, colour: string, group = name) =>
  project(group, [service("web", `restart: unless-stopped\nenvironment: { C: ${colour} }\n${HEALTHY}`)]);

const KEY = "applier";
const inStore = ({ berth: { folder } }: ApplyScene, sql: string) => {
  using store = new DatabaseSync(`${folder}/data/berth.db`);
  store.exec(sql);
  return Promise.resolve();
};

/** Takes away the same right as a key that is deleted. */
const LIKE_ANOTHER = "its applier's role was lowered";

/** Each takes away what a second start needs for the same apply. */
const CHANGES: Readonly<Record<string, (scene: ApplyScene) => Promise<unknown>>> = {
  "its file was edited": ({ path, name }) => Deno.writeTextFile(`${path}/compose.yaml`, text(name, "green")),
  "its group was renamed": ({ path, name }) =>
    Deno.writeTextFile(`${path}/compose.yaml`, text(name, "green", `${name}-other`)),
  "its folder is away": ({ path }) => Deno.rename(path, `${path}.away`),
  "it was being abandoned, and its file edited": async (scene) => {
    await inStore(scene, "UPDATE applies SET wish = 'abandon' WHERE state = 'running'");
    await Deno.writeTextFile(`${scene.path}/compose.yaml`, text(scene.name, "green"));
  },
  [LIKE_ANOTHER]: (scene) =>
    inStore(scene, `UPDATE keys SET grants = '[{"role":"viewer"}]' WHERE name = '${KEY}'`),
  "its applier's key was deleted": (scene) => inStore(scene, `DELETE FROM keys WHERE name = '${KEY}'`),
  "its folder is mounted late": ({ path }) => Deno.rename(path, `${path}.away`),
};

const { test } = await sharedEngine("docker");

/** The kills of a change: all of them in the proof, else every other change has one of its own. */
const killsOf = (nth: number, change: string): readonly Kill[] => {
  if (IS_PROOF) return KILLS;
  return change === LIKE_ANOTHER || nth % 2 === 1 ? [] : [KILLS[nth % KILLS.length]!];
};

for (const [nth, [change, apply]] of Object.entries(CHANGES).entries()) {
  for (const kill of killsOf(nth, change)) {
    const name = `recover${nth}${kill.join("")}`;
    test(`A service serves although berth was killed ${kill.join(" ")} and ${change} (F122)`, async (engine) => {
      const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
      const first = await serveEngines({ docker: engine }, { ...LEASE, folder });
      const admin = first.admin ?? "";
      const scene = await ApplyScene.on(engine, first, name, text(name, "red"));
      try {
        assert.equal((await scene.apply()).state, "done");
        await scene.write(text(name, "blue"));
        await first.berth.stop();
        await dieInApply(scene, kill, { applierOf: operator });
        await apply(scene);
        const times = change.startsWith("its folder") ? SHORT : LEASE;
        await using last = await serveEngines({ docker: engine }, { ...times, folder, admin });
        const { id } = (await last.call("GET /api/applies")).body.items[0];
        const isAbandoned = change.includes("abandoned");
        assert.equal((await scene.over(id, last)).state, isAbandoned ? "cancelled" : "paused");
        await isServed(scene);
        assert.equal((await healthOf(last)).status, "ok");
        const before = await isServed(scene);
        if (isAbandoned) return;
        if (change.includes("late")) {
          await Deno.rename(`${scene.path}.away`, scene.path);
          await eventually(
            "its folder is read",
            async () =>
              (await last.call(`POST /api/applies/${id}/resume`)).status === 200 &&
              (await scene.over(id, last)).state !== "paused",
          );
          assert.ok((await isServed(scene)).env.includes("C=blue"), "its next plan is carried out");
          return;
        }
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

/** A key of an operator, which the changes take away. */
async function operator(caller: TestCaller): Promise<TestCaller> {
  const { body } = await caller.call("POST /api/settings/api-keys", { name: KEY, role: "operator" });
  return new TestCaller(caller.url, body.key);
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

for (const [nth, kill] of KILLS.entries()) {
  if (!IS_PROOF && kill[1] !== "rename") continue;
  const name = `enginekill${nth}`;
  test(`A swap is completed although berth was killed ${kill.join(" ")}, and then its engine`, async (engine) => {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
    const first = await serveEngines({ docker: engine }, { ...LEASE, folder });
    const admin = first.admin ?? "";
    const scene = await ApplyScene.on(engine, first, name, text(name, "red"));
    try {
      assert.equal((await scene.apply()).state, "done");
      await scene.write(text(name, "blue"));
      await first.berth.stop();
      await dieInApply(scene, kill, { applierOf: operator });
      await engine.kill();
      await engine.start();
      await using last = await serveEngines({ docker: engine }, { ...LEASE, folder, admin });
      const { id } = (await last.call("GET /api/applies")).body.items[0];
      assert.equal((await scene.over(id, last)).state, "done");
      assert.ok((await isServed(scene)).env.includes("C=blue"));
      assert.equal((await healthOf(last)).status, "ok");
      assert.deepEqual(last.bugs(), []);
    } finally {
      await scene.clear();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

test("A swap is undone although its folder is away and its engine starts after berth (F122)", async (engine) => {
  const name = "lateengine";
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
  const first = await serveEngines({ docker: engine }, { ...LEASE, folder });
  const scene = await ApplyScene.on(engine, first, name, text(name, "red"));
  try {
    assert.equal((await scene.apply()).state, "done");
    await scene.write(text(name, "blue"));
    await first.berth.stop();
    await dieInApply(scene, ["after", "stop"], { applierOf: operator });
    await Deno.rename(scene.path, `${scene.path}.away`);
    await engine.kill();
    await using last = await serveEngines({ docker: engine }, { ...LEASE, folder, admin: first.admin ?? "" });
    const { id } = (await last.call("GET /api/applies")).body.items[0];
    const { applies } = last.berth.store;
    await eventually("it was taken up", async () => (await applies.get(id))!.epoch > 1);
    await eventually("health names it", async () => {
      const { reason = "" } = (await healthOf(last)).checks.applies;
      return reason.includes(`"${name}"`);
    });
    await engine.start();
    const { state, reason } = await scene.over(id, last);
    assert.deepEqual([state, reason], ["paused", "Cannot read the workspace: its folder is gone"]);
    await isServed(scene);
    assert.equal((await healthOf(last)).checks.applies.status, "ok");
    assert.deepEqual(last.bugs(), []);
  } finally {
    await scene.clear();
    await Deno.remove(folder, { recursive: true });
  }
});

const netted = (name: string, driver: string) =>
  project(name, [service("web", "networks: { default: { ipv4_address: 10.213.8.9 } }"), service("db")]) +
  `networks: { default: { ${driver} ipam: { config: [{ subnet: 10.213.8.0/24 }] } } }\n`;

for (const act of IS_PROOF ? ["removeNetwork", "recreateNetwork", "connect", "start"] : []) {
  test(`A network that cannot be replaced comes back although berth was killed after ${act} (F122)`, async (engine) => {
    const name = `net${act.toLowerCase()}`;
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
    const first = await serveEngines({ docker: engine }, { ...LEASE, folder });
    const scene = await ApplyScene.on(engine, first, name, netted(name, ""));
    try {
      assert.equal((await scene.apply()).state, "done");
      const ids = await scene.ids();
      await scene.write(netted(name, "driver: macvlan, driver_opts: { parent: nosuch0 },"));
      await first.berth.stop();
      await dieInApply(scene, ["after", act]);
      await using last = await serveEngines({ docker: engine }, {
        ...LEASE,
        folder,
        admin: first.admin ?? "",
      });
      const { id } = (await last.call("GET /api/applies")).body.items[0];
      const { state, reason } = await scene.over(id, last);
      assert.match(`${state} ${reason}`, /^failed .* is what it was, and its containers run again$/);
      assert.deepEqual(await scene.ids(), ids);
      const states = Object.values(await scene.containers()).map(({ state }) => state);
      assert.deepEqual(states, ["running", "running"]);
      const { json } = await engine.ask(`GET /containers/${name}-web-1/json`);
      assert.equal(json.NetworkSettings.Networks[`${name}_default`].IPAddress, "10.213.8.9");
      assert.deepEqual(last.bugs(), []);
    } finally {
      await scene.clear();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

const shared = (name: string, colour: string) =>
  project(name, [
    service("db", `restart: always\nenvironment: { C: ${colour} }\n${HEALTHY}`),
    service("side", `network_mode: 'service:db'\nenvironment: { C: ${colour} }\n${HEALTHY}`),
  ]);

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  for (const [nth, kill] of ([["after", "create", 2], ["after", "stop", 2]] satisfies Kill[]).entries()) {
    if (nth > 0 && !IS_PROOF) continue;
    const name = `share${kind}${nth}`;
    test(`A container joins the replaced one whose network it shares, killed ${kill.join(" ")} (F122)`, async (engine) => {
      const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
      const first = await serveEngines({ [kind]: engine }, { ...LEASE, folder });
      const scene = await ApplyScene.on(engine, first, name, shared(name, "red"));
      try {
        assert.equal((await scene.apply()).state, "done");
        await scene.write(shared(name, "blue"));
        await first.berth.stop();
        await dieInApply(scene, kill, { applierOf: operator });
        await Deno.writeTextFile(`${scene.path}/compose.yaml`, shared(name, "green"));
        const admin = first.admin ?? "";
        await using last = await serveEngines({ [kind]: engine }, { ...LEASE, folder, admin });
        const { id } = (await last.call("GET /api/applies")).body.items[0];
        assert.equal((await scene.over(id, last)).state, "paused");
        const { [`${name}-db-1`]: db, [`${name}-side-1`]: side, ...others } = await scene.containers();
        assert.deepEqual([others, db?.state, side?.state], [{}, "running", "running"]);
        assert.ok(side?.env.includes("C=blue"), "the one that was planned beside it");
        const { json } = await engine.ask(`GET /containers/${side?.id}/json`);
        assert.equal(json.HostConfig.NetworkMode, `container:${db?.id}`);
        assert.equal((await healthOf(last)).checks.applies.status, "ok");
      } finally {
        await scene.clear();
        await Deno.remove(folder, { recursive: true });
      }
    });
  }
}
