/** The shape of a report and of its diagnostics, as callers receive them. */

import { z } from "zod";
import { LiveNeeds } from "../live/live.ts";
import { Location } from "../location.ts";

const Severity = z.enum(["error", "warning", "info", "hint"]).meta({ id: "Severity" });

/** One finding as callers see it. */
export const Diagnostic = z.object({
  code: z.string(),
  severity: Severity,
  message: z.string(),
  location: Location.nullable(),
  subject: z.string().nullable().describe("The id of the node it is about"),
  related: z.array(z.object({ message: z.string(), location: Location })),
  data: z.record(z.string(), z.unknown()),
  tags: z.array(z.enum(["unnecessary", "deprecated"])),
  fingerprint: z.string().describe("Stays the same when lines move"),
}).meta({ id: "Diagnostic" });
export type Diagnostic = z.infer<typeof Diagnostic>;

/** What validation found. */
export const Report = z.object({
  schemaVersion: z.literal(1),
  workspace: z.string(),
  revision: z.string(),
  valid: z.boolean(),
  complete: z.boolean(),
  durationMs: z.number(),
  diagnostics: z.array(Diagnostic),
  summary: z.object({
    error: z.int(),
    warning: z.int(),
    info: z.int(),
    hint: z.int(),
    suppressed: z.int(),
    files: z.int(),
    groups: z.int(),
    units: z.int(),
    cards: z.int(),
    edges: z.int(),
  }),
  liveNeeds: LiveNeeds.optional(),
  truncated: z.object({ diagnostics: z.int(), files: z.int().describe("Files with more than are shown") }),
}).meta({ id: "Report" });
export type Report = z.infer<typeof Report>;
