/** A newer version becomes a change of exactly one line, is written, applied, and taken back when it does not start. */
import assert from "node:assert/strict";
import { runBerth } from "../support/berth_process.ts";
import type { TestCaller } from "../support/service.ts";
import { startReachableRegistry } from "../support/reachable_registry.ts";
import { eventually } from "../support/eventually.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { save } from "../streams/live_scene.ts";
import { project, scene, service } from "./apply_scene.ts";
import { lookedAt, lookFor, pushVersion } from "./update_scene.ts";

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("1.4.2 with 1.4.5 in the registry becomes a change of that line, and then what runs", async (engine) => {
    await using registry = await startReachableRegistry({}, engine);
    const reference = `${registry.host}/app:1.4.2`;
    for (const version of ["1.4.2", "1.4.5", "2.0.0"]) {
      await pushVersion(engine, registry, `app:${version}`, version);
    }
    const name = `propose${kind}`;
    const text = project(name, [
      service("web", "environment:\n  PASSWORD: hunter2").replace(
        "berth-fixture:latest",
        `${reference} # ours`,
      ),
    ]);
    await scene(engine, name, text, async (scene) => {
      const { berth, workspace } = scene;
      const path = `${scene.path}/compose.yaml`;
      const labelOf = async () => (await scene.containers())[`${name}-web-1`]!.labels["version"];
      assert.equal((await scene.apply()).state, "done");
      await lookFor(berth, registry);
      const pulls = registry.asked.length;
      const item = await lookedAt(berth, reference);

      assert.deepEqual(
        item.candidates.map((
          { kind, step, reference, coolsUntil }: Record<string, string>,
        ) => [kind, step, reference, coolsUntil]),
        [["tag", "patch", `${registry.host}/app:1.4.5`, null], [
          "tag",
          "major",
          `${registry.host}/app:2.0.0`,
          null,
        ]],
      );
      assert.equal(item.state, "current");
      assert.equal((await berth.call("GET /api/projects")).body.items[0].newer, 0);
      assert.ok(
        registry.asked.slice(pulls).every(({ path }) => !path.includes("/blobs/")),
        "nothing was pulled",
      );
      assert.deepEqual(
        (await scene.plan({ action: "update" })).steps,
        [],
        "another tag is no update of this one",
      );

      const body = { project: item.project, reference, candidate: item.candidates[0].reference };
      const proposed = await berth.call("POST /api/updates/propose", body);
      assert.equal(proposed.status, 200, proposed.text);
      const [change, ...more] = proposed.body.changes;
      assert.deepEqual([more, proposed.body.path, proposed.body.editable], [[], "compose.yaml", false]);
      assert.deepEqual(change, {
        line: 4,
        before: `    image: ${reference} # ours`,
        after: `    image: ${registry.host}/app:1.4.5 # ours`,
      });
      assert.ok(!proposed.text.includes("hunter2"), "secrets stay masked");
      assert.equal(await Deno.readTextFile(path), text, "nothing was written");

      const file = `PUT /api/workspaces/${workspace}/files/compose.yaml`;
      const match = { headers: { "if-match": proposed.headers.get("etag")! } };
      const write = () => berth.call(file, { text: proposed.body.text }, match);
      assert.equal((await write()).body.code, "not_editable");
      await berth.call(`PUT /api/workspaces/${workspace}`, { editable: true });
      assert.equal((await write()).status, 200);
      assert.equal(await Deno.readTextFile(path), text.replace("app:1.4.2", "app:1.4.5"));
      assert.equal((await write()).body.code, "file_changed");
      assert.equal((await scene.apply()).state, "done");
      assert.equal(await labelOf(), "1.4.5");

      await pushVersion(engine, registry, "app:1.4.6", "1.4.6", ['ENTRYPOINT ["/none"]']);
      const next = await lookedAt(berth, `${registry.host}/app:1.4.5`);
      const [broken] = next.candidates;
      assert.equal(broken.reference, `${registry.host}/app:1.4.6`);
      const asked = { project: item.project, reference: next.reference, candidate: broken.reference };
      const second = await berth.call("POST /api/updates/propose", asked, {
        headers: { "if-match": proposed.headers.get("etag")! },
      });
      assert.deepEqual([second.status, second.body.code], [412, "file_changed"]);
      const third = await berth.call("POST /api/updates/propose", asked);
      await berth.call(file, { text: third.body.text }, {
        headers: { "if-match": third.headers.get("etag")! },
      });
      assert.equal((await scene.apply()).state, "failed");
      const [old] = Object.values(await scene.containers());
      assert.deepEqual([old!.labels["version"], old!.state], ["1.4.5", "running"]);

      const failed = await lookedAt(berth, broken.reference);
      assert.deepEqual([failed.back.reference, failed.state], [`${registry.host}/app:1.4.5`, "unknown"]);
      assert.match(failed.back.failed.reason, /cannot|failed|not start|exec/i);
      assert.equal(failed.reason, "the file names another image than runs");
      assert.deepEqual((await scene.plan({ action: "update" })).steps, [], "it is not tried again by itself");
      const undo = { project: item.project, reference: broken.reference, candidate: failed.back.reference };
      const last = await berth.call("POST /api/updates/propose", undo);
      assert.equal(last.status, 200, last.text);
      const before = await Deno.readTextFile(path);
      await Deno.writeTextFile(path, `${before}# a later edit\n`);
      const stale = await berth.call(file, { text: last.body.text }, {
        headers: { "if-match": last.headers.get("etag")! },
      });
      assert.deepEqual([stale.status, stale.body.code], [412, "file_changed"]);
      const again = await berth.call("POST /api/updates/propose", undo);
      const put = { headers: { "if-match": again.headers.get("etag")! } };
      assert.equal((await berth.call(file, { text: again.body.text }, put)).status, 200);
      assert.equal(
        await Deno.readTextFile(path),
        `${text.replace("app:1.4.2", "app:1.4.5")}# a later edit\n`,
      );
      assert.deepEqual((await scene.plan()).steps, [], "what is written runs");
      assert.equal((await lookedAt(berth, `${registry.host}/app:1.4.5`)).back, null);
    });
  });
}

