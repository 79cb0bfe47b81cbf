/**
 * A running project of berth, a random change of one field, an apply, and then Compose: it finds nothing to do, or what
 * it makes anew is the very container that berth left. `deno task proof` makes 200 changes,
 * and nothing else runs it.
 */
import assert from "node:assert/strict";
import { scene, type Seen } from "./apply_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { numbers } from "../support/numbers.ts";
import { proofEngine } from "../support/shared_engine.ts";
import { isAgreed } from "./exact/agreed.ts";
import { FILES, type Form, FORMS } from "./exact/forms.ts";
import { made, unequal } from "./exact/made.ts";
import { named, plainProject, taken, unblocked } from "./exact/taken.ts";

const CHANGES = Number(Deno.env.get("BERTH_TEST_EDITS") ?? "6");
const SEED = Number(Deno.env.get("BERTH_TEST_SEED") ?? "1");
/** Services of one project, each with one change of a key of its own. */
const EACH = 20;

/** Forms whose container does not start on a test's engine, or ends. */
const NOT_RUNNING = new RegExp(
  "^(?:entrypoint: (?!~)|command: (?:\\[\\]|''|~)|ulimits: .*010|gpus|deploy: .*devices|cap_add: .*ALL|cpu_shares: 1$|" +
    "user: nobody|privileged: true|oom_score_adj: .*-|volumes: .*rslave|group_add: .*audio|pids_limit: (?!100|-1)|(?:post_start|pre_stop): .*privileged)",
);
/** Chosen by the engine at each start, and the label for which Compose makes it anew. */
const UNCOMPARED = /^NetworkSettings\.Ports|\.config-hash$/;
/** Forms in which Compose hashes the id of another container. */
const NAMES_CONTAINER = /service:s0|^volumes_from:/;

const keyOf = (lines: string) => lines.slice(0, lines.indexOf(":"));
const BASE = "stop_grace_period: 1s";
/** A service that runs, with these lines over those of every service. */
const running = (lines: string) =>
  [...["command: [idle]", BASE].filter((line) => keyOf(line) !== keyOf(lines)), lines]
    .filter((line) => line !== "").join("\n");

