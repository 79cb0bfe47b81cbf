/** The shape of an apply: how far each step of its plan is, and what is told of it while it goes on. */

import * as z from "../../core/schema.ts";
import { APPLY_STATES } from "../../core/applies.ts";
import { RegistryLogin } from "../../core/engine_acts.ts";
import { PlanAction, Step } from "../plan/plan_shape.ts";

/** `unknown`: it was begun, and nobody knows whether it was done. `undone`: it was done, and taken back. */
export const StepState = z.enum(["waiting", "running", "done", "failed", "skipped", "unknown", "undone"])
  .meta({
    id: "StepState",
  });
export type StepState = z.infer<typeof StepState>;

const Failure = z.object({
  code: z.string().describe("Code for programs"),
  title: z.string().describe("Message for people"),
}).meta({ id: "ApplyFailure" });

export const Unstable = z.object({
  step: z.int().describe("The step that started it"),
  container: z.string().describe("Its name"),
  problem: z.enum(["restarting", "ended", "gone"])
    .describe("It restarts over and over, has ended although it should run, or was removed"),
  exitCode: z.int().nullable().describe("The code it ended with; null if it is not known"),
}).meta({
  id: "ApplyUnstable",
  description: "A container that the apply has started, and that does not stay up",
});
export type Unstable = z.infer<typeof Unstable>;

export const ApplyStep = Step.pick({
  n: true,
  kind: true,
  target: true,
  unit: true,
  why: true,
  after: true,
  risk: true,
  hook: true,
  within: true,
}).extend({
  state: StepState.describe("Progress"),
  startedAt: z.string().nullable().describe("RFC 3339; null until it was begun"),
  endedAt: z.string().nullable().describe("RFC 3339; null until it ended"),
  error: Failure.nullable().describe("The failure; null unless it failed"),
  note: z.string().nullable().describe("Further remarks about how it ended"),
}).meta({ id: "ApplyStep" });
export type ApplyStep = z.infer<typeof ApplyStep>;

const ApplyStateName = z.enum(APPLY_STATES).meta({ id: "ApplyState" });

/** Without its steps, as lists show it. */
export const ApplySummary = z.object({
  id: z.string().describe("The id to request it by"),
  plan: z.string().describe("The plan that it carries out"),
  workspace: z.string().describe("The workspace's id"),
  group: z.string().describe("The group's name"),
  project: z.string().describe("The Compose project"),
  backend: z.string().describe("The engine"),
  action: PlanAction.describe("The request as it was sent"),
  state: ApplyStateName.describe("`paused` waits for a person's word; the last three are the end"),
  reason: z.string().nullable().describe(
    "The reason for the pause or the failure; of `done`, the problem of containers that do not stay up",
  ),
  by: z.string().describe("The user or key whose rights it continues with"),
  createdAt: z.string().describe("RFC 3339"),
  endedAt: z.string().nullable().describe("RFC 3339; null until it ended"),
}).meta({ id: "ApplySummary" });
export type ApplySummary = z.infer<typeof ApplySummary>;

export const Apply = ApplySummary.extend({
  steps: z.array(ApplyStep).describe("The steps that were requested, in the order of the plan"),
  unstable: z.array(Unstable)
    .describe(
      "Containers that the apply has started, and that do not stay up; judged when all steps are done",
    ),
}).meta({ id: "Apply" });
export type Apply = z.infer<typeof Apply>;

const Seconds = z.int().min(1).max(86_400);

/** The options of an apply. */
export const ApplyRequest = z.strictObject({
  basis: z.object({
    declared: z.string().max(100).describe("As the plan says it"),
    observed: z.string().max(100).describe("As the plan says it"),
  }).optional().describe("The digests of the plan that was read: another plan under this id is refused"),
  steps: z.array(z.int()).max(10_000).optional()
    .describe("Only these steps; none may be left out that another one comes after"),
  confirm: z.array(z.string().min(1).max(300)).max(1_000).default([])
    .describe("The names of the volumes whose data may be lost"),
  timeouts: z.strictObject({
    healthy: Seconds.optional().describe("Seconds until a container must be healthy"),
    completed: Seconds.optional().describe("Seconds until a one-shot container must have ended"),
    hook: Seconds.optional().describe("Seconds until a hook must have ended"),
  }).default({}).describe("Instead of berth's own"),
  onFailure: z.enum(["stop", "rollback"]).default("stop").describe(
    "Of a stack: what becomes of the steps that are done when one fails. They stay, or `rollback` posts the definitions " +
      "of before in reverse and removes what was made",
  ),
  registries: z.record(z.string().min(1).max(253), RegistryLogin).default({})
    .describe("Credentials by the registry's host; kept in memory until the end, and nowhere else"),
}).meta({
  id: "ApplyRequest",
  examples: [{ basis: { declared: "d3b0...", observed: "9f86..." }, timeouts: { healthy: 120 } }],
});
export type ApplyRequest = z.infer<typeof ApplyRequest>;

/** The options of resuming a paused apply. */
export const ApplyResume = z.strictObject({
  hooks: z.enum(["again", "done"]).optional().describe(
    "The answer for hooks of which berth does not know if they ended: run them `again`, or take them for `done`. " +
      "If absent, the apply continues to wait",
  ),
}).meta({ id: "ApplyResume", examples: [{ hooks: "again" }] });
export type ApplyResume = z.infer<typeof ApplyResume>;

const at = z.string().describe("RFC 3339");
const id = z.int().describe("Its place in the journal");

/** An event of an apply. `progress` and `end` stand in no journal. */
export const ApplyEvent = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("step").describe("A step was begun, or ended"),
    id,
    at,
    step: z.int().describe("Its number"),
    state: StepState.describe("Progress"),
    error: Failure.nullable().describe("The failure; null unless it failed"),
    note: z.string().nullable().describe("Further remarks"),
  }),
  z.object({
    kind: z.literal("log").describe("Output of an unhealthy container, or of a hook in it"),
    id,
    at,
    step: z.int().describe("The step it belongs to"),
    container: z.string().describe("Its name"),
    lines: z.array(z.string()).describe("The last lines, masked"),
  }),
  z.object({
    kind: z.literal("state").describe("The apply itself continues, waits, or has ended"),
    id,
    at,
    state: ApplyStateName.describe("Its state"),
    reason: z.string().nullable().describe("The reason; null where there is none"),
  }),
  z.object({
    kind: z.literal("progress").describe("A pull makes progress"),
    step: z.int().describe("Its number"),
    layer: z.string().nullable().describe("The layer this is about"),
    status: z.string().describe("The progress in the engine's words"),
    current: z.int().nullable().describe("Bytes so far"),
    total: z.int().nullable().describe("Bytes in all"),
  }),
  z.object({
    kind: z.literal("end").describe("Nothing follows"),
    state: ApplyStateName.describe("The final state"),
    reason: z.string().nullable().describe("The reason, as the apply has it"),
  }),
]).meta({ id: "ApplyEvent" });
export type ApplyEvent = z.infer<typeof ApplyEvent>;
