/** Acts of others while an apply runs: Compose, strangers, and a registry that refuses. */
import assert from "node:assert/strict";
import type { EngineActs } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { type ApplyScene, project, scene, service } from "./apply_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { startRefusingRegistry } from "../support/refusing_registry.ts";
import type { ServiceOptions } from "../support/service.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { HEALTHY, HELD } from "./health_checks.ts";

/** `BERTH_PROOF=1`: on each engine. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";

/** Begins an apply, does something once the step is in hand, lets it go on, and answers how it ended. */
async function meanwhile(scene: ApplyScene, kind: string, held: string, act: () => Promise<unknown>) {
  const begun = await scene.begin(await scene.plan());
  assert.equal(begun.status, 202, begun.text);
  await eventually(`${kind} is in hand`, async () => {
    const { steps } = (await scene.berth.call(`GET /api/applies/${begun.body.id}`)).body;
    return steps.some((step: { kind: string; state: string }) =>
      step.kind === kind && step.state === "running"
    );
  });
  await act();
  // The first to have the name is still the old one.
  await eventually("it is over", async () => {
    await scene.engine.cli("exec", held, "touch", "/go").catch(() => {});
    return (await scene.berth.call(`GET /api/applies/${begun.body.id}`)).body.state !== "running";
  }, { timeoutMs: 120_000, everyMs: 200 });
  return await scene.over(begun.body.id);
}

/** Of each act the first attempt is said to have taken too long, and happens only when the second one is asked for. */
function late(acts: EngineActs, waiting: Map<string, () => Promise<unknown>>): EngineActs {
  return new Proxy(acts, {
    get(target, key) {
      const value = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      const act = value.bind(target);
      if (!LATE.includes(String(key))) return act;
      return async (...given: unknown[]) => {
        const what = `${String(key)} ${JSON.stringify(given[0])}`;
        const first = waiting.get(what);
        if (first === undefined) {
          waiting.set(what, () => act(...given));
          throw new ServiceError(
            { code: "engine_timeout", status: 504 },
            `Cannot ${String(key)}: it took too long`,
          );
        }
        await first();
        return await act(...given);
      };
    },
  });
}
const LATE = [
  ...["create", "start", "stop", "rename", "remove", "restart"],
  ...["createNetwork", "removeNetwork", "createVolume", "removeVolume", "connect"],
];

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("what an engine does late, after it was given up, is found, and neither done twice nor a failure", async (engine) => {
    const name = `late${kind}`;
    const waiting = new Map<string, () => Promise<unknown>>();
    const mount: ServiceOptions["mount"] = ({ plugins: { runtime } }) => {
      if (runtime === null) throw new Error("the container runtime does not run");
      const acts = runtime.acts.bind(runtime);
      runtime.acts = (backend) => late(acts(backend), waiting);
      return [];
    };
    const text = project(
      name,
      [service(
        "web",
        `networks: [default, back]\nvolumes: ['data:/data']\nenvironment: { C: red }\n${HEALTHY}`,
      )],
      "networks: { back: {} }\nvolumes: { data: {} }\n",
    );
    await scene(engine, name, text, async (scene) => {
      const over = (applied: Apply) => assert.deepEqual([applied.state, applied.reason], ["done", null]);
      over(await scene.apply());
      await scene.write(text.replace("red", "blue"));
      over(await scene.apply());
      assert.deepEqual(Object.keys(await scene.containers()), [`${name}-web-1`]);
      assert.deepEqual((await scene.plan()).steps, []);
      const volume = `${name}_data`;
      over(await scene.apply({ action: "down", volumes: [volume] }, { confirm: [volume] }));
      assert.deepEqual(await scene.containers(), {});
      assert.equal((await engine.ask(`GET /volumes/${volume}`)).status, 404);
      const acts = new Set([...waiting.keys()].map((what) => what.split(" ")[0]));
      assert.deepEqual([...acts].sort(), LATE.filter((one) => one !== "restart").sort());
    }, { mount });
  });

  if (kind === "podman" && !isProof) continue; // the same code

  test("a container that a stranger renames in the middle fails its own step, and no other is harmed (F83)", async (engine) => {
    const name = `renamed${kind}`;
    const text = project(name, [
      service("a", HEALTHY),
      service("b", `depends_on: { a: { condition: service_healthy } }\nenvironment: { C: red }\n${HEALTHY}`),
      service("c", HEALTHY),
    ]);
    await scene(engine, name, text, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      const before = await scene.containers();
      await scene.write(text.replace(HEALTHY, HELD).replace("red", "blue"));

      const over = await meanwhile(
        ...[scene, "container.swap", `${name}-a-1`] as const,
        () => engine.cli("rename", `${name}-b-1`, `${name}-stolen`),
      );

      assert.equal(over.state, "failed");
      assert.match(over.reason ?? "", /b-1" was renamed by somebody else: ask for a new plan$/);
      const after = await scene.containers();
      assert.deepEqual(Object.keys(after), [`${name}-a-1`, `${name}-c-1`, `${name}-stolen`]);
      assert.deepEqual(after[`${name}-stolen`], before[`${name}-b-1`]);
      assert.deepEqual(after[`${name}-c-1`], before[`${name}-c-1`]);
      assert.notEqual(after[`${name}-a-1`]?.id, before[`${name}-a-1`]?.id);
    });
  });

  test("strangers in a network block its replacement by name, and make a plan stale that did not know them (F88)", async (engine) => {
    const name = `guests${kind}`;
    const text = project(
      name,
      [service("web", HEALTHY)],
      "networks: { default: {} }\nvolumes: { data: {} }\n",
    );
    const used = text.replace(`${HEALTHY}\n`, `${HEALTHY}\n    volumes: ['data:/data']\n`);
    await scene(engine, name, used, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      const before = await scene.containers();
      const guest = `${name}-guest`;
      const edited = used.replace("default: {}", "default: { internal: true }");
      await scene.write(edited);
      const plan = await scene.plan();
      assert.deepEqual(plan.blocked, []);
      await engine.cli("run", "-d", "--name", guest, "--network", `${name}_default`, FIXTURE, "idle");
      try {
        const blocked = await eventually("the guest is seen", async () => {
          const { blocked } = await scene.plan();
          return blocked.length > 0 ? blocked : null;
        });
        assert.deepEqual(blocked.map(({ code }) => code), ["project/network-in-use"]);
        assert.ok(blocked[0]?.message.includes(`"${guest}"`), blocked[0]?.message);
        const late = await scene.begin(plan);
        assert.deepEqual([late.status, late.body.code], [409, "plan_stale"], late.text);
        assert.match(JSON.stringify(late.body.errors), new RegExp(`network ${name}_default`));
      } finally {
        await engine.cli("rm", "--force", guest);
      }
      assert.deepEqual(await scene.containers(), before, "nobody was cut off");

      await scene.write(used.replace("data: {} }", "data: { driver: elsewhere } }"));
      const remark = await eventually("the file is read", async () => {
        const plan = await scene.plan();
        return plan.warnings.length > 0 ? plan : null;
      });
      assert.deepEqual(remark.warnings.map(({ code }) => code), ["project/volume-changed"]);
      assert.deepEqual([remark.blocked, remark.steps], [[], []], "a volume is never replaced");
    });
  });
}

