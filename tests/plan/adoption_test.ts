/** Containers of `docker run` taken over as they are, on real engines: files and claims, and no step for what runs. */
import assert from "node:assert/strict";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { FIXTURE } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";
import { workspace } from "../streams/live_scene.ts";
import { eventually } from "../support/eventually.ts";
import { AdoptionScene } from "./adoption_scene.ts";

const SECRET = "correct-horse-battery";

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("an adopted container belongs to its project as it is, and the first change gives it Compose's labels", async (engine) => {
    await using scene = await AdoptionScene.on(engine);
    const { berth } = scene;
    const web = await scene.run(
      "adopted-web",
      ...["-e", "MODE=dark", "-e", `DB_PASSWORD=${SECRET}`, "-e", "SALT=plain", "-p", "18470:80"],
      ...["--rm", "-v", "/data"], // its engine removes it, and such a volume that nobody else has, at its stop
    );
    await engine.cli("exec", "adopted-web", "touch", "/data/kept");
    const before = await engine.cli("inspect", "adopted-web");
    const draft = await scene.draft([web], "shop");
    const saved = await berth.call(`POST /api/adoptions/drafts/${draft.body.id}/accept`, {
      projects: [{ name: "shop", folder: "apps/shop", containers: [web] }],
      secrets: ["adopted-web.SALT"],
    });
    assert.equal(saved.status, 201, saved.text);
    assert.deepEqual(saved.body.projects, [{
      name: "shop",
      group: "shop",
      folder: "apps/shop",
      files: ["apps/shop/.env", "apps/shop/compose.yaml"],
      containers: ["adopted-web"],
    }]);
    assert.equal(await engine.cli("inspect", "adopted-web"), before, "no container changed");
    const env = `${scene.folder}/apps/shop/.env`;
    assert.equal((await Deno.stat(env)).mode! & 0o777, 0o600);
    const secrets = await Deno.readTextFile(env);
    assert.ok(
      secrets.includes(SECRET) && secrets.includes("plain"),
      "in whatever order the engine tells them",
    );
    assert.doesNotMatch(await Deno.readTextFile(`${scene.folder}/apps/shop/compose.yaml`), /correct|plain/);

    assert.equal((await scene.container("adopted-web")).compose.claim, "certain");
    const unit = await berth.call("GET /api/workspaces/home/artifacts/units/shop.adopted-web");
    assert.deepEqual(
      [unit.body.live.match, unit.body.live.drift, unit.body.live.state],
      [{ by: "claim", confidence: "certain" }, [], "running"],
    );
    const plan = await scene.plan("shop");
    assert.deepEqual([plan.body.steps, plan.body.blocked], [[], []], plan.text);
    const { body: { items } } = await berth.call("GET /api/adoptions");
    assert.deepEqual(
      items.map(({ name, state, project, service }: Record<string, string>) => [
        name,
        state,
        project,
        service,
      ]),
      [["adopted-web", "certain", "shop@home", "adopted-web"]],
    );
    const { text: audit } = await berth.call("GET /api/system/audit?limit=50");
    assert.doesNotMatch(audit, new RegExp(SECRET));
    assert.match(audit, /adoptions\/drafts/);
    // Nor in an offer, the log, or any file that berth keeps.
    const kept = scene.paths(`${berth.folder}/data`);
    assert.ok(kept.length > 0);
    for (const one of kept) {
      assert.ok(!(await Deno.readTextFile(`${berth.folder}/data/${one}`)).includes(SECRET), one);
    }

    for (const action of ["down", "stop"]) {
      const going = await berth.call("POST /api/workspaces/home/artifacts/groups/shop/plan", { action });
      assert.match(going.text, /made with --rm: .* volumes without a name at .*\/data/);
      assert.equal(going.body.blocked.length, 1);
    }
    const file = `${scene.folder}/apps/shop/compose.yaml`;
    await Deno.writeTextFile(file, (await Deno.readTextFile(file)).replace("MODE: dark", "MODE: light"));
    await eventually("the change is read", async () => (await scene.plan("shop")).body.steps?.length > 0);
    await scene.apply("shop");
    const after = await eventually("the new container is seen", async () => {
      const one = await scene.container("adopted-web");
      return one.id === web.id ? null : one;
    });
    assert.equal(after.compose.claim, undefined);
    assert.equal(after.compose.project, "shop");
    await engine.cli("exec", "adopted-web", "test", "-e", "/data/kept");
    const left = (await berth.call("GET /api/adoptions")).body.items;
    assert.ok(left.every(({ state }: { state: string }) => state === "gone"), "until the claim has ended");
    assert.deepEqual((await scene.plan("shop")).body.steps, []);
    assert.deepEqual(berth.bugs(), []);
  });

  test("another container under the name is a likely one: plans are blocked until somebody confirms it", async (engine) => {
    await using scene = await AdoptionScene.on(engine);
    const { berth } = scene;
    const first = await scene.run("renewed");
    assert.equal((await scene.adopt([first], "renewed")).status, 201);
    await engine.cli("rm", "--force", "renewed");
    const second = await scene.run("renewed");
    await eventually("it is seen", async () => (await scene.container("renewed")).id === second.id);
    assert.equal((await scene.container("renewed")).compose.claim, "likely");
    const blocked = await scene.plan("renewed");
    assert.deepEqual(blocked.body.blocked.map(({ code }: { code: string }) => code), ["project/guess"]);
    const grants = ["workspace:home", "project:renewed"].map((on) => ({ role: "admin", on: [on] }));
    const made = await berth.call("POST /api/settings/api-keys", { name: "scoped", grants });
    const scoped = berth.as(made.body.key);
    assert.equal(
      (await scoped.call("GET /api/containers/renewed")).status,
      404,
      "a likely match gives no scope",
    );

    const { body: { items: [adoption] } } = await berth.call("GET /api/adoptions");
    assert.equal(adoption.state, "likely");
    // Out of scope there is no adoption.
    const outside = await berth.call("POST /api/settings/api-keys", {
      name: "outside",
      grants: [{ role: "admin", on: ["workspace:other"] }],
    });
    const stranger = berth.as(outside.body.key);
    assert.deepEqual((await stranger.call("GET /api/adoptions")).body.items, []);
    for (
      const route of [`POST /api/adoptions/${adoption.id}/confirm`, `DELETE /api/adoptions/${adoption.id}`]
    ) {
      const answer = await stranger.call(route);
      assert.deepEqual([answer.status, answer.body.code], [404, "claim_not_found"], answer.text);
    }
    const settling = { container: "renewed", fields: ["restart"] };
    const unsettled = await stranger.call(
      "POST /api/workspaces/home/artifacts/units/renewed.renewed/settle?preview=true",
      settling,
    );
    assert.equal(unsettled.status, 404, unsettled.text);
    assert.equal((await scoped.call(`POST /api/adoptions/${adoption.id}/confirm`)).status, 403);
    const confirmed = await berth.call(`POST /api/adoptions/${adoption.id}/confirm`);
    assert.equal(confirmed.status, 204, confirmed.text);
    assert.equal((await scene.container("renewed")).compose.claim, "certain");
    assert.deepEqual((await scene.plan("renewed")).body.steps, []);
    assert.equal((await scoped.call("GET /api/containers/renewed")).status, 200);
    assert.equal((await berth.call(`POST /api/adoptions/${adoption.id}/confirm`)).status, 409);

    const viewer = await berth.key("viewer");
    assert.equal((await viewer.call(`DELETE /api/adoptions/${adoption.id}`)).status, 403);
    assert.equal((await berth.call(`DELETE /api/adoptions/${adoption.id}`)).status, 204);
    assert.equal((await scene.container("renewed")).compose, null);
    assert.equal((await berth.call(`DELETE /api/adoptions/${adoption.id}`)).status, 404);
    assert.ok(scene.paths().includes("renewed/compose.yaml"), "the files stay");
    assert.deepEqual(berth.bugs(), []);
  });

  test("what cannot be adopted is refused with its reason, and nothing is written", async (engine) => {
    await using scene = await AdoptionScene.on(engine);
    const { berth } = scene;
    const one = await scene.run("refused-one", "--label", "team=mine");
    const self = await scene.run("refused-self", "--label", "dev.berth.self=1");
    await workspace(berth, "other", "name: taken\nservices:\n  web:\n    image: none\n");
    await Deno.mkdir(`${scene.folder}/full`);
    await Deno.writeTextFile(`${scene.folder}/full/compose.yaml`, "# somebody's\n");
    const before = scene.paths();
    const refused = async (over: object, code: string, why: RegExp, containers = [one]) => {
      const answer = await scene.adopt(containers, "fresh", over);
      assert.deepEqual([answer.body.code, why.test(answer.body.title)], [code, true], answer.text);
      assert.deepEqual(scene.paths(), before);
      assert.deepEqual((await berth.call("GET /api/adoptions")).body.items, []);
    };
    await refused({ name: "taken" }, "adoption_blocked", /"taken" already: choose another name/);
    await refused({ folder: "full" }, "file_exists", /something has its name already/);
    await refused({ folder: "../out" }, "adoption_blocked", /its path must be plain/);
    await refused({ folder: ".hidden" }, "adoption_blocked", /hidden names/);
    await refused({}, "adoption_blocked", /berth itself/, [self]);

    const draft = await scene.draft([one], "fresh");
    await engine.cli("rename", "refused-one", "refused-two");
    await eventually(
      "the new name is seen",
      async () => (await scene.container("refused-two")).id === one.id,
    );
    const stale = await scene.accept(draft.body.id, { name: "fresh", folder: "fresh", containers: [one] });
    assert.deepEqual([stale.status, stale.body.code], [409, "draft_stale"], stale.text);
    await engine.cli("rename", "refused-two", "refused-one");
    await eventually(
      "the old name is seen",
      async () => (await scene.container("refused-one")).id === one.id,
    );

    // Others do not have the draft, and neither has a caller without the rights on the container.
    const grants = [
      { role: "admin", on: ["workspace:home"] },
      { role: "viewer", on: ["label:team=mine"] },
    ];
    const made = await berth.call("POST /api/settings/api-keys", { name: "scoped", grants });
    const scoped = berth.as(made.body.key);
    const project = { name: "fresh", folder: "fresh", containers: [one] };
    assert.equal((await scene.accept(draft.body.id, project, scoped)).body.code, "draft_stale");
    const own = await scene.draft([one], "fresh", scoped);
    assert.equal((await scene.accept(own.body.id, project, scoped)).status, 403);
    await berth.call("PUT /api/workspaces/home", { editable: false });
    assert.equal((await scene.accept(draft.body.id, project)).body.code, "not_editable");
    await berth.call("PUT /api/workspaces/home", { editable: true });
    assert.deepEqual(scene.paths(), before);
    const accepted = await scene.accept(draft.body.id, project);
    assert.equal(accepted.status, 201, "a refused draft can be tried again");
    assert.equal((await scene.accept(draft.body.id, project)).body.code, "draft_stale", "and is taken once");
    assert.deepEqual(berth.bugs(), []);
  });

  test("of two who adopt a container one gets it, and the other one's files are taken back", async (engine) => {
    await using scene = await AdoptionScene.on(engine);
    const { berth } = scene;
    const one = await scene.run("wanted");
    const drafts = [await scene.draft([one], "left"), await scene.draft([one], "right")];
    const answers = await Promise.all(
      ["left", "right"].map((name, n) =>
        scene.accept(drafts[n]!.body.id, { name, folder: name, containers: [one] })
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).sort(),
      [201, 409],
      answers.map(({ text }) => text).join(),
    );
    const winner = answers.find(({ status }) => status === 201)!.body.projects[0].name;
    assert.deepEqual(scene.paths(), ["compose.yaml", `${winner}/compose.yaml`]);
    assert.equal((await berth.call("GET /api/adoptions")).body.items.length, 1);
    assert.deepEqual(berth.bugs(), []);
  });

  test("files that a stop left without their claims are adopted by the next draft", async (engine) => {
    await using scene = await AdoptionScene.on(engine);
    const { berth } = scene;
    const one = await scene.run("stopped-short");
    assert.equal((await scene.adopt([one], "short")).status, 201);
    const { body: { items: [{ id }] } } = await berth.call("GET /api/adoptions");
    assert.equal((await berth.call(`DELETE /api/adoptions/${id}`)).status, 204);
    const blocked = await scene.plan("short");
    assert.deepEqual(blocked.body.blocked.map(({ code }: { code: string }) => code), ["project/name-taken"]);
    const draft = await scene.draft([one], "short");
    assert.deepEqual([draft.body.projects[0].blocked, draft.body.projects[0].folder], [[], "short"]);
    assert.equal(
      (await scene.accept(draft.body.id, { name: "short", folder: "short", containers: [one] })).status,
      201,
    );
    assert.deepEqual((await scene.plan("short")).body.blocked, []);
    assert.deepEqual(berth.bugs(), []);
  });

  test(
    "what runs beside a service of its name, and replicas of an old Compose, are adopted without a step",
    async (engine) => {
      const text = `services:\n  web:\n    image: "${FIXTURE}"\n    command: idle\n    scale: 2\n`;
      await using lost = await workspaceFolder({ "compose.yaml": text }, "old");
      await using scene = await AdoptionScene.on(engine);
      const compose = (...args: string[]) =>
        composeToday(engine.socket, lost.path, "--compatibility", ...args);
      scene.defer(() => compose("down", "--remove-orphans", "--timeout", "0"));
      assert.equal(await compose("up", "--detach"), "");
      assert.equal(await compose("run", "--detach", "--name", "single", "web", "idle"), "");
      const of = async (name: string) => ({
        backend: engine.kind,
        id: (await engine.ask(`GET /containers/${name}/json`)).json.Id,
      });
      const other = await scene.run("web", "--network", "old_default");
      const single = await scene.adopt([await of("old_web_1"), await of("single")], "old");
      assert.match(single.body.title, /"single" cannot be written down: it is a single run/, single.text);

      const saved = await scene.adopt([await of("old_web_1"), await of("old_web_2"), other], "old");
      assert.equal(saved.status, 201, saved.text);
      const { body: { items } } = await scene.berth.call("GET /api/adoptions");
      assert.deepEqual(
        items.map(({ name, service }: Record<string, string>) => `${name} ${service}`).sort(),
        ["old_web_1 web", "old_web_2 web", "web web-2"],
      );
      const plan = await scene.plan("old");
      assert.deepEqual([plan.body.steps, plan.body.blocked], [[], []], plan.text);
      assert.deepEqual(scene.berth.bugs(), []);
    },
    composeOfToday.missing,
  );
}
