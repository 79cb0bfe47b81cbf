/** A draft of many projects is saved by several calls, and each of them costs as much as one project and little more. */
import assert from "node:assert/strict";
import { sharedEngine } from "../support/shared_engine.ts";
import { AdoptionScene } from "./adoption_scene.ts";

const { test } = await sharedEngine("docker");

test("a draft is saved by several calls, and each reads the workspace as often as for one project", async (engine) => {
  const reads: string[] = [];
  await using scene = await AdoptionScene.on(engine, {
    mount: ({ registry }) => {
      for (const method of ["overlaid", "createSets"] as const) {
        const call = registry[method].bind(registry) as (...given: unknown[]) => Promise<never>;
        registry[method] = (...given: unknown[]) => {
          reads.push(method);
          return call(...given);
        };
      }
      return [];
    },
  });
  const names = ["many-a", "many-b", "many-c", "many-d"];
  const refs: { backend: string; id: string }[] = [];
  for (const name of names) refs.push(await scene.run(name));
  const draft = await scene.draft(refs);
  const wishes = refs.map((one, n) => ({ name: names[n], folder: names[n], containers: [one] }));
  const save = (projects: readonly unknown[]) =>
    scene.berth.call(`POST /api/adoptions/drafts/${draft.body.id}/accept`, { projects });
  reads.length = 0;
  assert.equal((await save(wishes.slice(0, 1))).status, 201);
  const one = reads.splice(0);
  const three = await save(wishes.slice(1));
  assert.equal(three.status, 201, three.text);
  assert.deepEqual(reads, one);
  assert.deepEqual(three.body.projects.map(({ name }: { name: string }) => name), names.slice(1));
  const { body: { items } } = await scene.berth.call("GET /api/adoptions");
  assert.deepEqual(items.map(({ name }: { name: string }) => name).sort(), names);
  for (const name of names) assert.deepEqual((await scene.plan(name)).body.steps, []);
  assert.equal((await save(wishes.slice(0, 1))).body.code, "draft_stale", "each is taken once");
  assert.deepEqual(scene.berth.bugs(), []);
});

test("if the first of several projects has no room, the others are saved, and it can be tried again", async (engine) => {
  await using scene = await AdoptionScene.on(engine);
  const refs = [await scene.run("room-a"), await scene.run("room-b")];
  const draft = await scene.draft(refs);
  await Deno.mkdir(`${scene.folder}/full`);
  await Deno.writeTextFile(`${scene.folder}/full/compose.yaml`, "# somebody's\n");
  const wish = (n: number, folder: string) => ({ name: `room-${"ab"[n]}`, folder, containers: [refs[n]] });
  const save = (...projects: unknown[]) =>
    scene.berth.call(`POST /api/adoptions/drafts/${draft.body.id}/accept`, { projects });
  const first = await save(wish(0, "full"), wish(1, "room-b"));
  assert.equal(first.status, 201, first.text);
  assert.deepEqual(first.body.projects.map(({ name }: { name: string }) => name), ["room-b"]);
  assert.match(first.body.failed[0].why, /something has its name already/);
  assert.deepEqual(scene.paths(), ["compose.yaml", "full/compose.yaml", "room-b/compose.yaml"]);
  assert.equal((await scene.container("room-a")).compose, null);
  const again = await save(wish(0, "elsewhere"));
  assert.equal(again.status, 201, again.text);
  assert.equal((await scene.container("room-a")).compose.claim, "certain");
  assert.equal(await Deno.readTextFile(`${scene.folder}/full/compose.yaml`), "# somebody's\n");
  assert.deepEqual(scene.berth.bugs(), []);
});
