/** Faults between a plan and its end: refused with nothing done, told by name, or taken back. */
import assert from "node:assert/strict";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { type ApplyScene, project, scene, service } from "./apply_scene.ts";
import { eventually } from "../support/eventually.ts";
import { save } from "../streams/live_scene.ts";
import { ACCOUNT, startRegistry } from "../support/registry.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { mayMount, SmallDisk } from "../support/small_disk.ts";
import { HEALTHY, HELD } from "./health_checks.ts";

const states = ({ steps }: Apply) => steps.map(({ kind, state }) => `${kind} ${state}`);

/** Begins the apply of a plan, and returns once the step is in hand. */
async function begun(scene: ApplyScene, kind: string, request: unknown = {}): Promise<string> {
  const answer = await scene.begin(await scene.plan(request));
  assert.equal(answer.status, 202, answer.text);
  await inHand(scene, answer.body.id, kind);
  return answer.body.id;
}

const inHand = (scene: ApplyScene, id: string, kind: string) =>
  eventually(`${kind} is in hand`, async () => {
    const { body } = await scene.berth.call(`GET /api/applies/${id}`);
    return body.steps.some((step: Apply["steps"][number]) => step.kind === kind && step.state === "running");
  });

/** `BERTH_PROOF=1`: on each engine. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";

for (const kind of ["docker", "podman"] as const) {
  if (kind === "podman" && !isProof) continue; // the same code
  const { test } = await lawEngine(kind);

  test("what moved after the plan is named, and nothing is done (F83)", async (engine) => {
    const name = `moved${kind}`;
    const text = project(name, [
      service("web", "env_file: web.env\nenvironment: { C: red }\nsecrets: [word]"),
      service("two"),
    ], "secrets: { word: { file: ./word.txt } }\n");
    await scene(engine, name, text, async (scene) => {
      const { berth, workspace, path } = scene;
      await save(berth, workspace, `${path}/web.env`, "A=1\n");
      await save(berth, workspace, `${path}/word.txt`, "one");
      assert.equal((await scene.apply()).state, "done");
      const before = await scene.ids();
      const refused = async (move: () => Promise<unknown>, what: RegExp) => {
        await scene.write(text.replace("red", "blue"));
        const plan = await eventually("there is something to do", async () => {
          const plan = await scene.plan();
          return plan.steps.length > 0 ? plan : null;
        });
        await move();
        const { status, body } = await eventually("it is seen", async () => {
          const answer = await scene.begin(plan);
          return answer.status === 409 ? answer : null;
        });
        assert.deepEqual([status, body.code], [409, "plan_stale"]);
        assert.match(body.errors.map(({ path }: { path: string }) => path).join(), what);
      };
      const read = async () => await Deno.readTextFile(`${path}/compose.yaml`);

      await refused(async () => await scene.write((await read()).replace("blue", "green")), /compose\.yaml/);
      await refused(() => save(berth, workspace, `${path}/web.env`, "A=2\n"), /web\.env/);
      await save(berth, workspace, `${path}/web.env`, "A=1\n");
      await refused(() => Deno.writeTextFile(`${path}/word.txt`, "two"), /secret word/);
      await Deno.writeTextFile(`${path}/word.txt`, "one");
      await refused(() => engine.cli("stop", `${name}-two-1`), /container moved\w+-two-1/);
      await engine.cli("start", `${name}-two-1`);
      await refused(() => engine.cli("rename", `${name}-two-1`, `${name}-other`), /two-1/);
      await engine.cli("rename", `${name}-other`, `${name}-two-1`);
      assert.deepEqual(await scene.ids(), before, "nothing was done");
      assert.equal((await berth.call("GET /api/applies?limit=200")).body.items.length, 1, "none was begun");
      const plan = await scene.plan();
      const other = await scene.begin(plan, { basis: { declared: "x", observed: "y" } });
      assert.equal(other.body.code, "plan_stale", "another plan was read than the one of this id");
    });
  });

  test("of two applies at once one wins, and the other is told which (F85)", async (engine) => {
    const name = `twice${kind}`;
    const held = service("web", HELD);
    await scene(
      engine,
      name,
      project(name, [held, service("on", "depends_on: { web: { condition: service_healthy } }")]),
      async (scene) => {
        const plan = await scene.plan();
        const both = await Promise.all([scene.begin(plan), scene.begin(plan)]);
        assert.deepEqual(both.map(({ status }) => status).sort(), [202, 409]);
        const [won, lost] = both[0]!.status === 202 ? both : [both[1], both[0]];
        assert.equal(lost!.body.code, "apply_running");
        assert.ok(lost!.body.title.includes(won!.body.id), lost!.body.title);
        await inHand(scene, won!.body.id, "wait");
        await engine.cli("exec", `${name}-web-1`, "touch", "/go");
        assert.equal((await scene.over(won!.body.id)).state, "done");
      },
    );
  });

  test("who depends on what never becomes healthy, or ends badly, is not started, and the reason names it (F89)", async (engine) => {
    const name = `never${kind}`;
    const cases = [
      [
        service("a", "healthcheck: { test: [CMD, 'false'], interval: 200ms, retries: 2 }"),
        "service_healthy",
        /a-1" is unhealthy/,
      ],
      [service("a"), "service_healthy", /a-1" has no health check/],
      [
        service("a", "", "[sh, -c, 'echo lost; exit 7']"),
        "service_completed_successfully",
        /a-1" ended with code 7/,
      ],
      [service("a", HELD), "service_healthy", /a-1" did not become what is waited for within 1 s/],
    ] as const;
    const textOf = (first: string, condition: string) =>
      project(name, [first, service("b", `depends_on: { a: { condition: ${condition} } }`)]);
    await scene(engine, name, textOf(cases[0][0], cases[0][1]), async (scene) => {
      for (const [first, condition, why] of cases) {
        await scene.write(textOf(first, condition));
        const applied = await scene.apply({}, { timeouts: { healthy: first.includes("/go") ? 1 : 60 } });
        assert.equal(applied.state, "failed");
        assert.match(applied.reason ?? "", why);
        const own = Object.entries(await scene.containers());
        assert.deepEqual(own.filter(([name]) => name.includes("-b-")).map(([, { state }]) => state), [
          "created",
        ]);
        const start = applied.steps.find(({ kind, target }) =>
          kind === "container.start" && target.includes("-b-")
        );
        assert.equal(start?.state, "skipped");
        await scene.clear();
        await eventually(
          "it is seen",
          async () => (await scene.plan()).steps.some(({ target }) => target.endsWith("_default")),
        );
      }
    });
  });

  test("a cancelled apply begins nothing more, and the next one goes on", async (engine) => {
    const name = `cancel${kind}`;
    const text = project(name, [
      service("a", HELD),
      service("b", "depends_on: { a: { condition: service_healthy } }"),
    ]);
    await scene(engine, name, text, async (scene) => {
      const id = await begun(scene, "wait");
      const asked = await scene.berth.call(`POST /api/applies/${id}/cancel`);
      assert.equal(asked.status, 200, asked.text);
      const over = await scene.over(id);
      assert.equal(over.state, "cancelled");
      assert.equal((await scene.containers())[`${name}-b-1`]?.state, "created", "made while a starts");
      assert.equal((await scene.berth.call(`POST /api/applies/${id}/cancel`)).body.code, "apply_over");
      assert.equal((await scene.berth.call(`POST /api/applies/${id}/resume`)).body.code, "apply_over");
      await scene.write(text.replace(HELD, HEALTHY));
      assert.equal((await scene.apply()).state, "done");
    });
  });

  test("a container that a replica makes late, when another one has done its work, is gone at the end (F125)", async (engine) => {
    const name = `late${kind}`;
    const text = project(name, [
      service("a", HELD),
      service("b", "depends_on: { a: { condition: service_healthy } }"),
    ]);
    await scene(engine, name, text, async (scene) => {
      const id = await begun(scene, "wait");
      const late = `${name}-a-1.new-${id.slice(0, 8)}`;
      const own = [
        "--label",
        `com.docker.compose.project=${name}`,
        "--label",
        "com.docker.compose.service=a",
      ];
      await engine.cli("create", "--name", late, ...own, "berth-fixture:latest", "idle");
      await engine.cli("exec", `${name}-a-1`, "touch", "/go");
      assert.equal((await scene.over(id)).state, "done");
      assert.deepEqual(Object.keys(await scene.containers()), [`${name}-a-1`, `${name}-b-1`]);
    });
  });

  test("a stranger who removes the new container in a swap brings the old one back (F83)", async (engine) => {
    const name = `stranger${kind}`;
    const text = project(name, [service("web", `environment: { C: red }\n${HEALTHY}`)]);
    await scene(engine, name, text, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      const before = await scene.containers();
      await scene.write(text.replace(HEALTHY, HELD));
      const id = await begun(scene, "container.swap");
      const fresh = await eventually("the new one runs", async () => {
        const found = (await scene.containers())[`${name}-web-1`];
        return found !== undefined && found.id !== before[`${name}-web-1`]?.id && found.state === "running"
          ? found
          : null;
      });
      await engine.cli("rm", "--force", fresh.id);
      const over = await scene.over(id);
      assert.equal(over.state, "failed");
      assert.match(over.reason ?? "", /the old container serves again$/);
      assert.deepEqual(await scene.containers(), before);
    });
  });

  test("a port that is taken, a folder and a device that are not there leave the old container as it was (F81)", async (engine) => {
    const name = `port${kind}`;
    const text = project(name, [service("web", "ports: ['18491:80']")]);
    await engine.cli(
      "run",
      "-d",
      "--name",
      `${name}-thief`,
      "-p",
      "18492:80",
      "berth-fixture:latest",
      "idle",
    );
    try {
      await scene(engine, name, text, async (scene) => {
        assert.equal((await scene.apply()).state, "done");
        const before = await scene.containers();
        const mount = "{ type: bind, source: /berth/nowhere, target: /x, bind: { create_host_path: false } }";
        const cases = [
          [text.replace("18491", "18492"), /18492|address already in use|port/i],
          [text.replace("ports:", `volumes: [${mount}]\n    ports:`), /\/berth\/nowhere/],
          [text.replace("ports:", `devices: ['/dev/nowhere:/dev/x']\n    ports:`), /\/dev\/nowhere/],
        ] as const;
        for (const [broken, why] of cases) {
          // Podman's API makes folders that are not there, whatever it is asked.
          if (kind === "podman" && broken.includes("/berth/nowhere")) continue;
          await scene.write(broken);
          const applied = await scene.apply();
          assert.equal(applied.state, "failed");
          assert.match(applied.reason ?? "", why);
          assert.deepEqual(await scene.containers(), before);
        }
      });
    } finally {
      await engine.cli("rm", "--force", `${name}-thief`);
    }
  });

  test("pulls come first, with the credentials of the apply alone, and a refusal names the registry (F87)", async (engine) => {
    await using registry = await startRegistry(engine, { account: true });
    const reference = await registry.push("berth-fixture:latest", `app/${kind}:1`);
    const name = `pull${kind}`;
    const config = await Deno.makeTempFile({ prefix: "berth-config-" });
    await Deno.writeTextFile(config, "{}");
    const web = service("web").replace("berth-fixture:latest", reference);
    await scene(engine, name, project(name, [web]), async (scene) => {
      const refused = await scene.apply();
      assert.equal(refused.state, "failed");
      assert.deepEqual(states(refused).filter((one) => !one.endsWith("skipped")), ["image.pull failed"]);
      assert.ok(refused.reason?.includes(registry.host), refused.reason ?? "");
      assert.deepEqual(await scene.containers(), {});

      const applied = await scene.apply({}, { registries: { [registry.host]: ACCOUNT } });

      assert.equal(applied.state, "done", applied.reason ?? "");
      await scene.clear();
      await engine.cli("rmi", "--force", reference);
      const auth = btoa(`${ACCOUNT.username}:${ACCOUNT.password}`);
      await Deno.writeTextFile(config, JSON.stringify({ auths: { [registry.host]: { auth } } }));
      await eventually("image and network are seen to be gone", async () => {
        const kinds = (await scene.plan()).steps.map(({ kind }) => kind);
        return kinds.includes("image.pull") && kinds.includes("network.create");
      });
      assert.equal((await scene.apply()).state, "done", "with the credentials of Docker's own file");
      const said = JSON.stringify([applied, await scene.events(applied.id), scene.berth.logged()]);
      const { text } = await scene.berth.call("GET /api/system/audit?limit=200");
      for (const place of [said, text]) assert.ok(!place.includes(ACCOUNT.password));
    }, { pluginSettings: { "container-runtime": { dockerConfig: config } } });
    await engine.cli("rmi", "--force", reference).catch(() => {});
    await Deno.remove(config);
  });
}

const { test } = await sharedEngine("docker");

test("rights are asked for at the plan, at the apply and before each step, and all that is missing is named", async (engine) => {
  const name = "rights";
  const text = project(name, [
    service("a", HELD),
    service("b", "depends_on: { a: { condition: service_healthy } }\ncap_add: [CHOWN]"),
  ]);
  await scene(engine, name, text, async (scene) => {
    const { berth } = scene;
    const operator = await berth.key("operator");
    const plan = await scene.plan({}, operator);
    assert.deepEqual(plan.missing.map(({ permission }) => permission), ["projects:host"]);
    const refused = await scene.begin(plan, {}, operator);
    assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
    assert.match(refused.body.title, /"projects:host" on the project "rights"/);
    const viewer = await berth.key("viewer");
    assert.equal((await scene.begin(plan, {}, viewer)).status, 403);
    await engine.cli("volume", "create", "--label", "com.docker.compose.project=theirs", "theirs_data");
    const borrowed = text.replace("cap_add: [CHOWN]", "volumes: ['data:/data', 'host:/host']") +
      "volumes: { data: { name: theirs_data }, host: { driver_opts: { type: none, o: bind, device: /etc } } }\n";
    await scene.write(borrowed);
    const made = await berth.call("POST /api/settings/api-keys", {
      name: "own",
      grants: [{ permissions: ["artifacts:read", "containers:read", "projects:plan", "projects:apply"] }],
    });
    const other = await scene.plan({}, berth.as(made.body.key));
    assert.deepEqual(
      other.missing.map(({ permission, subject }) => `${permission} ${subject.project}`).sort(),
      ["projects:host rights", "volumes:write theirs"],
      "neither a name nor an option of a volume is a way around rights",
    );
    await engine.cli("volume", "rm", "theirs_data");
    await scene.write(text);
    assert.deepEqual(await scene.containers(), {});

    const admin = await berth.key("admin");
    const begun = await scene.begin(await scene.plan({}, admin), {}, admin);
    assert.equal(begun.status, 202, begun.text);
    const { id } = begun.body;
    await inHand(scene, id, "wait");
    const own = await admin.call("GET /api/auth/me");
    assert.equal((await berth.call(`DELETE /api/settings/api-keys/${own.body.id}`)).status, 204);
    await engine.cli("exec", "rights-a-1", "touch", "/go");
    const paused = await scene.over(id);
    assert.equal(paused.state, "paused");
    assert.match(paused.reason ?? "", /does not hold/);
    assert.equal((await operator.call(`GET /api/applies/${id}`)).status, 200);
    const again = await scene.begin(await scene.plan());
    assert.equal(again.body.code, "apply_running", "a paused one is still in hand");

    assert.equal((await berth.call(`POST /api/applies/${id}/resume`)).status, 200);
    const over = await scene.over(id);
    assert.deepEqual([over.state, over.reason], ["done", null]);
    const { body: log } = await berth.call("GET /api/system/audit?limit=200");
    const told = log.items.map(({ action, result }: { action: string; result: string }) =>
      `${action} ${result}`
    );
    for (const act of ["apply container.create", "apply container.start", "POST /api/plans/{id}/apply"]) {
      assert.ok(told.includes(`${act} begun`) && told.includes(`${act} done`), act);
    }
    assert.ok(told.includes("POST /api/applies/{id}/resume done"));
  });
});

test("Compose that finishes a swap which a dead berth began is let be, and its container is judged", async (engine) => {
  const name = "adopted";
  const text = project(name, [service("web", `environment: { C: red }\n${HEALTHY}`)]);
  await scene(engine, name, text, async (scene) => {
    assert.equal((await scene.apply()).state, "done");
    await scene.write(text.replace("red", "blue").replace(HEALTHY, HELD));
    const id = await begun(scene, "container.swap");
    const old = await eventually("the old one is aside", async () => {
      const found = Object.entries(await scene.containers()).find(([name]) => name.includes(".old-"));
      return found ?? null;
    });
    // Compose then removes the one that is aside, and starts the other.
    await engine.cli("rm", old[1].id);
    await scene.touch("adopted-web-1", "/go");
    const over = await scene.over(id);
    assert.deepEqual([over.state, over.reason], ["done", null]);
    assert.deepEqual(Object.keys(await scene.containers()), ["adopted-web-1"]);
  });
});

test("an engine that goes away in the middle is waited for, and the old container does not start by itself (F82)", async (engine) => {
  const name = "away";
  const text = project(name, [service("web", `restart: always\nenvironment: { C: red }\n${HEALTHY}`)]);
  await scene(engine, name, text, async (scene) => {
    assert.equal((await scene.apply()).state, "done");
    await scene.write(text.replace("red", "blue").replace(HEALTHY, HELD));
    const id = await begun(scene, "container.swap");
    await eventually(
      "the old one is aside",
      async () => Object.keys(await scene.containers()).some((one) => one.includes(".old-")),
    );
    await engine.kill();
    await engine.start();
    await eventually(
      "the new one runs again",
      async () => (await scene.containers())[`${name}-web-1`]?.state === "running",
    );
    const aside = Object.entries(await scene.containers()).filter(([name]) => name.includes(".old-"));
    assert.deepEqual(aside.map(([, { state }]) => state === "running"), [false]);
    await eventually(
      "it is healthy",
      async () => await engine.cli("exec", `${name}-web-1`, "touch", "/go").then(() => true, () => false),
    );
    const over = await scene.over(id);
    assert.deepEqual([over.state, over.reason], ["done", null]);
    assert.deepEqual(Object.keys(await scene.containers()), [`${name}-web-1`]);
  });
});

const aFullDisk =
  "a full disk of the store begins no step, loses none, and is gone on from when there is room again (F86)";
test(aFullDisk, async (engine) => {
  await using disk = await SmallDisk.mount("16m");
  const text = project("full", [
    service("a", HELD),
    service("b", "depends_on: { a: { condition: service_healthy } }"),
  ]);
  await scene(engine, "full", text, async (scene) => {
    const { berth } = scene;
    const id = await begun(scene, "wait");
    disk.fill();
    await eventually("the store is full", async () => {
      const { status } = await berth.call("POST /api/settings/api-keys", {
        name: "x".repeat(90),
        role: "viewer",
      });
      return status === 503;
    });
    await engine.cli("exec", "full-a-1", "touch", "/go");
    await eventually("what is waited for is there", async () => {
      return (await engine.ask("GET /containers/full-a-1/json")).json.State.Health.Status === "healthy";
    });
    assert.equal((await scene.containers())["full-b-1"]?.state, "created", "nothing was begun");
    disk.empty();
    const over = await scene.over(id);
    assert.deepEqual([over.state, over.reason], ["done", null]);
    assert.deepEqual(Object.keys(await scene.containers()), ["full-a-1", "full-b-1"]);
  }, { folder: disk.folder, logFile: "none" });
}, mayMount ? null : "no small file system may be mounted here");
