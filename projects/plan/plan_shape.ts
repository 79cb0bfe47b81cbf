/** The shape of a plan: what would be done to which unit, because of which line, and who may. */

import * as z from "../../core/schema.ts";
import { Valued } from "../../artifacts/live/live.ts";
import { MountReading } from "../../artifacts/live/mount_reading.ts";
import { Location } from "../../artifacts/location.ts";
import { Diagnostic } from "../../artifacts/report/report_shape.ts";
import { Permission } from "../../core/access.ts";

export const STEP_KINDS = [
  "image.pull",
  "image.build",
  "network.create",
  "network.remove",
  "network.connect",
  "volume.create",
  "volume.remove",
  "container.create",
  "container.start",
  "container.stop",
  "container.remove",
  "container.swap",
  "container.update",
  "container.restart",
  "hook.run",
  "wait",
  "secret.create",
  "secret.remove",
  "config.create",
  "config.remove",
  "service.create",
  "service.update",
  "service.wait",
  "service.remove",
] as const;

/** Kinds of steps that only plans of stacks have. */
export type StackStepKind = Extract<
  (typeof STEP_KINDS)[number],
  `${"secret" | "config" | "service"}.${string}`
>;

/** The reason of a step. Texts are masked as drift is. */
export const Reason = z.discriminatedUnion("code", [
  z.object({
    code: z.enum([
      "absent",
      "stopped",
      "scaleDown",
      "orphan",
      "leftOver",
      "down",
      "asked",
      "policy",
      "newerImage",
    ]).describe("The reasons of the step"),
  }),
  z.object({
    code: z.literal("field").describe("A field of its container differs"),
    field: z.string().describe("The field that differs, named as in drift"),
    declared: z.string().describe("As it is written"),
    ...Valued,
    seen: z.string().describe("As it runs"),
    at: Location.describe("Location of the declared value, or of the unit if it declares none"),
  }),
  z.object({
    code: z.literal("staleMount").describe("It reads a file or folder that was replaced or deleted"),
    field: z.string().describe("The mount, named as in drift"),
    mount: MountReading.describe("State of the mount since the container started"),
    at: Location.describe("Location of the mount"),
  }),
  z.object({
    code: z.literal("followsFrom").describe("Another step makes it necessary"),
    step: z.int().describe("The step that it follows from"),
    how: z.enum(["namespace", "volumes", "restart", "network", "condition", "refused"]).describe(
      "By what it follows",
    ),
  }),
  z.object({
    code: z.literal("hook").describe("The files ask for the command"),
    at: Location.describe("Location of the hook"),
  }),
]).meta({ id: "PlanReason" });
export type Reason = z.infer<typeof Reason>;

const Need = z.object({
  permission: Permission.describe("The permission that is needed"),
  subject: z.object({
    engine: z.string().describe("The engine's name"),
    workspace: z.string().nullable().describe("The workspace's id; null for what belongs to none"),
    project: z.string().nullable().describe("The Compose project; null for what belongs to none"),
  }).describe("The scope it is needed on"),
  field: z.string().optional().describe("The field that needs it; absent if the step itself does"),
  why: z.string().optional().describe("The reason that the field needs it"),
  at: Location.optional().describe("Location of the field"),
}).meta({ id: "PlanNeed" });
export type Need = z.infer<typeof Need>;

export const PlanHook = z.object({
  when: z.enum(["postStart", "preStop"]).describe("After the start of its container, or before its stop"),
  index: z.int().describe("Its place among the hooks of its kind, from 0"),
  command: z.array(z.string()).describe("Its words as they are written, with secrets masked"),
  user: z.string().describe("The user it runs as; empty for the container's own user"),
  privileged: z.boolean().describe("True if it has all rights on the host"),
  workingDir: z.string().describe("Its working folder; empty for the container's own"),
  environment: z.array(z.string()).describe("Its variables, with their values masked"),
}).meta({ id: "PlanHook", description: "A command that runs inside a container" });
export type PlanHook = z.infer<typeof PlanHook>;

const StepKind = z.enum(STEP_KINDS).meta({ id: "StepKind" });

const StepRisk = z.enum(["none", "interruption", "dataLoss"]).meta({ id: "StepRisk" });

