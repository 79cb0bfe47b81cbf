/** Journals that berth did not expect: each is told in one sentence, and nothing that serves is removed. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { dieInApply } from "./apply_mortal.ts";
import { ApplyScene, project, service } from "./apply_scene.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const text = (name: string, colour: string) =>
  project(name, [service("db"), service("web", `restart: unless-stopped\nenvironment: { C: ${colour} }`)]);

const { test } = await sharedEngine("docker");

const NOT_READABLE = /^Another version of berth wrote its journal, .*abandon it$/;

interface Odd {
  readonly make: (scene: ApplyScene) => Promise<unknown>;
  readonly state: "paused" | "failed";
  readonly reason: RegExp;
}

/** `BERTH_PROOF=1`: journals that cannot be read for another reason, too. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";

/** Damage to the journal, or to its containers, before berth starts again. */
const ODDS: Readonly<Record<string, Odd>> = {
  "names no containers": {
    make: (scene) => inStore(scene, "json_remove(work, '$.subjects')"),
    state: "paused",
    reason: NOT_READABLE,
  },
  ...(isProof
    ? {
      "has a step of a kind that berth does not know": {
        make: (scene) => inStore(scene, "json_set(work, '$.plan.steps[0].kind', 'container.exchange')"),
        state: "paused",
        reason: NOT_READABLE,
      },
      "holds nothing that berth knows": {
        make: (scene) => inStore(scene, "json_object('version', 0)"),
        state: "paused",
        reason: NOT_READABLE,
      },
    } satisfies Record<string, Odd>
    : {}),
  "is about containers that somebody removed": {
    make: async ({ engine, name }) => {
      const all = await engine.cli("ps", "-aq", "--filter", `name=${name}-web`);
      await engine.cli("rm", "-f", ...all.split("\n"));
    },
    state: "failed",
    reason: /^Container "\S+-web-1" was removed by somebody else: ask for a new plan$/,
  },
};

/** Writes another text of what the apply has to do, as a version before or behind this one might have. */
const inStore = ({ berth: { folder } }: ApplyScene, work: string) => {
  using store = new DatabaseSync(`${folder}/data/berth.db`);
  store.exec(`UPDATE applies SET work = ${work} WHERE state = 'running'`);
  return Promise.resolve();
};

for (const [nth, [odd, { make, state, reason }]] of Object.entries(ODDS).entries()) {
  test(`An interrupted apply whose journal ${odd} is told in one sentence, and ends (F125)`, async (engine) => {
    const name = `odd${nth}`;
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
    const first = await serveEngines({ docker: engine }, { folder });
    const scene = await ApplyScene.on(engine, first, name, text(name, "red"));
    try {
      assert.equal((await scene.apply()).state, "done");
      await scene.write(text(name, "blue"));
      await first.berth.stop();
      await dieInApply(scene, ["after", "stop"]);
      await make(scene);
      const before = await scene.containers();
      await using last = await serveEngines({ docker: engine }, { folder, admin: first.admin! });

      const { id } = (await last.call("GET /api/applies")).body.items[0];
      const apply = await scene.over(id, last);

      assert.deepEqual([apply.state, reason.test(apply.reason ?? "")], [state, true], apply.reason ?? "");
      assert.deepEqual(await scene.containers(), before, "nothing is touched");
      assert.equal(before[`${name}-db-1`]?.state, "running");
      if (state === "paused") await assertEnds(last, apply, name);
      assert.deepEqual(await scene.containers(), before, "nothing is touched");
      assert.deepEqual(last.bugs(), []);
    } finally {
      await scene.clear();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

/** Health names an apply that waits, a resume changes nothing, and it can be abandoned. */
async function assertEnds(berth: TestService, { id, reason }: Apply, project: string): Promise<void> {
  await eventually("health tells it", async () => {
    const { checks } = (await berth.call("GET /api/health")).body;
    return checks.applies.status !== "ok" && checks.applies.reason.includes(`"${project}"`);
  });
  assert.equal((await berth.call(`POST /api/applies/${id}/resume`)).status, 200);
  await eventually("it waits again", async () => {
    const { body } = await berth.call(`GET /api/applies/${id}`);
    return body.state === "paused" && body.reason === reason;
  });
  const ended = await berth.call(`POST /api/applies/${id}/abandon`);
  assert.deepEqual([ended.status, ended.body.state], [200, "cancelled"], ended.text);
}
