/** A stack is joined with a group by the strongest sign, and the sign is told. */
import assert from "node:assert/strict";
import { mainGroups } from "../../artifacts/graph/graph.ts";
import { GROUP_LABEL, serviceOf, stacksOf, stacksOfGroup } from "../../artifacts/live/stacks.ts";
import type { KnownService } from "../../core/running_services.ts";
import { type Files, workspaceFolder } from "../support/workspace_folder.ts";

const TEXT = "services:\n  web: { image: 'nginx:1.27' }\n  db: { image: 'postgres:17' }\n";

/** A service with what matching reads of it. */
function service(stack: string, name: string, labels: Record<string, string>, cluster = "one") {
  const found = {
    service: { id: `${cluster} ${stack} ${name}`, name: `${stack}_${name}`, stack },
    definition: { serviceLabels: labels },
    cluster,
  };
  return found as unknown as KnownService; // no other field is read
}

const image = (name: string) => ({ "com.docker.stack.image": name });

/** The sign and the services of `web` of the group in `folder`. */
async function matched(services: readonly KnownService[], more: Files = {}, folder = "shop") {
  await using files = await workspaceFolder({
    "shop/compose.yaml": TEXT,
    "other/compose.yaml": TEXT,
    ...more,
  });
  const { settings, ...model } = await files.read();
  const group = mainGroups({ settings, ...model }).find((one) => one.folder === folder)!;
  const stacks = stacksOf([], services);
  const of = stacksOfGroup(settings, group, stacks);
  const found = serviceOf(group.units[0]!, of, stacks);
  return found && [found.known?.service.id ?? null, `${found.match.by}: ${found.match.confidence}`];
}

const web = service("shop", "web", image("nginx:1.27"));
const db = service("shop", "db", image("postgres:17"));

Deno.test("a stack of the project's name is a guess, and likely if each service is a unit with its image", async () => {
  assert.deepEqual(await matched([web, db]), ["one shop web", "images: likely"]);
  assert.deepEqual(await matched([web]), ["one shop web", "images: likely"]);
  const older = service("shop", "db", image("postgres:16"));
  assert.deepEqual(await matched([web, older]), ["one shop web", "project: guess"]);
  assert.deepEqual(await matched([web, service("shop", "x", image("a"))]), [
    "one shop web",
    "project: guess",
  ]);
  assert.deepEqual(await matched([service("shop", "web", {})]), ["one shop web", "project: guess"]);
  assert.equal(await matched([web], {}, "other"), null);
});

Deno.test("berth's label makes a match certain, for the group that it names", async () => {
  const labelled = service("shop", "web", { [GROUP_LABEL]: "shop" });
  assert.deepEqual(await matched([labelled]), ["one shop web", "label: certain"]);
  const ofOther = service("shop", "web", { [GROUP_LABEL]: "other" });
  assert.deepEqual(await matched([ofOther]), ["one shop web", "project: guess"]);
});

Deno.test("`stacks` of berth.yaml is stronger than a name, and takes the stack from the group of that name", async () => {
  const settings = (text: string): Files => ({ "berth.yaml": `stacks: ${text}\n` });
  const live = service("live", "web", {});
  assert.deepEqual(await matched([web, live], settings("{ live: shop }")), [
    "one live web",
    "settings: certain",
  ]);
  assert.deepEqual(await matched([web], settings("{ shop: other }"), "other"), [
    "one shop web",
    "settings: certain",
  ]);
  assert.equal(await matched([web], settings("{ shop: other }")), null);
});

Deno.test("of two swarms with such a stack berth does not choose", async () => {
  const there = service("shop", "web", image("nginx:1.27"), "two");
  assert.deepEqual(await matched([web, there]), [null, "images: likely"]);
});
