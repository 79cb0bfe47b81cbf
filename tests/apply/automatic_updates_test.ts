/** Updates that berth begins by itself: by a person's word, with their rights of the day, in a window, until one goes back. */
import assert from "node:assert/strict";
import { runBerth } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { type ReachableRegistry, startReachableRegistry } from "../support/reachable_registry.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import type { TestEngine } from "../support/engine.ts";
import { serveEngines, type TestCaller, type TestService } from "../support/service.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { stepsOf } from "../../routes/automatic_update.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { pause } from "../../core/pause.ts";
import { ApplyScene, project, scene, service } from "./apply_scene.ts";
import { lookedAt, lookFor, pushVersion, startPair } from "./update_scene.ts";

const LOOK_MS = 200;
const SOON = { updateTimes: { lookMs: LOOK_MS } };
const { test } = await sharedEngine("docker");
const database = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;

/** A running project of one image, whose tag stands for version 2 by now. */
async function withNewer(
  engine: TestEngine,
  name: string,
  work: (scene: ApplyScene, registry: ReachableRegistry, id: string) => Promise<void>,
): Promise<void> {
  await using registry = await startReachableRegistry({}, engine);
  const reference = `${registry.host}/app:1`;
  await pushVersion(engine, registry, "app:1", "1");
  const text = project(name, [service("web").replace("berth-fixture:latest", reference)]);
  await scene(engine, name, text, async (scene) => {
    assert.equal((await scene.apply()).state, "done");
    await lookFor(scene.berth, registry);
    await pushVersion(engine, registry, "app:1", "2");
    await work(scene, registry, `${name}@${scene.workspace}`);
  }, SOON);
}

const versionOf = async (scene: ApplyScene) =>
  (await scene.containers())[`${scene.name}-web-1`]?.labels["version"];

const switchOn = async (caller: TestCaller, id: string, over: object = {}) =>
  (await caller.call(`PUT /api/projects/${encodeURIComponent(id)}/updates`, { automatic: true, ...over }))
    .status;

const rulesOf = async (berth: TestService) => (await berth.call("GET /api/updates")).body.projects;

/** Some looks, in which nothing is to happen. */
const someLooks = () => pause(6 * LOOK_MS);

test("a project is updated by itself once its person said so, and the audit log names them", async (engine) => {
  await withNewer(engine, "auto", async (scene, registry, id) => {
    const { berth } = scene;
    await lookedAt(berth, `${registry.host}/app:1`);
    await someLooks();
    assert.equal(await versionOf(scene), "1", "nobody said so");

    assert.equal(await switchOn(berth, id), 204);

    await eventually("it is updated", async () => await versionOf(scene) === "2");
    const [{ id: apply }] = (await berth.call("GET /api/applies")).body.items;
    assert.equal((await scene.over(apply)).state, "done");
    await berth.settled();
    const entries = (await berth.call("GET /api/system/audit?limit=100")).body.items;
    const own = entries.filter((
      { action, particulars }: { action: string; particulars: Record<string, string> },
    ) => particulars["automatic"] === "true" && action.startsWith("POST"));
    assert.deepEqual(
      own.map((
        { action, actor }: { action: string; actor: { id: string } },
      ) => [action, actor.id === entries[0].actor.id]),
      [["POST /api/plans/{id}/apply", true], ["POST /api/projects/{id}/plan", true]],
    );
    const applies = (await berth.call("GET /api/applies")).body.items.length;
    await someLooks();
    assert.equal((await berth.call("GET /api/applies")).body.items.length, applies, "once");
    assert.equal((await rulesOf(berth))[0].waits, null);
  });
});

