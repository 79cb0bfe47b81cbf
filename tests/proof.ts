/**
 * What takes too long for every commit: `deno task proof`, one file after the other, and one table at the end. Races that
 * last ten minutes run beside them.
 */

interface Step {
  readonly file: string;
  /** What makes it whole. */
  readonly env?: Readonly<Record<string, string>>;
  /** It lasts as long as it is told to: it gets what the others leave of the machine meanwhile. */
  readonly isBeside?: true;
}

const STEPS: readonly Step[] = [
  { file: "tests/link_race_test.ts", env: { BERTH_RACE_SECONDS: "600" }, isBeside: true },
  { file: "tests/file_editing_test.ts", env: { BERTH_RACE_SECONDS: "600" }, isBeside: true },
  { file: "tests/packaging/proxy_test.ts", env: { BERTH_SLOW_SECONDS: "600" }, isBeside: true },
  { file: "tests/audit_kill_test.ts", env: { BERTH_TEST_KILLS: "500" } },
  { file: "tests/engine_faults_test.ts" },
  { file: "tests/store_faults_test.ts", env: { BERTH_TEST_EVERY: "1" } },
  { file: "tests/store_sqlite_test.ts", env: { BERTH_TEST_FLIPS: "1000" } },
  { file: "tests/store_nth_test.ts" },
  { file: "tests/fuzz_test.ts", env: { BERTH_FUZZ_RUNS: "20000" } },
  { file: "tests/linear_patterns_test.ts" },
  { file: "tests/key_timing_test.ts" },
  { file: "tests/orphans_test.ts" },
  { file: "tests/stopping_engine_test.ts" },
  { file: "tests/mirror_test.ts" },
  { file: "tests/watchdog_test.ts" },
  { file: "tests/generated_clients_test.ts" },
  { file: "tests/fields_test.ts" },
  { file: "tests/resolved_values_test.ts" },
  { file: "tests/client/node_bun_test.ts" },
  { file: "tests/plan_test.ts" },
  { file: "tests/plan_edits_test.ts", env: { BERTH_TEST_EDITS: "50" } },
  { file: "tests/plan_corpus_test.ts" },
  { file: "tests/apply_edits_test.ts", env: { BERTH_TEST_EDITS: "50" } },
  { file: "tests/apply_faults_test.ts" },
  { file: "tests/apply_hooks_test.ts" },
  { file: "tests/apply_kill_test.ts" },
  { file: "tests/apply_owner_test.ts" },
  ...["plan_test.ts", "apply_test.ts", "apply_changes_test.ts", "apply_others_test.ts", "apply_edits_test.ts"]
    .map((file) => ({
      file: `tests/${file}`,
      env: { BERTH_TEST_COMPOSE_VERSION: "5.6.0" },
    })),
  { file: "tests/postgres_faults_test.ts" },
  { file: "tests/replica_kill_test.ts", env: { BERTH_TEST_KILLS: "50" } },
  { file: "tests/ssh_engine_test.ts" },
  { file: "tests/tls_engine_test.ts" },
  // They need all of the machine, so nothing is beside them any more.
  { file: "tests/file_churn_test.ts" },
  { file: "tests/log_storm_test.ts", env: { BERTH_STORM_SECONDS: "60" } },
  { file: "tests/mirror_storm_test.ts", env: { BERTH_STORM_SECONDS: "60" } },
  { file: "tests/many_engines_test.ts" },
];
/** On each engine and store, behind the tests. */
const CHAOS_MINUTES = 1;

const began = performance.now();
const secondsSince = (start: number) => Math.round((performance.now() - start) / 1000);
const rows: string[] = [];
let isGreen = true;

async function step(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  isBeside = false,
): Promise<void> {
  const head = `\n${name} ${Object.entries(env).map(([key, value]) => `${key}=${value}`).join(" ")}`;
  console.log(isBeside ? `${head} (beside the others)` : head);
  const started = performance.now();
  const child = new Deno.Command(isBeside ? "nice" : Deno.execPath(), {
    args: isBeside ? ["-n", "19", Deno.execPath(), ...args] : [...args],
    env: { BERTH_PROOF: "1", BERTH_TEST_COMPOSE: "1", NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "";
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (!isBeside) Deno.stdout.writeSync(new TextEncoder().encode(part));
  }
  if (isBeside) console.log(`${head}\n${text}`);
  const { success } = await child.status;
  const said = /(\d+ passed.*?) \(/.exec(text)?.[1] ?? /^(?:held|BROKEN).*$/m.exec(text)?.[0] ?? "";
  rows.push(
    `${String(secondsSince(started)).padStart(5)} s  ${success ? "held  " : "BROKEN"}  ${
      name.padEnd(38)
    }  ${said}`,
  );
  isGreen &&= success;
}

const chosen = STEPS.filter(({ file }) => Deno.args.every((word) => file.includes(word)));
const beside: Promise<void>[] = [];
for (const { file, env = {}, isBeside } of chosen) {
  const running = step(file, ["test", "-A", "--no-check", "--lock=tests/deno.lock", file], env, isBeside);
  if (isBeside) beside.push(running);
  else await running;
}
if (Deno.args.length === 0) {
  await step("the store in PostgreSQL", ["task", "test:postgres"], {});
  await step("two replicas behind Caddy", ["task", "test:replicas"], {});
  for (
    const [engine, store] of [["docker", "sqlite"], ["podman", "sqlite"], ["docker", "postgres"]] as const
  ) {
    await step(
      `chaos on ${engine} and ${store}`,
      ["run", "-A", "--no-check", "--lock=tests/deno.lock", "tests/chaos.ts"],
      {
        BERTH_CHAOS_ENGINE: engine,
        BERTH_CHAOS_STORE: store,
        BERTH_CHAOS_MINUTES: String(CHAOS_MINUTES),
      },
    );
  }
}
await Promise.all(beside);
console.log(`\n${rows.join("\n")}\n${String(secondsSince(began)).padStart(5)} s  in all`);
if (!isGreen) Deno.exitCode = 1;
