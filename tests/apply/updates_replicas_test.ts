/** Newer images over two replicas on PostgreSQL: what one tries and looks at, the other one knows. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { startReachableRegistry } from "../support/reachable_registry.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { ApplyScene, project, service } from "./apply_scene.ts";
import { lookedAt, lookFor, pushVersion, startPair } from "./update_scene.ts";

const { test } = await sharedEngine("docker");
const database = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;
const BROKEN = ['ENTRYPOINT ["/none"]'];

test(
  "an image that one replica took back is told by the other one, which changes the file back",
  async (engine) => {
    await using pair = await startPair(engine, await database.database());
    const { berth, second } = pair;
    await using registry = await startReachableRegistry({}, engine);
    const of = (unit: string, image: string) =>
      service(unit).replace("berth-fixture:latest", `${registry.host}/${image}`);
    for (const name of ["app:1", "pinned:1.4.2"]) await pushVersion(engine, registry, name, "old");
    const text = project("shared", [of("pinned", "pinned:1.4.2"), of("web", "app:1")]);
    const scene = await ApplyScene.on(engine, berth, "shared", text);
    await using stack = new AsyncDisposableStack();
    stack.defer(() => scene.clear());
    assert.equal((await scene.apply()).state, "done");
    await berth.call(`PUT /api/workspaces/${scene.workspace}`, { editable: true });
    await lookFor(berth, registry);
    await pushVersion(engine, registry, "app:1", "new", BROKEN);
    await pushVersion(engine, registry, "pinned:1.4.6", "new", BROKEN);
    const pinned = `${registry.host}/pinned:1.4.2`;
    // Each of them is asked to look, and one alone does.
    await lookedAt(second, pinned);
    const { project: id, candidates: [newer] } = await lookedAt(berth, pinned);
    assert.equal(newer.reference, `${registry.host}/pinned:1.4.6`);

    assert.equal((await scene.apply({ action: "update", units: ["web"] })).state, "failed");
    const path = `PUT /api/workspaces/${scene.workspace}/files/compose.yaml`;
    const write = async (reference: string, candidate: string) => {
      const proposed = await second.call("POST /api/updates/propose", { project: id, reference, candidate });
      assert.equal(proposed.status, 200, proposed.text);
      const match = { headers: { "if-match": proposed.headers.get("etag")! } };
      assert.equal((await second.call(path, { text: proposed.body.text }, match)).status, 200);
    };
    await write(pinned, newer.reference);
    const plan = await eventually("the file is read at the other one", async () => {
      const made = await scene.plan({ units: ["pinned"] });
      return made.steps.length > 0 ? made : null;
    });
    const failed = await scene.over((await scene.begin(plan)).body.id);
    assert.equal(failed.state, "failed");

    const told = await eventually("the other one tells of both", async () => {
      const { items } = (await second.call("GET /api/updates")).body;
      const back = items.find((one: { back: unknown }) => one.back !== null)?.back;
      const digest = items.find(({ reference }: { reference: string }) => reference.endsWith("/app:1"))
        ?.candidates[0].failed;
      return back && digest ? { back, digest } : null;
    });
    assert.deepEqual([told.back.reference, told.back.failed.apply], [pinned, failed.id]);
    assert.match(told.digest.reason, /the old container serves again/);
    const again = await second.call("POST /api/projects/shared/plan", { action: "update" });
    assert.deepEqual(again.body.steps, [], "what failed at one is not tried by the other");

    await write(newer.reference, told.back.reference);
    assert.equal(await Deno.readTextFile(`${scene.path}/compose.yaml`), text);
    await eventually("nobody offers it any more", async () => {
      const lists = await Promise.all([berth, second].map((one) => one.call("GET /api/updates")));
      return lists.every(({ body }) => body.items.every(({ back }: { back: unknown }) => back === null));
    });
    assert.deepEqual((await scene.plan()).steps, [], "what is written runs");
    assert.deepEqual([berth.bugs(), second.bugs()], [[], []]);
  },
  CANNOT_RUN_POSTGRES,
);

test(
  "a person who left at one replica is no reason for the other one to go on in their name",
  async (engine) => {
    await using pair = await startPair(engine, await database.database(), { updateTimes: { lookMs: 200 } });
    const { berth, second } = pair;
    await using registry = await startReachableRegistry({}, engine);
    await pushVersion(engine, registry, "app:1", "1");
    const image = `${registry.host}/app:1`;
    const scene = await ApplyScene.on(
      engine,
      berth,
      "left",
      project("left", [service("web").replace("berth-fixture:latest", image)]),
    );
    await using stack = new AsyncDisposableStack();
    stack.defer(() => scene.clear());
    assert.equal((await scene.apply()).state, "done");
    const made = await berth.call("POST /api/settings/api-keys", { name: "leaver", role: "admin" });
    const rules = `PUT /api/projects/left@${scene.workspace}/updates`;
    await eventually(
      "the key is known at the other one",
      async () => (await second.as(made.body.key).call(rules, { automatic: true })).status === 204,
    );
    const gone = await second.call(`DELETE /api/settings/api-keys/${made.body.id}`);
    assert.equal(gone.status, 204, gone.text);

    await lookFor(berth, registry);
    await pushVersion(engine, registry, "app:1", "2");
    await lookedAt(second, image);

    await eventually("both say that it waits, and for whom", async () => {
      const lists = await Promise.all([berth, second].map((one) => one.call("GET /api/updates")));
      return lists.every(({ body: { projects: [rule] } }) => /"leaver".* is gone/.test(rule?.waits ?? ""));
    });
    assert.equal((await scene.containers())["left-web-1"]!.labels["version"], "1");
    assert.equal((await second.call(rules, { automatic: true })).status, 204);
    await eventually(
      "somebody who is there takes it over",
      async () => (await scene.containers())["left-web-1"]?.labels["version"] === "2",
    );
    const [update] = (await second.call("GET /api/applies")).body.items;
    assert.equal((await scene.over(update.id)).state, "done");
    assert.deepEqual([berth.bugs(), second.bugs()], [[], []]);
  },
  CANNOT_RUN_POSTGRES,
);
