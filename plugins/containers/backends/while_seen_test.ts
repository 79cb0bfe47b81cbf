import assert from "node:assert/strict";
import { Reach } from "../../../core/access.ts";
import { pause } from "../../../core/pause.ts";
import { Sights } from "../../../core/sight.ts";
import type { Engines } from "./seen.ts";
import { whileSeenIn } from "./while_seen.ts";

Deno.test("a container whose new labels are outside of the scope is told once, one whose owner comes late is not", async () => {
  const row = {
    id: "a",
    name: "a",
    backend: "one",
    labels: {},
    compose: { project: "shop", service: "web" },
  };
  const rows = new Map<string, unknown>([["a", row]]);
  let owner: string | null = "shop";
  let late: string | null = null;
  let revision = 1;
  const settle = () => {
    if (late === null) return false;
    [owner, late] = [late, null];
    revision++;
    return Promise.resolve(true);
  };
  const ownership = {
    get revision() {
      return revision;
    },
    startedFrom: () => owner,
    settle,
  };
  // The other parts are never asked
  const engines = {
    backends: { links: [{ name: "one", mirror: { containers: { rows } } }] },
    sights: new Sights(ownership as never),
  } as unknown as Engines;
  const reach = new Reach(["workspace:shop"]);
  let told = 0;
  const target = { engine: { name: "one" }, id: "a" } as never;
  using _watching = whileSeenIn(engines, 2)(reach, target, () => told++);

  await pause(20);
  assert.equal(told, 0, "it is in scope");
  [owner, late] = [null, "shop"];
  revision++;
  await pause(20);
  assert.equal(told, 0, "its owner came late");
  rows.delete("a");
  owner = null;
  revision++;
  await pause(20);
  assert.equal(told, 0, "what became of it is not known");
  rows.set("a", row);
  await pause(20);
  assert.equal(told, 1);
});
