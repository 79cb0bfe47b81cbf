/** An engine gets what was judged, however quickly the files of a project change while it is applied. */
import assert from "node:assert/strict";
import { pause } from "../../core/pause.ts";
import { numbers } from "../support/numbers.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { type ApplyScene, project, scene, scopedOperator, service } from "../apply/apply_scene.ts";
import { HEALTHY } from "../apply/health_checks.ts";

const ROUNDS = Number(Deno.env.get("BERTH_TEST_EDITED_ROUNDS") ?? "2");
const MOST_ROUNDS = ROUNDS + 10;
const SEED = Number(Deno.env.get("BERTH_TEST_SEED") ?? "1");
const { test } = await sharedEngine("docker");

const SERVICES = ["one", "two", "three", "four"];
const chained = (at: number) =>
  at === 0 ? "" : `depends_on: { ${SERVICES[at - 1]}: { condition: service_healthy } }`;
const OWN = "volumes: ['./data:/data:ro']\nenv_file: [value.env]";
const textOf = (name: string, more: string) =>
  project(name, SERVICES.map((one, at) => service(one, [HEALTHY, chained(at), OWN, more].join("\n"))));
/** Ways out of the project, each put into the file while the apply goes on. */
const OUTWARDS = [
  "privileged: true",
  "pid: host",
  "network_mode: host",
  "cap_add: [SYS_ADMIN]",
  "devices: ['/dev/null:/dev/x']",
];

/** Changes the Compose file, the env file and the bind's folder, and back, until it is stopped. */
async function change(scene: ApplyScene, evil: string, random: () => number, ending: AbortSignal) {
  const { path, name } = scene;
  const put = async (file: string, text: string) => {
    await Deno.writeTextFile(`${path}/.new`, text);
    await Deno.rename(`${path}/.new`, `${path}/${file}`);
  };
  const ways = [
    [() => put("compose.yaml", textOf(name, evil)), () => put("compose.yaml", textOf(name, ""))],
    [() => put("value.env", "VALUE=other\n"), () => put("value.env", "VALUE=planned\n")],
    [
      async () => {
        await Deno.rename(`${path}/data`, `${path}/.data`);
        await Deno.symlink("/etc", `${path}/data`);
      },
      async () => {
        await Deno.remove(`${path}/data`);
        await Deno.rename(`${path}/.data`, `${path}/data`);
      },
    ],
  ] as const;
  while (!ending.aborted) {
    const [away, back] = ways[Math.floor(random() * ways.length)]!; // it is below their number
    await away();
    await pause(random() * 400);
    await back();
    await pause(random() * 100);
  }
}

test("An apply sends what its plan was judged by while its files, env files and folders change", async (engine) => {
  const random = numbers(SEED);
  const name = "edited";
  const states: Record<string, number> = {};
  let made = 0;
  await scene(engine, name, project(name, [service("one")]), async (scene) => {
    await Deno.mkdir(`${scene.path}/data`);
    await Deno.writeTextFile(`${scene.path}/data/own`, "");
    await Deno.writeTextFile(`${scene.path}/value.env`, "VALUE=planned\n");
    await scene.write(textOf(name, ""));
    const operator = await scopedOperator(scene, name);
    // On a busy machine the files change before anything is made: then further rounds are taken.
    for (let round = 0; round < ROUNDS || (made === 0 && round < MOST_ROUNDS); round++) {
      const plan = await scene.plan({}, operator);
      assert.deepEqual([plan.missing, plan.blocked], [[], []]);
      const begun = await scene.begin(plan, {}, operator);
      const ending = new AbortController();
      const changing = change(scene, OUTWARDS[round % OUTWARDS.length]!, random, ending.signal); // below their number
      const state = begun.status === 202 ? (await scene.over(begun.body.id)).state : `${begun.status}`;
      ending.abort();
      await changing;
      states[state] = (states[state] ?? 0) + 1;

      for (const [label, { id }] of Object.entries(await scene.containers())) {
        const { json } = await engine.ask(`GET /containers/${id}/json`);
        const { Privileged, PidMode, NetworkMode, CapAdd, Devices } = json.HostConfig;
        const reach = [Privileged, PidMode, NetworkMode, CapAdd, Devices ?? []];
        assert.deepEqual(reach, [false, "", `${name}_default`, null, []], `${label} in round ${round}`);
        assert.ok(json.Config.Env.includes("VALUE=planned"), `${label}: ${json.Config.Env}`);
        assert.deepEqual(json.Mounts.map((one: { Source: string }) => one.Source), [`${scene.path}/data`]);
        if (json.State.Running) assert.equal((await engine.cli("exec", id, "ls", "/data")).trim(), "own");
        made++;
      }
      if (state === "paused") await scene.berth.call(`POST /api/applies/${begun.body.id}/abandon`);
      await scene.clear();
    }
  });
  console.log(
    `${ROUNDS} rounds or more, ${made} containers as planned; applies ended as ${JSON.stringify(states)}`,
  );
  assert.ok(made > 0);
});
