/** Files that are made in a workspace, when the reading after them fails. */
import assert from "node:assert/strict";
import { workspaceFolder } from "../../tests/support/workspace_folder.ts";
import { Snapshot } from "./snapshot.ts";
import { Watcher } from "./watch.ts";

Deno.test("sets of files are removed again where nothing can be read after them", async () => {
  await using folder = await workspaceFolder({ "old/compose.yaml": "services:\n  a:\n    image: a\n" });
  let isBroken = true;
  const judge = ({ groups }: { readonly groups: readonly unknown[] }) =>
    isBroken && groups.length > 1
      ? Promise.reject(new Error("broken"))
      : Promise.resolve({ errors: 0, warnings: 0 });
  using watcher = new Watcher();
  await using snapshot = new Snapshot(folder.path, watcher, judge, [], false);
  const sets = ["one", "two"].map((name) => [
    { path: `${name}/.env`, text: "PASSWORD=x\n", isPrivate: true },
    { path: `${name}/compose.yaml`, text: "services:\n  a:\n    image: a\n", isPrivate: false },
  ]);
  const names = () => [...Deno.readDirSync(folder.path)].map(({ name }) => name).sort();
  await assert.rejects(snapshot.createSets(sets), /broken/);
  assert.deepEqual(names(), ["old"]);
  const reading = await snapshot.current();
  assert.deepEqual(reading.model?.groups.map(({ folder }) => folder), ["old"]);
  isBroken = false;
  const { model } = await snapshot.createSets(sets);
  assert.deepEqual([names(), model.groups.length], [["old", "one", "two"], 3]);
});