test("an update by itself takes no change of the files along that nobody applied", async (engine) => {
  await withNewer(engine, "edited", async (scene, registry, id) => {
    const { berth } = scene;
    const [one, two] = [`${registry.host}/app:1`, `${registry.host}/app:2.0`];
    const of = (image: string, lines = "") =>
      project("edited", [service("web", lines).replace("berth-fixture:latest", image)]);
    await scene.write(of(one, "environment: { A: unapplied }"));
    await lookedAt(berth, one);
    assert.equal(await switchOn(berth, id), 204);
    await eventually("it waits", async () => (await rulesOf(berth))[0].waits !== null);
    assert.match((await rulesOf(berth))[0].waits, /"edited-web-1".*changes that were not applied/);

    await pushVersion(engine, registry, "app:2.0", "2.0");
    await scene.write(of(two));
    const other = await lookedAt(berth, two);
    await someLooks();

    assert.deepEqual(
      [other.state, other.reason, other.candidates],
      ["unknown", "the file names another image than runs", []],
    );
    const { labels, env } = (await scene.containers())["edited-web-1"]!;
    assert.deepEqual([labels["version"], env.includes("A=unapplied")], ["1", false]);
    assert.equal((await engine.ask(`GET /images/${two}/json`)).status, 404, "it was not pulled");
    assert.equal((await berth.call("GET /api/applies")).body.items.length, 1);

    await scene.write(of(one));
    await lookedAt(berth, one);
    await eventually("only its image is newer now", async () => await versionOf(scene) === "2");
    await scene.over((await berth.call("GET /api/applies")).body.items[0].id);
  });
});

test("an update by itself starts nothing that a person stopped or paused", async (engine) => {
  await withNewer(engine, "stopped", async (scene, registry, id) => {
    const { berth } = scene;
    const image = `${registry.host}/app:1`;
    const of = (name: string, lines = "") => service(name, lines).replace("berth-fixture:latest", image);
    const web = "depends_on: [z-db]";
    const own = [of("a-halted"), of("b-paused"), of("web"), of("y-api", web), of("z-db")];
    await scene.write(project("stopped", own));
    assert.equal((await scene.apply()).state, "done");
    for (const [act, name] of [["stop", "a-halted"], ["stop", "z-db"], ["pause", "b-paused"]] as const) {
      assert.equal((await engine.ask(`POST /containers/stopped-${name}-1/${act}?t=1`)).status, 204);
    }
    const before = await scene.containers();
    await lookedAt(berth, image);
    assert.equal(await switchOn(berth, id), 204);

    await eventually("it waits", async () => (await rulesOf(berth))[0].waits !== null);
    assert.match((await rulesOf(berth))[0].waits, /"stopped-y-api-1" needs something that is stopped/);
    await scene.write(project("stopped", own.filter((one) => !one.includes("y-api"))));
    await lookedAt(berth, image);
    await eventually("what runs is updated", async () => await versionOf(scene) === "2");
    await scene.over((await berth.call("GET /api/applies")).body.items[0].id);
    await someLooks();

    const { "stopped-web-1": now, ...others } = await scene.containers();
    const { "stopped-web-1": was, ...left } = before;
    assert.notEqual(now!.id, was!.id);
    assert.deepEqual(others, left, "what was stopped, paused or is in no file");
    assert.deepEqual(Object.values(others).map(({ state }) => state), [
      "exited",
      "paused",
      "running",
      "exited",
    ]);
    assert.equal((await rulesOf(berth))[0].waits, null);
    assert.equal((await engine.ask("POST /containers/stopped-b-paused-1/unpause")).status, 204);
  });
});

