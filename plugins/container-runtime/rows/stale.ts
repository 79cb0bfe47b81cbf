/** The mark of a row whose engine does not answer. */
import { z } from "zod";

export const Stale = z.literal(true).optional().describe(
  "The engine does not answer: this is how it was last known. Absent else",
);
