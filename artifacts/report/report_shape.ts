/** The shape of a report and of its diagnostics, as callers receive them. */

import * as z from "../../core/schema.ts";
import { Remedy } from "../../core/remedy.ts";
import { LiveNeeds } from "../live/live.ts";
import { Location } from "../location.ts";

const Severity = z.enum(["error", "warning", "info", "hint"]).meta({ id: "Severity" });

/** One finding as callers see it. */
export const Diagnostic = z.object({
  code: z.string().describe("The rule, as docs/rules.md lists it"),
  severity: Severity.describe("Severity"),
  message: z.string().describe("The message, in one sentence"),
  location: Location.nullable().describe("Location; null for the workspace as a whole"),
  subject: z.string().nullable().describe("The id of the node it is about"),
  related: z.array(
    z.object({
      message: z.string().describe("The text at this place"),
      location: Location.describe("The place of the message"),
    }),
  ).describe("Other places that have to do with it"),
  data: z.record(z.string(), z.unknown()).describe("The facts of the message, for programs"),
  tags: z.array(z.enum(["unnecessary", "deprecated"])).describe("Hints for editors"),
  fingerprint: z.string().describe("Stays the same when lines move"),
  remedies: z.array(Remedy).optional().describe("Remedies; only of a plan"),
}).meta({ id: "Diagnostic" });
export type Diagnostic = z.infer<typeof Diagnostic>;

/** The result of a validation. */
export const Report = z.object({
  schemaVersion: z.literal(1).describe("The shape of this report"),
  workspace: z.string().describe("The workspace's id"),
  revision: z.string().describe("Changes whenever the folder's meaning does"),
  valid: z.boolean().describe("True if there are no errors"),
  complete: z.boolean().describe("True if everything was read"),
  durationMs: z.number().describe("Duration of the check"),
  diagnostics: z.array(Diagnostic).describe("The findings"),
  summary: z.object({
    error: z.int().describe("Number of errors"),
    warning: z.int().describe("Number of warnings"),
    info: z.int().describe("Number of remarks"),
    hint: z.int().describe("Number of hints"),
    suppressed: z.int().describe("Number of suppressed findings"),
    files: z.int().describe("Number of files read"),
    groups: z.int().describe("Number of groups"),
    units: z.int().describe("Number of units"),
    cards: z.int().describe("Number of cards"),
    edges: z.int().describe("Number of references between them"),
  }).describe("The findings and artifacts, counted"),
  liveNeeds: LiveNeeds.optional().describe(
    "Permissions that the caller needs so that running containers are checked, too",
  ),
  truncated: z.object({
    diagnostics: z.int().describe("Number of findings that are not shown"),
    files: z.int().describe("Files with more than are shown"),
  }).describe("Findings that were left out"),
}).meta({ id: "Report" });
export type Report = z.infer<typeof Report>;
