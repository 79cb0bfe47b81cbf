/**
 * Real projects that a real Compose started and whose files are lost, adopted as they run: no plan has a step for a
 * container that runs, and Compose makes them again from what was saved. `BERTH_PROOF=1` takes the whole corpus,
 * and `BERTH_TEST_PART` a part of it.
 */
import assert from "node:assert/strict";
import type { Group } from "../../artifacts/artifact.ts";
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";
import { AdoptionScene } from "./adoption_scene.ts";
import { kindsAsked, partsAsked } from "./corpus_parts.ts";
import { nameStandIns, standIn } from "./corpus_projects.ts";
import { Scene } from "./field_scene.ts";
import { recreated } from "./made_again.ts";

const IS_WHOLE = Deno.env.get("BERTH_PROOF") === "1";
/** Dependencies and their health, secrets and a volume in one project. */
const SOME = ["nginx-golang-postgres"];

for (const kind of kindsAsked) {
  const { test } = await lawEngine(kind);
  for (const { corpus: part, root, share, names: all } of partsAsked()) {
    const names = IS_WHOLE ? all : part === "awesome-compose" ? SOME : [];
    if (!IS_WHOLE && names.length === 0) continue;
    test(
      `projects of ${part}${share} that run without their files are adopted, and no plan has a step for what runs`,
      async (engine) => {
        await using raw = new Scene(engine);
        await using scene = await AdoptionScene.on(engine);
        const image = await standIn(engine);
        const wrong: unknown[] = [];
        let count = 0;
        for (const name of names) {
          await using folder = await workspaceFolder({});
          await new Deno.Command("cp", { args: ["-r", `${root}/${name}/.`, folder.path] }).output();
          const model = await new WorkspaceReader(folder.path).read();
          for (
            const group of model.groups.filter(({ standing, value }) => standing === "main" && value !== null)
          ) {
            await nameStandIns(engine, image, group);
            const found = await adopted(scene, raw, folder.path, group);
            count += found.count;
            if (found.wrong.length > 0) wrong.push([name, group.name, ...found.wrong]);
          }
        }
        console.log(`${names.length} folders with ${count} containers that ran`);
        assert.deepEqual(wrong, []);
        assert.ok(count >= names.length / 2, "containers ran");
        assert.deepEqual(scene.berth.bugs(), []);
      },
      composeOfToday.missing ?? (root === null ? "there is no corpus" : null),
    );
  }
}

async function adopted(
  scene: AdoptionScene,
  raw: Scene,
  path: string,
  group: Group,
): Promise<{ count: number; wrong: unknown[] }> {
  const { engine, berth } = scene;
  const { project } = group;
  const files = group.files.flatMap((file) => ["-f", `${path}/${file.path}`]);
  const compose = (...args: string[]) =>
    composeToday(engine.socket, `${path}/${group.folder}`, "-p", project, ...files, ...args);
  // Some projects of the corpus are wrong on purpose, and health checks have no stand-in.
  if (await compose("create", "--pull", "never", "--no-build") !== "") {
    await compose("down", "--volumes", "--timeout", "0");
    return { count: 0, wrong: [] };
  }
  const tried: string[] = [];
  for (const { id, name } of await raw.all()) {
    await engine.ask(`POST /containers/${id}/start`);
    tried.push(name);
  }
  const all = await raw.all();
  const running = all.filter(({ state }) => state === "running");
  if (running.length === 0) {
    await compose("down", "--volumes", "--timeout", "0");
    return { count: 0, wrong: [] };
  }
  const texts = [...group.files, ...group.envFiles].map((file) => file.path);
  for (const file of texts) await Deno.remove(`${path}/${file}`).catch(() => {});
  const containers = all.map(({ id }) => ({ backend: engine.kind, id }));
  const draft = await scene.draft(containers, project);
  const wish = { name: project, folder: project, containers };
  const saved = await scene.accept(draft.body.id, wish);
  if (saved.status !== 201) return { count: running.length, wrong: [saved.text, draft.body.projects] };
  const [{ differences, leftOut }] = draft.body.projects;
  const { body: plan } = await scene.plan(project);
  const idle = new Set(all.filter(({ state }) => state !== "running").map(({ name }) => name));
  // One that did not run is started, and what needs it waits.
  const steps = plan.steps.filter(({ kind, target }: { kind: string; target: string }) =>
    kind !== "wait" && !(kind === "container.start" && idle.has(target))
  );
  const wrong: unknown[] = [...differences, ...steps, ...plan.blocked];
  // Podman's own name server may have the port of one: which of them runs is decided by the order.
  wrong.push(...await recreated(engine, raw, `${scene.folder}/${project}`, leftOut, tried));
  for (const { id } of (await berth.call("GET /api/adoptions")).body.items) {
    await berth.call(`DELETE /api/adoptions/${id}`);
  }
  await Deno.remove(`${scene.folder}/${project}`, { recursive: true });
  return { count: running.length, wrong };
}
