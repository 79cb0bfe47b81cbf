import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import type { StackHand } from "./stack_hand.ts";
import { waitForService } from "./stack_waiting.ts";

const MINUTE = 60_000;
const TASK = {
  id: "t",
  name: "shop_web.1",
  slot: 1,
  state: "running",
  desired: true,
  isNewest: true,
  current: true,
};

/** An update of two tasks between which it stands still; `passed` is the time that each further look comes later. */
async function waitFor(definition: unknown, passed: number, healthy?: number): Promise<void> {
  let looks = 0;
  const acts = {
    service: () => {
      looks += 1;
      const state = looks < 3 ? "updating" : "completed";
      return Promise.resolve({ definition: JSON.stringify(definition), update: { state, message: "" } });
    },
    tasks: () => Promise.resolve({ tasks: [{ ...TASK, isOfRun: true }], wanted: 1 }),
  };
  const hand = {
    acts,
    step: { target: "shop_web" },
    ending: new AbortController().signal,
    noted: {},
    note: () => Promise.resolve(),
    keepLastWords: () => Promise.resolve(),
    work: { timeouts: { healthy } },
  } as unknown as StackHand; // as far as a wait uses it
  const real = performance.now.bind(performance);
  performance.now = () => real() + looks * passed;
  try {
    await waitForService(hand, { judge: () => Promise.resolve(null) });
  } finally {
    performance.now = real;
  }
}

const isOver = (error: unknown) =>
  error instanceof ServiceError && /still not running as declared after \d+ s/.test(error.message);

Deno.test("An update that its own definition slows down is waited for, unless the applier said for how long", async () => {
  const slow = { UpdateConfig: { Monitor: 10 * MINUTE * 1e6 } };
  await waitFor(slow, 6 * MINUTE);
  await assert.rejects(waitFor(slow, 6 * MINUTE, 300), isOver);
  await assert.rejects(waitFor({}, 6 * MINUTE), isOver);
});

Deno.test("A task is waited for until its last health check", async () => {
  const checked = (Retries: number) => ({
    TaskTemplate: { ContainerSpec: { Healthcheck: { Interval: 6 * MINUTE * 1e6, Timeout: 1e9, Retries } } },
  });
  await waitFor(checked(0), 15 * MINUTE);
  await assert.rejects(waitFor(checked(1), 15 * MINUTE), isOver);
});
