/** Applies on real engines: what the plan showed is done, and Compose takes it for its own work. */
import assert from "node:assert/strict";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { project, scene, service } from "./apply_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { FIXTURE } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";

const ends = ({ steps }: Apply) =>
  steps.filter(({ state }) => state !== "done").map(({ n, state }) => `${n} ${state}`);

const shop = (name: string, kind: string) =>
  project(
    name,
    [
      service(
        "db",
        "volumes: ['data:/data', '/scratch']\nhealthcheck: { test: [CMD, 'true'], interval: 1s }",
      ),
      service(
        "web",
        "depends_on: { db: { condition: service_healthy } }\nenvironment: { COLOUR: red }\nscale: 2",
      ),
      service("side", "network_mode: 'service:db'"),
      service("job", "", '["true"]'),
      service("late", "depends_on: { job: { condition: service_completed_successfully } }\nports: ['18480']"),
    ],
    `networks:\n  default: { labels: { kind: ${kind} } }\nvolumes:\n  data: { labels: { keep: 'yes' } }\n`,
  );

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("a project is brought up as its plan says, and Compose finds nothing to do", async (engine) => {
    const name = `up${kind}`;
    await scene(engine, name, shop(name, kind), async (scene) => {
      const applied = await scene.apply();

      assert.deepEqual([applied.state, applied.reason, ends(applied)], ["done", null, []]);
      const containers = await scene.containers();
      assert.deepEqual(Object.entries(containers).map(([name, { state }]) => `${name} ${state}`), [
        `${name}-db-1 running`,
        `${name}-job-1 exited`,
        `${name}-late-1 running`,
        `${name}-side-1 running`,
        `${name}-web-1 running`,
        `${name}-web-2 running`,
      ]);
      const again = await scene.plan();
      assert.deepEqual([again.blocked, again.steps], [[], []]);
      const events = await scene.events(applied.id);
      assert.deepEqual(events.at(-1), { kind: "end", state: "done", reason: null });
      assert.deepEqual(
        events.filter(({ id }) => id !== undefined).map(({ id }) => id),
        events.slice(0, -1).map((_, n) => n + 1),
      );
      assert.deepEqual(await scene.events(applied.id, "?after=3"), events.slice(3));

      // Compose makes its own containers anew on this Podman, too.
      if (composeOfToday.missing !== null || kind === "podman") return;
      const ids = await scene.ids();
      assert.equal(await composeToday(engine.socket, scene.path, "up", "-d"), "");
      assert.deepEqual(await scene.ids(), ids);
    });
  });

  test("a secret that is no file is copied before the start, and a new one takes a new container", async (engine) => {
    const name = `copied${kind}`;
    const text = project(
      name,
      [service("web", "configs: [{ source: words, target: /etc/words, mode: 0o440 }]\nenvironment: [LENT]")],
      "configs: { words: { content: 'first words' } }\n",
    );
    await scene(engine, name, text, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      const words = () => engine.cli("exec", `${name}-web-1`, "cat", "/etc/words");
      assert.equal(await words(), "first words");
      assert.deepEqual((await scene.plan()).steps, []);

      await scene.write(text.replace("first", "other"));
      const plan = await scene.plan();
      assert.deepEqual(plan.steps.map(({ kind, why }) => [kind, why[0]?.code === "field" && why[0].field]), [
        ["container.swap", `contents.config:${name}.words`],
      ]);
      assert.equal((await scene.apply()).state, "done");
      assert.equal(await words(), "other words");
      assert.deepEqual((await scene.plan()).steps, []);
    });
  });

  test("a changed container is replaced, keeps its data, and who shares its network has it again (F90)", async (engine) => {
    const name = `swap${kind}`;
    const text = project(name, [
      service(
        "db",
        "volumes: ['data:/data', '/scratch']\nrestart: unless-stopped\nenvironment: { COLOUR: red }",
      ),
      service("side", "network_mode: 'service:db'"),
      service("other"),
    ], "volumes: { data: {} }\n");
    await scene(engine, name, text, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      const before = await scene.containers();
      await scene.write(text.replace("red", "blue"));

      const applied = await scene.apply();

      assert.deepEqual([applied.state, ends(applied)], ["done", []]);
      const after = await scene.containers();
      assert.deepEqual(Object.keys(after), Object.keys(before), "none of a swap is left");
      const [db, was] = [after[`${name}-db-1`]!, before[`${name}-db-1`]!];
      assert.notEqual(db.id, was.id);
      assert.ok(db.env.includes("COLOUR=blue"));
      assert.deepEqual([db.volumes, db.restart, db.state], [was.volumes, "unless-stopped", "running"]);
      assert.equal(after[`${name}-other-1`]?.id, before[`${name}-other-1`]?.id);
      const side = await engine.ask(`GET /containers/${after[`${name}-side-1`]!.id}/json`);
      assert.equal(side.json.HostConfig.NetworkMode, `container:${db.id}`);
      assert.deepEqual((await scene.plan()).steps, []);

      const broken = text.replace("red", "green");
      const other = broken.indexOf("  other:");
      await scene.write(`${broken.slice(0, other)}${broken.slice(other).replace("[idle]", "[none]")}`);
      const failed = await scene.apply();
      assert.deepEqual([failed.state, ends(failed).length], ["failed", 1], failed.reason ?? "");
      const spaces = await Promise.all(
        ["db", "side"].map((one) => engine.cli("exec", `${name}-${one}-1`, "readlink", "/proc/1/ns/net")),
      );
      assert.equal(spaces[0], spaces[1], "also where another branch has failed meanwhile");
    });
  });

  test("a new container that is not sound goes, and the old one serves again as it was (F81, F90)", async (engine) => {
    const name = `back${kind}`;
    const text = project(name, [
      service("web", "restart: unless-stopped\nenvironment: { COLOUR: red }"),
      service("side", "network_mode: 'service:web'"),
      service("after", "depends_on: [web]\nenvironment: { COLOUR: red }"),
    ]);
    await scene(engine, name, text, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      const before = await scene.containers();
      const breaking = [
        ["[idle]", "[sh, -c, 'echo this is why; exit 3']", /ended with code 3|restarted|again and again/],
        ["[idle]", "[no-such-program]", /no-such-program|not found|not sound|Cannot start/],
        [
          "environment: { COLOUR: red }",
          "environment: { COLOUR: blue }\n    healthcheck: { test: [CMD, 'false'], interval: 200ms, retries: 2 }",
          /unhealthy/,
        ],
      ] as const;
      for (const [part, broken, why] of breaking) {
        await scene.write(text.replace(part, broken));

        const applied = await scene.apply();

        assert.equal(applied.state, "failed", broken);
        assert.match(applied.reason ?? "", why);
        assert.match(applied.reason ?? "", /the old container serves again$/);
        const after = await scene.containers();
        assert.deepEqual(Object.keys(after), Object.keys(before));
        assert.deepEqual(after[`${name}-web-1`], before[`${name}-web-1`], broken);
        assert.equal(
          after[`${name}-after-1`]?.id,
          before[`${name}-after-1`]?.id,
          "what follows was not begun",
        );
        assert.ok(applied.steps.some(({ state }) => state === "skipped"));
        const [log] = (await scene.events(applied.id)).filter(({ kind }) => kind === "log");
        assert.equal(log?.container, `${name}-web-1`);
        if (broken.includes("this is why")) assert.ok(log.lines.includes("this is why"), String(log.lines));
        const spaces = await Promise.all(
          ["web", "side"].map((one) => engine.cli("exec", `${name}-${one}-1`, "readlink", "/proc/1/ns/net")),
        );
        assert.equal(spaces[0], spaces[1], "who shares its network has it again");
      }
      await scene.write(text);
      assert.deepEqual((await scene.plan()).steps, []);
    });
  });

  test("what an engine refuses is kept without the ids that it names, and with the port that is taken", async (engine) => {
    const name = `refused${kind}`;
    const text = project(name, [service("web", "ports: ['18481:80']")]);
    const taking = await engine.cli("run", "-d", "-p", "18482:80", FIXTURE, "idle");
    await scene(engine, name, text, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      await scene.write(text.replace("18481", "18482"));

      const applied = await scene.apply();

      assert.equal(applied.state, "failed");
      const words = [applied.reason, ...applied.steps.map(({ error }) => error?.title)].join("\n");
      assert.match(words, /:18482.*(?:already|in use)[^]*the old container serves again/);
      assert.doesNotMatch(words, /\b[0-9a-f]{64}\b/);
    });
    await engine.cli("rm", "-f", taking);
  });
}
