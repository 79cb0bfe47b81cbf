/** Hooks on real engines: shown word for word, run once and in order, and never again unless somebody says so. */
import assert from "node:assert/strict";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import type { Plan } from "../../projects/plan/plan_shape.ts";
import { dieInApply } from "./apply_mortal.ts";
import { ApplyScene, project, scene, service } from "./apply_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { HEALTHY } from "./health_checks.ts";

/** `BERTH_PROOF=1`: all of it on each engine. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";

const note = (word: string) => `{ command: [sh, -c, 'echo ${word} >> /out/log'] }`;
const OUT = "volumes: ['./out:/out']";

/** Sound sooner than without. */

/** Returns the lines that the hooks of a project wrote since the last call. */
async function said({ path }: { readonly path: string }): Promise<string[]> {
  const text = await Deno.readTextFile(`${path}/out/log`).catch(() => "");
  await Deno.remove(`${path}/out/log`).catch(() => {});
  return text.split("\n").filter((line) => line !== "");
}

const shown = ({ steps }: Plan | Apply) => steps.map(({ kind, within }) => [kind, within].join(" ").trim());

for (const kind of ["docker", "podman"] as const) {
  const { test: onEngine } = await lawEngine(kind);
  // The same code; what differs is how an engine runs a command.
  const test: typeof onEngine = kind === "docker" || isProof ? onEngine : () => {};

  test("hooks run in their order at start, swap, restart, stop and down", async (engine) => {
    const name = `hooks${kind}`;
    const hooks = `${OUT}
post_start: [${note("start1")}, ${note("start2")}]
pre_stop: [${note("stop1")}, ${note("stop2")}]
environment: { COLOUR: red }
restart: unless-stopped
${HEALTHY}`;
    const text = project(name, [service("web", hooks), service("after", "depends_on: [web]")]);
    await scene(engine, name, text, async (scene) => {
      const [START, STOP] = [["start1", "start2"], ["stop1", "stop2"]];
      const plan = await scene.plan();
      assert.deepEqual(shown(plan), [
        ...["network.create", "container.create", "container.start", "hook.run", "hook.run"],
        ...["container.create", "container.start"],
      ]);
      const after = plan.steps.find(({ kind, target }) =>
        kind === "container.start" && target.includes("after")
      );
      assert.deepEqual(after?.after, [3, 5, 6], "what depends on it starts after its hooks");
      assert.equal((await scene.apply()).state, "done");
      assert.deepEqual(await said(scene), START);
      assert.deepEqual((await scene.plan()).steps, []);
      if (composeOfToday.missing === null && kind === "docker") {
        const ids = await scene.ids();
        assert.equal(await composeToday(engine.socket, scene.path, "up", "-d"), "");
        assert.deepEqual(await scene.ids(), ids, "Compose knows their hash");
      }

      await scene.write(text.replace("red", "blue"));
      const swapped = await scene.apply();
      assert.deepEqual(shown(swapped), ["container.swap", ...Array(4).fill("hook.run 1")]);
      assert.deepEqual([swapped.state, swapped.steps.map(({ state }) => state)], [
        "done",
        Array(5).fill("done"),
      ]);
      assert.deepEqual(await said(scene), [...STOP, ...START]);

      // A changed hook is a new container, as for Compose.
      await scene.write(text.replace("red", "blue").replace("start2", "start3"));
      const changed = await scene.plan();
      assert.deepEqual(
        changed.steps[0]?.why.map((one) => one.code === "field" && [one.field, one.at.range.start.line]),
        [["postStart", 8]],
      );
      await scene.write(text.replace("red", "blue"));

      assert.equal((await scene.apply({ action: "restart", units: ["web"] })).state, "done");
      assert.deepEqual(await said(scene), [...STOP, ...START]);
      assert.equal((await scene.apply({ action: "stop" })).state, "done");
      assert.deepEqual(await said(scene), STOP);
      assert.equal((await scene.apply()).state, "done");
      assert.deepEqual(await said(scene), START);
      assert.equal((await scene.apply({ action: "down" })).state, "done");
      assert.deepEqual(await said(scene), STOP);
    });
  });

  onEngine("a hook runs as it was shown, and its secrets are shown nowhere", async (engine) => {
    const name = `shown${kind}`;
    const hook = `post_start:
  - command: [sh, -c, 'echo $$(id -u) $$PWD $$WORD; echo $WORD; echo --password=hunter22 >&2']
    user: "1000"
    working_dir: /tmp
    environment: { WORD: swordfish }`;
    const text = project(name, [service("web", hook)]);
    await scene(engine, name, text, async (scene) => {
      await Deno.writeTextFile(`${scene.path}/.env`, "WORD=outside\n");
      await eventually("the variable is known", async () => (await scene.plan()).blocked.length === 0);
      const plan = await scene.plan();
      const { hook, needs, why } = plan.steps.find(({ kind }) => kind === "hook.run")!;
      assert.deepEqual(hook, {
        when: "postStart",
        index: 0,
        command: ["sh", "-c", "echo $$(id -u) $$PWD $$WORD; echo $WORD; echo --password=******** >&2"],
        user: "1000",
        privileged: false,
        workingDir: "/tmp",
        environment: ["WORD=********"],
      });
      assert.deepEqual(needs.map(({ permission }) => permission), ["projects:apply", "containers:exec"]);
      assert.deepEqual(why.map((one) => one.code === "hook" && one.at.range.start.line), [8]);

      const applied = await scene.apply();

      assert.equal(applied.state, "done", applied.reason ?? "");
      const events = await scene.events(applied.id);
      const lines = events.filter(({ kind }) => kind === "log").flatMap(({ lines }) => lines);
      assert.deepEqual(lines.sort(), ["--password=********", "1000 /tmp ********", "outside"]);
      const audited = await scene.berth.call("GET /api/system/audit?limit=100");
      for (const text of [JSON.stringify([plan, applied, events]), audited.text]) {
        assert.doesNotMatch(text, /hunter22|swordfish/);
      }
      assert.match(audited.text, /echo \$WORD/);
    });
  });

  test("a hook that fails stops what comes after it, and in a swap the old container is back", async (engine) => {
    const name = `failing${kind}`;
    const text = project(name, [
      service("web", "environment: { COLOUR: red }\npost_start: [{ command: ['true'] }]"),
      service("after", "depends_on: [web]"),
    ]);
    await scene(engine, name, text, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      const before = await scene.containers();
      const broken = text.replace("'true'", "sh, -c, 'echo because; exit 7'");

      await scene.write(broken);
      const applied = await scene.apply();
      assert.equal(applied.state, "failed");
      assert.match(applied.reason ?? "", /ended with code 7; the old container serves again/);
      assert.deepEqual(await scene.containers(), before);
      const log = (await scene.events(applied.id)).find(({ kind }) => kind === "log");
      assert.deepEqual(log?.lines, ["because"]);
      const read = async (rights: readonly string[]) =>
        (await (await scene.berth.key(rights)).call(`GET /api/applies/${applied.id}/events`)).text;
      const without = await read(["projects:plan"]);
      assert.ok(without.includes("containers:logs") && !without.includes('"because"'), without);
      assert.ok((await read(["projects:plan", "containers:logs"])).includes('"because"'));

      await scene.write(text.replace("post_start", "pre_stop").replace("'true'", "'false'"));
      const kept = await scene.apply();
      assert.equal(kept.state, "failed");
      assert.match(kept.reason ?? "", /hook "false" .*ended with code 1/);
      assert.deepEqual(await scene.containers(), before);
      const down = await scene.apply({ action: "down" });
      assert.equal(down.state, "failed");
      const still = await scene.containers();
      assert.equal(still[`${name}-web-1`]?.state, "running", "as Compose leaves it");

      // A container that does not run needs no hook before its stop.
      await engine.cli("kill", `${name}-web-1`);
      const gone = await scene.apply({ action: "down" });
      assert.equal(gone.state, "done", gone.reason ?? "");
      assert.deepEqual(await scene.containers(), {});

      await scene.write(broken);
      const up = await scene.apply();
      assert.equal(up.state, "failed");
      assert.equal((await scene.containers())[`${name}-after-1`]?.state, "created");
    });
  });

  test("a hook that its container takes along fails with the end of the container", async (engine) => {
    const name = `along${kind}`;
    const text = project(name, [
      service("web", "post_start: [{ command: [sleep, '60'] }]", "[sh, -c, 'sleep 3; exit 9']"),
    ]);
    await scene(engine, name, text, async (scene) => {
      const { state, reason } = await scene.apply();
      assert.equal(state, "failed");
      assert.match(reason ?? "", /Container "along\w+-web-1" ended with code 9/);
    });
  });

  test("a hook in which berth was killed is not run again by itself (F80)", async (engine) => {
    const name = `cut${kind}`;
    const text = project(name, [
      service(
        "web",
        `${OUT}\n${HEALTHY}\nenvironment: { COLOUR: red }\npost_start: [{ command: [sh, -c, 'echo begun >> /out/log; while [ -e /out/hold ]; do sleep 0.1; done'] }]`,
      ),
    ]);
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
    const options = { folder, applyTimes: { leaseMs: 1_000 } };
    const first = await serveEngines({ [engine.kind]: engine }, options);
    const scene = await ApplyScene.on(engine, first, name, text);
    const { admin } = first;
    try {
      assert.equal((await scene.apply()).state, "done");
      assert.deepEqual(await said(scene), ["begun"]);
      const before = await scene.ids();
      await scene.write(text.replace("red", "blue"));
      await Deno.writeTextFile(`${scene.path}/out/hold`, "");
      await first.berth.stop();

      const log = `${scene.path}/out/log`;
      const id = await dieInApply(scene, ["before", "nothing"], {
        until: () =>
          eventually("the hook runs", () => Deno.stat(log).then(({ size }) => size > 0, () => false)),
      });
      assert.ok(id !== null);
      assert.deepEqual(await said(scene), ["begun"]);

      await using last = await serveEngines({ [engine.kind]: engine }, { ...options, admin: admin ?? "" });
      const asked = await scene.over(id, last);
      assert.deepEqual([asked.state, asked.steps.map(({ state }) => state)], ["paused", [
        "running",
        "unknown",
      ]]);
      assert.match(asked.reason ?? "", /Nobody knows whether the hook "sh -c .*" of container .* ended/);
      await eventually("health says that a swap waits", async () => {
        const { applies } = (await last.call("GET /api/health")).body.checks;
        return applies.status === "degraded" && applies.reason.includes("was interrupted and waits");
      });
      // Without a word about it, it waits on.
      await last.call(`POST /api/applies/${id}/resume`);
      assert.equal((await scene.over(id, last)).state, "paused");
      assert.deepEqual(await said(scene), []);
      await Deno.remove(`${scene.path}/out/hold`);

      if (kind === "docker") {
        await last.call(`POST /api/applies/${id}/resume`, { hooks: "again" });
        const over = await scene.over(id, last);
        assert.deepEqual([over.state, over.steps.map(({ state }) => state)], ["done", ["done", "done"]]);
        assert.deepEqual(await said(scene), ["begun"]);
        assert.notDeepEqual(await scene.ids(), before);
      } else {
        await last.call(`POST /api/applies/${id}/abandon`);
        assert.equal((await scene.over(id, last)).state, "cancelled");
        assert.deepEqual(await scene.ids(), before, "the old one is back");
      }
      await eventually(
        "health has nothing to say",
        async () => (await last.call("GET /api/health")).body.checks.applies.status === "ok",
      );
      assert.deepEqual(last.bugs(), []);
    } finally {
      await scene.clear();
      await Deno.remove(folder, { recursive: true });
    }
  });

  if (kind === "podman") continue; // nothing of it is the engine's

  test("who may not run commands may not apply a hook, and may leave it out", async (engine) => {
    const text = project("exec", [service("web", "post_start: [{ command: ['true'], privileged: true }]")]);
    await scene(engine, "exec", text, async (scene) => {
      const { body } = await scene.berth.call("POST /api/settings/api-keys", {
        name: "no exec",
        grants: [{ permissions: ["projects:plan", "projects:apply", "artifacts:read", "containers:read"] }],
      });
      const caller = scene.berth.as(body.key);
      const plan = await scene.plan({}, caller);
      assert.deepEqual(plan.missing.map(({ permission }) => permission), [
        "containers:exec",
        "projects:host",
      ]);
      const refused = await scene.begin(plan, {}, caller);
      assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
      assert.match(refused.body.title, /"containers:exec" .*"projects:host"/);
      assert.deepEqual(await scene.containers(), {});

      const others = plan.steps.filter(({ kind }) => kind !== "hook.run").map(({ n }) => n);
      const begun = await scene.begin(plan, { steps: others }, caller);
      assert.equal(begun.status, 202, begun.text);
      assert.equal((await scene.over(begun.body.id)).state, "done");
    });
  });
}
