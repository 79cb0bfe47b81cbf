/** Incidents beside real engines: each is opened for what was really done, and names only causes with evidence. */
import assert from "node:assert/strict";
import type { Cause } from "../../core/incidents.ts";
import { ApplyScene, project, service } from "../apply/apply_scene.ts";
import type { EngineKind, TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

const TIMES = { watchTimes: { beginMs: 0, tickMs: 100, wellMs: 1_000 } };
const KEPT = "restart: unless-stopped";
const waits = (then: string) => `[sh, -c, "until test -f /go; do sleep 0.1; done; ${then}"]`;

interface Case {
  readonly name: string;
  readonly lines?: string;
  readonly command?: string;
  readonly act: (scene: ApplyScene, container: string) => Promise<unknown>;
  readonly kind: string;
  readonly cause: Partial<Cause>;
  /** Engines that show it; both unless given. */
  readonly only?: EngineKind;
}

const go = (scene: ApplyScene, container: string) => scene.engine.cli("exec", container, "touch", "/go");

const CASES: readonly Case[] = [
  {
    name: "limited",
    lines: "mem_limit: 128m",
    act: ({ engine }, name) => engine.cli("update", "--memory", "64m", "--memory-swap", "128m", name),
    kind: "differs",
    cause: { kind: "outside", act: "update" },
    only: "docker",
  },
  {
    name: "killed",
    act: ({ engine }, name) => engine.cli("kill", name),
    kind: "broken",
    cause: { kind: "outside", act: "kill" },
  },
  {
    name: "halted",
    lines: KEPT,
    act: ({ engine }, name) => engine.cli("stop", name),
    kind: "stopped",
    cause: { kind: "outside", act: "stop" },
  },
  {
    name: "halfway",
    command: waits("exit 3"),
    act: go,
    kind: "broken",
    cause: { kind: "ended", exitCode: 3 },
  },
  {
    // It obeys HUP, and ends by itself later.
    name: "hung",
    command: `[sh, -c, "trap : HUP; until test -f /go; do sleep 0.1; done; exit 5"]`,
    act: async (scene, name) => {
      await scene.engine.cli("kill", "--signal", "HUP", name);
      await go(scene, name);
    },
    kind: "broken",
    cause: { kind: "ended", exitCode: 5 },
    only: "docker", // Podman does not tell the signal
  },
  {
    name: "again",
    command: waits("exit 4"),
    act: async (scene, name) => {
      await scene.engine.cli("restart", "--time", "1", name);
      await go(scene, name);
    },
    kind: "broken",
    cause: { kind: "ended", exitCode: 4 },
  },
  {
    name: "hungry",
    lines: "mem_limit: 16m\nmemswap_limit: 16m",
    command: waits("exec tail /dev/zero"),
    act: go,
    kind: "broken",
    cause: { kind: "ended", exitCode: 137, outOfMemory: true, memoryLimit: 16 * 1024 * 1024 },
    only: "docker",
  },
  {
    name: "sick",
    lines: `healthcheck: { test: ["CMD", "test", "!", "-f", "/go"], interval: 1s, retries: 1 }`,
    act: go,
    kind: "broken",
    cause: { kind: "ended", unhealthy: true },
    only: "docker", // Podman needs timers of systemd
  },
  {
    name: "removed",
    lines: KEPT,
    act: ({ engine }, name) => engine.cli("rm", "-f", name),
    kind: "notStarted",
    cause: { kind: "outside", act: "destroy" },
  },
  {
    name: "ours",
    lines: KEPT,
    act: async ({ berth }, name) => {
      const { status, text } = await berth.call(`POST /api/containers/${name}/stop`);
      assert.equal(status, 200, text);
    },
    kind: "stopped",
    cause: { kind: "berth", act: "stop" },
  },
  {
    name: "oursgone",
    lines: KEPT,
    act: async ({ berth }, name) => {
      assert.equal((await berth.call(`DELETE /api/containers/${name}?force=true`)).status, 204);
    },
    kind: "notStarted",
    cause: { kind: "berth", act: "remove" },
  },
];

const casesOf = (kind: EngineKind) => CASES.filter(({ only }) => only === undefined || only === kind);

const servicesOf = (kind: EngineKind, edited = "") =>
  project("causes", [
    ...casesOf(kind).map(({ name, lines = "", command }) => service(name, lines, command)),
    service("edited", edited),
    service("well", edited === "" ? "" : "# a comment"),
  ]);

// deno-lint-ignore no-explicit-any -- a test reads what it expects
async function incidentsOf(berth: TestService, query = ""): Promise<any[]> {
  const { status, body, text } = await berth.call(`GET /api/incidents${query}`);
  assert.equal(status, 200, text);
  return body.items;
}

async function watched(engine: TestEngine, work: (scene: ApplyScene) => Promise<void>): Promise<void> {
  await using berth = await serveEngines({ [engine.kind]: engine }, TIMES);
  const scene = await ApplyScene.on(engine, berth, "causes", servicesOf(engine.kind));
  try {
    const openNow = () => incidentsOf(berth, "?state=open&limit=100");
    await eventually(
      "nothing is started",
      async () => (await openNow()).length === casesOf(engine.kind).length + 2,
    );
    assert.ok((await openNow()).every(({ kind, atFirst }) => kind === "notStarted" && atFirst));
    const apply = await scene.apply();
    assert.equal(apply.state, "done", apply.reason ?? "");
    await eventually("all of it is well", async () => (await openNow()).length === 0);
    await work(scene);
  } finally {
    await scene.clear();
  }
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("every incident names the cause that it really had, and when", async (engine) => {
    await watched(engine, async (scene) => {
      const { berth } = scene;
      const began = Date.now();
      for (const { name, act } of casesOf(kind)) await act(scene, `causes-${name}-1`);
      await scene.write(servicesOf(kind, "user: nobody"));
      const expected = [
        ...casesOf(kind),
        { name: "edited", kind: "differs", cause: { kind: "file", file: "compose.yaml" } } as const,
      ];
      const open = await eventually("all are open", async () => {
        const found = await incidentsOf(berth, "?state=open&limit=100");
        // Podman tells no stop: one that ended counts as stopped after a while.
        const isAs = ({ name, kind }: { readonly name: string; readonly kind: string }) =>
          found.some((one) => one.unit === `unit:causes.${name}` && one.kind === kind);
        return expected.every(isAs) ? found : null;
      });
      const byUnit = new Map(open.map((one) => [one.unit, one]));
      for (const { name, kind: verdict, cause } of expected) {
        const found = byUnit.get(`unit:causes.${name}`);
        assert.ok(found, `no incident of ${name}`);
        const { by: _by, line: _line, ...told } = found.cause;
        const named = Object.fromEntries(Object.keys(cause).map((key) => [key, told[key]]));
        assert.deepEqual([found.kind, named], [verdict, cause], `${name}: ${JSON.stringify(found)}`);
        assert.equal(found.atLatest, false, name);
        assert.ok(Date.parse(found.since) >= began - 2_000 && Date.parse(found.since) <= Date.now(), name);
      }
      assert.equal(byUnit.size, expected.length, [...byUnit.keys()].join());
      assert.equal(byUnit.get("unit:causes.ours").cause.by.kind, "apiKey");
      const rows = (await berth.call("GET /api/projects")).body.items;
      assert.ok(rows[0].incident.id !== undefined);
    });
  });
}
