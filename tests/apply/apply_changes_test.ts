/** Steps of a plan besides new containers: networks replaced, limits changed in place, restarts, scale, down. */
import assert from "node:assert/strict";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { examine } from "../../plugins/containers/settings/examine.ts";
import { Settings } from "../../plugins/containers/settings/settings.ts";
import { inspectStoreFile } from "../../store/sqlite/inspection.ts";
import { ApplyScene, project, scene, service } from "./apply_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestCaller, type TestService } from "../support/service.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { HEALTHY, HELD } from "./health_checks.ts";

const did = ({ steps }: Apply) => steps.map(({ kind, target }) => `${kind} ${target}`);

/** Returns the findings of `berth doctor` about the engine, of the berth of this scene or of another one beside it. */
async function examined({ engine, berth: own }: ApplyScene, berth: TestService = own): Promise<string> {
  const settings = Settings.parse({ engines: [{ name: engine.kind, url: `unix://${engine.socket}` }] });
  const { applies } = await inspectStoreFile(`${berth.folder}/data/berth.db`);
  const found = await examine(settings, { isContained: false, applies });
  return found.map(({ what, mend }) => `${what}: ${mend}`).join("\n");
}

/** Done, and nothing is left to do: not for berth, and not for Compose. */
async function assertWhole(scene: ApplyScene, applied: Apply, isHashed = true): Promise<void> {
  assert.deepEqual([applied.state, applied.reason], ["done", null]);
  await eventually("nothing is left to do", async () => (await scene.plan()).steps.length === 0);
  if (scene.engine.kind === "podman" || composeOfToday.missing !== null) return;
  const ids = await scene.ids();
  assert.equal(await composeToday(scene.engine.socket, scene.path, "up", "-d"), "");
  // Compose makes a container anew whose hash it does not know, and does not stumble over it.
  if (isHashed) assert.deepEqual(await scene.ids(), ids);
}

