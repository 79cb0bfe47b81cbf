/** The texts of another group's folder need the right to the whole workspace, on whichever way they are read. */
import assert from "node:assert/strict";
import { project, scene, scopedOperator, service } from "../apply/apply_scene.ts";
import { lawEngine } from "../support/shared_engine.ts";

const SECRET = "hunter2hunter2";
const SHOWN = "environment: { SHOWN: '${TOKEN:-none}' }";

interface Way {
  readonly files: Readonly<Record<string, string>>;
  /** Links below the project's folder, and where they lead. */
  readonly links?: Readonly<Record<string, string>>;
}

const of = (name: string, lines: string, more = "") => project(name, [service("web", lines)], more);

const WAYS: Readonly<Record<string, (name: string) => Way>> = {
  "include with an env_file": (name) => ({
    files: {
      "compose.yaml": `name: ${name}\ninclude: [{ path: own.yaml, env_file: ../victim/.env }]\n`,
      "own.yaml": `services:\n${service("web", SHOWN)}`,
    },
  }),
  "include with a project_directory": (name) => ({
    files: {
      "compose.yaml": `name: ${name}\ninclude: [{ path: own.yaml, project_directory: ../victim }]\n`,
      "own.yaml": `services:\n${service("web", SHOWN)}`,
    },
  }),
  "a Group with envFiles": (name) => ({
    files: {
      "own.yaml": of(name, SHOWN),
      "own.group.yaml": `apiVersion: berth/v1\nkind: Group\nmetadata: { name: ${name} }\n` +
        "spec: { compose: [own.yaml], envFiles: [../victim/.env] }\n",
    },
  }),
  "an env_file that is a link": (name) => ({
    files: { "compose.yaml": of(name, "env_file: x.env") },
    links: { "x.env": "../victim/.env" },
  }),
  "an env_file in a folder that is a link": (name) => ({
    files: { "compose.yaml": of(name, "env_file: x/.env") },
    links: { x: "../victim" },
  }),
  "a label_file that is a link": (name) => ({
    files: { "compose.yaml": of(name, "label_file: x.env") },
    links: { "x.env": "../victim/.env" },
  }),
  "a .env that is a link": (name) => ({
    files: { "compose.yaml": of(name, SHOWN) },
    links: { ".env": "../victim/.env" },
  }),
  "extends of a file that is a link": (name) => ({
    files: { "compose.yaml": of(name, "extends: { file: x.yaml, service: theirs }") },
    links: { "x.yaml": "../victim/base.yaml" },
  }),
  "a Group of the other folder's files": (name) => ({
    files: {
      "own.group.yaml": `apiVersion: berth/v1\nkind: Group\nmetadata: { name: ${name} }\n` +
        "spec: { compose: [../victim/shown.yaml] }\n",
    },
  }),
};

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("each way to read another group's files needs the whole workspace", async (engine, context) => {
    for (const [n, [what, way]] of Object.entries(WAYS).entries()) {
      await context.step(what, async () => {
        const name = `elsewhere${n}`;
        const { files, links = {} } = way(name);
        await scene(engine, name, project("top", [service("top")]), async (scene) => {
          for (const folder of ["mine", "victim"]) await Deno.mkdir(`${scene.path}/${folder}`);
          const victim = {
            "compose.yaml": project("victim", [service("theirs")]),
            "base.yaml": `services:\n${service("theirs", `environment: { TOKEN: ${SECRET} }`)}`,
            "shown.yaml": of(name, SHOWN),
            ".env": `TOKEN=${SECRET}\n`,
          };
          for (const [path, text] of Object.entries(victim)) {
            await Deno.writeTextFile(`${scene.path}/victim/${path}`, text);
          }
          for (const [path, text] of Object.entries(files)) {
            await Deno.writeTextFile(`${scene.path}/mine/${path}`, text);
          }
          for (const [path, target] of Object.entries(links)) {
            await Deno.symlink(target, `${scene.path}/mine/${path}`);
          }
          await scene.write(`${project("top", [service("top")])}# read again\n`);
          const operator = await scopedOperator(scene, name);
          const plan = await scene.plan({}, operator);
          const begun = await scene.begin(plan, {}, operator);
          if (begun.status === 202) await scene.over(begun.body.id);
          for (const id of Object.values(await scene.ids())) {
            const { body } = await engine.ask(`GET /containers/${id}/json`);
            assert.ok(!body.includes(SECRET), "The container of an operator holds another group's secret");
          }
          assert.equal(begun.status, 403, begun.text);
          const whole = plan.missing.filter(({ subject }) => subject.project === null);
          assert.ok(whole.length > 0, JSON.stringify(plan.missing));
        });
      });
    }
  });

  test("a Dockerfile of another group's folder needs the whole workspace", async (engine) => {
    const name = "elsewherebuilt";
    await scene(engine, name, project("top", [service("top")]), async (scene) => {
      for (const folder of ["mine", "victim"]) await Deno.mkdir(`${scene.path}/${folder}`);
      await Deno.writeTextFile(`${scene.path}/victim/compose.yaml`, project("victim", [service("theirs")]));
      await Deno.writeTextFile(`${scene.path}/victim/.env`, `TOKEN=${SECRET}\n`);
      await Deno.writeTextFile(`${scene.path}/mine/Dockerfile`, "FROM scratch\n");
      const build = (dockerfile: string) =>
        `name: ${name}\nservices: { web: { build: { context: ., dockerfile: ${dockerfile} } } }\n`;
      const wholeOf = async (dockerfile: string) => {
        await Deno.writeTextFile(`${scene.path}/mine/compose.yaml`, build(dockerfile));
        await scene.write(`${project("top", [service("top")])}# ${dockerfile}\n`);
        const { steps } = await scene.plan({}, await scopedOperator(scene, name));
        const needs = steps.find(({ kind }) => kind === "image.build")?.needs ?? [];
        return needs.filter(({ permission, field, subject }) =>
          permission === "projects:apply" && field === "build.context" && subject.project === null
        ).length;
      };

      assert.equal(await wholeOf("Dockerfile"), 0);
      assert.equal(await wholeOf("../victim/.env"), 1);
    });
  });
}
