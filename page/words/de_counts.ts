/** Numbers, sizes and times in German. */
import { countsIn } from "./counts.ts";

export const { number, clock, minute, moment, day, count, duration, bytes } = countsIn("de", [
  "J.",
  "Mon.",
  "T.",
  "Std.",
  "Min.",
  "s",
]);
