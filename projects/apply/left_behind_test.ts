/** The end of an apply that fails or is cancelled: nobody is left without the network that a finished step took. */
import assert from "node:assert/strict";
import type { Reason, Step } from "../plan/plan_shape.ts";
import type { StepProgress } from "./journal.ts";
import { wordsOfGivenUp, wordsOfLeft } from "./left_behind.ts";
import { RunState } from "./run_state.ts";
import type { Work } from "./work.ts";

const step = (n: number, kind: Step["kind"], unit: string, after: number[] = [], why?: Reason): Step => ({
  n,
  kind,
  target: `${unit}-1`,
  unit,
  why: [why ?? { code: "asked" }],
  after,
  needs: [],
  risk: "none",
});
const sharing = (step: number): Reason => ({ code: "followsFrom", step, how: "namespace" });
const STEPS = [
  step(1, "container.swap", "db"),
  step(2, "wait", "db", [1]),
  step(3, "container.swap", "side", [1, 2], sharing(1)),
  step(4, "container.restart", "log", [3], sharing(3)),
  step(5, "container.swap", "save", [1], { code: "followsFrom", step: 1, how: "volumes" }),
  step(6, "container.swap", "other"),
  step(7, "container.swap", "late", [1, 6], sharing(1)),
];
const WORK = { plan: { steps: STEPS }, steps: STEPS.map(({ n }) => n) } as unknown as Work; // all that is asked for
const at = (state: StepProgress["state"]): StepProgress => ({
  state,
  startedAt: 0,
  endedAt: null,
  noted: {},
});

/** Returns the steps that an apply of this end still begins. */
function begun(halt: NonNullable<RunState["halt"]>, states: Readonly<Record<number, StepProgress["state"]>>) {
  const state = new RunState(WORK);
  state.resume(new Map(Object.entries(states).map(([n, one]) => [Number(n), at(one)])));
  state.halt = halt;
  return STEPS.filter(({ n }) => !state.done.has(n)).filter((step) => state.goesOnAtEnd(step)).map(({ n }) =>
    n
  );
}

Deno.test("An apply that fails or is cancelled gives each sharer of a replaced container its network back", () => {
  const swapped = { 1: "done", 6: "failed" } as const;
  for (const halt of [{ kind: "failed", reason: "why" }, { kind: "cancel" }] as const) {
    assert.deepEqual(begun(halt, swapped), [3], halt.kind);
    assert.deepEqual(begun(halt, { ...swapped, 3: "done" }), [4], halt.kind);
    assert.deepEqual(begun(halt, { 1: "skipped", 6: "failed" }), [], "nothing was replaced");
    assert.deepEqual(begun(halt, { 6: "failed" }), [], "it is not begun");
    assert.deepEqual(begun(halt, { ...swapped, 3: "failed" }), [], "it failed");
    assert.deepEqual(begun(halt, { 1: "running" }), [1], "it is finished or turned back");
  }
  assert.deepEqual(begun({ kind: "abandon" }, { ...swapped, 3: "running" }), [3]);
  assert.deepEqual(begun({ kind: "abandon" }, swapped), []);
  assert.deepEqual(begun({ kind: "paused", reason: "why" }, swapped), []);
});

Deno.test("The end of an apply names the containers that are left without the network that they shared", () => {
  const words = (states: Readonly<Record<number, StepProgress["state"]>>) =>
    wordsOfLeft(WORK, new Map(Object.entries(states).map(([n, one]) => [Number(n), at(one)])));
  assert.match(words({ 1: "done", 6: "failed" }) ?? "", /^Without the network .*: "side-1", "late-1"\. /);
  assert.match(words({ 1: "done", 3: "done", 6: "failed", 7: "failed" }) ?? "", /: "log-1", "late-1"\. /);
  assert.equal(words({ 1: "failed" }), null);
  assert.equal(words({ 1: "done", 3: "done", 4: "done", 7: "done" }), null);
  assert.match(
    wordsOfGivenUp(WORK, new Map([[1, at("done")]])) ?? "",
    /"side-1"/,
    "a paused one is cancelled",
  );
});
