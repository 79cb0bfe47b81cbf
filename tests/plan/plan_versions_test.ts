/** Fields that an engine is too old for are refused by name, with their line: an engine leaves them out in silence. */
import assert from "node:assert/strict";
import { SINCE } from "../../projects/fields/since.ts";
import type { Plan } from "../../projects/plan/plan_shape.ts";
import { workspace } from "../streams/live_scene.ts";
import { quiet } from "../support/quiet_engine.ts";
import { ScriptedEngine } from "../support/scripted_engine.ts";
import { serveEngines } from "../support/service.ts";

const NETWORK = "networks.default.enable_ipv4";

/** By the key: a service that has it, and what is said of it. */
const SAMPLES: Readonly<Record<string, readonly [key: string, lines: string]>> = {
  "annotations": ["annotations", "annotations: { a: b }"],
  "healthcheck.start_interval": [
    "healthcheck.start_interval",
    "healthcheck: { test: [CMD, 'true'], start_interval: 1s }",
  ],
  "networks.*.mac_address": [
    "networks.back.mac_address",
    "networks: { back: { mac_address: '02:42:ac:11:00:02' } }",
  ],
  "volumes.*.bind.recursive": [
    "volumes.0.bind.recursive",
    "volumes: [{ type: bind, source: /srv, target: /x, bind: { recursive: disabled } }]",
  ],
  "volumes.*.volume.subpath": [
    "volumes.0.volume.subpath",
    "volumes: [{ type: volume, source: data, target: /x, volume: { subpath: a } }]",
  ],
  "volumes.*.image": ["volumes.0.type", "volumes: [{ type: image, source: busybox, target: /x }]"],
  "networks.*.gw_priority": ["networks.back.gw_priority", "networks: { back: { gw_priority: 1 } }"],
  "networks.*.interface_name": [
    "networks.back.interface_name",
    "networks: { back: { interface_name: eth9 } }",
  ],
  [NETWORK]: ["enable_ipv4", "networks: [back]"],
};

const before = (version: string) => version.replace(/\d+$/, (minor) => String(Number(minor) - 1));
const named = (version: string) => `v${version}`;

Deno.test("each key that an engine is too old for blocks the plan by its name and place, and none that it knows (F93)", async () => {
  const since: Readonly<Record<string, string>> = { ...SINCE, [NETWORK]: "1.48" };
  assert.deepEqual(Object.keys(SAMPLES).sort(), Object.keys(since).sort(), "each has a sample");
  await using stack = new AsyncDisposableStack();
  const versions = new Set(Object.values(since).flatMap((version) => [version, before(version)]));
  const engines: Record<string, ScriptedEngine> = {};
  for (const version of [...versions, "podman"]) {
    const engine = stack.use(new ScriptedEngine(quiet));
    if (version === "podman") engine.isPodman = true;
    else engine.apiVersion = version;
    engines[version === "podman" ? version : named(version)] = engine;
  }
  const berth = stack.use(await serveEngines(engines));
  for (const [index, [pattern, [key, lines]]] of Object.entries(SAMPLES).entries()) {
    const name = `sample${index}`;
    const text = `name: ${name}\nservices:\n  web:\n    image: busybox\n    ${lines}\n` +
      `networks: { back: { enable_ipv4: ${pattern !== NETWORK} } }\nvolumes: { data: {} }\n`;
    const { id } = await workspace(berth, name, text);
    const refusals = async (backend: string) => {
      const route = `POST /api/workspaces/${id}/artifacts/groups/${name}/plan`;
      const plan: Plan = (await berth.call(route, { backend })).body;
      return plan.blocked.filter(({ code }) => code === "project/engine-cannot")
        .map(({ message, location }) => `${location?.range.start.line} ${message}`);
    };
    const version = since[pattern]!; // each has one
    const line = pattern === NETWORK ? 6 : 5;
    const old = before(version);
    assert.deepEqual(await refusals(named(old)), [
      `${line} "${key}" cannot be asked of the engine "${
        named(old)
      }": it needs Docker's API ${version}, and this ` +
      `engine has ${old}`,
    ]);
    assert.deepEqual(await refusals(named(version)), [], pattern);
    assert.deepEqual(await refusals("podman"), [
      `${line} "${key}" cannot be asked of the engine "podman": it needs Docker`,
    ]);
  }
});
