/**
 * Runs the tests of all files but those that `deno task proof` runs alone, or all tests of the files that are named: three
 * times as many files at once as there are cores, since most of them wait for engines, browsers and time. `DENO_JOBS` says
 * another number. Types are left to `deno task check`.
 */

import { LONG_FILES, LONG_NAMES } from "../proof/long.ts";
import { grouped } from "./groups.ts";

const named = Deno.args.some((one) => !one.startsWith("-"));
/** Holds what its files share, see `once_a_run.ts`. */
const run = await Deno.makeTempDir({ prefix: "berth-run-" });
const files = named ? [] : await grouped(run, LONG_FILES);
if (!named) {
  console.error(
    `LEFT TO "deno task proof": ${LONG_FILES.length} files, and ${LONG_NAMES.length} tests of others`,
  );
}
const child = new Deno.Command(Deno.execPath(), {
  args: [
    "test",
    "-A",
    "--no-check",
    "--parallel",
    "--lock=tests/deno.lock",
    ...Deno.args,
    ...files,
  ],
  env: {
    BERTH_TEST_RUN: run,
    ...(named ? {} : { BERTH_TEST_SHORT: "1" }),
    // Engines start programs of Go for each container, which live for moments: they need not collect what they leave.
    GOGC: Deno.env.get("GOGC") ?? "400",
    DENO_JOBS: Deno.env.get("DENO_JOBS") ?? `${3 * navigator.hardwareConcurrency}`,
  },
}).spawn();
// The terminal tells both, and the tests tidy up before they end.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => signal === "SIGTERM" && child.kill(signal));
}
const { code } = await child.status;
await Deno.remove(run, { recursive: true });
Deno.exit(code);
