/** Images that berth builds are those that Compose builds, from the files that Docker itself would send. */
import assert from "node:assert/strict";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import type { Plan } from "../../projects/plan/plan_shape.ts";
import { type ApplyScene, project, scene, scopedOperator } from "./apply_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { isCommandRunning } from "../support/processes.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";

const docker = await sharedEngine("docker");
const podman = await lawEngine("podman");

const DOCKERFILE = `FROM ${FIXTURE} AS base
ARG WHO=nobody
RUN echo "built for $WHO" > /who
COPY . /context
FROM base AS last
LABEL from=dockerfile
CMD ["idle"]
FROM base AS other
`;

const built = (name: string, lines: string) =>
  project(name, [`  web:\n    stop_grace_period: 1s\n    build:\n${lines}`]);

const WHOLE = `      context: ./app
      target: last
      args: { WHO: me }
      labels: { own: label }
`;

/** Files of which some stay at home. */
const FILES: Readonly<Record<string, string>> = {
  "Dockerfile": DOCKERFILE,
  ".dockerignore": "# kept at home\n*.log\n!keep.log\nnode_modules\nsecret/**\n**/deep\n",
  "app.js": "1",
  "a.log": "x",
  "keep.log": "x",
  "sub/b.log": "x",
  "node_modules/x/index.js": "x",
  "secret/key": "x",
  "sub/deep/file": "x",
  "sub/other/file": "x",
};

