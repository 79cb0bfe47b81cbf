/** What takes too long for every commit: `deno task proof`, one file after the other, and one table at the end. */

interface Step {
  readonly file: string;
  /** What makes it whole. */
  readonly env?: Readonly<Record<string, string>>;
}

const STEPS: readonly Step[] = [
  { file: "tests/log_storm_test.ts", env: { BERTH_STORM_SECONDS: "60" } },
  { file: "tests/mirror_storm_test.ts", env: { BERTH_STORM_SECONDS: "60" } },
  { file: "tests/many_engines_test.ts" },
  { file: "tests/link_race_test.ts", env: { BERTH_RACE_SECONDS: "600" } },
  { file: "tests/file_editing_test.ts", env: { BERTH_RACE_SECONDS: "600" } },
  { file: "tests/file_churn_test.ts" },
  { file: "tests/audit_kill_test.ts", env: { BERTH_TEST_KILLS: "500" } },
  { file: "tests/engine_faults_test.ts" },
  { file: "tests/store_faults_test.ts", env: { BERTH_TEST_EVERY: "1" } },
  { file: "tests/store_sqlite_test.ts", env: { BERTH_TEST_FLIPS: "1000" } },
  { file: "tests/store_nth_test.ts" },
  { file: "tests/fuzz_test.ts", env: { BERTH_FUZZ_RUNS: "20000" } },
  { file: "tests/linear_patterns_test.ts" },
  { file: "tests/orphans_test.ts" },
  { file: "tests/stopping_engine_test.ts" },
  { file: "tests/packaging/proxy_test.ts" },
  { file: "tests/generated_clients_test.ts" },
  { file: "tests/fields_test.ts" },
  { file: "tests/plan_test.ts" },
  { file: "tests/plan_edits_test.ts", env: { BERTH_TEST_EDITS: "50" } },
  { file: "tests/plan_corpus_test.ts" },
  { file: "tests/apply_edits_test.ts", env: { BERTH_TEST_EDITS: "50" } },
  { file: "tests/apply_kill_test.ts" },
  { file: "tests/postgres_faults_test.ts" },
];
/** On each engine, behind the tests. */
const CHAOS_MINUTES = 1;

const rows: string[] = [];
let isGreen = true;

async function step(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  console.log(`\n${name} ${Object.entries(env).map(([key, value]) => `${key}=${value}`).join(" ")}`);
  const started = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    env: { BERTH_PROOF: "1", BERTH_TEST_COMPOSE: "1", NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "";
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    Deno.stdout.writeSync(new TextEncoder().encode(part));
  }
  const { success } = await child.status;
  const said = /(\d+ passed.*?) \(/.exec(text)?.[1] ?? /^(?:held|BROKEN).*$/m.exec(text)?.[0] ?? "";
  const seconds = Math.round((performance.now() - started) / 1000);
  rows.push(
    `${String(seconds).padStart(5)} s  ${success ? "held  " : "BROKEN"}  ${name.padEnd(38)}  ${said}`,
  );
  isGreen &&= success;
}

const chosen = STEPS.filter(({ file }) => Deno.args.every((word) => file.includes(word)));
for (const { file, env = {} } of chosen) {
  await step(file, ["test", "-A", "--no-check", "--lock=tests/deno.lock", file], env);
}
if (Deno.args.length === 0) {
  await step("the store in PostgreSQL", ["task", "test:postgres"], {});
  await step("two replicas behind Caddy", ["task", "test:replicas"], {});
  for (const engine of ["docker", "podman"]) {
    await step(
      `chaos on ${engine}`,
      ["run", "-A", "--no-check", "--lock=tests/deno.lock", "tests/chaos.ts"],
      {
        BERTH_CHAOS_ENGINE: engine,
        BERTH_CHAOS_MINUTES: String(CHAOS_MINUTES),
      },
    );
  }
}
console.log(`\n${rows.join("\n")}`);
if (!isGreen) Deno.exitCode = 1;
