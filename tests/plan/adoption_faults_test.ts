/** Faults between a draft and a claim, or after it: nothing half written, and never a wrong certain match. */
import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, TestCaller } from "../support/service.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { mayMount, SmallDisk } from "../support/small_disk.ts";
import { AdoptionScene } from "./adoption_scene.ts";

const ACTOR = new URL("adoption_actor.ts", import.meta.url).pathname;
const IS_WHOLE = Deno.env.get("BERTH_PROOF") === "1";

type Kill = readonly [when: "before" | "after", act: "files" | "add" | "move" | "remove"];
/** The first stands for all of them in the ordinary run: files are there, and their claims are not. */
const KILLS: readonly Kill[] = [
  ["before", "add"],
  ["before", "files"],
  ["after", "files"],
  ["after", "add"],
  ["before", "move"],
  ["after", "move"],
  ["before", "remove"],
  ["after", "remove"],
];

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("if the first swap of an adopted container fails, the old one is back and still adopted", async (engine) => {
    await using scene = await AdoptionScene.on(engine);
    const { berth } = scene;
    const web = await scene.run("swapped");
    assert.equal((await scene.adopt([web], "swapped")).status, 201);
    const file = `${scene.folder}/swapped/compose.yaml`;
    const text = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, `${text}    command: [none]\n`);
    const plan = await eventually("the change is read", async () => {
      const { body } = await scene.plan("swapped");
      return body.steps?.length > 0 ? body : null;
    });
    const begun = await berth.call(`POST /api/plans/${plan.id}/apply`, {});
    const over = await eventually("the apply is over", async () => {
      const { body } = await berth.call(`GET /api/applies/${begun.body.id}`);
      return body.state === "running" ? null : body;
    }, { timeoutMs: 120_000 });
    assert.equal(over.state, "failed", JSON.stringify(over));

    const back = await eventually("the old container runs again", async () => {
      const one = await scene.container("swapped");
      return one.state === "running" ? one : null;
    });
    assert.deepEqual([back.id, back.compose.claim], [web.id, "certain"]);
    const { body: { items } } = await berth.call("GET /api/adoptions");
    assert.deepEqual(items.map(({ state }: { state: string }) => state), ["certain"]);
    await Deno.writeTextFile(file, text);
    await eventually("the text is read", async () => (await scene.plan("swapped")).body.steps?.length === 0);
    assert.deepEqual(berth.bugs(), []);
  });
}

const { test } = await sharedEngine("docker");

