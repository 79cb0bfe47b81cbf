/** Promise: leases count by one clock, that of the database: replicas whose own clocks are set apart share an apply out as before. */
import assert from "node:assert/strict";
import { makePrivateFile } from "../../auth/sealing/private_file.ts";
import { randomSecret } from "../../auth/secret.ts";
import { eventually } from "../support/eventually.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { serveEngines, TestCaller } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { mortal } from "./apply_mortal.ts";
import { ApplyScene, project, service } from "./apply_scene.ts";
import { HELD } from "./health_checks.ts";

const LEASE_MS = 1_000;
const HOUR_MS = 3_600_000;
/** The hours that the owner's clock is set on, and the other one's; `BERTH_PROOF=1`: more of them. */
const STEPS = Deno.env.get("BERTH_PROOF") === "1"
  ? [[0, 2], [0, -4], [2, 0], [-4, 0], [-4, 2]] as const
  : [[-4, 2]] as const;

const { test } = await sharedEngine("docker");
const database = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;

/** Resolves when an owner has said several times that it lives. */
const someLeases = () => {
  const until = performance.now() + 3 * LEASE_MS;
  return eventually("some leases have passed", () => performance.now() > until);
};

test(
  "of two replicas whose clocks are set hours apart one carries an apply out, and the other takes it up only after its end (F129)",
  async (engine) => {
    await using stack = new AsyncDisposableStack();
    const [folder = "", other = ""] = await Promise.all([0, 1].map(async () => {
      const made = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-clocks-" }));
      stack.defer(() => Deno.remove(made, { recursive: true }));
      return made;
    }));
    await makePrivateFile(`${folder}/sealing-key`, randomSecret());
    const shared = {
      database: await database.database(),
      sealingKeyFile: `${folder}/sealing-key`,
      roots: [`${folder}/workspaces`],
    };
    let offset = 0;
    const clock = { now: () => Date.now() + offset, monotonic: () => performance.now() };
    const own = { ...shared, folder, replica: "two", clock, applyTimes: { leaseMs: LEASE_MS } };
    const sibling = stack.use(await serveEngines({ docker: engine }, own));
    const text = project("clocks", [
      service("a", HELD),
      service("b", "depends_on: { a: { condition: service_healthy } }"),
    ]);
    const scene = await ApplyScene.on(engine, sibling, "clocks", text);
    stack.defer(() => scene.clear());
    const step = `${folder}/clock`;
    await Deno.writeTextFile(step, "0");
    const at = ["before", "start", 2] as const;
    const owner = { folder: other, admin: sibling.admin };
    const { child, url } = await mortal(owner, engine, at, { ...shared, replica: "one" }, step);
    const first = new TestCaller(url, sibling.admin);
    await eventually("it is ready", async () => (await first.call("GET /api/health/ready")).status === 200);
    const plan = await eventually("its files are read", () => scene.plan({}, first));
    const { body } = await scene.begin(plan, {}, first);
    const takenUp = () => sibling.logged().filter((line) => line.includes("An apply is taken up")).length;
    await eventually("what it starts is waited for", async () => {
      const { steps } = (await sibling.call(`GET /api/applies/${body.id}`)).body;
      return steps.some(({ kind, state }: Record<string, string>) => kind === "wait" && state === "running");
    });

    for (const [theirs, mine] of STEPS) {
      await Deno.writeTextFile(step, `${theirs * HOUR_MS}`);
      Deno.kill(child.pid, "SIGUSR2");
      offset = mine * HOUR_MS;
      await someLeases();
      const { state } = (await sibling.call(`GET /api/applies/${body.id}`)).body;
      assert.deepEqual([state, takenUp()], ["running", 0], `its owner lives, ${theirs} and ${mine} hours on`);
    }
    await engine.cli("exec", "clocks-a-1", "touch", "/go");
    await child.status;

    const over = await scene.over(body.id);
    assert.deepEqual([over.state, over.reason, takenUp()], ["done", null, 1]);
    assert.deepEqual(Object.keys(await scene.containers()), ["clocks-a-1", "clocks-b-1"]);
    assert.deepEqual(sibling.bugs(), []);
  },
  CANNOT_RUN_POSTGRES,
);
