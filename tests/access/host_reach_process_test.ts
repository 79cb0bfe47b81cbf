/** The independent list of what containers reach also judges those that a berth in a process of its own makes. */
import assert from "node:assert/strict";
import { randomSecret } from "../../auth/secret.ts";
import { project, service } from "../apply/apply_scene.ts";
import { startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { plansOnDisk } from "../support/plans_on_disk.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { TestCaller } from "../support/service.ts";
import { proofEngine, sharedEngine } from "../support/shared_engine.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";

const { test } = await sharedEngine("docker");
const { test: testInProof } = await proofEngine("docker");
const isProof = Deno.env.get("BERTH_PROOF") === "1";
const server = isProof && CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null;

for (const store of ["sqlite", "postgres"] as const) {
  const name = `What a plan of a berth in a process of its own asked for is read from its store in ${store}`;
  (store === "sqlite" ? test : testInProof)(name, async (engine) => {
    const compose = project(`on${store}`, [service("web", "volumes: ['/etc:/host:ro']")]);
    await using folder = await workspaceFolder({ "compose.yaml": compose });
    const sealingKey = `${folder.path}.sealing-key`;
    await Deno.writeTextFile(sealingKey, randomSecret(), { mode: 0o600 });
    const env = {
      BERTH_ENGINES: engine.setting,
      BERTH_ROOTS: folder.path,
      BERTH_SEALING_KEY_FILE: sealingKey,
      ...store === "sqlite" ? {} : { BERTH_DATABASE_URL: server!.url((await server!.database()).name) },
    };
    await using berth = await startBerthProcess({ env });
    const caller = new TestCaller(berth.url, await berth.setUp());
    const added = await caller.call("POST /api/workspaces", { name: `on${store}`, path: folder.path });
    const route = `POST /api/workspaces/${added.body.id}/artifacts/groups/on${store}/plan`;
    const plan = await eventually("it is planned", async () => {
      const { status, body } = await caller.call(route, {});
      return status === 201 ? body : null;
    });
    const { status, text, body } = await caller.call(`POST /api/plans/${plan.id}/apply`, {});
    assert.equal(status, 202, text);
    await eventually("it is over", async () => {
      return (await caller.call(`GET /api/applies/${body.id}`)).body.state === "done";
    }, { timeoutMs: 60_000 });

    const { store: plans } = plansOnDisk(berth.data, env.BERTH_DATABASE_URL);
    const record = await plans.applies.get(body.id);
    const { steps } = JSON.parse(record!.work).plan;
    const needs = steps.flatMap(({ needs }: { needs: readonly { permission: string }[] }) => needs);
    assert.ok(needs.some(({ permission }: { permission: string }) => permission === "projects:host"));
    assert.deepEqual({ ...(await plans.workspaces.list())[0] }, { id: added.body.id, path: folder.path });
    assert.equal(await plans.applies.get("nobody"), null);
  }, store === "postgres" ? CANNOT_RUN_POSTGRES : null);
}
