/** An engine that a list does without. */

import * as z from "../../core/schema.ts";

/** An engine that a list had to do without, or whose rows it shows as they were last known. */
export const Unavailable = z.object({
  backend: z.string().describe("The engine's name"),
  reason: z.string().describe("The reason that berth could not ask it"),
  since: z.iso.datetime().optional().describe(
    "When it last answered, where it hangs: its rows are shown as they were then",
  ),
  stale: z.array(z.string()).optional().describe(
    "Kinds of objects that it does not list although it is up, as `networks`: shown as last known. Absent if it is not up",
  ),
}).meta({ id: "Unavailable" });
export type Unavailable = Readonly<z.infer<typeof Unavailable>>;
