/** Builds what tests run beside, where Go is there: `.ci/run` does it once, while it checks, before all tests. */
import { composeGo } from "../artifacts/oracle/compose_go.ts";
import { composeOfToday } from "./compose.ts";

const { version, program, missing } = composeOfToday;
console.log(
  missing === null ? `Compose ${version}: ${program}` : `NOT BUILT: Compose ${version}, because ${missing}`,
);
const loader = await composeGo();
if (loader !== null) console.log(`Compose's loader: ${loader}`);
