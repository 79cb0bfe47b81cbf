/** Promise: an apply whose berth is killed before or after any act is finished by the next one, as if nothing had been. */
import assert from "node:assert/strict";
import { type Kill, mortal } from "./apply_mortal.ts";
import { ApplyScene, project, service } from "./apply_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, TestCaller, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { HEALTHY } from "./health_checks.ts";

/** `BERTH_PROOF=1`: killed before and after every act of each scenario, on each engine. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";
const LEASE = { applyTimes: { leaseMs: 1_000 } };

interface Scenario {
  readonly name: string;
  /** The version that runs before; null for none. */
  readonly from: string | null;
  readonly to: string;
  readonly request?: unknown;
  /** The volumes whose data go. */
  readonly confirm?: readonly string[];
  /** One after the other, of one apply: one for each kind of act. */
  readonly kills: readonly Kill[];
  readonly services?: readonly string[];
  /** Before berth is started again. */
  readonly meanwhile?: (engine: TestEngine, scene: ApplyScene) => Promise<void>;
}

const VOLUMES = "volumes: { data: {} }\n";

const text = (name: string, colour: string, kind: string) =>
  project(
    name,
    [
      service(
        "db",
        `volumes: ['data:/data', '/scratch']\nrestart: unless-stopped\nenvironment: { C: ${colour} }\n${HEALTHY}`,
      ),
      service("side", `network_mode: 'service:db'\n${HEALTHY}`),
      service(
        "web",
        `depends_on: { db: { condition: service_healthy } }\nnetworks: [default, back]\n${HEALTHY}`,
      ),
    ],
    `networks: { default: { labels: { kind: ${kind} } }, back: {} }\nvolumes: { data: {} }\n`,
  );

const scenarios = (kind: string): readonly Scenario[] => [
  {
    name: `killup${kind}`,
    from: null,
    to: text(`killup${kind}`, "red", kind),
    kills: [
      // Networks and volumes are made at the same time: one of them is all that can be waited for.
      ["after", "createNetwork"],
      ["before", "create"],
      ["after", "create"],
      ["after", "start"],
      ["after", "connect"],
    ],
  },
  {
    name: `killswap${kind}`,
    from: text(`killswap${kind}`, "red", kind),
    to: text(`killswap${kind}`, "blue", kind),
    kills: [
      ["after", "create"],
      ...(kind === "docker" ? [["after", "update"] as const] : []),
      ["after", "stop"],
      ["after", "rename"],
      ["after", "rename"],
      ["after", "start"],
      ["before", "remove"],
      ["after", "remove"],
    ],
  },
  {
    name: `killhook${kind}`,
    from: null,
    to: project(`killhook${kind}`, [
      service("db", "post_start: [{ command: ['true'] }, { command: ['true'] }]"),
      service("side", ""),
      service("web", "depends_on: [db]"),
    ]),
    kills: [["before", "run"], ["after", "run"]],
  },
  {
    name: `killdown${kind}`,
    from: text(`killdown${kind}`, "red", kind),
    to: text(`killdown${kind}`, "red", kind),
    request: { action: "down", volumes: [`killdown${kind}_data`] },
    confirm: [`killdown${kind}_data`],
    kills: [
      ["after", "stop"],
      ["after", "remove"],
      ["after", "removeNetwork"],
      ["after", "removeVolume"],
    ],
  },
];

/** Returns true if it died before the end of the apply. */
async function killed(child: Deno.ChildProcess, isOver: () => Promise<boolean>): Promise<boolean> {
  let dead = false;
  const status = child.status.then(() => dead = true);
  await eventually("it is killed, or through", async () => dead || await isOver(), { timeoutMs: 60_000 });
  const wasKilled = dead;
  if (!dead) child.kill("SIGKILL");
  await status;
  return wasKilled;
}

async function prepared(
  engine: TestEngine,
  { name, from, to }: Scenario,
): Promise<{ berth: TestService; scene: ApplyScene }> {
  const berth = await serveEngines({ [engine.kind]: engine }, { ...LEASE, folder: await ownFolder() });
  const scene = await ApplyScene.on(engine, berth, name, from ?? to);
  if (from !== null) {
    const { state, reason } = await scene.apply();
    assert.deepEqual([state, reason], ["done", null], "what it begins with");
    await scene.write(to);
  }
  return { berth, scene };
}

const ownFolder = async () => await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));

