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
  const results = scene.audit.filter(({ action, target }) =>
    action === "service.create" && target === "shop_b"
  );
  assert.deepEqual(
    results.map(({ result }) => result),
    ["begun", "unknown"],
    "it was posted, and not waited for",
  );
});

Deno.test("Somebody who cancels before the way back begins is told that it did not", async () => {
  const scene = failing();
  const { swarm } = scene;
  const run = scene.run();
  swarm.hold("shop_c", definitionOf("shop_c", { image: "web:9" }), null);
  scene.closing = () => run.wish("cancel");
  await run.go();

  assert.equal(scene.closed?.state, "cancelled");
  assert.match(
    scene.closed?.reason ?? "",
    /somebody else.*before all of it was taken back: "shop_a", "shop_b"/,
  );
  assert.ok(!swarm.sent.some((act) => act.startsWith("restore")));
});

Deno.test("A failure ends the waits of other steps at once where all is taken back", async () => {
  const scene = failing();
  const { swarm } = scene;
  swarm.tasksStay = true; // a removal waits a minute for them
  const run = scene.run();
  swarm.hold("shop_c", definitionOf("shop_c", { image: "web:9" }), null);
  const began = performance.now();
  await run.go();

  assert.ok(performance.now() - began < 20_000);
  assert.equal(scene.closed?.state, "failed");
  assert.match(scene.closed?.reason ?? "", /"shop_c" was changed by somebody else.*was taken back$/);
  assert.deepEqual(swarm.sent.slice(-2), ["restore shop_b", "restore shop_a"]);
});

Deno.test("A way back whose files were edited meanwhile says that it ends", async () => {
  const scene = failing();
  scene.stopping.abort();
  const error = { code: "apply_failed", title: "It broke" };
  scene.lines.push({ seq: 1, at: 0, kind: "step", step: 1, body: '{"state":"done"}' });
  scene.lines.push({
    seq: 2,
    at: 0,
    kind: "step",
    step: 2,
    body: JSON.stringify({ state: "failed", error }),
  });
  await scene.run({ isAgain: true, isEdited: true }).go();

  assert.equal(scene.closed?.state, "paused");
  assert.match(
    scene.closed?.reason ?? "",
    /^It broke\. The rest of what was done is not taken back\. Its files/,
  );
  assert.deepEqual(scene.swarm.sent, []);
});

Deno.test("A service that came back right before berth was stopped is waited for by the next start, and posted once", async () => {
  const scene = failing();
  const { swarm } = scene;
  const run = scene.run();
  swarm.hold("shop_c", definitionOf("shop_c", { image: "web:9" }), null);
  swarm.before = (act) => {
    if (act === "restore shop_b") swarm.tasks = "starting";
  };
  const over = run.go();
  await eventually("the way back waits", () => Promise.resolve(swarm.sent.includes("restore shop_b")));
  scene.stopping.abort();
  await over;
  assert.deepEqual([scene.closed, await scene.states()], [null, ["done", "done", "failed"]]);

  scene.stopping = new AbortController();
  let looks = 0;
  swarm.before = (act) => void (looks += Number(act === "look shop_b"));
  const again = scene.run({ isAgain: true }).go();
  await eventually(
    "it is waited for",
    () => Promise.resolve(looks > 2 || swarm.sent.includes("restore shop_a")),
  );
  assert.ok(!swarm.sent.includes("restore shop_a"), "its tasks do not run yet");
  swarm.tasks = "completed";
  await again;

  assert.equal(scene.closed!.state, "failed");
  assert.match(scene.closed!.reason ?? "", /was taken back$/);
  assert.deepEqual(await scene.states(), ["undone", "undone", "failed"]);
  assert.deepEqual(swarm.sent.filter((act) => act.startsWith("restore")), [
    "restore shop_b",
    "restore shop_a",
  ]);
});