async function writeFiles(path: string): Promise<void> {
  for (const [file, text] of Object.entries(FILES)) {
    const whole = `${path}/app/${file}`;
    await Deno.mkdir(whole.slice(0, whole.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(whole, text);
  }
  await Deno.chmod(`${path}/app/app.js`, 0o755);
  await Deno.symlink("app.js", `${path}/app/link.js`);
  await Deno.symlink("/etc/passwd", `${path}/app/outside`);
}

/** Begins what was planned, and returns how it ended. */
async function carriedOut(scene: ApplyScene, plan?: Plan): Promise<Apply> {
  const begun = await scene.begin(plan ?? await scene.plan());
  assert.equal(begun.status, 202, begun.text);
  return await scene.over(begun.body.id);
}

/** What the image holds, as a process in it sees it, and what the engine says of it. */
async function seen(engine: TestEngine, image: string) {
  const { json } = await engine.ask(`GET /images/${image}/json`);
  const files = await engine.cli(
    ...["run", "--rm", image, "sh", "-c"],
    "cat /who; cd /context; for f in $(find . | sort); do ls -ld $f | cut -c1-10; echo $f; done; readlink outside; readlink link.js",
  );
  const { Labels, Cmd } = json.Config;
  const { "com.docker.compose.version": _, ...labels } = Labels;
  return { files, labels, Cmd };
}

for (const { test } of [docker, podman]) {
  test("an image that is not there is built, and its container runs from it", async (engine) => {
    const name = `built${engine.kind}`;
    await scene(engine, name, built(name, WHOLE), async (scene) => {
      await writeFiles(scene.path);
      await scene.write(built(name, WHOLE) + "# the files are there\n");
      const plan = await scene.plan();
      assert.deepEqual(plan.blocked, []);
      const step = plan.steps.find(({ kind }) => kind === "image.build");
      assert.deepEqual([step!.kind, step!.target, step!.why], ["image.build", `${name}-web`, [{
        code: "absent",
      }]]);
      const { state, steps } = await scene.apply();
      assert.equal(state, "done", JSON.stringify(steps));
      const image = await seen(engine, `${name}-web`);
      assert.match(image.files, /^built for me\n/);
      assert.doesNotMatch(image.files, /\/a\.log|node_modules|secret\/key|deep/);
      assert.match(image.files, /keep\.log[\s\S]*sub\/b\.log[\s\S]*sub\/other\/file/);
      assert.equal(image.labels.own, "label");

      assert.deepEqual((await scene.plan()).steps, [], "nothing is left to do");
      const again = await scene.plan({ build: true });
      assert.ok(again.steps.some(({ kind }) => kind === "image.build"));
      const before = await scene.ids();
      assert.equal((await scene.apply({ build: true })).state, "done");
      assert.deepEqual(await scene.ids(), before, "the same image needs no new container");

      await Deno.writeTextFile(`${scene.path}/app/app.js`, "2");
      assert.equal((await scene.apply({ build: true })).state, "done");
      assert.notDeepEqual(await scene.ids(), before, "another image needs one");
    });
  });
}

docker.test("Compose builds the same image from the same files", async (engine) => {
  const name = "builttwice";
  await scene(engine, name, built(name, WHOLE), async (scene) => {
    await writeFiles(scene.path);
    await scene.write(built(name, WHOLE) + "# the files are there\n");
    assert.equal((await scene.apply()).state, "done");
    const ours = await seen(engine, `${name}-web`);
    await engine.cli("image", "tag", `${name}-web`, "ours");
    assert.doesNotMatch(await composeToday(engine.socket, scene.path, "build", "--no-cache"), /rror/);
    assert.deepEqual(ours, await seen(engine, `${name}-web`));
  });
}, composeOfToday.missing);

docker.test("a build that fails says what it printed last, without its secrets", async (engine) => {
  const name = "builtbadly";
  const lines = `      context: .
      args: { API_TOKEN: canary-of-the-build }
      dockerfile_inline: |
        FROM ${FIXTURE}
        ARG API_TOKEN
        RUN echo "uses $$API_TOKEN" && echo a reason >&2 && exit 7
`;
  await scene(engine, name, built(name, lines), async (scene) => {
    const apply = await carriedOut(scene);
    assert.equal(apply.state, "failed");
    assert.match(apply.reason ?? "", /Cannot build "builtbadly-web": .*exit code: 7/);
    const events = JSON.stringify(await scene.events(apply.id));
    assert.match(events, /a reason/);
    assert.doesNotMatch(events + JSON.stringify(apply), /canary-of-the-build/);
    assert.deepEqual(await scene.ids(), {}, "and nothing was started");
  });
});

for (const { test } of [docker, podman]) {
  test("what a build prints holds no value of its arguments, also where it comes in pieces", async (engine) => {
    const name = `builtpieces${engine.kind}`;
    const lines = `      context: .
      args: { LOGIN: canary-in-two-pieces }
      dockerfile_inline: |
        FROM ${FIXTURE}
        ARG LOGIN
        RUN printf "logs in as $\${LOGIN%??????????}"; sleep 1; echo "$\${LOGIN#??????????}, and goes on"; sleep 1; echo "$$LOGIN" >&2; exit 7
`;
    // Podman's builder has one stream for both, so the second sleep keeps the order of what it prints.
    await scene(engine, name, built(name, lines), async (scene) => {
      const apply = await carriedOut(scene);
      assert.equal(apply.state, "failed");
      const events = JSON.stringify(await scene.events(apply.id));
      assert.match(events, /"logs in as \*{8}, and goes on"/);
      assert.doesNotMatch(events + JSON.stringify(apply), /two-pieces|canary-in/);
    });
  });
}

docker.test("a build can be cancelled, and the engine ends it", async (engine) => {
  const name = "builtlong";
  const lines = `      context: .
      dockerfile_inline: |
        FROM ${FIXTURE}
        RUN sleep 6543
`;
  const sleeping = () => isCommandRunning("sleep 6543");
  await scene(engine, name, built(name, lines), async (scene) => {
    const begun = await scene.begin(await scene.plan());
    assert.equal(begun.status, 202, begun.text);
    await eventually("it is being built", sleeping);
    const cancelled = await scene.berth.call(`POST /api/applies/${begun.body.id}/cancel`);
    assert.equal(cancelled.status, 200, cancelled.text);
    assert.equal((await scene.over(begun.body.id)).state, "cancelled");
    await eventually("the engine has ended it", async () => !await sleeping());
  });
});

const REFUSED: readonly (readonly [lines: string, why: RegExp])[] = [
  ["      context: .\n      ssh: [default]\n", /does not build with \\"ssh\\"/],
  ["      context: .\n      secrets: [s]\n", /does not build with \\"secrets\\"/],
  [
    "      context: .\n      additional_contexts: { x: ./app }\n",
    /does not build with \\"additional_contexts\\"/,
  ],
  ["      context: .\n      privileged: true\n", /does not build with \\"privileged\\"/],
  ["      context: .\n      platforms: [linux/amd64, linux/arm64]\n", /builds for one platform/],
  ["      context: https://example.com/app.git\n", /is an address/],
  ["      context: ..\n", /is no folder of the workspace/],
  ["      context: ./none\n", /is no folder of the workspace/],
  ["      context: .\n", /there is no \\"Dockerfile\\"/],
];

docker.test("what berth does not build is refused before anything is done, with the command to type", async (engine) => {
  for (const [lines, why] of REFUSED) {
    const name = "builtnot";
    const secrets = "secrets: { s: { environment: HOME } }\n";
    await scene(
      engine,
      name,
      built(name, lines) + (lines.includes("secrets") ? secrets : ""),
      async (scene) => {
        const { blocked } = await scene.plan();
        const said = JSON.stringify(blocked);
        assert.match(said, why);
        assert.match(said, /docker compose build web/);
      },
    );
  }
});

docker.test("no build sends a file from outside of the workspace, or of a neighbour without the right", async (engine) => {
  const name = "builtguarded";
  await scene(engine, name, built(name, "      context: ./app\n"), async (scene) => {
    const { path } = scene;
    await writeFiles(path);
    await Deno.writeTextFile(`${path}/../canary-${name}`, "the host's");
    await scene.write(built(name, "      context: ./app\n") + "# there\n");
    // A hard link to a file that its owner would not show.
    await Deno.link(`${path}/../canary-${name}`, `${path}/app/hard`);
    const linked = await carriedOut(scene);
    assert.match(linked.reason ?? "", /"hard" has several hard links/);
    await Deno.remove(`${path}/app/hard`);

    // A link in place of the context.
    const plan = await scene.plan();
    await Deno.rename(`${path}/app`, `${path}/kept`);
    await Deno.symlink("..", `${path}/app`);
    const moved = await scene.begin(plan);
    assert.equal(moved.status, 409, moved.text);
    assert.match(moved.text, /build_context/);
    await Deno.remove(`${path}/app`);

    // A neighbour's folder.
    await Deno.mkdir(`${path}/next`);
    await Deno.writeTextFile(`${path}/next/compose.yaml`, "name: next\nservices: {}\n");
    await Deno.writeTextFile(`${path}/next/Dockerfile`, DOCKERFILE);
    await scene.write(built(name, "      context: ./next\n"));
    const operator = await scopedOperator(scene, name);
    const foreign = await scene.plan({}, operator);
    const needs = foreign.steps.find(({ kind }) => kind === "image.build")!.needs.map((
      { permission, subject, field },
    ) => [permission, subject.project, field]);
    assert.deepEqual(needs.slice(0, 2), [
      ["images:write", null, undefined],
      ["projects:apply", null, "build.context"],
    ]);
    assert.equal((await scene.begin(foreign, {}, operator)).status, 403);
  });
});

for (const { test } of [docker, podman]) {
  test("COPY ../.. takes nothing from outside of the context", async (engine) => {
    const name = `builtoutside${engine.kind}`;
    const lines = (source: string) =>
      `      context: ./app
      dockerfile_inline: |
        FROM ${FIXTURE}
        COPY ${source} /taken/
        CMD ["idle"]
`;
    await scene(engine, name, built(name, lines("../..")), async (scene) => {
      await writeFiles(scene.path);
      await Deno.writeTextFile(`${scene.path}/canary-above`, "the workspace's own");
      await scene.write(built(name, lines("../../canary-above")) + "# there\n");
      const missing = await carriedOut(scene);
      assert.equal(missing.state, "failed");
      assert.match(missing.reason ?? "", /canary-above/);
      assert.deepEqual(await scene.ids(), {}, "nothing was started");

      await scene.write(built(name, lines("../..")));
      const { state } = await carriedOut(scene);
      const taken = state === "failed"
        ? ""
        : await engine.cli("run", "--rm", `${name}-web`, "find", "/taken");
      assert.doesNotMatch(taken, /canary-above|compose\.yaml/, "the root of the context is the end");
    });
  });
}

docker.test("a context that is too large is refused before a byte of it is sent, and told how to shrink it", async (engine) => {
  const name = "builtlarge";
  await scene(engine, name, built(name, "      context: ./app\n"), async (scene) => {
    await writeFiles(scene.path);
    await scene.write(built(name, "      context: ./app\n") + "# there\n");
    await Deno.truncate(await touched(`${scene.path}/app/huge`), 10 * 1_024 ** 3);
    const { reason } = await carriedOut(scene);
    assert.match(reason ?? "", /holds more than .* 2 GiB.*\.dockerignore/);
    await Deno.writeTextFile(`${scene.path}/app/.dockerignore`, "huge\n");
    assert.equal((await carriedOut(scene)).state, "done");
  });
});

async function touched(path: string): Promise<string> {
  await Deno.writeTextFile(path, "");
  return path;
}

for (const { test } of [docker, podman]) {
  test("a build that prints without end neither fills the memory nor the journal", async (engine) => {
    const name = `builtloud${engine.kind}`;
    const lines = `      context: .
      dockerfile_inline: |
        FROM ${FIXTURE}
        RUN yes "a line of the build" | head -c 200000000; head -c 50000000 /dev/zero | tr '\\\\0' x
        CMD ["idle"]
`;
    await scene(engine, name, built(name, lines), async (scene) => {
      // Of this file alone: others run in the same process
      const held = () => Deno.memoryUsage().heapUsed + Deno.memoryUsage().external;
      const before = held();
      let most = before;
      const looking = setInterval(() => most = Math.max(most, held()), 50);
      const apply = await carriedOut(scene).finally(() => clearInterval(looking));
      assert.equal(apply.state, "done", apply.reason ?? "");
      assert.ok(most - before < 200 * 1_024 ** 2, `${(most - before) / 1_024 ** 2} MiB more`);
      assert.ok((await scene.events(apply.id)).length < 100);
    });
  });
}
