/**
 * Runs the tests that take too long for every commit: `deno task proof`, two files at a time, and one table at the end.
 * Races that last ten minutes run beside them, and what needs the machine for itself comes last.
 */

import { LONG } from "./long.ts";
import { shareOf } from "./share.ts";

interface Step {
  readonly file: string;
  /** The variables that make it whole. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * `beside`: it lasts as long as it is told to, and gets what the others leave of the machine meanwhile. `alone`: its
   * figures are about a machine that does nothing else.
   */
  readonly when?: "beside" | "alone";
}

/** The corpus of real projects in parts, so that none takes longer than 15 minutes: engine, corpus, share of its folders. */
const CORPUS_PARTS: readonly string[] = ["docker", "podman"].flatMap((engine) =>
  ["awesome-compose", "compose 1/3", "compose 2/3", "compose 3/3", "compose-go"].map((part) =>
    `${engine} ${part}`
  )
);

/** Files that run otherwise than they do when they are named. */
const OWN_STEPS: readonly Step[] = [
  { file: "tests/artifacts/link_race_test.ts", env: { BERTH_RACE_SECONDS: "600" }, when: "beside" },
  { file: "tests/artifacts/file_editing_test.ts", env: { BERTH_RACE_SECONDS: "600" }, when: "beside" },
  { file: "tests/packaging/proxy_test.ts", env: { BERTH_SLOW_SECONDS: "600" }, when: "beside" },
  { file: "tests/watch/flapping_test.ts", env: { BERTH_TEST_SECONDS: "600" }, when: "beside" },
  // The longest first, so that both lanes end together
  { file: "tests/apply/apply_kill_test.ts" },
  { file: "tests/apply/builds_kill_test.ts" },
  { file: "tests/apply/apply_rounds_test.ts", env: { BERTH_TEST_ROUNDS: "200" } },
  { file: "tests/plan/plan_corpus_test.ts" },
  ...CORPUS_PARTS.flatMap((part) => [
    { file: "tests/plan/adopt_corpus_test.ts", env: { BERTH_TEST_PART: part } },
    { file: "tests/plan/adopt_running_test.ts", env: { BERTH_TEST_PART: part } },
  ]),
  { file: "tests/packaging/workflow_test.ts" },
  { file: "tests/packaging/walk_test.ts" },
  { file: "tests/packaging/release_test.ts" },
  { file: "tests/packaging/image_test.ts" },
  { file: "tests/packaging/quadlet_test.ts" },
  { file: "tests/packaging/registry_test.ts" },
  { file: "tests/access/audit_kill_test.ts", env: { BERTH_TEST_KILLS: "500" } },
  { file: "tests/engines/engine_faults_test.ts" },
  { file: "tests/store/store_faults_test.ts", env: { BERTH_TEST_EVERY: "1" } },
  { file: "tests/store/store_sqlite_test.ts", env: { BERTH_TEST_FLIPS: "1000" } },
  { file: "tests/proof/store_nth_test.ts" },
  { file: "tests/proof/fuzz_test.ts", env: { BERTH_FUZZ_RUNS: "20000" } },
  { file: "tests/artifacts/linear_patterns_test.ts" },
  { file: "tests/artifacts/swarm_rules_test.ts" },
  { file: "tests/access/key_timing_test.ts", when: "alone" },
  { file: "tests/apply/orphans_test.ts" },
  { file: "tests/apply/stack_apply_test.ts" },
  { file: "tests/apply/stack_kill_test.ts" },
  { file: "tests/apply/stack_back_kill_test.ts" },
  { file: "tests/apply/stack_replicas_test.ts" },
  { file: "tests/apply/stack_quorum_test.ts" },
  { file: "tests/apply/stack_modes_test.ts" },
  { file: "tests/apply/stack_faults_test.ts" },
  { file: "tests/engines/swarm_faults_test.ts", env: { BERTH_TEST_SWARM: "all" } },
  { file: "tests/engines/swarm_many_test.ts", env: { BERTH_TEST_SWARM: "all" } },
  { file: "tests/engines/stopping_engine_test.ts" },
  { file: "tests/engines/mirror_test.ts" },
  { file: "tests/engines/watchdog_test.ts" },
  { file: "tests/client/generated_clients_test.ts" },
  { file: "tests/http/documented_bodies_test.ts", env: { BERTH_FUZZ_RUNS: "200" } },
  { file: "tests/plan/fields_test.ts" },
  { file: "tests/plan/remembered_rows_test.ts", env: { BERTH_TEST_CHANGES: "2000" } },
  { file: "tests/plan/written_down_test.ts" },
  { file: "tests/plan/written_podman_test.ts" },
  { file: "tests/plan/settle_rows_test.ts" },
  { file: "tests/plan/adoption_test.ts" },
  { file: "tests/plan/adoption_faults_test.ts" },
  { file: "tests/plan/adoption_swap_kill_test.ts" },
  { file: "tests/plan/adoption_draft_test.ts" },
  { file: "tests/plan/adoption_user_test.ts" },
  { file: "tests/plan/settle_test.ts" },
  { file: "tests/commands/adopt_many_test.ts" },
  { file: "tests/plan/resolved_values_test.ts" },
  { file: "tests/client/node_bun_test.ts" },
  { file: "tests/client/examples_test.ts" },
  { file: "tests/packaging/bundle_test.ts" },
  { file: "tests/git/random_trees_test.ts", env: { BERTH_TEST_TREES: "10000" } },
  { file: "tests/git/auto_test.ts" },
  { file: "tests/git/replicas_test.ts" },
  { file: "tests/git/preview_corpus_test.ts" },
  { file: "tests/git/failures_test.ts" },
  { file: "tests/git/mounted_test.ts" },
  { file: "tests/git/many_groups_test.ts" },
  { file: "tests/git/hostile_trees_test.ts", env: { BERTH_TEST_HOSTILE: "all" } },
  { file: "tests/apply/mounts_test.ts", env: { BERTH_TEST_MOUNTS: "all" } },
  { file: "tests/plan/plan_test.ts" },
  { file: "tests/plan/plan_edits_test.ts", env: { BERTH_TEST_EDITS: "50" } },
  { file: "tests/apply/apply_edits_test.ts", env: { BERTH_TEST_EDITS: "50" } },
  { file: "tests/apply/apply_faults_test.ts" },
  { file: "tests/apply/apply_hooks_test.ts" },
  { file: "tests/apply/apply_held_test.ts" },
  { file: "tests/apply/apply_history_test.ts" },
  { file: "tests/apply/apply_owner_test.ts" },
  { file: "tests/apply/apply_clocks_test.ts" },
  { file: "tests/apply/apply_half_open_test.ts" },
  { file: "tests/apply/apply_recovery_test.ts" },
  { file: "tests/apply/apply_pairs_test.ts" },
  { file: "tests/apply/apply_two_berths_test.ts" },
  { file: "tests/apply/apply_bad_journal_test.ts" },
  { file: "tests/apply/exact_matrix_test.ts" },
  { file: "tests/apply/platforms_test.ts" },
  { file: "tests/access/authority_forms_test.ts" },
  { file: "tests/access/access_matrix_test.ts" },
  { file: "tests/access/host_reach_process_test.ts" },
  { file: "tests/access/unsaid_host_test.ts" },
  { file: "tests/access/masked_acts_test.ts" },
  { file: "tests/access/edited_during_apply_test.ts", env: { BERTH_TEST_EDITED_ROUNDS: "20" } },
  { file: "tests/apply/exact_changes_test.ts", env: { BERTH_TEST_EDITS: "200" } },
  ...[
    "plan/plan",
    "apply/apply",
    "apply/apply_changes",
    "apply/apply_others",
    "apply/apply_edits",
    "apply/exact_matrix",
  ].map((name) => ({ file: `tests/${name}_test.ts`, env: { BERTH_TEST_COMPOSE_VERSION: "5.6.0" } })),
  { file: "tests/store/postgres_faults_test.ts" },
  { file: "tests/watch/histories_test.ts" },
  { file: "tests/watch/removed_test.ts" },
  { file: "tests/watch/endings_test.ts" },
  { file: "tests/watch/canary_test.ts" },
  { file: "tests/watch/unrecorded_test.ts" },
  { file: "tests/watch/mailpit_test.ts" },
  { file: "tests/watch/notices_kill_test.ts", env: { BERTH_TEST_KILLS: "200" } },
  { file: "tests/store/replica_kill_test.ts", env: { BERTH_TEST_KILLS: "50" } },
  { file: "tests/engines/ssh_engine_test.ts" },
  { file: "tests/engines/tls_engine_test.ts" },
  // In every pair of theme and width
  ...[
    "activity",
    "apply",
    "axe",
    "connection",
    "containers",
    "files",
    "fix",
    "findings",
    "graph",
    "hostile",
    "keyboard",
    "logs",
    "measures",
    "new_project",
    "palette",
    "people",
    "plan_crawl",
    "build",
    "scoped_walk",
    "plan_links",
    "provider",
    "resources",
    "screens",
    "settings",
    "shell",
    "source",
    "states",
    "swarm",
    "updates",
    "words",
    "write_down",
  ].map((name) => ({ file: `tests/page/${name}_test.ts` })),
  // The same laws on Podman
  ...[
    "access/authority_start",
    "access/authority_ways",
    "access/direct_start",
    "access/lent_reach",
    "access/mapped_sources",
    "access/mount_above",
    "access/read_elsewhere",
    "apply/apply_changes",
    "apply/apply_judged",
    "apply/apply_late",
    "apply/builds",
    "apply/container_truth",
    "apply/exact_bad_files",
    "apply/host_sight",
    "apply/own_container",
    "apply/proposed_updates",
    "apply/prune",
    "apply/prune_declared",
    "apply/pull",
    "apply/recovery",
    "apply/registries",
    "apply/update_kill",
    "apply/updates",
    "artifacts/registry",
    "client/engine",
    "engines/containers",
    "engines/engine",
    "engines/images",
    "engines/lent_engines",
    "engines/lost_answer",
    "engines/networks",
    "engines/stopped",
    "engines/volumes",
    "packaging/end_to_end",
    "plan/drift",
    "plan/plan_looks_again",
    "streams/earlier_logs",
    "streams/exec",
    "streams/half_open",
    "streams/live",
    "streams/live_logs",
    "streams/logs_engine",
    "streams/shell_example",
    "streams/terminal",
    "watch/causes",
  ].map((name) => ({ file: `tests/${name}_test.ts` })),
  { file: "tests/access/mount_race_test.ts", when: "alone" },
  { file: "tests/artifacts/event_loop_test.ts", when: "alone" },
  { file: "tests/artifacts/file_churn_test.ts", when: "alone" },
  { file: "tests/proof/streams_load_test.ts", when: "alone" },
  { file: "tests/proof/log_storm_test.ts", env: { BERTH_STORM_SECONDS: "60" }, when: "alone" },
  { file: "tests/proof/mirror_storm_test.ts", env: { BERTH_STORM_SECONDS: "60" }, when: "alone" },
  { file: "tests/proof/many_engines_test.ts", when: "alone" },
  {
    file: "tests/engines/swarm_slow_reader_test.ts",
    env: { BERTH_TEST_SWARM: "all", BERTH_STALL_SECONDS: "60" },
    when: "alone",
  },
  { file: "tests/packaging/proxy_flood_test.ts", env: { BERTH_FLOOD_SECONDS: "60" }, when: "alone" },
];
const STEPS: readonly Step[] = [
  ...OWN_STEPS,
  ...Object.keys(LONG).filter((long) => OWN_STEPS.every(({ file }) => file !== long)).map((file) => ({
    file,
  })),
];
/** A file that has not ended by then hangs. */
const LIMIT_MINUTES = 50;
/** The number of files that run at a time: most of them wait for engines. */
const LANES = 2;
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
  when?: Step["when"],
): Promise<void> {
  const head = `${name} ${Object.entries(env).map(([key, value]) => `${key}=${value}`).join(" ")}`;
  const isBeside = when === "beside";
  console.log(`\nbegins: ${head}`);
  const started = performance.now();
  const late = AbortSignal.timeout(LIMIT_MINUTES * 60_000);
  const { success, stdout, stderr } = await new Deno.Command(isBeside ? "nice" : Deno.execPath(), {
    args: isBeside ? ["-n", "19", Deno.execPath(), ...args] : [...args],
    env: { BERTH_PROOF: "1", BERTH_TEST_COMPOSE: "1", NO_COLOR: "1", ...env },
    stdin: "null",
    signal: late,
  }).output();
  const [text = "", errors = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  console.log(`\n${head}\n${errors}${text}`); // whole, since others write at the same time
  const said = late.aborted
    ? `stopped after ${LIMIT_MINUTES} minutes`
    : /(\d+ passed.*?) \(/.exec(text)?.[1] ?? /^(?:held|BROKEN).*$/m.exec(text)?.[0] ?? "";
  rows.push(
    `${String(secondsSince(started)).padStart(5)} s  ${success ? "held  " : "BROKEN"}  ${
      name.padEnd(38)
    }  ${said}`,
  );
  console.log(rows.at(-1));
  isGreen &&= success;
}

// A test that was moved would be missed by nobody until its turn.
for (const { file } of STEPS) await Deno.stat(file);
const share = Deno.env.get("BERTH_PROOF_SHARE") ?? "1/1";
const chosen = shareOf(
  STEPS.filter(({ file, env = {} }) =>
    Deno.args.every((word) => `${file} ${Object.values(env).join(" ")}`.includes(word))
  ),
  share,
);
const hasOthers = Deno.args.length === 0 && share.startsWith("1/");
const those = (when?: Step["when"]) => chosen.filter((one) => one.when === when).map(toRun);
const beside = those("beside").map((run) => run());
const waiting = those();
if (hasOthers) {
  waiting.push(
    () => step("the store in PostgreSQL", ["task", "test:postgres"], {}),
    () => step("two replicas behind Caddy", ["task", "test:replicas"], {}),
  );
}
await Promise.all(Array.from({ length: LANES }, async () => {
  while (waiting.length > 0) await waiting.shift()!();
}));
await Promise.all(beside);
for (const run of those("alone")) await run();
if (hasOthers) {
  for (
    const [engine, store] of [["docker", "sqlite"], ["podman", "sqlite"], ["docker", "postgres"]] as const
  ) {
    await step(
      `chaos on ${engine} and ${store}`,
      ["run", "-A", "--no-check", "--lock=tests/deno.lock", "tests/proof/chaos.ts"],
      {
        BERTH_CHAOS_ENGINE: engine,
        BERTH_CHAOS_STORE: store,
        BERTH_CHAOS_MINUTES: String(CHAOS_MINUTES),
      },
    );
  }
}

function toRun({ file, env = {}, when }: Step): () => Promise<void> {
  return () => step(file, ["test", "-A", "--no-check", "--lock=tests/deno.lock", file], env, when);
}

console.log(`\n${rows.join("\n")}\n${String(secondsSince(began)).padStart(5)} s  in all`);
if (!isGreen) Deno.exitCode = 1;