test("hostile names, labels, commands and variables are adopted as they are, and the plan has no step", async (engine) => {
  await using scene = await AdoptionScene.on(engine);
  const refs: { backend: string; id: string }[] = [];
  for (const name of ["yes", "0x1F", "1e3"]) {
    const body = {
      Image: FIXTURE,
      Cmd: ["idle", "- x: &a *a", "!!python/object", "${HOME:?}", "$(id)", "line\nbreak", "\u2028", "%", ""],
      Env: ["no=yes", "a.b=<<: *x", "TAB=\t#", "__proto__=1", `API_TOKEN=it's "${"$"}{x}" \\ \n$`],
      Labels: { "<<": "&anchor", "on": "~", "a: b": "$$" },
    };
    const { json } = await engine.ask(`POST /containers/create?name=${name}`, body);
    scene.defer(() => engine.ask(`DELETE /containers/${name}?force=1`));
    assert.equal((await engine.ask(`POST /containers/${json.Id}/start`)).status, 204);
    refs.push({ backend: "docker", id: json.Id });
  }
  const saved = await scene.adopt(refs, "hostile");
  assert.equal(saved.status, 201, saved.text);
  const { body } = await scene.plan("hostile");
  assert.deepEqual([body.steps, body.blocked], [[], []]);
  assert.doesNotMatch(await Deno.readTextFile(`${scene.folder}/hostile/compose.yaml`), /it's/);
  assert.deepEqual(scene.berth.bugs(), []);
});

test("a container that has gone since the draft is named, and nothing is written", async (engine) => {
  await using scene = await AdoptionScene.on(engine);
  const [stays, goes] = [await scene.run("gone-stays"), await scene.run("gone-goes")];
  const draft = await scene.draft([stays, goes], "gone");
  const before = scene.paths();
  await engine.cli("rm", "--force", "gone-goes");
  await eventually("it is seen", async () => (await scene.container("gone-goes")).code !== undefined);
  const answer = await scene.accept(draft.body.id, {
    name: "gone",
    folder: "gone",
    containers: [stays, goes],
  });
  assert.deepEqual([answer.status, answer.body.code], [409, "draft_stale"], answer.text);
  assert.match(answer.body.title, /"gone-goes" is not there any more/);
  assert.deepEqual(scene.paths(), before);
  assert.deepEqual((await scene.berth.call("GET /api/adoptions")).body.items, []);
  assert.deepEqual(scene.berth.bugs(), []);
});

test("a draft says that the image is gone, and writes what it gave", async (engine) => {
  await using scene = await AdoptionScene.on(engine);
  await engine.cli("tag", FIXTURE, "lost-image:1");
  const query = new URLSearchParams({
    fromSrc: "-",
    repo: "lost-image",
    tag: "1",
    changes: "ENV FROM=image",
  });
  const { fixtureImage } = await import("../support/fixture_image.ts");
  await engine.ask(`POST /images/create?${query}`, await fixtureImage());
  const { json } = await engine.ask("POST /containers/create?name=lost-image", {
    Image: "lost-image:1",
    Cmd: ["idle"],
  });
  scene.defer(() => engine.ask("DELETE /containers/lost-image?force=1"));
  await engine.cli("rmi", "--force", "lost-image:1");
  const { body } = await scene.draft([{ backend: "docker", id: json.Id }]);
  const [{ files, leftOut, differences }] = body.projects;
  assert.match(files[0].text, /FROM: image/);
  assert.deepEqual(differences, []);
  assert.match(leftOut.find(({ field }: { field: string }) => field === "image").why, /the image is gone/);
  assert.deepEqual(scene.berth.bugs(), []);
});

test(
  "if the disk is full at the second project, the first stays adopted and nothing half is left",
  async (engine) => {
    await using disk = await SmallDisk.mount("1m");
    await using scene = await AdoptionScene.on(engine, { roots: [disk.folder] });
    const { berth } = scene;
    const heavy = ["-e", `TEXT=${"x y ".repeat(25_000)}`];
    const names = ["disk-first", "disk-second"];
    const refs = [await scene.run(names[0]!), await scene.run(names[1]!, ...heavy)];
    const draft = await scene.draft(refs);
    disk.fill();
    // Room for the first text alone.
    const ballast = `${disk.folder}/ballast`;
    await Deno.truncate(ballast, (await Deno.stat(ballast)).size - 40_000);
    const answer = await berth.call(`POST /api/adoptions/drafts/${draft.body.id}/accept`, {
      projects: refs.map((one, n) => ({ name: names[n], folder: names[n], containers: [one] })),
    });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(answer.body.projects.map(({ name }: { name: string }) => name), ["disk-first"]);
    assert.match(answer.body.failed[0].why, /disk|space/i);
    assert.deepEqual(scene.paths(), ["compose.yaml", "disk-first/compose.yaml"]);
    disk.empty();
    const { body: { items } } = await berth.call("GET /api/adoptions");
    assert.deepEqual(items.map(({ name }: { name: string }) => name), ["disk-first"]);
    assert.equal((await scene.container("disk-second")).compose, null);
    assert.deepEqual(berth.bugs(), []);
  },
  mayMount ? null : "no small file system may be mounted here",
);

test("a store that comes back from a backup gives no container a certain match that is not its own", async (engine) => {
  await using scene = await AdoptionScene.on(engine);
  const { berth } = scene;
  const first = await scene.run("restored");
  assert.equal((await scene.adopt([first], "restored")).status, 201);
  await berth.stop();
  const { folder, admin } = berth;
  const copied = async (from: string, to: string) => {
    await Deno.remove(to, { recursive: true }).catch(() => {});
    assert.ok((await new Deno.Command("cp", { args: ["-r", from, to] }).output()).success);
  };
  await copied(`${folder}/data`, `${folder}/backup`);
  const start = () => serveEngines({ docker: engine }, { folder, admin: admin! });
  const seen = async (caller: TestCaller) => (await caller.call("GET /api/containers/restored")).body;
  {
    await using later = await start();
    const again = scene.at(later);
    const file = `${scene.folder}/restored/compose.yaml`;
    await Deno.writeTextFile(file, `${await Deno.readTextFile(file)}    user: "1"\n`);
    await eventually("it is read", async () => (await again.plan("restored")).body.steps?.length > 0);
    await again.apply("restored");
    assert.notEqual((await seen(later)).id, first.id);
  }
  await copied(`${folder}/backup`, `${folder}/data`);
  await using restored = await start();
  assert.equal((await restored.call("GET /api/adoptions")).body.items[0].container, first.id);
  const labelled = await seen(restored);
  assert.deepEqual([labelled.compose.claim, labelled.compose.project], [undefined, "restored"]);
  // One without labels under the old name is a guess, and never certain.
  await engine.cli("rm", "--force", "restored");
  const other = await scene.run("restored");
  const guessed = await eventually("it is seen", async () => {
    const one = await seen(restored);
    return one.id === other.id ? one : null;
  });
  assert.equal(guessed.compose.claim, "likely");
  assert.deepEqual(restored.bugs(), []);
});

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  for (const [when, act] of IS_WHOLE ? KILLS : KILLS.slice(0, 1)) {
    test(`a berth that is killed ${when} "${act}" leaves no wrong match, and the adoption goes on`, async (engine) => {
      await using scene = await AdoptionScene.on(engine);
      const { berth } = scene;
      const name = `killed-${when}-${act}`;
      const one = await scene.run(name, "-e", "DB_PASSWORD=correct-horse-battery");
      const changes = act === "move" || act === "remove";
      if (changes) assert.equal((await scene.adopt([one], name)).status, 201);
      let there = one;
      if (act === "move") {
        await engine.cli("rm", "--force", name);
        there = await scene.run(name, "-e", "DB_PASSWORD=correct-horse-battery");
      }
      const { folder, admin } = berth;
      await berth.stop();

      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", ACTOR, folder, admin ?? "", kind, engine.socket, when, act],
        stdin: "null",
        stdout: "piped",
        stderr: "inherit",
      }).spawn();
      const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      const url = (await lines.read()).value!.trim();
      await lines.cancel();
      const caller = new TestCaller(url, admin);
      if (changes) {
        const [claim] = await eventually("it is ready", async () => {
          const { body } = await caller.call("GET /api/adoptions");
          const state = act === "move" ? "likely" : "certain";
          return body.items?.[0]?.state === state ? body.items : null;
        });
        const route = act === "move"
          ? `POST /api/adoptions/${claim.id}/confirm`
          : `DELETE /api/adoptions/${claim.id}`;
        await caller.call(route).catch(() => {}); // it dies
      } else {
        const draft = await scene.draft([one], name, caller);
        await scene.accept(draft.body.id, { name, folder: name, containers: [one] }, caller).catch(() => {});
      }
      assert.equal((await child.status).signal, "SIGKILL");

      await using again = await serveEngines({ [kind]: engine }, { folder, admin: admin! });
      const match = async () => (await again.call(`GET /api/containers/${name}`)).body.compose?.claim ?? null;
      const expected = {
        files: null,
        add: when === "after" ? "certain" : null,
        move: when === "after" ? "certain" : "likely",
        remove: when === "after" ? null : "certain",
      }[act];
      assert.equal(await match(), expected);
      const paths = scene.paths();
      const files = [`${name}/.env`, `${name}/compose.yaml`];
      assert.deepEqual(paths, ["compose.yaml", ...(act === "files" && when === "before" ? [] : files)]);
      const plan = await again.call(`POST /api/workspaces/home/artifacts/groups/${name}/plan`, {});
      if (expected === null && paths.length > 1) {
        assert.deepEqual(plan.body.blocked.map(({ code }: { code: string }) => code), ["project/name-taken"]);
      }
      if (expected === null) {
        const draft = await scene.draft([there], name, again);
        const accepted = await scene.accept(
          draft.body.id,
          { name, folder: name, containers: [there] },
          again,
        );
        assert.equal(accepted.status, 201, accepted.text);
        assert.equal(await match(), "certain");
      }
      assert.equal((await Deno.stat(`${scene.folder}/${name}/.env`)).mode! & 0o777, 0o600);
      assert.deepEqual(again.bugs(), []);
    });
  }
}
