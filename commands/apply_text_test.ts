import assert from "node:assert/strict";
import type { ApplyEvent } from "../client/berth/applies.ts";
import type { ApplyStep } from "../client/berth/models.ts";
import { ApplyLines } from "./apply_text.ts";

const AT = "2026-01-01T00:00:00.000Z";
const STEPS = [{ n: 1, kind: "image.pull", target: "web:2" }] as unknown as ApplyStep[]; // all that a line shows

Deno.test("A failed apply tells each step once, and its reason once", () => {
  const reason = 'Cannot pull "web:2": nothing listens';
  const step = { kind: "step", at: AT, step: 1, note: null } as const;
  const events: ApplyEvent[] = [
    { ...step, id: 1, state: "running", error: null },
    { kind: "progress", step: 1, layer: "1f2e", status: "Downloading", current: 1, total: 2 },
    { ...step, id: 2, state: "running", error: null },
    { ...step, id: 3, state: "failed", error: { code: "pull_failed", title: reason } },
    { kind: "state", id: 4, at: AT, state: "failed", reason },
    { kind: "end", state: "failed", reason },
  ];
  const lines = new ApplyLines(STEPS);
  assert.deepEqual(events.map((event) => lines.after(event)).filter((text) => text !== null), [
    "running pull web:2",
    `failed  pull web:2: ${reason}`,
    "failed",
  ]);
});