/** `BERTH_PROOF=1`: on each engine. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";

for (const kind of ["docker", "podman"] as const) {
  if (kind === "podman" && !isProof) continue; // the same code
  const { test } = await lawEngine(kind);

  test("a network is replaced with all who are in it, under the names that they had there", async (engine) => {
    const name = `net${kind}`;
    const text = project(
      name,
      [
        service("web", `${HEALTHY}\nnetworks: { default: { aliases: [front] }, back: {} }`),
        service("db", HEALTHY),
        service("done", "", '["true"]'),
      ],
      "networks: { default: {}, back: {} }\n",
    );
    await scene(engine, name, text, async (scene) => {
      await assertWhole(scene, await scene.apply());
      const before = await scene.ids();
      await scene.write(
        text.replace("default: {}, back: {} }\n", "default: { internal: true }, back: {} }\n"),
      );
      const applied = await scene.apply();
      assert.ok(did(applied).includes(`network.remove ${name}_default`), String(did(applied)));
      await assertWhole(scene, applied);
      assert.deepEqual(await scene.ids(), before, "nobody is made anew");
      assert.equal(
        await engine.cli("network", "inspect", `${name}_default`, "--format", "{{.Internal}}"),
        "true",
      );
      if (kind === "podman") { // it answers no names inside a network that is internal
        const names = await engine.cli(
          "inspect",
          `${name}-web-1`,
          "-f",
          "{{json .NetworkSettings.Networks}}",
        );
        assert.ok(JSON.parse(names)[`${name}_default`].Aliases.includes("front"), names);
        return;
      }
      const found = await engine.cli("exec", `${name}-db-1`, "nslookup", "front").catch(String);
      assert.match(found, /Address/, found);
    });
  });

  test("a network whose replacement is refused comes back as it was, and all who are in it run", async (engine) => {
    const name = `netback${kind}`;
    const text = project(
      name,
      [
        service("web", "networks: { default: { aliases: [front], ipv4_address: 10.213.7.9 } }"),
        service("db"),
      ],
      "networks: { default: { ipam: { config: [{ subnet: 10.213.7.0/24 }] }, labels: { a: b } } }\n",
    );
    const defined = async () => {
      const { Created: _, Id: __, ...rest } = (await engine.ask(`GET /networks/${name}_default`)).json;
      for (const one of Object.values<Record<string, unknown>>(rest.Containers ?? {})) {
        for (const key of ["EndpointID", "MacAddress", "IPv4Address"]) delete one[key];
      }
      return rest;
    };
    await scene(engine, name, text, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      const [ids, original] = [await scene.ids(), await defined()];
      const driver = "driver: macvlan, driver_opts: { parent: nosuch0 }";
      await scene.write(text.replace("default: { ipam", `default: { ${driver}, ipam`));

      const failed = await scene.apply();

      assert.equal(failed.state, "failed");
      assert.match(failed.reason ?? "", /network "\w+" is what it was, and its containers run again$/);
      assert.deepEqual(await scene.ids(), ids);
      const states = Object.entries(await scene.containers()).map(([one, { state }]) => `${one} ${state}`);
      assert.deepEqual(states.sort(), [`${name}-db-1 running`, `${name}-web-1 running`]);
      assert.deepEqual(await defined(), original);
      const found = await engine.cli("exec", `${name}-db-1`, "nslookup", "front").catch(String);
      assert.match(found, /10\.213\.7\.9/, found);
      await scene.write(text);
      assert.deepEqual((await scene.plan()).steps, []);
    });
  });

  test("berth doctor names what a swap left behind, and removes nothing that an apply has in hand", async (engine) => {
    const name = `aside${kind}`;
    const text = project(name, [service("web", HEALTHY)]);
    await scene(engine, name, text, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      await scene.write(text.replace(HEALTHY, HELD));
      const { body } = await scene.begin(await scene.plan());
      await eventually(
        "the old one is aside",
        async () => Object.keys(await scene.containers()).some((one) => one.includes(".old-")),
      );
      assert.equal(await examined(scene), "");
      {
        await using other = await serveEngines({ [kind]: engine });
        const said = await examined(scene, other);
        assert.match(
          said,
          /web-1\.old-\w+" .* left by an apply that this berth does not know: Another berth may/,
        );
        assert.doesNotMatch(said, /rm|rename/);
      }
      await scene.touch(`${name}-web-1`, "/go");
      assert.equal((await scene.over(body.id)).state, "done");
      const left = `${name}-web-1.old-${body.id.slice(0, 8)}`;
      await engine.cli("create", "--name", left, FIXTURE, "idle");
      try {
        const said = await examined(scene);
        assert.ok(said.startsWith(`The container "${left}" on the engine`), said);
        assert.ok(said.includes(`docker rename ${left} ${name}-web-1 `), said);
        assert.equal(said.split("\n").length, 1);
      } finally {
        await engine.cli("rm", "--force", left);
      }
    });
  });

  test("volumes go by their own name and confirmation, and none that others have (F88)", async (engine) => {
    const name = `data${kind}`;
    const [data, other, ext] = [`${name}_data`, `${name}_other`, `${name}-far`] as const;
    const text = project(
      name,
      [service("web", "volumes: ['data:/data', 'other:/other', 'ext:/ext']")],
      `volumes: { data: {}, other: {}, ext: { external: true, name: ${ext} } }\n`,
    );
    await engine.cli("volume", "create", ext);
    await scene(engine, name, text, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      await engine.cli("create", "--name", `${name}-guest`, "-v", `${other}:/guest`, FIXTURE, "idle");
      const path = `POST /api/workspaces/${scene.workspace}/artifacts/groups/${name}/plan`;
      const planned = async (...volumes: string[]) => await scene.plan({ action: "down", volumes });
      const blocked = async (volume: string) =>
        (await planned(volume)).blocked.map(({ code, message }) => `${code} ${message}`).join();
      try {
        const kept = await planned();
        assert.deepEqual(kept.keeps, [data, other]);
        assert.ok(!kept.steps.some(({ kind }) => kind === "volume.remove"));
        assert.equal((await scene.berth.call(path, { volumes: [data] })).status, 400, "only with down");
        const none = await scene.berth.call(path, { action: "down", volumes: ["elsewhere"] });
        assert.deepEqual([none.status, none.body.code], [404, "artifact_not_found"]);
        assert.match(await blocked(ext), /^project\/not-own .*far" is external/);
        await eventually(
          "the guest is seen",
          async () => /volume-in-use .*guest"$/.test(await blocked(other)),
        );
        const operator = await scene.berth.key("operator");
        const { missing } = await scene.plan({ action: "down", volumes: [data] }, operator);
        assert.ok(missing.some(({ permission }) => permission === "projects:destroy"));

        const plan = await planned(data);
        assert.deepEqual([plan.blocked, plan.keeps], [[], [other]]);
        const step = plan.steps.at(-1);
        assert.deepEqual([step?.kind, step?.target, step?.risk], ["volume.remove", data, "dataLoss"]);
        const unsaid = await scene.begin(plan, { confirm: [other] });
        assert.deepEqual([unsaid.status, unsaid.body.errors[0].message], [
          400,
          `Expected "${data}" among them`,
        ]);
        assert.equal((await engine.ask(`GET /volumes/${data}`)).status, 200, "nothing was done");
        const { body } = await scene.begin(plan, { confirm: [data] });
        const over = await scene.over(body.id);
        assert.deepEqual([over.state, over.reason], ["done", null]);
        const left = await Promise.all([data, other, ext].map((one) => engine.ask(`GET /volumes/${one}`)));
        assert.deepEqual(left.map(({ status }) => status), [404, 200, 200]);
      } finally {
        await engine.cli("rm", `${name}-guest`);
      }
    });
    await engine.cli("volume", "rm", ext);
  });

  test("who depends with restart is started again; scale, orphans and down take away what is not declared", async (engine) => {
    const name = `follow${kind}`;
    const text = project(name, [
      service("db", `${HEALTHY}\nenvironment: { C: red }`),
      service(
        "web",
        `${HEALTHY}\ndepends_on: { db: { condition: service_started, restart: true } }\nscale: 2`,
      ),
      service("gone", HEALTHY),
    ], "volumes: { data: {} }\n").replace("red }", "red }\n    volumes: ['data:/data']");
    await scene(engine, name, text, async (scene) => {
      await assertWhole(scene, await scene.apply());
      const started = async () =>
        (await engine.ask(`GET /containers/${name}-web-1/json`)).json.State.StartedAt;
      const [before, at] = [await scene.ids(), await started()];
      await scene.write(
        text.replace("red", "blue").replace("scale: 2", "scale: 1").replace(
          / {2}gone:[^]*?volumes:/,
          "volumes:",
        ),
      );
      const applied = await scene.apply({ orphans: "remove" });
      assert.deepEqual([applied.state, applied.reason], ["done", null]);
      const after = await scene.ids();
      assert.deepEqual(Object.keys(after), [`${name}-db-1`, `${name}-web-1`]);
      assert.equal(after[`${name}-web-1`], before[`${name}-web-1`]);
      assert.notEqual(await started(), at, "it was started again");

      const stopped = await scene.apply({ action: "stop" });
      assert.equal(stopped.state, "done");
      assert.deepEqual(Object.values(await scene.containers()).map(({ state }) => state), [
        "exited",
        "exited",
      ]);
      assert.equal((await scene.apply()).state, "done");
      assert.equal((await scene.apply({ action: "restart" })).state, "done");
      const down = await scene.apply({ action: "down" });
      assert.deepEqual([down.state, down.reason], ["done", null]);
      assert.deepEqual(await scene.containers(), {});
      assert.equal((await engine.ask(`GET /volumes/${name}_data`)).status, 200, "its data stays");
      assert.equal((await engine.ask(`GET /networks/${name}_default`)).status, 404);
    });
  });
}

const { engine: docker, test } = await sharedEngine("docker");
/** The second version of cgroups ends processes instead. */
const limitsMayBeRefused = await docker?.ask("GET /info").then(({ json }) =>
  json.CgroupVersion === "2" ? "its cgroups refuse no limit" : null
);

