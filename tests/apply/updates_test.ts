/** Newer images, from a tag that is pushed again to what the lists say of it, on real engines and a real registry. */

import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { startReachableRegistry } from "../support/reachable_registry.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { project, scene, service } from "./apply_scene.ts";
import { lookedAt, lookFor, pushVersion } from "./update_scene.ts";

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("a tag that is pushed again is newer, once somebody switched the look on, and nothing was pulled", async (engine) => {
    await using registry = await startReachableRegistry({}, engine);
    const reference = `${registry.host}/app:1`;
    await pushVersion(engine, registry, "app:1", "1");
    const name = `newer${kind}`;
    const own = (unit: string) => service(unit).replace("berth-fixture:latest", reference);
    const pinned = service("pinned").replace(
      "berth-fixture:latest",
      `berth-fixture@sha256:${"0".repeat(64)}`,
    );
    const built = "  built:\n    build: .\n    image: made:1\n";
    const away = service("away").replace("berth-fixture:latest", `${registry.host}/none:1`);
    const text = project(name, [own("one"), own("two"), service("fixture"), pinned, built, away]);
    await scene(engine, name, text, async (scene) => {
      const { berth } = scene;
      const applied = await scene.apply({ units: ["one", "two", "fixture"] });
      assert.equal(applied.state, "done", applied.reason ?? "");
      assert.deepEqual((await berth.call("POST /api/updates/check")).body.code, "updates_disabled");
      const before = (await berth.call("GET /api/updates")).body;
      assert.equal(before.enabled, false);
      assert.ok(before.items.every(({ state }: { state: string }) => state === "unknown"));
      const pulls = registry.asked.length;

      await lookFor(berth, registry);
      const current = await lookedAt(berth, reference);
      assert.deepEqual([current.state, current.units, current.candidates], ["current", ["one", "two"], []]);
      assert.match(current.current, /^sha256:[0-9a-f]{64}$/);
      assert.deepEqual(
        registry.asked.slice(pulls).map(({ method, path }) => `${method} ${path}`).sort(),
        ["GET /v2/app/tags/list?n=1000", "HEAD /v2/app/manifests/1", "HEAD /v2/none/manifests/1"],
      );
      const listed = (await berth.call("GET /api/updates")).body.items;
      const states = Object.fromEntries(
        listed.map(({ reference, state }: Record<string, string>) => [reference, state]),
      );
      assert.deepEqual(states, {
        [reference]: "current",
        [`${registry.host}/none:1`]: "gone",
        "docker.io/library/berth-fixture:latest": states["docker.io/library/berth-fixture:latest"],
      });
      assert.notEqual(states["docker.io/library/berth-fixture:latest"], "current");

      await pushVersion(engine, registry, "app:1", "2");
      const since = registry.asked.length;
      const newer = await lookedAt(berth, reference);

      assert.equal(newer.state, "newer", JSON.stringify(newer));
      assert.equal(newer.current, current.current);
      const [candidate] = newer.candidates;
      const head = await registry.direct("/v2/app/manifests/1", {
        method: "HEAD",
        headers: {
          accept:
            "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json",
        },
      });
      assert.equal(candidate.digest, head.headers.get("docker-content-digest"));
      assert.equal(candidate.reference, `${registry.host}/app@${candidate.digest}`);
      assert.deepEqual([candidate.coolsUntil, candidate.notes], [
        null,
        "https://github.com/example/app/releases",
      ]);
      assert.equal(newer.location.file, "compose.yaml");
      assert.ok(
        registry.asked.slice(since).every(({ path }) => !path.includes("/blobs/")),
        "no layer was pulled",
      );
      const [row] = (await berth.call("GET /api/projects")).body.items;
      assert.equal(row.newer, 2);
      assert.equal((await berth.call("GET /api/updates?state=newer&project=" + name)).body.total, 1);
      assert.equal((await berth.call("GET /api/updates?project=other")).body.total, 0);

      await berth.call("PUT /api/updates", { enabled: true, coolDownDays: 3 });
      const cooling = (await berth.call("GET /api/updates?state=newer")).body.items[0];
      const days = (Date.parse(cooling.candidates[0].coolsUntil) - Date.parse(candidate.firstSeen)) /
        86_400_000;
      assert.equal(days, 3);
      assert.equal((await berth.call("GET /api/projects")).body.items[0].newer, 0);
    });
  });

  test("an update pulls the digest that was shown, and gives the name back when its container does not start", async (engine) => {
    await using registry = await startReachableRegistry({}, engine);
    const reference = `${registry.host}/app:1`;
    await pushVersion(engine, registry, "app:1", "1");
    const name = `update${kind}`;
    const text = project(name, [
      service("web").replace("berth-fixture:latest", reference),
      service("other"),
    ]);
    await scene(engine, name, text, async (scene) => {
      const { berth } = scene;
      assert.equal((await scene.apply()).state, "done");
      const labelOf = async () => (await scene.containers())[`${name}-web-1`]!.labels["version"];
      const imageOf = async () => (await engine.ask(`GET /images/${reference}/json`)).json.Id;
      const [other, first] = [(await scene.ids())[`${name}-other-1`], await imageOf()];
      const nothing = await scene.plan({ action: "update" });
      assert.deepEqual([nothing.steps, nothing.warnings.map(({ code }) => code)], [[], [
        "project/no-newer-image",
      ]]);
      await lookFor(berth, registry);
      await pushVersion(engine, registry, "app:1", "2");
      const { candidates: [second] } = await lookedAt(berth, reference);

      const plan = await scene.plan({ action: "update" });
      assert.deepEqual(
        plan.steps.map(({ kind, digest, why: [why] }) => [kind, digest, why?.code]),
        [["image.pull", second.digest, "newerImage"], ["container.swap", undefined, "newerImage"]],
      );
      await pushVersion(engine, registry, "app:1", "3"); // the tag moves while the plan is shown
      const applied = await scene.over((await scene.begin(plan)).body.id);

      assert.equal(applied.state, "done", applied.reason ?? "");
      assert.equal(await labelOf(), "2");
      assert.deepEqual([(await scene.ids())[`${name}-other-1`], await imageOf() === first], [other, false]);
      assert.deepEqual((await scene.plan()).steps, [], "what runs is as written");

      await pushVersion(engine, registry, "app:1", "4", ['ENTRYPOINT ["/none"]']);
      const { candidates: [fourth] } = await lookedAt(berth, reference);
      const before = await imageOf();
      const broken = await scene.plan({ action: "update", units: ["web"] });
      assert.equal(broken.steps[0]?.digest, fourth.digest);
      const failed = await scene.over((await scene.begin(broken)).body.id);

      assert.equal(failed.state, "failed");
      assert.equal(await labelOf(), "2");
      assert.equal((await scene.containers())[`${name}-web-1`]!.state, "running");
      assert.equal(await imageOf(), before, "the tag stands for what runs");
      await eventually("the plan has nothing to do", async () => (await scene.plan()).steps.length === 0);

      const { body: { items: [told] } } = await berth.call("GET /api/updates?state=newer");
      const [{ failed: tried }] = told.candidates;
      assert.equal(tried.apply, failed.id);
      assert.match(tried.reason, /the old container serves again/);
      assert.equal((await berth.call("GET /api/projects")).body.items[0].newer, 0);
      const left = await scene.plan({ action: "update" });
      assert.deepEqual(left.steps, [], "a digest that went back is not tried again by itself");
      assert.match(left.warnings[0]!.message, /went back to the old one before/);
      assert.equal((await scene.plan({ action: "update", units: ["web"] })).steps[0]?.digest, fourth.digest);
      await pushVersion(engine, registry, "app:1", "5");
      const next = await lookedAt(berth, reference);
      assert.equal(next.candidates[0].failed, null);
      assert.equal((await scene.plan({ action: "update" })).steps[0]?.digest, next.candidates[0].digest);
    });
  });
}
