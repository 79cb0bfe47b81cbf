/** Keeps every promise in a runtime that is not Deno's test runner: one line of JSON each, then an end by itself. */
import { type Ground, promises } from "./all.ts";

const { process } = globalThis as unknown as { process: { argv: string[] } };
// Written by the test that starts this.
const ground = JSON.parse(process.argv[2] ?? "") as Ground;
const log = console.log;
for (const { name, run, not } of promises) {
  if (not.includes(ground.runtime)) continue;
  let error: string | undefined;
  try {
    await run(ground);
  } catch (thrown) {
    error = thrown instanceof Error ? `${thrown.stack}` : String(thrown);
  }
  log(JSON.stringify({ name, error }));
}
log(JSON.stringify({ name: "end" }));