test("the first update that goes back ends them all, and its digest is not tried again", async (engine) => {
  await withNewer(engine, "back", async (scene, registry, id) => {
    const { berth } = scene;
    const other = project("second", [
      service("web").replace("berth-fixture:latest", `${registry.host}/other:1`),
    ]);
    await pushVersion(engine, registry, "other:1", "1");
    const second = await ApplyScene.on(engine, berth, "second", other);
    assert.equal((await second.apply()).state, "done");
    await pushVersion(engine, registry, "app:1", "broken", ['ENTRYPOINT ["/none"]']);
    await pushVersion(engine, registry, "other:1", "2");
    await lookedAt(berth, `${registry.host}/other:1`);
    assert.equal(await switchOn(berth, id), 204);
    await eventually("it went back", async () => (await rulesOf(berth))[0].waits !== null);
    assert.equal(await switchOn(berth, `second@${second.workspace}`), 204);

    const [{ waits }] = await rulesOf(berth);
    assert.match(waits, /the old container serves again/);
    assert.equal(await versionOf(scene), "1");
    const applies = (await berth.call("GET /api/applies")).body.items.length;
    await someLooks();
    assert.equal((await berth.call("GET /api/applies")).body.items.length, applies, "no other one begins");
    const waiting = async () => (await rulesOf(berth)).map(({ waits }: { waits: string }) => waits);
    const [own, others] = await waiting();
    assert.equal(own, waits);
    assert.match(others, /^an update of another project went back .* this one waits until 20\d\d-/);

    assert.equal(await switchOn(berth, id), 204, "a person looked at it");
    const appliesOf = async (name: string) =>
      (await berth.call("GET /api/applies")).body.items.filter(({ group }: { group: string }) =>
        group === name
      );
    await eventually("the other one is updated", async () => {
      const states = (await appliesOf("second")).map(({ state }: { state: string }) => state);
      return states.length === 2 && states.every((state: string) => state === "done");
    });
    assert.equal(await versionOf(second), "2");
    await someLooks();
    assert.deepEqual(await waiting(), [null, null]);
    assert.equal(await versionOf(scene), "1", "the digest is not tried again");
    assert.equal((await appliesOf("back")).length, 2);
    await second.clear();
  });
});

test("a pull that fails is told, and keeps no other project from its update", async (engine) => {
  let isAway = false;
  await using registry = await startReachableRegistry({
    script: ({ url, headers }, ask) =>
      isAway && url.includes("/v2/app/") && headers.get("user-agent")?.startsWith("docker/")
        ? new Response(null, { status: 404 })
        : ask(),
  }, engine);
  for (const image of ["app:1", "other:1"]) await pushVersion(engine, registry, image, "1");
  await using berth = await serveEngines({ docker: engine }, SOON);
  await using stack = new AsyncDisposableStack();
  const scenes: ApplyScene[] = [];
  // The last two share an image, which the first of them pulls.
  for (const [name, image] of [["fails", "app:1"], ["goes", "other:1"], ["shares", "other:1"]]) {
    const own = service("web").replace("berth-fixture:latest", `${registry.host}/${image}`);
    const scene = await ApplyScene.on(engine, berth, name!, project(name!, [own]));
    stack.defer(() => scene.clear());
    assert.equal((await scene.apply()).state, "done");
    scenes.push(scene);
  }
  await lookFor(berth, registry);
  for (const image of ["app:1", "other:1"]) await pushVersion(engine, registry, image, "2");
  await lookedAt(berth, `${registry.host}/other:1`);
  isAway = true;
  for (const { name, workspace } of scenes) {
    assert.equal(await switchOn(berth, `${name}@${workspace}`), 204);
  }

  await eventually("the others are updated", async () => {
    const versions = await Promise.all(scenes.map(versionOf));
    return versions.join() === "1,2,2";
  });
  const waits = await eventually("the first one says why it waits", async () => {
    const rules: { waits: string | null }[] = await rulesOf(berth);
    const reasons = rules.flatMap(({ waits }) => waits ?? []);
    return reasons.length === 1 ? reasons[0] : null;
  });
  assert.match(waits, /app/);
  isAway = false;
  await eventually("it is tried again", async () => await versionOf(scenes[0]!) === "2");
  await eventually("all applies are over", async () => {
    const states = (await berth.call("GET /api/applies")).body.items;
    return states.every(({ state }: { state: string }) => state !== "running");
  });
  assert.deepEqual(berth.bugs(), []);
});