/** Carries the scenario out with these kills in a row; answers how many of them happened. */
async function run(engine: TestEngine, scenario: Scenario, kills: readonly Kill[]): Promise<number> {
  const { berth, scene } = await prepared(engine, scenario);
  const { folder, admin } = berth;
  let count = 0;
  try {
    const volumes = volumesOf(await scene.containers());
    await berth.berth.stop();
    let apply = "";
    for (const kill of kills) {
      const { child, url } = await mortal({ folder, admin }, engine, kill);
      const caller = new TestCaller(url, admin);
      if (apply === "") {
        await eventually(
          "the engine is read",
          async () => (await caller.call("GET /api/health/ready")).status === 200,
        );
        const begun = await scene.begin(await scene.plan(scenario.request ?? {}, caller), {
          confirm: scenario.confirm ?? [],
        }, caller)
          .catch(() => null);
        apply = begun?.body.id ?? "";
      }
      const isOver = async () => {
        const answer = await caller.call(`GET /api/applies/${apply}`).catch(() => null);
        return answer !== null && answer.status === 200 && answer.body.state !== "running";
      };
      if (await killed(child, isOver)) count += 1;
    }
    await scenario.meanwhile?.(engine, scene);
    await using last = await serveEngines({ [engine.kind]: engine }, {
      ...LEASE,
      folder,
      admin: admin ?? "",
    });
    if (apply === "") apply = (await last.call("GET /api/applies")).body.items[0].id;
    let over = await scene.over(apply, last);
    // Nobody but a person can say whether a hook ended.
    while (over.state === "paused" && over.steps.some(({ state, hook }) => state === "unknown" && hook)) {
      assert.equal((await last.call(`POST /api/applies/${apply}/resume`, { hooks: "again" })).status, 200);
      over = await scene.over(apply, last);
    }
    assert.deepEqual([over.state, over.reason], ["done", null], JSON.stringify(kills));
    const containers = await scene.containers();
    if (scenario.request === undefined) {
      assert.deepEqual(
        Object.keys(containers),
        (scenario.services ?? ["db", "side", "web"]).map((one) => `${scenario.name}-${one}-1`),
      );
      if (scenario.from !== null) {
        assert.deepEqual(volumesOf(containers), volumes, "its data is where it was");
      }
      const plan = await eventually("nothing is left to do", async () => {
        const plan = await scene.plan({}, last);
        return plan.steps.length === 0 ? plan : null;
      });
      assert.deepEqual(plan.blocked, []);
      if (composeOfToday.missing === null && engine.kind === "docker") {
        const ids = await scene.ids();
        assert.equal(await composeToday(engine.socket, scene.path, "up", "-d"), "");
        assert.deepEqual(await scene.ids(), ids);
      }
    } else {
      assert.deepEqual(containers, {});
      for (const name of scenario.confirm ?? []) {
        assert.equal((await engine.ask(`GET /volumes/${name}`)).status, 404);
      }
    }
    assert.deepEqual(last.bugs(), []);
  } catch (error) {
    throw new Error(`Killed ${kills.map((kill) => kill.join(" ")).join(", ")}`, { cause: error });
  } finally {
    await scene.clear();
    await Deno.remove(folder, { recursive: true });
  }
  return count;
}

const volumesOf = (containers: Awaited<ReturnType<ApplyScene["containers"]>>) =>
  Object.entries(containers).map(([name, { volumes }]) => [name, volumes]);

/** Compose brings the new file up while a swap is half done. */
const ADOPTED: Scenario = {
  name: "killadopt",
  from: project("killadopt", [service("web", `volumes: ['data:/data', '/scratch']\n${HEALTHY}`)], VOLUMES),
  to: project(
    "killadopt",
    [service("web", `volumes: ['data:/data', '/scratch']\nenvironment: { C: blue }\n${HEALTHY}`)],
    VOLUMES,
  ),
  services: ["web"],
  kills: [["after", "rename"]],
  meanwhile: async ({ socket }, { path }) => assert.equal(await composeToday(socket, path, "up", "-d"), ""),
};

for (const kind of ["docker", "podman"] as const) {
  if (kind === "podman" && !isProof) continue; // the same code, and each kill takes seconds
  const { test } = await lawEngine(kind);
  for (const scenario of scenarios(kind)) {
    if (!isProof && !scenario.name.startsWith("killswap")) continue; // the other acts take the same way
    test(`${scenario.name}: one apply survives a kill of berth at each kind of act (F80)`, async (engine) => {
      const count = await run(engine, scenario, scenario.kills);
      // Steps go side by side: what one kill waits for may be done by the time the one before it has come.
      assert.ok(count >= scenario.kills.length - 1, `${count} of ${scenario.kills.length} kills`);
    });
    if (!isProof) continue;
    test(`${scenario.name}: an apply survives a kill of berth before and after every act (F80)`, async (engine) => {
      for (const when of ["before", "after"] as const) {
        for (let nth = 1; await run(engine, scenario, [[when, "any", nth]]) === 1; nth++);
      }
    });
  }
  if (kind === "podman") continue; // Compose makes its own containers anew on this one
  test("what Compose makes of a swap that a dead berth began is adopted (F84)", async (engine) => {
    assert.equal(await run(engine, ADOPTED, ADOPTED.kills), 1);
    if (!isProof) return;
    for (let nth = 1; await run(engine, ADOPTED, [["after", "any", nth]]) === 1; nth++);
  }, composeOfToday.missing);
}
