/** Seccomp profiles of `security_opt`: their texts are sent, and a changed one is another container. */
import assert from "node:assert/strict";
import { project, scene, service } from "./apply_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { eventually } from "../support/eventually.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { save } from "../streams/live_scene.ts";

const { test } = await sharedEngine("docker");

/** Refuses these calls, and no others. */
const refusing = (...names: readonly string[]) =>
  JSON.stringify(
    { defaultAction: "SCMP_ACT_ALLOW", syscalls: [{ names, action: "SCMP_ACT_ERRNO" }] },
    null,
    2,
  );

test("a seccomp profile holds inside its container, and a changed one replaces it", async (engine) => {
  const text = project("profiles", [service("web", "security_opt: ['seccomp:./profile.json']")]);
  await scene(engine, "profiles", text, async (scene) => {
    const profile = `${scene.path}/profile.json`;
    const blocked = async () => (await scene.plan()).blocked.map(({ code }) => code);
    const exec = (...words: string[]) =>
      engine.cli("exec", "profiles-web-1", ...words).then(() => "done", () => "refused");
    assert.deepEqual(await blocked(), ["project/unreadable-file"], "there is none");
    await save(scene.berth, scene.workspace, profile, refusing("mkdir", "mkdirat"));

    assert.equal((await scene.apply()).state, "done");

    assert.deepEqual([await exec("mkdir", "/one"), await exec("touch", "/two")], ["refused", "done"]);
    assert.deepEqual((await scene.plan()).steps, []);
    if (composeOfToday.missing === null) {
      const before = await scene.ids();
      assert.equal(await composeToday(engine.socket, scene.path, "up", "-d"), "");
      assert.deepEqual(await scene.ids(), before);
    }

    await save(scene.berth, scene.workspace, profile, refusing("chmod", "fchmodat"));
    const plan = await eventually("the profile is read", async () => {
      const plan = await scene.plan();
      return plan.steps.length > 0 ? plan : null;
    });
    const [swap] = plan.steps.filter(({ kind }) => kind === "container.swap");
    assert.match(JSON.stringify(swap?.why), /securityOptions.*seccomp=\(profile [0-9a-f]{12}\)/);
    assert.doesNotMatch(JSON.stringify(plan), /SCMP_ACT/);
    await save(scene.berth, scene.workspace, profile, refusing("chmod"));
    const late = await scene.begin(plan);
    assert.deepEqual([late.status, late.body.code], [409, "plan_stale"], late.text);
    assert.equal((await scene.apply()).state, "done");
    assert.deepEqual([await exec("mkdir", "/one"), await exec("chmod", "600", "/one")], ["done", "refused"]);

    await save(scene.berth, scene.workspace, profile, "no profile");
    await eventually(
      "no JSON is no profile",
      async () => (await blocked()).join() === "project/unreadable-file",
    );
    await Deno.remove(profile);
    await Deno.symlink("/etc/hostname", profile);
    await eventually(
      "a link that leads outside is not followed",
      async () => (await blocked()).join() === "project/unreadable-file",
    );
  });
});
