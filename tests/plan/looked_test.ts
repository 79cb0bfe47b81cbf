/** The settings of berth.yaml in a plan's inputs: those of its own group alone. */
import assert from "node:assert/strict";
import { declaredNow, digestOf, isStillDeclared } from "../../projects/plan/looked.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";

const digest = (text: string) => text;

/** Returns the inputs of the plans of `shop`, which mounts nothing, and of `data`, which mounts a folder of its own. */
async function looked(settings: string) {
  await using folder = await workspaceFolder({
    "berth.yaml": settings,
    "shop/compose.yaml": "services: { web: { image: a } }",
    "data/compose.yaml": "services: { web: { image: a, volumes: ['./x:/x'] } }",
  });
  const model = await folder.read();
  return ["shop", "data"].map((name) => {
    const scene = {
      model,
      group: model.groups.find((one) => one.name === name)!,
      digest,
      contents: new Map(),
    };
    const declared = declaredNow(scene);
    return { scene, hash: digestOf(declared, digest), has: "file berth.yaml" in declared };
  });
}

Deno.test("A plan counts the settings that name its group, and paths where it mounts something", async () => {
  const cases: readonly (readonly [string, readonly boolean[]])[] = [
    ["rules: {}", [false, false]],
    ["projects: { other-prod: other }\nstacks: { other: other, more: ./other }", [false, false]],
    ["projects: { shop-prod: shop }", [true, false]],
    ["projects: { shop: other }", [true, false]],
    ["stacks: { shop-prod: shop, more: ./data }", [true, true]],
    ["stacks: { data: other }", [false, true]],
    ["paths: [{ from: /srv, to: /data }]", [false, true]],
  ];
  for (const [settings, has] of cases) {
    assert.deepEqual((await looked(settings)).map((one) => one.has), has, settings);
  }
  const [first, second] = [await looked("projects: { a: shop }"), await looked("projects: { b: shop }")];
  assert.notEqual(first[0]!.hash, second[0]!.hash);
});

Deno.test("A plan of the version before, which counted no settings, was not edited by them", async () => {
  const [before] = await looked("rules: {}");
  const [now] = await looked("projects: { shop-prod: shop }");
  assert.equal(isStillDeclared(now!.scene, before!.hash, true), true);
  assert.equal(isStillDeclared(now!.scene, before!.hash, false), false);
  assert.equal(isStillDeclared(now!.scene, now!.hash, false), true);
  assert.equal(isStillDeclared(before!.scene, now!.hash, true), false, "settings that are gone are an edit");
});
