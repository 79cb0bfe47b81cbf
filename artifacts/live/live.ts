/** The shapes of what runs, and how it differs from what is declared. */

import * as z from "../../core/schema.ts";
import { Location } from "../location.ts";
import { MountReading } from "./mount_reading.ts";
import { Condition } from "../../core/condition.ts";
import { ServiceMode } from "../../core/running_services.ts";
import { SEES_RUNNING } from "../../core/runtime.ts";
import { Verdict } from "./verdict.ts";

const VariableSource = z.object({
  name: z.string().describe("The variable"),
  file: z.string().describe("The file that sets it, below the workspace's folder"),
  line: z.int().describe("Its line"),
}).meta({ id: "VariableSource" });

/** The values of variables, where they may be shown. */
export const Valued = {
  resolved: z.string().optional().describe(
    "The declared value with those of its variables, masked where they may be secrets; only of fields that an engine " +
      "shows anyway, to callers with `containers:read` on the project",
  ),
  from: z.array(VariableSource).optional().describe("The places that set the variables in `resolved`"),
};

/** A difference between a unit as declared and a container of it. Values that may be secrets are masked. */
export const Drift = z.object({
  field: z.string().describe("The field that differs"),
  container: z.string().nullable().describe("The container's name; null for the unit as a whole"),
  declared: z.string().describe("As it is written"),
  actual: z.string().describe("As it runs"),
  location: Location.describe("Location of the declared value, or of the unit if it declares none"),
  mount: MountReading.optional().describe("Only of a mount whose file or folder may be another one by now"),
  ...Valued,
}).meta({ id: "Drift" });
export type Drift = z.infer<typeof Drift>;

/** The sign by which a running project belongs to a group. */
export const Match = z.object({
  by: z.enum([
    "settings",
    "configFiles",
    "workingDirAndProject",
    "workingDir",
    "project",
    "containerName",
    "claim",
    "label",
    "images",
  ])
    .describe(
      "The sign by which it was recognised; `claim`: it was adopted, `label`: berth's own on a service, `images`: " +
        "every service of its stack is a unit with its image",
    ),
  confidence: z.enum(["certain", "likely", "guess"]).describe("The certainty of the match"),
}).meta({ id: "Match" });
export type Match = z.infer<typeof Match>;

/** The state of a unit or a group. */
export const LiveState = z.enum([
  "running",
  "degraded",
  "paused",
  "completed",
  "exited",
  "absent",
  "unknown",
]).meta({ id: "LiveState" });
export type LiveState = z.infer<typeof LiveState>;

/** Said where the live part of an answer is left out. */
export const LiveNeeds = z.literal(SEES_RUNNING).describe(
  "The permission that the caller lacks to see what runs; only there where that is why it is left out",
);

/** The service of a swarm that a unit runs as. */
export const UnitService = z.object({
  id: z.string().describe("The service's id"),
  name: z.string().describe("The service's name"),
  cluster: z.string().describe("The name of its swarm"),
  mode: ServiceMode.describe("The number of tasks: replicated, or one for each node"),
  desired: z.int().nullable().describe("Number of tasks that should run; null while unknown"),
  running: z.int().describe("Number of tasks that run"),
  staleSince: z.string().nullable().describe("When its swarm last answered; null while that is now"),
  rolledBack: z.object({
    at: z.string().nullable().describe("When the swarm was done with it"),
    reason: z.string().describe("The words of the task that failed, or of the swarm; masked"),
  }).nullable().describe(
    "The rollback of its latest update, after which what failed is drift; null for none",
  ),
}).meta({ id: "UnitService" });
export type UnitService = z.infer<typeof UnitService>;

/** The running containers of a unit (or, summed up, of a group). */
export const UnitLive = z.object({
  verdict: Verdict.nullable().describe(
    "Verdict in one word; a group has that of its worst unit. Null for a unit that is rightly not started",
  ),
  state: LiveState.describe("Its running containers"),
  desired: z.int().nullable().describe("Number of containers that should run; null while unknown"),
  match: Match.nullable().describe("The match of these containers with it"),
  containers: z.array(z.object({
    id: z.string().describe("The container's id"),
    name: z.string().describe("The container's name"),
    number: z.int().nullable().describe("Its number among those of the unit"),
    state: z.string().describe("State as the engine reports it"),
    health: z.string().nullable().describe("Result of its health check"),
    exitCode: z.int().nullable().describe("The code it last ended with"),
    condition: Condition.describe("Its condition by itself, without the declaration"),
    startedAt: z.string().nullable().describe("When it last started"),
    backend: z.string().describe("The engine it is on, by name"),
  })).describe("Its containers"),
  drift: z.array(Drift).nullable().describe(
    "Of a group: those of its units. Null where nothing was compared",
  ),
  remarks: z.array(Drift).optional().describe(
    "Mounts whose files were written to or may have been replaced, and limits that the engine's kernel cannot hold; no difference by themselves, absent without any",
  ),
  notCompared: z.string().nullable().describe(
    "The reason that something of it could not be compared with what is declared; null where everything was",
  ),
  service: UnitService.optional().describe(
    "The service of a swarm that it runs as; absent where it runs as containers, and without `services:read`",
  ),
}).meta({ id: "UnitLive" });
export type UnitLive = z.infer<typeof UnitLive>;
