/** An apply as it is answered: what is told of its steps when it is over. */
import assert from "node:assert/strict";
import type { ApplyRecord, ApplyState } from "../../core/applies.ts";
import type { StepProgress } from "./journal.ts";
import { applyOf } from "./shown.ts";

const step = (n: number) => ({
  n,
  kind: "network.create",
  target: `net${n}`,
  unit: null,
  why: [],
  after: [],
  needs: [],
  risk: "none",
});
const PLAN = { id: "p", action: "up", basis: {}, steps: [step(1), step(2), step(3)] };
const record = (state: ApplyState) =>
  ({
    state,
    createdAt: 0,
    endedAt: null,
    by: { name: "ada" },
    work: JSON.stringify({ plan: PLAN, request: {}, steps: [1, 2, 3], subjects: {}, timeouts: {} }),
  }) as ApplyRecord;

Deno.test("A step that was in hand when its apply ended is unknown, and one that was not begun is skipped", () => {
  const at = { startedAt: 0, endedAt: null, noted: {} };
  const progress = new Map<number, StepProgress>([[1, { ...at, state: "done" }], [2, {
    ...at,
    state: "running",
  }]]);
  const states = (state: ApplyState) => applyOf(record(state), progress).steps.map((one) => one.state);

  for (const state of ["running", "paused"] as const) {
    assert.deepEqual(states(state), ["done", "running", "waiting"], state);
  }
  for (const state of ["cancelled", "failed", "done"] as const) {
    assert.deepEqual(states(state), ["done", "unknown", "skipped"], state);
  }
});
