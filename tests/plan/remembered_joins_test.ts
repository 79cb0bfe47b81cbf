/** A running project is found once, also where its containers were started from several files. */
import assert from "node:assert/strict";
import { join, runningProjects } from "../../artifacts/live/join.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import { rememberedJoins } from "../../projects/drift/remembered_joins.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";

Deno.test("a project whose containers name several files of it is remembered as one, and looked at once", async () => {
  await using folder = await workspaceFolder({
    "compose.yaml": "name: shop\nservices: { web: { image: a } }\n",
  });
  const model = await folder.read();
  const container = (id: string, ...files: string[]) =>
    ({
      id,
      backend: "docker",
      labels: {},
      compose: { project: "shop", service: "web", workingDir: folder.path, configFiles: files },
    }) as unknown as RunningContainer;
  const [own, other] = ["compose.yaml", "override.yaml"].map((file) => `${folder.path}/${file}`);
  const containers = [container("a", own!), container("b", own!, other!), container("c", own!)];
  let looks = 0;
  const real = (path: string) => {
    looks++;
    return Promise.resolve(path);
  };
  const look = () => join(model, runningProjects(containers), real, rememberedJoins(model));

  const { joined, strangers } = await look();
  const first = looks;
  const again = await look();

  assert.deepEqual(joined.map(({ running }) => running.containers.map(({ id }) => id)), [["a", "b", "c"]]);
  assert.deepEqual(strangers, []);
  assert.equal(looks - first, 0, "a second look asks the disk for nothing");
  assert.deepEqual(again.joined.map(({ group }) => group.name), ["shop"]);
});
