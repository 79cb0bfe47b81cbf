/** Keeps every promise where there is no Deno test runner: lines of JSON from a process, one report from a page. */
import { type Ground, promises } from "./all.ts";

interface Kept {
  readonly name: string;
  readonly error?: string | undefined;
}

async function* keep(ground: Ground): AsyncGenerator<Kept> {
  for (const { name, run, not } of promises) {
    if (not.includes(ground.runtime)) continue;
    let error: string | undefined;
    try {
      await run(ground);
    } catch (thrown) {
      error = thrown instanceof Error ? `${thrown.stack}` : String(thrown);
    }
    yield { name, error };
  }
}

const { process, location } = globalThis as unknown as {
  process?: { argv: string[] };
  location?: { hash: string };
};
// Written by the test that starts this.
const ground = JSON.parse(process?.argv[2] ?? decodeURIComponent(location?.hash.slice(1) ?? "")) as Ground;
const results: Kept[] = [];
const log = console.log;
for await (const kept of keep(ground)) {
  results.push(kept);
  if (process) log(JSON.stringify(kept));
}
if (process) log(JSON.stringify({ name: "end" }));
else await fetch("/report", { method: "POST", body: JSON.stringify(results) });
