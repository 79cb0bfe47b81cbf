/** Whole runs of a stack's apply that fail, and what becomes of the wishes of people meanwhile. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { BackScene, definitionOf } from "./stack_back_scene.ts";
import { RunScene } from "./stack_run_scene.ts";

const [A, B, C] = ["shop_a", "shop_b", "shop_c"].map((name) => definitionOf(name, {})) as [
  string,
  string,
  string,
];

/** Two services that are removed, and a third step that fails, because somebody has removed its service. */
function failing(): RunScene {
  const swarm = new BackScene().removed(1, A).removed(2, B).removed(3, C);
  for (const one of [A, B, C]) swarm.hold(JSON.parse(one).Name, one, null);
  const scene = new RunScene(swarm);
  return scene;
}

Deno.test("Somebody who cancels ends the way back, and is told what is left", async () => {
  const scene = failing();
  const { swarm } = scene;
  const run = scene.run();
  swarm.hold("shop_c", definitionOf("shop_c", { image: "web:9" }), null);
  swarm.before = (act) => {
    if (act === "restore shop_b") swarm.tasks = "starting";
  };
  const over = run.go();
  await eventually("the way back waits", () => Promise.resolve(swarm.sent.includes("restore shop_b")));
  run.wish("cancel");
  await over;

  assert.equal(scene.closed?.state, "cancelled");
  assert.match(
    scene.closed?.reason ?? "",
    /"shop_c" was changed by somebody else.*cancelled before all of it was taken back: "shop_a", "shop_b"/,
  );
  assert.ok(!swarm.sent.includes("restore shop_a"), "nothing more is sent");
});

Deno.test("Somebody who cancels before the way back begins is told that it did not", async () => {
  const scene = failing();
  const { swarm } = scene;
  swarm.tasksStay = true;
  const run = scene.run();
  swarm.hold("shop_c", definitionOf("shop_c", { image: "web:9" }), null);
  const over = run.go();
  await eventually(
    "a step has failed",
    () => Promise.resolve(scene.lines.some(({ body }) => body.includes('"failed"'))),
  );
  run.wish("cancel");
  await over;

  assert.equal(scene.closed?.state, "cancelled");
  assert.match(
    scene.closed?.reason ?? "",
    /somebody else.*before all of it was taken back: "shop_a", "shop_b"/,
  );
});
