/** Numbers, sizes and times in English. */
import { countsIn } from "./counts.ts";

export const { number, clock, minute, moment, day, count, duration, bytes } = countsIn("en-GB", [
  "y",
  "mo",
  "d",
  "h",
  "min",
  "s",
]);
