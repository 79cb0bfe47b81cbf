/** The user or key behind a change, as it is told to those who may know. */
import * as z from "../core/schema.ts";

export const Author = z.object({
  kind: z.string().describe("`user`, `apiKey` or `system`"),
  id: z.string().describe("Their id"),
  name: z.string().describe("Their name at the time"),
}).meta({ id: "Author" });