const { test } = await sharedEngine("docker");

test("berth updates --take writes the line, applies it, and shows what it changes first", async (engine) => {
  await using registry = await startReachableRegistry({}, engine);
  const reference = `${registry.host}/app:1.4.2`;
  for (const version of ["1.4.2", "1.4.5", "2.0.0"]) {
    await pushVersion(engine, registry, `app:${version}`, version);
  }
  const text = project("taken", [service("web").replace("berth-fixture:latest", "${IMAGE}")]);
  await scene(engine, "taken", text, async (scene) => {
    const { berth, workspace } = scene;
    const run = (...args: string[]) => runBerth(args, { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });
    await save(berth, workspace, `${scene.path}/.env`, `IMAGE=${reference}\n`);
    assert.equal((await scene.apply()).state, "done");
    await lookFor(berth, registry);
    await lookedAt(berth, reference);

    const listed = await run("updates");
    assert.equal(listed.code, 2, listed.stderr);
    assert.match(
      listed.stdout,
      /current +\S+app:1\.4\.2 +taken@\S+ +web +1\.4\.5 \(patch\); 2\.0\.0 \(major\)/,
    );
    const refused = await run("updates", "taken", "--take", "1.4.5", "--yes");
    assert.deepEqual([refused.code, refused.stdout], [
      1,
      `.env:1\n- IMAGE=${reference}\n+ IMAGE=${registry.host}/app:1.4.5\n`,
    ]);
    assert.match(refused.stderr, /let an admin make the folder "\S+" editable/);
    assert.match((await run("updates", "taken", "--take", "1.4.9")).stderr, /no newer version "1\.4\.9"/);
    await berth.call(`PUT /api/workspaces/${workspace}`, { editable: true });
    assert.equal((await run("updates", "taken", "--take", "1.4.5")).code, 64, "nobody can be asked");

    const taken = await run("updates", "taken", "--take", "1.4.5", "--yes");

    assert.equal(taken.code, 0, taken.stderr);
    assert.equal(await Deno.readTextFile(`${scene.path}/.env`), `IMAGE=${registry.host}/app:1.4.5\n`);
    assert.equal((await scene.containers())["taken-web-1"]!.labels["version"], "1.4.5");

    assert.match((await run("updates", "taken", "--back", "--yes")).stderr, /no version there that failed/);
    await pushVersion(engine, registry, "app:1.4.6", "1.4.6", ['ENTRYPOINT ["/none"]']);
    await lookedAt(berth, `${registry.host}/app:1.4.5`);
    const failed = await run("updates", "taken", "--take", "1.4.6", "--yes");
    assert.equal(failed.code, 1, failed.stdout);
    assert.match(failed.stderr, /berth updates taken --back writes what it said before/);
    const listedBack = await eventually("the version that the file names now was looked at", async () => {
      const listed = await run("updates", "taken");
      return listed.code === 2 ? listed : null;
    });
    assert.match(listedBack.stdout, /went back to \S+app:1\.4\.5: --back writes it/);
    const back = await run("updates", "taken", "--back", "--yes");
    assert.equal(back.code, 0, back.stderr);
    assert.equal(await Deno.readTextFile(`${scene.path}/.env`), `IMAGE=${registry.host}/app:1.4.5\n`);
    assert.equal((await scene.containers())["taken-web-1"]!.labels["version"], "1.4.5");
    await lookedAt(berth, `${registry.host}/app:1.4.5`);
    const told = await run("updates", "taken");
    assert.match(told.stdout, /1\.4\.6 \(patch\), went back on /);
    assert.equal(told.code, 0, "what went back is nothing to be done");
  });
});

test("nothing is proposed that berth did not see, and nothing to callers who may not write the folder", async (engine) => {
  await using registry = await startReachableRegistry({}, engine);
  const reference = `${registry.host}/app:1.4.2`;
  for (const version of ["1.4.2", "1.4.5"]) await pushVersion(engine, registry, `app:${version}`, version);
  const text = project("unproposed", [service("web").replace("berth-fixture:latest", reference)]);
  await scene(engine, "unproposed", text, async ({ berth, workspace }) => {
    await lookFor(berth, registry);
    const { project, candidates: [{ reference: candidate }] } = await lookedAt(berth, reference);
    const propose = async (body: unknown, caller: TestCaller = berth) => {
      const { status, body: { code } } = await caller.call("POST /api/updates/propose", body);
      return [status, code];
    };
    const asked = { project, reference, candidate };

    assert.deepEqual(await propose(asked), [200, undefined]);
    for (const over of [{ candidate: `${registry.host}/app:9.9.9` }, { reference: candidate }]) {
      assert.deepEqual(await propose({ ...asked, ...over }), [404, "update_not_found"]);
    }
    assert.deepEqual(await propose({ ...asked, project: `other@${workspace}` }), [404, "update_not_found"]);
    assert.deepEqual(await propose({ ...asked, project: "unproposed@none" }), [404, "update_not_found"]);
    for (
      const permissions of [["workspaces:files"], ["artifacts:read", "containers:read", "projects:apply"]]
    ) {
      const made = await berth.call("POST /api/settings/api-keys", {
        name: `narrow ${permissions[0]}`,
        grants: [{ permissions }],
      });
      const [status] = await propose(asked, berth.as(made.body.key));
      assert.ok(status === 403 || status === 404, `${permissions}: ${status}`);
    }
  });
});
