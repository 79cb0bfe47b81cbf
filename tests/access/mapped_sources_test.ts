/** `paths` in berth.yaml says where the engine has a folder, and whoever writes that file gets nothing of the host by it. */
import assert from "node:assert/strict";
import { project, scene, scopedOperator, service } from "../apply/apply_scene.ts";
import { isSameFolder } from "../support/watched_makes.ts";
import { lawEngine } from "../support/shared_engine.ts";

const SECRET = "the host's own word";

/** Copies what the mounted folder holds to where the test reads it. */
const READING = "[sh, -c, 'cat /x/whose; exec idle']";

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("paths in berth.yaml turn no folder of a project into one of the host", async (engine, context) => {
    const name = "pathsmap";
    await scene(engine, name, project(name, [service("web")]), async (scene) => {
      const outside = await Deno.makeTempDir({ prefix: "berth-canary-" });
      await Deno.writeTextFile(`${outside}/whose`, SECRET);
      for (const folder of ["x", "x/deep", "data"]) await Deno.mkdir(`${scene.path}/${folder}`);
      await Deno.writeTextFile(`${scene.path}/x/whose`, "the project's");
      const operator = await scopedOperator(scene, name);
      const { path } = scene;
      const cases: readonly (readonly [string, string, string])[] = [
        ["a folder", `[{ from: ${outside}, to: ${path}/x }]`, "./x"],
        ["a folder above the source", `[{ from: ${outside}, to: ${path}/x }]`, "./x/deep"],
        ["the whole root", `[{ from: ${outside}, to: ${path} }]`, "./"],
        ["the root with all that is below", `[{ from: ${outside}, to: ${path} }]`, "./x"],
        ["everything", `[{ from: ${outside}, to: "" }]`, "./x"],
        [
          "a folder within a root that the engine sees",
          `[{ from: ${path}, to: ${path} }, { from: ${outside}, to: ${path}/x }]`,
          "./x",
        ],
        ["the root by a way back", `[{ from: "${path}/data/../..${outside}", to: ${path}/x }]`, "./x"],
      ];
      for (const [what, paths, source] of cases) {
        await context.step(`an operator of the project maps ${what}`, async () => {
          await Deno.writeTextFile(`${path}/berth.yaml`, `paths: ${paths}\n`);
          await scene.write(
            project(name, [
              service("web", `volumes: ['${source}:/x']\nlabels: { case: '${what}' }`, READING),
            ]),
          );
          const plan = await scene.plan({}, operator);
          const begun = await scene.begin(plan, {}, operator);
          if (begun.status === 202) await scene.over(begun.body.id);
          const { json } = await engine.ask("GET /containers/json?all=1");
          for (const { Id } of json) {
            const logs = await engine.cli("logs", Id).catch(() => "");
            assert.ok(!logs.includes(SECRET), `The container read the host's file: ${what}`);
          }
          const needs = plan.steps.flatMap((step) => step.needs.map(({ permission }) => permission));
          const isBlocked = plan.blocked.some(({ code }) => code === "project/not-on-engine");
          assert.ok(needs.includes("projects:host") || isBlocked, JSON.stringify(plan.steps));
          assert.ok([403, 409].includes(begun.status), begun.text);
        });
      }
      const mapping = async (from: string) =>
        await Deno.writeTextFile(`${path}/berth.yaml`, `paths: [{ from: ${from}, to: ${path} }]\n`);
      const reader = (label: string) =>
        project(name, [service("web", `volumes: ['./x:/x']\nlabels: { case: ${label} }`, READING)]);

      await context.step("a plan is stale when berth.yaml maps its sources afterwards", async () => {
        await Deno.remove(`${path}/berth.yaml`);
        await scene.write(reader("later"));
        const plan = await scene.plan({}, operator);
        await Deno.writeTextFile(`${path}/berth.yaml`, `paths: [{ from: ${outside}, to: ${path}/x }]\n`);
        await scene.write(`${reader("later")}# read again\n`);
        const { status, text } = await scene.begin(plan, {}, operator);
        assert.equal(status, 409, text);
        assert.match(text, /berth\.yaml/);
      });

      await context.step(
        "a folder that the engine sees to be the same takes no right of the host",
        async () => {
          const elsewhere = await Deno.makeTempDir({ prefix: "berth-mapped-" });
          using _known = isSameFolder(elsewhere);
          const mount = `mount --bind ${path} ${elsewhere}`;
          assert.equal(await engine.sandbox!.run(mount), 0);
          await mapping(elsewhere);
          await scene.write(reader("proven"));
          const begun = await scene.begin(await scene.plan({}, operator), {}, operator);
          assert.equal(begun.status, 202, begun.text);
          assert.equal((await scene.over(begun.body.id)).state, "done");
          assert.equal(await engine.cli("exec", `${name}-web-1`, "cat", "/x/whose"), "the project's");
          await engine.sandbox!.run(`umount ${elsewhere}`);
          await Deno.remove(elsewhere);
        },
      );

      await context.step("a link on the way there is looked at again when it is used", async () => {
        await Deno.symlink(path, `${path}/data/way`);
        await Deno.mkdir(`${outside}/x`);
        await Deno.writeTextFile(`${outside}/x/whose`, SECRET);
        await mapping(`${path}/data/way`);
        await scene.write(reader("link"));
        const plan = await scene.plan({}, operator);
        await Deno.remove(`${path}/data/way`);
        await Deno.symlink(outside, `${path}/data/way`);
        const begun = await scene.begin(plan, {}, operator);
        if (begun.status === 202) assert.equal((await scene.over(begun.body.id)).state, "failed");
        const { json } = await engine.ask("GET /containers/json?all=1");
        for (const { Id } of json) assert.ok(!(await engine.cli("logs", Id)).includes(SECRET));
      });

      await Deno.remove(outside, { recursive: true });
    });
  });
}
