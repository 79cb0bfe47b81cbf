/** Promise: an apply whose connections to the engine become half open at an act goes on by itself, and does no act twice. */
import assert from "node:assert/strict";
import { chaosProxy } from "../proof/chaos_proxy.ts";
import { PROMISED } from "../proof/promised.ts";
import type { TestEngine } from "../support/engine.ts";
import { serveEngines } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { within } from "../support/within.ts";
import { ApplyScene, project, service } from "./apply_scene.ts";
import { HEALTHY } from "./health_checks.ts";

/** `BERTH_PROOF=1`: at every act; on each commit at two of a swap, in which a service is down. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";

/** The beginning of the request of each act. */
const ACTS = {
  createNetwork: /^POST \S+\/networks\/create/,
  createVolume: /^POST \S+\/volumes\/create/,
  create: /^POST \S+\/containers\/create/,
  connect: /^POST \S+\/networks\/\S+\/connect/,
  start: /^POST \S+\/containers\/\w+\/start/,
  makeCommand: /^POST \S+\/containers\/\w+\/exec/,
  update: /^POST \S+\/containers\/\w+\/update/,
  stop: /^POST \S+\/containers\/\w+\/stop/,
  rename: /^POST \S+\/containers\/\w+\/rename/,
  remove: /^DELETE \S+\/containers\//,
  removeNetwork: /^DELETE \S+\/networks\//,
  removeVolume: /^DELETE \S+\/volumes\//,
} as const;

interface Scenario {
  readonly name: string;
  readonly acts: readonly (keyof typeof ACTS)[];
  /** Another colour of the same runs before; nothing in the beginning. */
  readonly from: "nothing" | "red";
  readonly down?: true;
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: "up",
    from: "nothing",
    acts: isProof ? ["createNetwork", "createVolume", "create", "connect", "start", "makeCommand"] : [],
  },
  {
    name: "swap",
    from: "red",
    acts: isProof ? ["create", "connect", "update", "stop", "rename", "start", "remove"] : ["stop", "start"],
  },
  {
    name: "down",
    from: "red",
    down: true,
    acts: isProof ? ["stop", "remove", "removeNetwork", "removeVolume"] : [],
  },
];

const text = (name: string, colour: string) =>
  project(name, [
    service(
      "web",
      `volumes: ['data:/data']\nrestart: always\nnetworks: [default, back]\nenvironment: { C: ${colour} }\n` +
        `post_start: [{ command: ['true'] }]\n${HEALTHY}`,
    ),
  ], "networks: { back: {} }\nvolumes: { data: {} }\n");

async function run(engine: TestEngine, scenario: Scenario, act: keyof typeof ACTS): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const proxy = stack.use(chaosProxy(engine.socket));
  const berth = stack.use(await serveEngines({ [engine.kind]: proxy }));
  const name = `half${scenario.name}`;
  const scene = await ApplyScene.on(engine, berth, name, text(name, "red"));
  stack.defer(() => scene.clear());
  if (scenario.from === "red") {
    assert.equal((await scene.apply()).state, "done");
    if (scenario.down === undefined) await scene.write(text(name, "blue"));
  }
  const volumes = scenario.down ? [`${name}_data`] : [];
  const plan = await scene.plan(scenario.down ? { action: "down", volumes } : {});
  const isAhead = proxy.freezeAt((request) => ACTS[act].test(request));
  const { status, body, text: said } = await scene.begin(plan, { confirm: volumes });
  assert.equal(status, 202, said);

  const over = await within(PROMISED.goneOn, "the apply is over, or waits", async () => {
    const { body: apply } = await berth.call(`GET /api/applies/${body.id}`);
    return apply.state === "running" ? null : apply;
  });

  assert.equal(isAhead(), false, `no request was ${act}`);
  assert.deepEqual([over.state, over.reason], ["done", null]);
  const colour = scenario.from === "red" ? "blue" : "red";
  const seen = Object.entries(await scene.containers()).map(([name, { state, restart, env }]) =>
    [name, state, restart, env.includes(`C=${colour}`)].join(" ")
  );
  assert.deepEqual(seen, scenario.down ? [] : [`${name}-web-1 running always true`]);
  assert.equal((await engine.ask(`GET /volumes/${name}_data`)).status, scenario.down ? 404 : 200);
  const ended = (await scene.events(body.id)).filter(({ kind, state }) =>
    kind === "step" && state === "done"
  );
  assert.equal(ended.length, new Set(ended.map(({ step }) => step)).size, "each step ended once");
  assert.equal((await berth.call("GET /api/health")).body.checks.applies.status, "ok");
  assert.deepEqual(berth.bugs(), []);
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  for (const scenario of SCENARIOS) {
    if (scenario.acts.length === 0) continue;
    test(
      `half-open connections at an act of ${scenario.name}: the apply goes on, and each act is done once (F128)`,
      async (engine, context) => {
        for (const act of scenario.acts) {
          if (act === "update" && kind === "podman") continue; // it starts no container by itself
          await context.step(act, () => run(engine, scenario, act));
        }
      },
    );
  }
}
