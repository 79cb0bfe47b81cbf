/** The order in which an apply writes and acts, as a kill at any moment needs it. */
import assert from "node:assert/strict";
import type { ApplyStore } from "../../core/applies.ts";
import { type ApplyScene, project, scene, service } from "./apply_scene.ts";
import type { ServiceOptions } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { watched } from "./watched_acts.ts";
import { HEALTHY } from "./health_checks.ts";

const { test } = await sharedEngine("docker");

const WEB = service("web", `restart: always\nenvironment: { C: red }\n${HEALTHY}`);

test("an apply asks the engine for an act only after its journal is written", async (engine) => {
  let writing = 0;
  let writes = 0;
  const early: string[] = [];
  const acts: string[] = [];
  const mount: ServiceOptions["mount"] = (parts) => {
    const { applies } = parts.store;
    // Not `applies.write`: the timed store would keep it, and never call another one.
    const write: ApplyStore["write"] = Object.getOwnPropertyDescriptor(applies, "write")!.value;
    applies.write = async (...line) => {
      writes++;
      writing++;
      await new Promise((resolve) => setTimeout(resolve, 50)); // as long as a busy disk may take
      const done = await write(...line);
      writing--;
      return done;
    };
    return watched((act, _given, go) => {
      acts.push(act);
      if (writing > 0) early.push(act);
      return go();
    })(parts);
  };
  await scene(engine, "written", project("written", [WEB]), async (scene) => {
    assert.equal((await scene.apply()).state, "done");
    await scene.write(project("written", [WEB.replace("red", "blue")]));
    assert.equal((await scene.apply()).state, "done");
    assert.ok(acts.includes("create") && acts.includes("rename"), acts.join());
    assert.ok(writes > 10, `${writes} writes were slow`);
    assert.deepEqual(early, []);
  }, { mount });
});

test("an old container that is put aside does not start with the engine, and has its policy when it comes back", async (engine) => {
  let scene_: ApplyScene | null = null;
  const aside: string[] = [];
  let isRefused = false;
  const mount = watched(async (act, _given, go) => {
    const { web, old } = scene_ === null ? { web: undefined, old: undefined } : await both(scene_);
    if (act === "start" && old !== undefined && web !== undefined) {
      aside.push(`${old.state} ${old.restart}`);
      if (isRefused) await engine.ask(`DELETE /containers/${web.id}?force=1`); // then it cannot start
    }
    return await go();
  });
  await scene(engine, "aside", project("aside", [WEB]), async (scene) => {
    assert.equal((await scene.apply()).state, "done");
    scene_ = scene;
    await scene.write(project("aside", [WEB.replace("red", "blue")]));
    assert.equal((await scene.apply()).state, "done");
    isRefused = true;
    await scene.write(project("aside", [WEB.replace("red", "green")]));
    assert.equal((await scene.apply()).state, "failed");

    assert.deepEqual(aside.slice(0, 2), ["exited no", "exited no"]);
    const { "aside-web-1": back } = await scene.containers();
    assert.deepEqual([back?.state, back?.restart], ["running", "always"]);
  }, { mount });
});

/** The old container under its passing name, and the new one. */
async function both(scene: ApplyScene) {
  const all = Object.entries(await scene.containers());
  return {
    old: all.find(([name]) => name.includes(".old-"))?.[1],
    web: all.find(([name]) => !name.includes(".old-"))?.[1],
  };
}
