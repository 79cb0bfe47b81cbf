/** The shapes of what runs, and how it differs from what is declared. */

import { z } from "zod";
import { Location } from "../location.ts";
import { SEES_RUNNING } from "../../core/runtime.ts";

/** A difference between a unit as declared and a container of it. Values that may be secrets are masked. */
export const Drift = z.object({
  field: z.string(),
  container: z.string().nullable().describe("The container's name; null for the unit as a whole"),
  declared: z.string(),
  actual: z.string(),
  location: Location.describe("Where the value is declared; the unit itself where it is not"),
}).meta({ id: "Drift" });
export type Drift = z.infer<typeof Drift>;

/** How a running project was found to belong to a group. */
export const Match = z.object({
  by: z.enum(["settings", "configFiles", "workingDirAndProject", "workingDir", "project", "containerName"]),
  confidence: z.enum(["certain", "likely", "guess"]),
}).meta({ id: "Match" });
export type Match = z.infer<typeof Match>;

/** How a unit or a group is doing. */
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

/** What runs for a unit (or, summed up, for a group). */
export const UnitLive = z.object({
  state: LiveState,
  desired: z.int().nullable().describe("How many containers should run; null while that is not known"),
  match: Match.nullable(),
  containers: z.array(z.object({
    id: z.string(),
    name: z.string(),
    number: z.int().nullable(),
    state: z.string(),
    health: z.string().nullable(),
    exitCode: z.int().nullable(),
    startedAt: z.string().nullable(),
    backend: z.string(),
  })),
  drift: z.array(Drift).nullable().describe(
    "Of a group: those of its units. Null where nothing was compared",
  ),
}).meta({ id: "UnitLive" });
export type UnitLive = z.infer<typeof UnitLive>;
