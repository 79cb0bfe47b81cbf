/** The place of lines that an engine lost. */
import * as z from "../../../core/schema.ts";

export const LogGap = z.object({
  after: z.string().describe("The last line before them, by its time"),
  before: z.string().nullable().describe("The first line after them, by its time"),
}).meta({ id: "LogGap", description: "The engine lost lines in between" });
