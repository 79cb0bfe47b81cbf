/** Groups are ordered by what their units depend on. */
import assert from "node:assert/strict";
import { WorkspaceReader } from "../reading/workspace_reader.ts";
import { groupsInOrder } from "./group_order.ts";

const after = (group: string, needed: string) =>
  "apiVersion: berth/v1\nkind: Unit\nmetadata: { name: after }\n" +
  `spec: { group: ${group}, dependsOn: ['unit:${needed}.web'] }\n`;

Deno.test("a group comes after those that its units depend on, and each of a circle is there once", async () => {
  const root = await Deno.makeTempDir();
  try {
    const groups = [["a", "z"], ["b", null], ["c", "d"], ["d", "c"], ["z", null]] as const;
    for (const [name, needed] of groups) {
      await Deno.mkdir(`${root}/${name}`);
      await Deno.writeTextFile(`${root}/${name}/compose.yaml`, "services: { web: { image: nginx } }\n");
      if (needed !== null) await Deno.writeTextFile(`${root}/${name}/x.group.yaml`, after(name, needed));
    }
    assert.deepEqual(groupsInOrder(await new WorkspaceReader(root).read()), ["z", "a", "b", "d", "c"]);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
