/**
 * `deno task bench [name[:part]...]`: runs the benches one after the other, each in a process of its own.
 * `deno task bench --short` runs those that have a goal, and ends with a table of the goals.
 */
import { goalLines, type Kept, SHORT } from "./goals.ts";

const BENCHES = [
  "first_start",
  "before",
  "house",
  "auth",
  "audit",
  "audit_stores",
  "engine",
  "objects",
  "streams",
  "doubt",
  "large_log",
  "log_lines",
  "downloads",
  "parse",
  "graph",
  "plan",
  "projects",
  "mounts",
  "authority",
  "swarm",
  "apply",
  "adopt",
  "images",
  "takeover",
  "builds",
  "git",
  "incidents",
  "packaging",
  "growth",
  "memory",
  "growth_engines",
  "workspaces",
  "client",
  "page",
];
/** The lock file that knows the peers' packages too. */
const LOCK = new URL("../tests/deno.lock", import.meta.url).pathname;
const LIMIT_MS = 15 * 60_000;

const isShort = Deno.args[0] === "--short";
const chosen = isShort ? SHORT : Deno.args.length > 0 ? Deno.args : BENCHES;
const RESULTS = new URL("./results/", import.meta.url);
const began = performance.now();
// No figure of an earlier run stands in the table.
if (isShort) await Deno.remove(RESULTS, { recursive: true }).catch(() => {});
const unknown = chosen.filter((name) => !BENCHES.includes(nameOf(name)));
if (unknown.length > 0) {
  console.error(`There is no bench "${unknown.join('", "')}"; there are ${BENCHES.join(", ")}`);
  Deno.exit(2);
}
let failed = 0;
for (const name of chosen) {
  const script = new URL(`${nameOf(name)}.ts`, import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `--lock=${LOCK}`, script, ...name.split(":").slice(1)],
    stdin: "null",
  }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  if (!(await child.status).success) {
    console.error(`bench "${name}" failed`);
    failed++;
  }
  clearTimeout(timer);
}
if (isShort) {
  console.log(`\nGoals, after ${((performance.now() - began) / 60_000).toFixed(1)} minutes:`);
  for (const line of goalLines(await kept())) console.log(`  ${line}`);
}
Deno.exit(failed === 0 ? 0 : 1);

async function kept(): Promise<Kept[]> {
  const all: Kept[] = [];
  for await (const { name } of Deno.readDir(RESULTS)) {
    all.push(JSON.parse(await Deno.readTextFile(new URL(name, RESULTS))));
  }
  return all;
}

function nameOf(chosen: string): string {
  return chosen.split(":")[0]!;
}
