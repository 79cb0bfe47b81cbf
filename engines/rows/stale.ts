/** The mark of a row that cannot be read anew. */
import * as z from "../../core/schema.ts";

export const Stale = z.literal(true).optional().describe(
  "The engine does not answer, or does not list this kind: this is how it was last known. Absent else",
);
