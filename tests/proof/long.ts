/**
 * Tests that take too long for every commit, each the second case of a class or a long way to what a shorter one sees,
 * too: whole files, or those of a file whose names begin so. `deno task proof` runs them, and so does who names the file.
 */
export const LONG: Readonly<Record<string, "whole" | readonly string[]>> = {
  "tests/access/masked_acts_test.ts": "whole",
  "tests/access/masked_shapes_test.ts": "whole",
  "tests/apply/apply_bad_journal_test.ts": "whole",
  "tests/apply/apply_clocks_test.ts": "whole",
  "tests/apply/apply_faults_test.ts": [
    "a port that is taken, a folder and a device that are not there",
    "pulls come first, with the credentials of the apply alone",
    "who depends on what never becomes healthy",
  ],
  "tests/apply/apply_full_disk_test.ts": "whole",
  "tests/apply/apply_half_open_test.ts": "whole",
  "tests/apply/apply_held_test.ts": "whole",
  "tests/apply/apply_hooks_test.ts": [
    "a hook in which berth was killed is not run again by itself",
    "a hook that fails stops what comes after it",
  ],
  "tests/apply/apply_late_test.ts": "whole",
  "tests/apply/apply_others_test.ts": "whole",
  "tests/apply/apply_owner_test.ts": "whole",
  "tests/apply/apply_pairs_test.ts": "whole",
  "tests/apply/apply_strangers_test.ts": "whole",
  "tests/apply/apply_two_berths_test.ts": "whole",
  "tests/apply/apply_waits_test.ts": "whole",
  "tests/apply/automatic_updates_test.ts": [
    "a pull that fails is told",
    "a window, a cool-down of its own",
    "an update by itself takes no change of the files along",
    "an update waits and says so when its person is gone",
    "of two replicas one updates, once",
    "the first update that goes back ends them all",
  ],
  "tests/apply/builds_test.ts": [
    "Compose builds the same image from the same files",
    "a build that prints without end",
  ],
  "tests/apply/exact_bad_files_test.ts": "whole",
  "tests/apply/mounts_test.ts": [
    "a file that is replaced 100 times a second",
    "a mount that reads another file than the one that is there",
  ],
  "tests/apply/proposed_updates_test.ts": ["berth updates --take writes the line"],
  "tests/apply/stack_kill_test.ts": "whole",
  "tests/apply/update_all_test.ts": "whole",
  "tests/apply/update_kill_test.ts": "whole",
  "tests/apply/updates_replicas_test.ts": "whole",
  "tests/artifacts/event_loop_test.ts": "whole",
  "tests/artifacts/file_churn_test.ts": "whole",
  "tests/client/node_bun_test.ts": "whole",
  "tests/client/package_test.ts": ["102 JSR would take the client"],
  "tests/engines/swarm_drift_test.ts": "whole",
  "tests/engines/swarm_logs_test.ts": "whole",
  "tests/engines/swarm_test.ts": "whole",
  "tests/git/auto_test.ts": [
    "a berth that ends while the policy applies a group",
    "a group that cannot be applied stops the others",
  ],
  "tests/git/failures_test.ts": ["a server that is away, mute or says no, and a branch that is gone"],
  "tests/git/hooks_test.ts": ["a thousand hooks cost a check a second"],
  "tests/git/preview_corpus_test.ts": "whole",
  "tests/git/replicas_test.ts": "whole",
  "tests/git/sync_test.ts": ["a sync that was interrupted and cannot be finished is tried again"],
  "tests/page/activity_test.ts": "whole",
  "tests/page/apply_test.ts": [
    "a hook whose end nobody knows waits for a person",
    "a person sees which container an apply started",
  ],
  "tests/page/connection_test.ts": "whole",
  "tests/page/containers_test.ts": ["what happens behind berth's back shows by itself"],
  "tests/page/env_version_test.ts": "whole",
  "tests/page/files_test.ts": ["earlier texts are compared and put back", "when somebody else was faster"],
  "tests/page/findings_test.ts": "whole",
  "tests/page/fix_test.ts": [
    "a plan names the variable that is not set",
    "a plan shows the values of its variables",
    "each message of a plan has a button",
    "several projects are planned together",
  ],
  "tests/page/hostile_test.ts": ["markup and characters that turn a line around"],
  "tests/page/keyboard_test.ts": "whole",
  "tests/page/logs_test.ts": [
    "few elements draw a log of ",
    "a log counts over two restarts of berth",
    "older lines come in above",
  ],
  "tests/page/measures_test.ts": "whole",
  "tests/page/palette_test.ts": "whole",
  "tests/page/people_test.ts": ["a person with one project sees it on every screen"],
  "tests/page/plan_crawl_test.ts": "whole",
  "tests/page/plan_links_test.ts": "whole",
  "tests/page/provider_test.ts": "whole",
  "tests/page/registries_test.ts": "whole",
  "tests/page/resources_test.ts": [
    "a plan that is too old is grey",
    "a viewer finds nothing to change, and an engine that is away",
  ],
  "tests/page/scoped_walk_test.ts": "whole",
  "tests/page/settings_test.ts": "whole",
  "tests/page/shell_test.ts": ["a shell that ends, is refused or loses its connection"],
  "tests/page/source_test.ts": "whole",
  "tests/page/states_test.ts": "whole",
  "tests/page/swarm_test.ts": "whole",
  "tests/page/trouble_test.ts": "whole",
  "tests/page/updates_test.ts": "whole",
  "tests/page/write_down_test.ts": "whole",
  "tests/plan/adopt_corpus_test.ts": "whole",
  "tests/plan/adopt_running_test.ts": "whole",
  "tests/plan/adoption_faults_test.ts": "whole",
  "tests/plan/adoption_swap_kill_test.ts": "whole",
  "tests/plan/plan_corpus_test.ts": "whole",
  "tests/proof/log_storm_test.ts": "whole",
  "tests/proof/many_engines_test.ts": ["a list answers within a second in a storm over all engines"],
  "tests/proof/mirror_storm_test.ts": "whole",
  "tests/store/postgres_faults_test.ts": ["A server that restarts amid 200 requests"],
  "tests/streams/terminal_test.ts": ["2,000 events in a burst", "a death of the engine is told"],
  "tests/watch/endings_test.ts": "whole",
  "tests/watch/notices_clock_test.ts": "whole",
  "tests/watch/removed_test.ts": "whole",
  "tests/watch/two_watchers_test.ts": "whole",
  "tests/watch/unrecorded_test.ts": "whole",
  "tests/watch/watcher_cut_test.ts": "whole",
};

/** The files of which every commit runs nothing. */
export const LONG_FILES: readonly string[] = Object.keys(LONG).filter((file) => LONG[file] === "whole");
/** The beginnings of the names of further long tests. */
export const LONG_NAMES: readonly string[] = Object.values(LONG).flatMap((names) =>
  names === "whole" ? [] : names
);

/** True for a long test in a run of all files. */
export function isLeftToProof(name: string): boolean {
  return Deno.env.has("BERTH_TEST_SHORT") && LONG_NAMES.some((long) => name.startsWith(long));
}
