/**
 * Runs the tests of all files, or of those that are named: twice as many files at once as there are cores, since most of
 * them wait for engines, browsers and time. `DENO_JOBS` says another number. Types are left to `deno task check`.
 */
const child = new Deno.Command(Deno.execPath(), {
  args: ["test", "-A", "--no-check", "--parallel", "--lock=tests/deno.lock", ...Deno.args],
  env: { DENO_JOBS: Deno.env.get("DENO_JOBS") ?? `${2 * navigator.hardwareConcurrency}` },
}).spawn();
// The terminal tells both, and the tests tidy up before they end.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => signal === "SIGTERM" && child.kill(signal));
}
Deno.exit((await child.status).code);
