/**
 * The plan of a commit is the plan after its sync, for real projects: new ones, and ones that were made by Compose and
 * are changed by the next commit. `BERTH_PROOF=1` takes all of them.
 */
import assert from "node:assert/strict";
import type { Model } from "../../artifacts/artifact.ts";
import { mainGroups } from "../../artifacts/graph/graph.ts";
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";
import { nameStandIns, projectsIn, SOME, standIn } from "../plan/corpus_projects.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { corpus } from "../support/corpus.ts";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { hasGit } from "../support/git_server.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { SourceScene } from "./source_scene.ts";

const IS_WHOLE = Deno.env.get("BERTH_PROOF") === "1";
const { test } = await sharedEngine("docker");

const PARTS = ["awesome-compose", "compose", "compose-go"] as const;

for (const part of IS_WHOLE ? PARTS : PARTS.slice(0, 1)) {
  const root = corpus(part);
  const missing = !hasGit() ? "git is not installed" : composeOfToday.missing ??
    (root === null ? "there is no corpus" : null);
  test(
    `the plan of a commit with projects of ${part} is the plan after its sync`,
    async (engine) => {
      await using scene = await SourceScene.with({ "README.md": "" }, {
        start: () => serveEngines({ [engine.kind]: engine }),
      });
      const names = IS_WHOLE ? [...projectsIn(root!, "")].sort() : SOME[part];
      for (const name of names) await copied(`${root}/${name}`, `${scene.repository.work}/${name}`);
      await scene.follow();
      const added = await compared(scene, await scene.repository.push({}, "projects"));
      assert.ok(added.steps >= names.length, JSON.stringify(added));

      const model = await new WorkspaceReader(scene.path).read();
      await makeAll(engine, model, scene.path);
      const made = (await engine.cli("ps", "-aq")).split("\n").filter(Boolean).length;
      await eventually("berth sees them", async () => {
        const { total } = (await scene.berth.call("GET /api/containers?limit=1")).body;
        return total >= made;
      });
      try {
        const changed = await compared(
          scene,
          await scene.repository.push(await edits(scene.repository.work)),
        );
        assert.ok(changed.steps > 0 && changed.groups > 0, JSON.stringify(changed));
        console.log(`${part}: ${JSON.stringify({ added, made, changed })}`);
      } finally {
        const ids = (await engine.cli("ps", "-aq")).trim().split("\n").filter(Boolean);
        if (ids.length > 0) await engine.cli("rm", "-f", ...ids);
      }
    },
    missing,
  );
}

/** Compares the plan of each project that the commit changes, before and after its sync. */
async function compared(scene: SourceScene, commit: string): Promise<{ groups: number; steps: number }> {
  const { berth, id } = scene;
  const { pending, error } = await scene.check();
  assert.equal(error, null);
  const names = pending!.groups.filter(({ change }) => change !== "removed").map(({ name }) => name);
  const plans = async (more: Readonly<Record<string, string>>) => {
    const found: Record<string, unknown> = {};
    let steps = 0;
    for (const name of names) {
      const route = `POST /api/workspaces/${id}/artifacts/groups/${encodeURIComponent(name)}/plan`;
      const { status, body } = await berth.call(route, more);
      steps += body.steps?.length ?? 0;
      found[name] = status === 201
        ? { steps: body.steps, blocked: body.blocked, notes: body.notes, declared: body.basis.declared }
        : { status, code: body.code, title: body.title };
    }
    return { found, steps };
  };
  const before = await plans({ commit: "head" });
  const conflicts = pending!.conflicts.map(({ path }) => path);
  const synced = await berth.call(`POST /api/workspaces/${id}/source/sync`, { commit, keep: conflicts });
  assert.equal(synced.body.state, "synced", synced.text);
  assert.deepEqual(conflicts, []);
  const after = await plans({});
  for (const name of names) assert.deepEqual(before.found[name], after.found[name], name);
  return { groups: names.length, steps: after.steps };
}

/** Lets Compose make the containers of all projects that it can make, with stand-ins for their images. */
async function makeAll(engine: TestEngine, model: Model, path: string): Promise<void> {
  const image = await standIn(engine);
  for (const group of mainGroups(model)) {
    if (group.value === null) continue;
    await nameStandIns(engine, image, group);
    const files = group.files.flatMap((file) => ["-f", `${path}/${file.path}`]);
    const args = ["-p", group.project, ...files, "create", "--pull", "never", "--no-build"];
    await composeToday(engine.socket, `${path}/${group.folder}`, ...args);
  }
}

/** Other tags, another line in every other small text, and every fifth project gone. */
async function edits(work: string): Promise<Record<string, string | null>> {
  const changed: Record<string, string | null> = {};
  const folders = [...projectsIn(work, "")].sort();
  for (const [at, folder] of folders.entries()) {
    if (at % 5 === 4) {
      changed[folder] = null;
      continue;
    }
    for await (const path of textsIn(`${work}/${folder}`)) {
      const text = await Deno.readTextFile(path);
      const own = path.slice(work.length + 1);
      if (/\.ya?ml$/.test(path)) {
        changed[own] = text.replaceAll(/^(\s+image: *["']?[\w./-]+)(?::[\w.-]+)?(["']?)$/gm, "$1:changed$2");
      } else changed[own] = `${text}\n`;
    }
  }
  return changed;
}

async function* textsIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isFile, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* textsIn(path);
    else if (isFile && (await Deno.stat(path)).size < 10_000) yield path;
  }
}

async function copied(from: string, to: string): Promise<void> {
  await Deno.mkdir(to.replace(/\/[^/]*$/, ""), { recursive: true });
  const { success } = await new Deno.Command("cp", { args: ["-r", from, to] }).output();
  assert.ok(success);
}
