/** A plan is about what the engine has now: images that no event announced, and containers that have gone meanwhile. */
import assert from "node:assert/strict";
import { project, scene, service } from "../apply/apply_scene.ts";
import type { Plan } from "../../projects/plan/plan_shape.ts";
import { eventually } from "../support/eventually.ts";
import { workspace } from "../streams/live_scene.ts";
import { inspected, scriptedId, ScriptedWorld } from "../support/scripted_world.ts";
import { serveEngines } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

const IMAGE = "built:1";

/** A container of the only service, made of an image. */
function made(folder: string, id: string, imageId: string): Record<string, unknown> {
  const plain = inspected(id, "built-web-1");
  const labels = {
    "com.docker.compose.project": "built",
    "com.docker.compose.service": "web",
    "com.docker.compose.container-number": "1",
    "com.docker.compose.project.config_files": `${folder}/compose.yaml`,
    "com.docker.compose.project.working_dir": folder,
  };
  return { ...plain, Image: imageId, Config: { Image: IMAGE, Labels: labels, Env: [] } };
}

async function builtProject(stack: AsyncDisposableStack) {
  const containers = new Map<string, unknown>();
  const [first, second] = [scriptedId(1), scriptedId(2)];
  // No event announces it.
  let [built, name] = [scriptedId(11), IMAGE];
  const gone = new Set<string>();
  const engine = stack.use(
    new ScriptedWorld({
      containers,
      override: (_request, path) => {
        if (path === "/images/json") {
          return Response.json([{ Id: `sha256:${built}`, RepoTags: [name], Size: 1 }]);
        }
        return gone.has(path) ? Response.json({ message: "No such container" }, { status: 404 }) : undefined;
      },
    }),
  );
  const berth = stack.use(await serveEngines({ one: engine }));
  const text = `name: built\nservices:\n  web: { build: ., image: "${IMAGE}" }\n`;
  const { id, path } = await workspace(berth, "built", text);
  const tell = (Action: string, ID: string) =>
    engine.tell({ Type: "container", Action, Actor: { ID, Attributes: {} }, timeNano: Date.now() * 1e6 });
  const listed = (one: string) =>
    eventually(`${one} is listed`, async () => {
      const { items } = (await berth.call("GET /api/containers")).body;
      return items.length === 1 && items[0].id === one;
    });
  return {
    build: (image: string) => void (built = image),
    /** Gives the image another name. */
    rename: (other: string) => void (name = other),
    /** Puts the container in the place of all others, as the engine tells it. */
    run: async (one: string, imageId: string) => {
      const before = [...containers.keys()];
      containers.clear();
      containers.set(one, made(path, one, `sha256:${imageId}`));
      for (const other of before) tell("destroy", other);
      tell("create", one);
      await listed(one);
    },
    remove: (one: string) => gone.add(`/containers/${one}/json`),
    plan: async (): Promise<Plan> => {
      const answer = await berth.call(`POST /api/workspaces/${id}/artifacts/groups/built/plan`, {});
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },
    drift: async () => {
      const { body } = await berth.call(`GET /api/workspaces/${id}/artifacts/units/built.web`);
      return body.live.drift.map(({ field }: { field: string }) => field);
    },
    first,
    second,
  };
}

const reasons = ({ steps }: Plan) =>
  steps.flatMap(({ why }) => why.map((one) => one.code === "field" ? one.field : one.code));

Deno.test("A plan sees an image that was built without an event, and a container that was made of it elsewhere stays", async () => {
  await using stack = new AsyncDisposableStack();
  const { build, run, plan, drift, first, second } = await builtProject(stack);
  await run(first, scriptedId(11));
  assert.ok(!reasons(await plan()).includes("image"));
  build(scriptedId(12));
  assert.ok(reasons(await plan()).includes("image"), "the image was built anew");
  // As "docker compose up --build" does.
  build(scriptedId(13));
  await run(second, scriptedId(13));
  assert.ok(!(await drift()).includes("image"), "it runs what was built last");
  assert.ok(!reasons(await plan()).includes("image"));
});

Deno.test("A unit whose image cannot be built blocks the plan, with the command to type", async () => {
  await using stack = new AsyncDisposableStack();
  const { plan, rename } = await builtProject(stack);
  assert.deepEqual((await plan()).blocked, []);
  rename("other:1");
  const { blocked, steps } = await plan();
  assert.deepEqual(blocked.map(({ code, location }) => [code, location?.file]), [
    ["project/build-refused", "compose.yaml"],
  ]);
  assert.match(blocked[0]!.message, /"built:1" is not there.*no "Dockerfile".*docker compose build web/);
  assert.ok(steps.every(({ kind }) => !kind.startsWith("image.")), JSON.stringify(steps));
});

Deno.test("A container that has gone since it was listed is made by the plan, which is no 404", async () => {
  await using stack = new AsyncDisposableStack();
  const { run, plan, remove, first } = await builtProject(stack);
  await run(first, scriptedId(11));
  remove(first);
  assert.deepEqual(
    (await plan()).steps.filter(({ unit }) => unit !== null).map(({ kind, target }) => `${kind} ${target}`),
    ["container.create built-web-1", "container.start built-web-1"],
  );
});

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  test("A plan sees at once that a network was removed, though Podman announces it by no event", async (engine) => {
    const name = `gone${kind}`;
    await scene(engine, name, project(name, [service("web")]), async (scene) => {
      const networks = async () =>
        (await scene.plan()).steps.filter(({ kind }) => kind.startsWith("network.")).map(({ target }) =>
          target
        );
      for (let turn = 0; turn < 5; turn++) {
        assert.equal((await scene.apply()).state, "done");
        await engine.cli("rm", "--force", `${name}-web-1`);
        await engine.cli("network", "rm", `${name}_default`);
        assert.deepEqual(await networks(), [`${name}_default`]);
      }
    });
  });
}