test("limits are changed in place, and by a new container where that is asked", async (engine) => {
  const text = project("limits", [service("web", `${HEALTHY}\nmem_limit: 64m\nrestart: on-failure:1`)]);
  await scene(engine, "limits", text, async (scene) => {
    assert.equal((await scene.apply()).state, "done");
    const before = await scene.ids();
    await scene.write(text.replace("64m", "256m").replace("on-failure:1", "unless-stopped"));
    const applied = await scene.apply();
    assert.deepEqual([applied.state, did(applied)], ["done", ["container.update limits-web-1"]]);
    assert.deepEqual(await scene.ids(), before);
    const { json } = await engine.ask("GET /containers/limits-web-1/json");
    assert.deepEqual([json.HostConfig.Memory, json.HostConfig.RestartPolicy.Name], [
      256 * 2 ** 20,
      "unless-stopped",
    ]);
    assert.deepEqual((await scene.plan()).steps, []);
    await scene.write(text);
    const swapped = await scene.apply({ inPlace: false });
    assert.deepEqual(did(swapped), ["container.swap limits-web-1"]);
    await assertWhole(scene, swapped);
  });
});

test("A limit of memory is set in place on a container that has none", async (engine) => {
  const text = project("memory", [service("web", HEALTHY)]);
  await scene(engine, "memory", text, async (scene) => {
    assert.equal((await scene.apply()).state, "done");
    const before = await scene.ids();
    await scene.write(text.replace("healthcheck", "mem_limit: 256m\n    healthcheck"));
    const applied = await scene.apply();
    const states = applied.steps.map(({ kind, state }) => `${kind} ${state}`);
    assert.deepEqual([applied.state, ...states], [
      "done",
      "container.update done",
      "container.swap skipped",
    ]);
    assert.deepEqual(await scene.ids(), before);
    const { HostConfig } = (await engine.ask("GET /containers/memory-web-1/json")).json;
    // As Docker makes a container with this limit.
    assert.deepEqual([HostConfig.Memory, HostConfig.MemorySwap], [2 ** 28, 2 ** 29]);
    await assertWhole(scene, applied, false);
  });
});

