/** Builds the Compose that tests run beside, where Go is there: `.ci/run` does it once, before all tests. */
import { composeOfToday } from "./compose.ts";

const { version, program, missing } = composeOfToday;
console.log(
  missing === null ? `Compose ${version}: ${program}` : `NOT BUILT: Compose ${version}, because ${missing}`,
);