test("an update waits and says so when its person is gone, or may not apply any more", async (engine) => {
  await withNewer(engine, "gone", async (scene, registry, id) => {
    const { berth } = scene;
    const grants = [{
      permissions: ["artifacts:read", "containers:read", "projects:plan", "projects:apply"],
    }];
    const made = await berth.call("POST /api/settings/api-keys", { name: "narrow", grants });
    assert.equal(await switchOn(berth.as(made.body.key), id), 204);
    await lookedAt(berth, `${registry.host}/app:1`);
    await eventually("it waits", async () => (await rulesOf(berth))[0].waits !== null);
    assert.match((await rulesOf(berth))[0].waits, /this needs "images:write"/);

    const all = await berth.key("operator");
    const me = (await all.call("GET /api/auth/me")).body;
    assert.equal(await switchOn(all, id, { window: shut() }), 204);
    await berth.call(`DELETE /api/settings/api-keys/${me.id}`);
    await someLooks();
    assert.equal((await rulesOf(berth))[0].waits, null, "its window is closed");
    const known = (await berth.berth.store.updates.projects())[0]!;
    await berth.berth.store.updates.noteProject(known, { waits: null, wentBackAt: null });
    await scene.berth.berth.store.updates.setProject(known, { ...known, window: null }, ENTRY);
    await eventually("it waits", async () => (await rulesOf(berth))[0].waits !== null);

    assert.match((await rulesOf(berth))[0].waits, /is gone or disabled/);

    const { body: eve } = await berth.call("POST /api/settings/people", { name: "eve", role: "operator" });
    const changed = await berth.call(`PUT /api/settings/people/${eve.id}`, { role: "viewer" });
    assert.equal(changed.status, 200, changed.text);
    const by = { kind: "user", id: eve.id, name: "eve" } as const;
    await berth.berth.store.updates.setProject(known, { ...known, window: null, by }, ENTRY);
    await eventually("it waits for her", async () => {
      const [{ by, waits }] = await rulesOf(berth);
      return by === "eve" && waits?.includes('this needs the permission "projects:plan" on it');
    });
    assert.equal(await versionOf(scene), "1");
    assert.equal((await berth.call("GET /api/applies")).body.items.length, 1);

    await berth.call(`PUT /api/settings/people/${eve.id}`, { role: "operator" });
    await eventually("she may again", async () => await versionOf(scene) === "2");
    await scene.over((await berth.call("GET /api/applies")).body.items[0].id);
  });
});

test("a window, a cool-down of its own, and who may say so", async (engine) => {
  await withNewer(engine, "window", async (scene, registry, id) => {
    const { berth } = scene;
    const put = async (body: unknown, caller: TestCaller = berth) => {
      const answer = await caller.call(`PUT /api/projects/${encodeURIComponent(id)}/updates`, body);
      return [answer.status, answer.body?.code];
    };
    for (
      const window of [
        { from: "24:00", to: "05:00", timeZone: "UTC" },
        { from: "02:00", to: "02:00", timeZone: "UTC" },
        { from: "02:00", to: "05:00", timeZone: "Mars/Olympus" },
        { from: "02:00" },
      ]
    ) assert.deepEqual(await put({ automatic: true, window }), [400, "invalid_request"]);
    assert.deepEqual(await put({ automatic: true }, await berth.key("viewer")), [403, "forbidden"]);
    assert.equal(await switchOn(berth, `none@${scene.workspace}`), 404);
    assert.deepEqual(await rulesOf(berth), []);

    assert.equal(await switchOn(berth, id, { window: shut(), coolDownDays: 7 }), 204);
    const { candidates: [candidate] } = await lookedAt(berth, `${registry.host}/app:1`);
    const days = (Date.parse(candidate.coolsUntil) - Date.parse(candidate.firstSeen)) / 86_400_000;
    assert.equal(days, 7);
    await someLooks();
    assert.equal(await versionOf(scene), "1", "the window is closed");
    assert.equal(await switchOn(berth, id, { coolDownDays: 7 }), 204);
    await someLooks();
    assert.equal(await versionOf(scene), "1", "it cools down");
    const run = (...args: string[]) =>
      runBerth(["updates", ...args], { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });
    const on = await run("window", "--automatic", "on", "--window", "02:00-05:00");
    assert.deepEqual([on.code, on.stdout], [0, "window is updated by itself from now on\n"], on.stderr);
    const [rule] = await rulesOf(berth);
    assert.deepEqual([rule.window.from, rule.window.to, rule.coolDownDays], ["02:00", "05:00", 7]);
    assert.match((await run()).stdout, new RegExp(`${id} is updated by itself from 02:00 to 05:00`));
    assert.equal((await run("window", "--automatic", "on", "--window", "2-5")).code, 64);
    assert.equal((await run("window", "--automatic", "off")).code, 0);
    assert.equal((await rulesOf(berth))[0].automatic, false);
    assert.deepEqual(await put({ automatic: false }), [204, undefined]);
    assert.deepEqual(await rulesOf(berth), []);
  });
});

