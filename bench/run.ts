/** `deno task bench [name[:part]...]`: runs the benches one after the other, each in a process of its own. */

const BENCHES = [
  "first_start",
  "before",
  "house",
  "auth",
  "audit",
  "engine",
  "objects",
  "streams",
  "doubt",
  "large_log",
  "log_lines",
  "parse",
  "graph",
  "plan",
  "projects",
  "mounts",
  "authority",
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
  "client",
  "page",
];
/** The lock file that knows the peers' packages too. */
const LOCK = new URL("../tests/deno.lock", import.meta.url).pathname;
const LIMIT_MS = 15 * 60_000;

const chosen = Deno.args.length > 0 ? Deno.args : BENCHES;
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
Deno.exit(failed === 0 ? 0 : 1);

function nameOf(chosen: string): string {
  return chosen.split(":")[0]!;
}
