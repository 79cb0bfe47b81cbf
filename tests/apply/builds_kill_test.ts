/** An apply whose berth is killed while an image is built ends well: nothing is half built, and a person can end it. */
import assert from "node:assert/strict";
import { ApplyScene, project } from "./apply_scene.ts";
import { dieInApply, type Kill } from "./apply_mortal.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { isCommandRunning } from "../support/processes.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { proofEngine } from "../support/shared_engine.ts";

const docker = await proofEngine("docker");
const podman = await proofEngine("podman");

/** No other process of this machine waits so long, also beside another run of this test. */
const SLEEP = `sleep 5.4${Deno.pid}`;

const text = (name: string, said: string) =>
  project(name, [
    `  web:\n    stop_grace_period: 1s\n    environment: { SAID: ${said} }\n    build:\n      context: .\n      dockerfile_inline: |
        FROM ${FIXTURE}
        RUN ${SLEEP}; echo ${said} for ${name} > /said
        CMD ["idle"]
`,
  ]);

/** Stops the berth of a scene; another one is killed while it builds, or at the act. */
async function killedInBuild(
  engine: TestEngine,
  name: string,
  kill: Kill | null,
  work: (scene: ApplyScene, last: () => Promise<TestService>) => Promise<void>,
): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
  const options = { folder, applyTimes: { leaseMs: 1_000 } };
  const first = await serveEngines({ [engine.kind]: engine }, options);
  const scene = await ApplyScene.on(engine, first, name, text(name, "once"));
  try {
    await first.berth.stop();
    await (kill !== null ? dieInApply(scene, kill) : dieInApply(scene, ["before", "nothing"], {
      until: () => eventually("it is being built", () => isCommandRunning(SLEEP)),
    }));
    await work(scene, () => serveEngines({ [engine.kind]: engine }, { ...options, admin: first.admin! }));
  } finally {
    await scene.clear();
    await engine.cli("rmi", "-f", `${name}-web`).catch(() => {});
    await Deno.remove(folder, { recursive: true });
  }
}

const KILLS: readonly (Kill | null)[] = [null, ["before", "build"], ["after", "build"]];

for (const { test } of [docker, podman]) {
  for (const [nth, kill] of KILLS.entries()) {
    const when = kill === null ? "while an image was built" : `right ${kill.join(" ")}`;
    test(`An apply whose berth was killed ${when} ends with the whole image`, async (engine) => {
      const name = `buildkill${engine.kind}${nth}`;
      await killedInBuild(engine, name, kill, async (scene, restarted) => {
        await using last = await restarted();
        const { id } = (await last.call("GET /api/applies")).body.items[0];
        const apply = await scene.over(id, last);
        assert.deepEqual([apply.state, apply.reason], ["done", null]);
        const { [`${name}-web-1`]: web, ...others } = await scene.containers();
        assert.deepEqual([web?.state, others], ["running", {}]);
        assert.equal(await engine.cli("exec", `${name}-web-1`, "cat", "/said"), `once for ${name}`);
        const plan = await last.call(
          `POST /api/workspaces/${scene.workspace}/artifacts/groups/${name}/plan`,
          {},
        );
        assert.deepEqual(plan.body.steps, [], "nothing is left to do");
        assert.deepEqual(last.bugs(), []);
      });
    });
  }

  test("An apply that was cut in a build and whose files were edited waits, is named, and can be ended", async (engine) => {
    const name = `buildedit${engine.kind}`;
    await killedInBuild(engine, name, null, async (scene, restarted) => {
      await eventually("the engine has ended the build", async () => !await isCommandRunning(SLEEP));
      await Deno.writeTextFile(`${scene.path}/compose.yaml`, text(name, "twice"));
      await using last = await restarted();
      const { id } = (await last.call("GET /api/applies")).body.items[0];
      await scene.over(id, last);
      const [{ project, state, reason }] = (await last.call("GET /api/applies?state=paused")).body.items;
      assert.deepEqual([project, state], [name, "paused"]);
      assert.match(reason, /^Its files were edited since: abandon it, and ask for a new plan$/);
      await last.call(`POST /api/applies/${id}/resume`);
      assert.equal((await scene.over(id, last)).state, "paused", "a resume builds nothing else either");
      assert.equal(await isCommandRunning(SLEEP), false, "nothing is built that no plan showed");
      const ended = await last.call(`POST /api/applies/${id}/abandon`);
      assert.deepEqual([ended.status, ended.body.state], [200, "cancelled"], ended.text);
      assert.deepEqual(await scene.ids(), {});
      assert.equal((await engine.ask(`GET /images/${name}-web/json`)).status, 404, "and no image was made");
      assert.deepEqual(last.bugs(), []);
    });
  });
}
