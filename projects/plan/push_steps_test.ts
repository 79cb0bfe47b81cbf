/** A push takes of a plan what belongs to units that run or are new, and nothing that comes after what it leaves. */
import assert from "node:assert/strict";
import type { Step } from "./plan_shape.ts";
import { pushSteps } from "./push_steps.ts";

const step = (n: number, kind: Step["kind"], unit: string | null, ...after: number[]): Step => ({
  n,
  kind,
  target: `${unit}-1`,
  unit,
  why: [{ code: "absent" }],
  after,
  needs: [],
  risk: "none",
});
const units = new Map([["web", { isTaken: true }], ["db", { isTaken: false }]]);

Deno.test("a push leaves the steps of stopped units, and names the step of a running one that comes after them", () => {
  const steps = [
    step(1, "network.create", null),
    step(2, "container.start", "db", 1),
    step(3, "container.swap", "web", 2),
  ];
  assert.deepEqual(pushSteps(steps, units), { steps: [1], held: steps[2] });
  assert.deepEqual(pushSteps([steps[0]!, { ...steps[2]!, after: [1] }], units), {
    steps: [1, 3],
    held: null,
  });
});

Deno.test("an image that a running unit needs is brought, though a stopped one needs it first", () => {
  const pull = step(1, "image.pull", "db");
  const steps = [pull, step(2, "container.swap", "db", 1), step(3, "container.swap", "web", 1)];
  assert.deepEqual(pushSteps(steps, units), { steps: [1, 3], held: null });
  assert.deepEqual(pushSteps(steps.slice(0, 2), units), { steps: [], held: null });
});

Deno.test("a push never removes or stops a container, and removes no network or volume", () => {
  const kinds = ["container.remove", "container.stop", "network.remove", "volume.remove"] as const;
  const steps = kinds.map((kind, at) => step(at + 1, kind, at < 2 ? "web" : null));
  assert.deepEqual(pushSteps(steps, units), { steps: [], held: null });
});
