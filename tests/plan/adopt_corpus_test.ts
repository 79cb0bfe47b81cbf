/**
 * Real projects that a real Compose started, written down without their files. Compose makes them again from what was
 * written, and the engine itself says if they are the same. `BERTH_PROOF=1` takes the whole corpus,
 * and `BERTH_TEST_PART` a part of it.
 */
import assert from "node:assert/strict";
import type { Group } from "../../artifacts/artifact.ts";
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import type { TestEngine } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";
import { kindsAsked, partsAsked } from "./corpus_parts.ts";
import { nameStandIns, SOME, standIn } from "./corpus_projects.ts";
import { Scene } from "./field_scene.ts";
import { madeAgain } from "./made_again.ts";

const IS_WHOLE = Deno.env.get("BERTH_PROOF") === "1";

/** The differences that are left of a project. */
interface Result {
  readonly name: string;
  readonly count: number;
  readonly wrong: readonly unknown[];
}

for (const kind of kindsAsked) {
  const { test } = await lawEngine(kind);
  for (const { corpus: part, root, share, names: all } of partsAsked()) {
    test(
      `projects of ${part}${share} that run without their files are written down, and Compose makes them again`,
      async (engine) => {
        await using scene = new Scene(engine);
        const image = await standIn(engine);
        const names = IS_WHOLE ? all : SOME[part];
        const results: Result[] = [];
        for (const name of names) results.push(...await ofFolder(engine, scene, image, `${root}/${name}`));
        const count = results.reduce((sum, one) => sum + one.count, 0);
        console.log(`${results.length} projects with ${count} containers`);
        assert.deepEqual(results.filter(({ wrong }) => wrong.length > 0), []);
        assert.ok(count >= names.length, "containers were made");
      },
      composeOfToday.missing ?? (root === null ? "there is no corpus" : null),
    );
  }
}

async function ofFolder(engine: TestEngine, scene: Scene, image: string, from: string): Promise<Result[]> {
  await using folder = await workspaceFolder({});
  await new Deno.Command("cp", { args: ["-r", `${from}/.`, folder.path] }).output();
  const model = await new WorkspaceReader(folder.path).read();
  const results: Result[] = [];
  for (const group of model.groups.filter(({ standing, value }) => standing === "main" && value !== null)) {
    await nameStandIns(engine, image, group);
    results.push(await ofGroup(engine, scene, folder.path, group));
  }
  return results;
}

async function ofGroup(engine: TestEngine, scene: Scene, path: string, group: Group): Promise<Result> {
  const files = group.files.flatMap((file) => ["-f", `${path}/${file.path}`]);
  const compose = (...args: string[]) =>
    composeToday(engine.socket, `${path}/${group.folder}`, "-p", group.project, ...files, ...args);
  try {
    // Some projects of the corpus are wrong on purpose.
    if (await compose("create", "--pull", "never", "--no-build") !== "") {
      return { name: group.name, count: 0, wrong: [] };
    }
    const count = (await scene.all()).length;
    return { name: group.name, count, wrong: (await madeAgain(engine, scene, group.project)).wrong };
  } finally {
    await compose("down", "--volumes", "--timeout", "0");
  }
}