test(
  "A change in place that the engine refuses becomes a new container, as the plan said",
  async (engine) => {
    const side = service("side", `${HEALTHY}\nnetwork_mode: "service:web"`);
    const text = project("refused", [service("web", `${HEALTHY}\ntmpfs: [/m]\nmem_limit: 256m`), side]);
    await scene(engine, "refused", text, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      const before = await scene.ids();
      await engine.cli("exec", "refused-web-1", "sh", "-c", "head -c 60000000 /dev/zero >/m/f");
      await scene.write(text.replace("256m", "16m"));
      const applied = await scene.apply();
      const steps = applied.steps.map(({ kind, target, state }) => `${kind} ${target} ${state}`);
      assert.deepEqual([applied.state, ...steps], [
        "done",
        "container.update refused-web-1 skipped",
        "container.swap refused-web-1 done",
        "container.swap refused-side-1 done",
      ]);
      assert.match(
        applied.steps[0]!.note ?? "",
        /^The container is replaced: Cannot change container .*memory limit/,
      );
      const after = await scene.ids();
      assert.ok(Object.entries(before).every(([name, id]) => after[name] !== id), JSON.stringify(after));
      await assertWhole(scene, applied);
    });
  },
  limitsMayBeRefused,
);

test("start-first keeps the old one up until the new one is sound, and takes nothing away where it is not", async (engine) => {
  const order = "deploy: { update_config: { order: start-first } }";
  const text = project("first", [service("web", `${HEALTHY}\n${order}\nenvironment: { C: red }`)]);
  await scene(engine, "first", text, async (scene) => {
    await assertWhole(scene, await scene.apply(), false);
    const before = await scene.containers();
    const startedAt = (await engine.ask("GET /containers/first-web-1/json")).json.State.StartedAt;
    const sick = "healthcheck: { test: [CMD, 'false'], interval: 200ms, retries: 2 }";
    await scene.write(text.replace(HEALTHY, sick));
    const failed = await scene.apply();
    assert.match(failed.reason ?? "", /unhealthy; the old container serves again/);
    assert.deepEqual(await scene.containers(), before);
    assert.equal(
      (await engine.ask("GET /containers/first-web-1/json")).json.State.StartedAt,
      startedAt,
      "it never stopped",
    );
    await scene.write(text.replace("red", "blue").replace(HEALTHY, HELD));
    const begun = await scene.begin(await scene.plan());
    const names = await eventually("both run", async () => {
      const found = Object.entries(await scene.containers()).filter(([, { state }]) => state === "running");
      return found.length === 2 ? found.map(([name]) => name) : null;
    });
    assert.deepEqual(names.map((one) => one.replace(/\.new-.*/, ".new")).sort(), [
      "first-web-1",
      "first-web-1.new",
    ]);
    await engine.cli("exec", names.find((one) => one.includes(".new"))!, "touch", "/go");
    await assertWhole(scene, await scene.over(begun.body.id), false);
    assert.deepEqual(Object.keys(await scene.containers()), ["first-web-1"]);
  });
});