/** Changes that berth leaves, though the container is not quite the same, and why. */
const LEFT: readonly { readonly why: string; readonly change: RegExp }[] = [
  {
    why: "neither value gives a health check, for its image has none",
    change:
      /^(?:|healthcheck: \{ (?:interval|disable|test: \[NONE).*) => (?:|healthcheck: \{ (?:interval|disable|test: \[NONE).*)$/,
  },
  {
    why: "nothing and the default are the same to Linux",
    change: /^(?:|isolation: default) => (?:|isolation: default)$|^(?:|restart: 'no') => (?:|restart: 'no')$/,
  },
  {
    why: "both are the same flag, and the engine shows it as it was written",
    change: /^security_opt: \['no-new-privileges(?::true)?'\] => security_opt: \['no-new-privileges/,
  },
  { why: "a container keeps its name until it is made anew", change: /^container_name: .* => $/ },
  {
    why: "an engine's own default is told by no container",
    change:
      /^(?:init: false|shm_size|memswap_limit|mem_swappiness|mem_limit: .*\nmemswap|cgroup|ipc|logging|runtime|oom_kill|mac_address|security_opt: \[label=disable)(?:.|\n)* => /,
  },
  {
    why: "a kernel without swappiness makes an engine show none, whatever was asked for",
    change: /^ => mem_swappiness/,
  },
  {
    why: "an engine shows -1, 0 or nothing for no limit, and all are the same to Linux",
    change: /^(?:pids_limit: .*)? => pids_limit: -1$/,
  },
  {
    why: "without priorities any network may be the first",
    change: /^networks: .*priority.* => networks: \[/,
  },
];
const isLeft = ({ before, after }: Change) => LEFT.some(({ change }) => change.test(`${before} => ${after}`));

/** Changes that once went wrong; they come first. */
const FOUND: readonly (readonly [before: string, after: string])[] = [
  ["", "container_name: named-one"],
  ["container_name: named-2", ""],
  ["stop_signal: SIGRTMIN+3", "stop_signal: '9'"],
  ["", "init: false"],
  ["expose: ['80']", "expose: [80, '90/udp']"],
  ["networks: [inner, other]", "networks: { inner: { priority: 1 }, other: { priority: 2 } }"],
  ["shm_size: 64m", "shm_size: ${SIZE}"],
  [
    "healthcheck: { test: [CMD, 'true'] }",
    "healthcheck: { test: 'exit 0', interval: 1m30s, timeout: 5s, retries: 3 }",
  ],
  ["", "deploy: { resources: { limits: { memory: 64m } } }"],
  ["", "logging: { options: { max-file: 3 } }"],
  ["cpu_quota: 50000", "cpu_quota: 0"],
  ["mem_swappiness: 10", ""],
  ["pids_limit: 100", "pids_limit: -1"],
  ["ports: ['18080:80']", "ports: ['80']"],
  ["init: false", ""],
  ["hostname: box.lan", "hostname: ${NOPE:-}"],
];

interface Change {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** Returns changes of different keys: a value that is new, another one or gone. */
function someChanges(forms: readonly Form[], count: number, random: () => number): Change[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!; // not empty
  const byKey = Map.groupBy(forms, ({ lines }) => keyOf(lines));
  const keys = [...byKey.keys()].map((key) => [random(), key] as const).sort(([a], [b]) => a - b);
  return keys.slice(0, count).map(([, key], n) => {
    const values = [...byKey.get(key)!.map(({ lines }) => lines), ""];
    const before = pick(values);
    return { name: `s${n + 1}`, before, after: pick(values.filter((lines) => lines !== before)) };
  });
}

const textOf = (changes: readonly Change[], when: "before" | "after") =>
  plainProject(changes.map((change) => ({ name: change.name, lines: running(change[when]) })));

const { test } = await proofEngine("docker");

test(
  `After ${CHANGES} random single changes applied by berth, Compose is idle or makes the same container`,
  async (engine) => {
    const random = numbers(SEED);
    const wrong: string[] = [];
    const kept: string[] = [];
    let count = 0;
    await scene(engine, "exact", plainProject([]), async (scene) => {
      await Deno.mkdir(`${scene.path}/own`);
      for (const [path, text] of Object.entries(FILES)) {
        await Deno.writeTextFile(`${scene.path}/${path}`, text);
      }
      const forms = FORMS.filter(({ lines }) => !NOT_RUNNING.test(lines));
      while (count < CHANGES) {
        const drawn = count === 0
          ? FOUND.map(([before, after], n) => ({ name: `s${n + 1}`, before, after }))
          : someChanges(forms, Math.min(EACH, CHANGES - count), random);
        const values = named(drawn.flatMap(({ before, after }) => [{ lines: before }, { lines: after }]));
        const possible = await unblocked(scene, await taken(scene.path, engine.socket, values));
        const isPossible = (one: string) => possible.some(({ lines }) => lines === one);
        const changes = drawn.filter(({ before, after }) => isPossible(before) && isPossible(after));
        await scene.clear();
        await scene.write(textOf(changes, "before"));
        const first = await scene.apply();
        assert.equal(first.state, "done", `${first.reason} ${textOf(changes, "before")}`);
        const begun = await scene.containers();
        await scene.write(textOf(changes, "after"));
        const applied = await scene.apply();
        assert.equal(applied.state, "done", `${applied.reason} ${textOf(changes, "after")}`);
        const left = (await scene.plan()).steps;
        const ofBerth = await made(engine, "exact");
        const before = await scene.containers();
        assert.equal(await composeToday(engine.socket, scene.path, "up", "-d"), "");
        const ofCompose = await made(engine, "exact");
        const after = await scene.containers();
        for (const change of changes) {
          count += 1;
          const { name } = change;
          const what = `${name} of seed ${SEED}, ${JSON.stringify(change)}`;
          const idIn = (all: Record<string, Seen>) =>
            Object.values(all).find(({ labels }) => labels["com.docker.compose.service"] === name)?.id;
          const again = left.filter(({ unit }) => unit === `unit:exact.${name}`);
          if (again.length > 0) wrong.push(`${what}: planned again, ${JSON.stringify(again[0]?.why)}`);
          if (idIn(before) === idIn(after)) continue;
          kept.push(what);
          // Made anew by both: the label is not the one that Compose computes.
          if (idIn(begun) !== idIn(before) && !NAMES_CONTAINER.test(change.after)) {
            wrong.push(`${what}: made anew by berth, and once more by Compose`);
          }
          const differences = unequal(ofCompose.get(name) ?? {}, ofBerth.get(name) ?? {}).filter(({ path }) =>
            !isAgreed(path, change.after) && !UNCOMPARED.test(path)
          );
          if (differences.length > 0 && !isLeft(change)) {
            wrong.push(`${what}: ${JSON.stringify(differences)}`);
          }
        }
      }
    }, { applyTimes: { judgedMs: 100 } });
    console.log(`${count} changes, ${kept.length} of which change no container:\n${kept.join("\n")}`);
    assert.equal(wrong.length, 0, wrong.join("\n"));
  },
  composeOfToday.missing,
);