const { test } = await sharedEngine("docker");

test("a network whose addresses another one has is neither replaced nor made, and the plan names that one", async (engine) => {
  const text = project("addresses", [service("web", HEALTHY)], "networks: { default: {} }\n");
  const placed = (subnet: string) =>
    text.replace("default: {}", `default: { ipam: { config: [{ subnet: ${subnet} }] } }`);
  await scene(engine, "addresses", placed("10.234.1.0/24"), async (scene) => {
    const taken = ["create", "--subnet", "10.234.2.0/24", "addresses-other"];
    await engine.cli("network", ...taken);
    try {
      assert.equal((await scene.apply()).state, "done");
      const before = await scene.containers();
      const blocked = async () =>
        (await scene.plan()).blocked.map(({ code, message }) => ({ code, message }));

      await scene.write(placed("10.234.2.128/25"));
      const [first, ...more] = await eventually("the other network is seen", async () => {
        const found = await blocked();
        return found.length > 0 ? found : null;
      });

      assert.deepEqual([first?.code, more], ["project/subnet-taken", []]);
      assert.match(first?.message ?? "", /"10\.234\.2\.128\/25".*"addresses-other"/);
      assert.deepEqual((await scene.plan()).steps, []);
      assert.deepEqual(await scene.containers(), before);
      await scene.write(placed("10.234.1.9/24"));
      assert.deepEqual((await scene.plan()).steps, [], "the same range in another form");
      await scene.clear();
      await scene.write(placed("10.234.0.0/16"));
      await eventually("it is blocked before it is made, too", async () => {
        return (await blocked()).some(({ code }) => code === "project/subnet-taken");
      });
      await engine.cli("network", "rm", "addresses-other");
      await eventually("the addresses are free", async () => (await blocked()).length === 0);
      assert.equal((await scene.apply()).state, "done");
    } finally {
      await engine.cli("network", "rm", "addresses-other").catch(() => {});
    }
  });
});

test(
  "Compose that brings the same project up at the same time keeps what it made, and the step fails aloud (F84)",
  async (engine) => {
    const name = "atonce";
    const text = project(name, [
      service("a", HELD),
      // It is made when c runs, for it takes c's volumes, and c waits for a: time enough for Compose to make it first.
      service("b", "volumes_from: [c]"),
      service("c", "depends_on: { a: { condition: service_healthy } }"),
    ]);
    await scene(engine, name, text, async (scene) => {
      let theirs: Record<string, string> = {};
      const over = await meanwhile(scene, "wait", `${name}-a-1`, async () => {
        assert.equal(await composeToday(engine.socket, scene.path, "up", "-d", "--no-deps", "b"), "");
        theirs = await scene.ids();
      });

      assert.equal(over.state, "failed");
      assert.match(over.reason ?? "", /atonce-b-1.*(?:in use|already|taken)/s);
      assert.deepEqual(Object.keys(theirs), [`${name}-a-1`, `${name}-b-1`, `${name}-c-1`]);
      assert.deepEqual(await scene.ids(), theirs);
      assert.deepEqual((await scene.plan()).steps, [], "what it made is what was wanted");
    });
  },
  composeOfToday.missing,
);

test("an image that no registry gives fails before anything is touched, with the host and the reference (F87)", async (engine) => {
  await using registry = await startRefusingRegistry(engine);
  const name = "nopull";
  const text = project(name, [service("web", HEALTHY)]);
  await scene(engine, name, text, async (scene) => {
    assert.equal((await scene.apply()).state, "done");
    const before = await scene.containers();
    for (const [repository, why] of registry.refusals) {
      const reference = `${registry.host}/${repository}:1`;
      await scene.write(text.replace(FIXTURE, reference));
      const over = await scene.apply();
      assert.equal(over.state, "failed", repository);
      assert.ok(over.reason?.includes(reference), over.reason ?? "");
      assert.match(over.reason ?? "", why);
      const states = over.steps.map(({ kind, state }) => `${kind} ${state}`);
      assert.deepEqual(states, ["image.pull failed", "container.swap skipped"]);
      assert.deepEqual(await scene.containers(), before, repository);
    }
  });
});
