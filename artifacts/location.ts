/** The shape of a place in a file, as callers receive it. */

import * as z from "../core/schema.ts";

const Position = z.object({
  line: z.int().describe("From 1"),
  column: z.int().describe("From 1, in UTF-16 units"),
  offset: z.int().describe("From 0, in UTF-16 units"),
}).meta({ id: "Position" });

/** A stretch of a file; `end` is exclusive. */
export const Range = z.object({
  start: Position.describe("Start"),
  end: Position.describe("End"),
}).meta({ id: "Range" });

/** The line and column at which an artifact begins. */
export const ArtifactPlace = z.object({
  file: z.string().describe("Below the workspace's folder"),
  line: z.int().describe("The line, from 1"),
  column: z.int().describe("The column, from 1"),
}).meta({ id: "ArtifactPlace" });

/** The findings about one artifact, counted. */
export const DiagnosticCounts = z.object({
  error: z.int().describe("Number of errors"),
  warning: z.int().describe("Number of warnings"),
}).meta({ id: "DiagnosticCounts" });

/** A stretch of a file, and the path of the value there. */
export const Location = z.object({
  file: z.string().describe("Below the workspace's folder"),
  path: z.array(z.union([z.string(), z.number()])).describe(
    "The keys and positions that lead there in the YAML",
  ),
  range: Range.describe("Position in the file"),
}).meta({ id: "Location" });
