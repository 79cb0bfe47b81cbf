/** A change of a file's text, as callers see it before it is saved. */
import * as z from "../core/schema.ts";

export const LineChange = z.object({
  line: z.int().describe("Its first line, from 1"),
  before: z.string().describe("The lines as they are, with their secrets masked; empty for new ones"),
  after: z.string().describe("The lines as they would be; empty where they are taken out"),
}).meta({ id: "LineChange" });