export const Step = z.object({
  n: z.int().describe("In an order that works one by one"),
  kind: StepKind.describe("The kind of step"),
  target: z.string().describe(
    "The name of a container, image, network or volume, of a service, secret or config of a swarm",
  ),
  unit: z.string().nullable().describe("The id of the unit it is done for"),
  why: z.array(Reason).min(1).describe("The reasons; never empty"),
  after: z.array(z.int()).describe("The steps that must be done before"),
  needs: z.array(Need).describe("The permissions that the caller of the apply must hold"),
  risk: StepRisk.describe("The effect while the step runs"),
  ifChanged: z.array(z.int()).optional()
    .describe(
      "Done only if one of these steps brings another image, or is a change in place that the engine refuses; " +
        "always where it is absent",
    ),
  digest: z.string().optional()
    .describe(
      "The digest that is pulled, whatever the tag stands for by then; only of an update's `image.pull`",
    ),
  hook: PlanHook.optional().describe("The command that is run; only of `hook.run`"),
  within: z.int().optional().describe("The step that does it as a part of itself"),
  optional: z.boolean().optional()
    .describe("True for a wait that stops nothing if it fails: all units that wait say `required: false`"),
}).meta({ id: "PlanStep" });
export type Step = z.infer<typeof Step>;

export const PlanAction = z.enum(["up", "down", "stop", "restart", "update"]).meta({ id: "PlanAction" });
export type PlanAction = z.infer<typeof PlanAction>;

/** The options of a plan. */
export const PlanRequest = z.strictObject({
  action: PlanAction.default("up").describe(
    "The action to plan; `update` brings units up with the newer images that `GET /api/updates` shows",
  ),
  units: z.array(z.string().min(1).max(300)).max(1_000).optional()
    .describe(
      "Only these units; `up` takes what they depend on along, and so does `update`, whose units are otherwise all " +
        "with a newer image whose cool-down is over",
    ),
  backend: z.string().min(1).max(100).optional()
    .describe(
      "The engine, or `swarm:<name>`; else the one where the project runs, else the default, or the only swarm for a " +
        "file that says `x-berth: { target: swarm }`",
    ),
  pull: z.enum(["policy", "always", "never"]).default("policy")
    .describe("Which images are asked of their registry: as `pull_policy` says, all, or none"),
  build: z.boolean().default(false)
    .describe("Builds the images of units with `build` anew, also those that are there"),
  orphans: z.enum(["keep", "remove"]).default("keep")
    .describe("Containers of the project whose service is not in the files"),
  recreate: z.enum(["changed", "always"]).default("changed")
    .describe("Which containers are made anew"),
  rerun: z.array(z.string().min(1).max(300)).max(1_000).default([])
    .describe("Units that ended well and are started again"),
  volumes: z.array(z.string().min(1).max(300)).max(1_000).default([])
    .describe("Volumes of the project that `down` removes with all their data, by the engine's names"),
  commit: z.enum(["head"]).optional()
    .describe("Plans from the newest commit of the workspace's repository, before its files are written"),
  inPlace: z.boolean().default(true).describe("True if limits may be changed without a new container"),
}).meta({ id: "PlanRequest", examples: [{ action: "up", units: ["web"] }, {}] });
export type PlanRequest = z.infer<typeof PlanRequest>;

/** The steps of a plan, and the inputs that it was made from. */
export const PlanBody = z.object({
  workspace: z.string().describe("The workspace's id"),
  group: z.string().describe("The group's name"),
  project: z.string().describe("The Compose project"),
  backend: z.string().describe("The engine that it is for; `swarm:<name>` for a stack"),
  action: PlanAction.describe("The request as it was sent"),
  commit: z.string().optional()
    .describe("The commit that it was worked out from; absent where the files of the folder were read"),
  units: z.array(z.string()).describe("The ids of the units that were looked at"),
  steps: z.array(Step).describe("In an order that works; none where there is nothing to do"),
  unchanged: z.int().describe("Containers that stay as they are; of a stack, its services"),
  blocked: z.array(Diagnostic).describe("Findings that forbid applying it; empty if none does"),
  warnings: z.array(Diagnostic).describe("Parts that the plan leaves alone, and other remarks"),
  keeps: z.array(z.string()).optional()
    .describe("Of `down` alone: the project's own volumes that stay, with their data"),
  basis: z.object({
    revision: z.string().describe("Of the workspace"),
    declared: z.string().describe("A digest of what the files say of the group"),
    observed: z.string().describe("A digest of what the engine was seen to have"),
  }).describe("The state it was computed from"),
});
export type PlanBody = z.infer<typeof PlanBody>;

export const Plan = PlanBody.extend({
  id: z.string().describe("The id to request it by"),
  createdBy: z.string().describe("The user or key that asked for it"),
  createdAt: z.string().describe("RFC 3339"),
  expiresAt: z.string().describe("RFC 3339; it is forgotten then"),
  missing: z.array(Need).describe("Permissions that the caller needs and does not hold"),
}).meta({ id: "Plan" });
export type Plan = z.infer<typeof Plan>;