test("start-first stops the old one first where the volume is one that only its image declares", async (engine) => {
  await engine.cli("create", "--name", "declaring", FIXTURE);
  await engine.cli("commit", "--change", "VOLUME /data", "declaring", "declaring:1");
  const order = "deploy: { update_config: { order: start-first } }";
  const text = project("firstdata", [service("db", `${HEALTHY}\n${order}\nenvironment: { C: red }`)])
    .replace(FIXTURE, "declaring:1");
  await scene(engine, "firstdata", text, async (scene) => {
    await assertWhole(scene, await scene.apply(), false);
    const before = (await scene.containers())["firstdata-db-1"]!;
    const since = `${Date.now() / 1_000}`;
    await scene.write(text.replace("red", "blue"));

    await assertWhole(scene, await scene.apply(), false);

    const after = (await scene.containers())["firstdata-db-1"]!;
    assert.notEqual(after.id, before.id);
    assert.deepEqual(after.volumes, before.volumes);
    const events = await engine.cli(
      ...["events", "--since", since, "--until", `${Date.now() / 1_000}`, "--format", "{{.Action}} {{.ID}}"],
      ...["--filter", "event=die", "--filter", "event=start"],
    );
    assert.deepEqual(events.trim().split("\n"), [`die ${before.id}`, `start ${after.id}`]);
  });
  await engine.cli("rm", "declaring");
  await engine.cli("rmi", "declaring:1");
});

test("a stop leaves an apply to the next start, which waits for a person where the files were edited", async (engine) => {
  const text = project("left", [
    service("a", HELD),
    service("b", "depends_on: { a: { condition: service_healthy } }"),
  ]);
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
  const first = await serveEngines({ docker: engine }, { folder });
  const scene = await ApplyScene.on(engine, first, "left", text);
  try {
    const begin = async (berth: TestCaller) => {
      const { body } = await scene.begin(await scene.plan({}, berth), {}, berth);
      await eventually("it waits", async () => {
        const { steps } = (await berth.call(`GET /api/applies/${body.id}`)).body;
        return steps.some(({ kind, state }: Apply["steps"][number]) =>
          kind === "wait" && state === "running"
        );
      });
      return body.id;
    };
    const edited = await begin(first);
    await first.berth.stop();
    await Deno.writeTextFile(
      `${scene.path}/compose.yaml`,
      text.replace("service_healthy", "service_started"),
    );
    const options = { folder, admin: first.admin ?? "" };
    const second = await serveEngines({ docker: engine }, options);
    const paused = await scene.over(edited, second);
    assert.deepEqual([paused.state, /files were edited/.test(paused.reason ?? "")], ["paused", true]);
    assert.equal((await scene.begin(await scene.plan({}, second), {}, second)).body.code, "apply_running");
    assert.equal((await second.call(`POST /api/applies/${edited}/abandon`)).status, 200);
    assert.equal((await scene.over(edited, second)).state, "cancelled");
    assert.equal((await scene.containers())["left-b-1"]?.state, "created", "nothing went forward");

    await Deno.writeTextFile(`${scene.path}/compose.yaml`, text.replace("b:", "c:"));
    await eventually(
      "it is read",
      async () => JSON.stringify(await scene.plan({}, second)).includes("left-c-1"),
    );
    await engine.cli("rm", "--force", "left-a-1", "left-b-1");
    await eventually(
      "it is seen",
      async () => (await scene.plan({}, second)).steps.some(({ target }) => target === "left-a-1"),
    );
    const whole = await begin(second);
    await second.berth.stop();
    await engine.cli("exec", "left-a-1", "touch", "/go");
    await using third = await serveEngines({ docker: engine }, options);
    const over = await scene.over(whole, third);
    assert.deepEqual([over.state, over.reason], ["done", null]);
    assert.deepEqual(Object.keys(await scene.containers()), ["left-a-1", "left-c-1"]);
  } finally {
    await scene.clear();
    await Deno.remove(folder, { recursive: true });
  }
});