test(
  "of two replicas one updates, once",
  async (engine) => {
    await using pair = await startPair(engine, await database.database(), SOON);
    const { berth, second } = pair;
    await using registry = await startReachableRegistry({}, engine);
    const reference = `${registry.host}/app:1`;
    await pushVersion(engine, registry, "app:1", "1");
    const text = project("pair", [service("web").replace("berth-fixture:latest", reference)]);
    const scene = await ApplyScene.on(engine, berth, "pair", text);
    await using stack = new AsyncDisposableStack();
    stack.defer(() => scene.clear());
    assert.equal((await scene.apply()).state, "done");
    await lookFor(berth, registry);
    await pushVersion(engine, registry, "app:1", "2");
    assert.equal(await switchOn(second, `pair@${scene.workspace}`), 204);
    await lookedAt(berth, reference);

    await eventually("it is updated", async () => await versionOf(scene) === "2");
    await someLooks();

    const applies = (await second.call("GET /api/applies")).body.items;
    assert.equal(applies.length, 2, "the first one, and one update");
    assert.equal((await scene.over(applies[0].id)).state, "done");
    assert.deepEqual([berth.bugs(), second.bugs()], [[], []]);
  },
  CANNOT_RUN_POSTGRES,
);

/** A window that opens in some hours. */
function shut() {
  const at = (hours: number) => `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 13)}:00`;
  return { from: at(3), to: at(4), timeZone: "UTC" };
}

Deno.test("An update that begins by itself waits where it would replace a container that cannot come back", async () => {
  const unit = (id: string) => ({ id, label: id, references: [] });
  const group = { standing: "main", name: "shop", project: "shop", units: [unit("web"), unit("db")] };
  const container = (service: string, state: string) => {
    const compose = { project: "shop", service };
    return { id: service, name: `shop-${service}-1`, backend: "one", labels: {}, state, compose };
  };
  const stepsWith = (states: readonly [web: string, db: string], removed: string) => {
    const swap = (n: number, of: string) => ({
      n,
      kind: "container.swap",
      target: `shop-${of}-1`,
      unit: of,
      why: [{ code: "newerImage" }],
      after: [],
    });
    const [web, db] = states;
    const options = {
      registry: { comparedModel: () => Promise.resolve({ groups: [group] }) },
      runtime: () => ({ containers: () => Promise.resolve([container("web", web), container("db", db)]) }),
    } as unknown as Parameters<typeof stepsOf>[0]; // nothing else is asked for
    const plan = {
      workspace: "w",
      group: "shop",
      backend: "one",
      steps: [swap(1, "web"), swap(2, "db")],
      warnings: [{ code: "project/removes-itself", subject: removed }],
    } as unknown as Parameters<typeof stepsOf>[1]; // as above
    return stepsOf(options, plan);
  };

  await assert.rejects(
    stepsWith(["running", "running"], "db"),
    /"shop-db-1" was made with --rm and cannot come back .* by hand/,
  );
  assert.deepEqual(await stepsWith(["running", "running"], "other"), [1, 2]);
  assert.deepEqual(await stepsWith(["running", "exited"], "db"), [1], "what is stopped stays so anyway");
});
