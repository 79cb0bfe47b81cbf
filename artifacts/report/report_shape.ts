/** The shape of a report and of its diagnostics, as callers receive them. */

import { z } from "zod";
import { LiveNeeds } from "../live/live.ts";
import { Location } from "../location.ts";

const Severity = z.enum(["error", "warning", "info", "hint"]).meta({ id: "Severity" });

/** One finding as callers see it. */
export const Diagnostic = z.object({
  code: z.string().describe("The rule, as docs/rules.md lists it"),
  severity: Severity.describe("How bad it is"),
  message: z.string().describe("What is wrong, in a sentence"),
  location: Location.nullable().describe("Where; null for the workspace as a whole"),
  subject: z.string().nullable().describe("The id of the node it is about"),
  related: z.array(
    z.object({ message: z.string().describe("What is there"), location: Location.describe("Where") }),
  ).describe("Other places that have to do with it"),
  data: z.record(z.string(), z.unknown()).describe("The facts of the message, for programs"),
  tags: z.array(z.enum(["unnecessary", "deprecated"])).describe("How an editor may show it"),
  fingerprint: z.string().describe("Stays the same when lines move"),
}).meta({ id: "Diagnostic" });
export type Diagnostic = z.infer<typeof Diagnostic>;

/** What validation found. */
export const Report = z.object({
  schemaVersion: z.literal(1).describe("The shape of this report"),
  workspace: z.string().describe("The workspace's id"),
  revision: z.string().describe("Changes whenever the folder's meaning does"),
  valid: z.boolean().describe("Whether there are no errors"),
  complete: z.boolean().describe("Whether everything was read"),
  durationMs: z.number().describe("How long checking took"),
  diagnostics: z.array(Diagnostic).describe("The findings"),
  summary: z.object({
    error: z.int().describe("How many errors"),
    warning: z.int().describe("How many warnings"),
    info: z.int().describe("How many remarks"),
    hint: z.int().describe("How many hints"),
    suppressed: z.int().describe("How many were switched off"),
    files: z.int().describe("How many files were read"),
    groups: z.int().describe("How many groups"),
    units: z.int().describe("How many units"),
    cards: z.int().describe("How many cards"),
    edges: z.int().describe("How many references between them"),
  }).describe("The findings and artifacts, counted"),
  liveNeeds: LiveNeeds.optional().describe("What the caller lacks to have what runs checked too"),
  truncated: z.object({
    diagnostics: z.int().describe("How many findings are not shown"),
    files: z.int().describe("Files with more than are shown"),
  }).describe("What was left out"),
}).meta({ id: "Report" });
export type Report = z.infer<typeof Report>;
