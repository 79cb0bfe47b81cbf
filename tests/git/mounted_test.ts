/** A sync beside running containers: who has mounted a single file reads its new text, and is neither restarted nor replaced. */
import assert from "node:assert/strict";
import { ApplyScene, project, service } from "../apply/apply_scene.ts";
import { hasGit } from "../support/git_server.ts";
import { serveEngines } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { SourceScene } from "./source_scene.ts";

const missing = hasGit() ? null : "git is not installed";

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("a process in a container reads the new text of a file that a sync wrote", async (engine) => {
    const name = `mounted${kind}`;
    const files = {
      "compose.yaml": project(name, [
        service("web", "volumes: ['./one.conf:/etc/one.conf:ro', './deep/two.conf:/etc/two.conf']"),
      ]),
      "one.conf": "old\n",
      "deep/two.conf": "a long old text\n".repeat(10_000),
    };
    await using git = await SourceScene.with(files, {
      here: files,
      start: () => serveEngines({ [kind]: engine }),
    });
    const scene = new ApplyScene(engine, git.berth, name, git.id, git.path);
    const inodes = () =>
      Promise.all(
        ["one.conf", "deep/two.conf"].map(async (at) => (await Deno.lstat(`${git.path}/${at}`)).ino),
      );
    const read = (path: string) => engine.cli("exec", `${name}-web-1`, "cat", path);
    const commit = (to: string) =>
      git.berth.call(`POST /api/workspaces/${git.id}/source/sync`, { commit: to });
    try {
      const { head } = await git.follow();
      assert.equal((await commit(head!)).body.state, "synced");
      assert.equal((await scene.apply()).state, "done");
      assert.equal(await read("/etc/one.conf"), "old");
      const [before, containers] = [await inodes(), await scene.containers()];

      const texts = { "one.conf": "new and much longer\n".repeat(10_000), "deep/two.conf": "new\n" };
      const next = await git.repository.push(texts);
      await git.check();
      assert.equal((await commit(next)).body.state, "synced");

      assert.deepEqual(await inodes(), before);
      assert.equal(`${await read("/etc/one.conf")}\n`, texts["one.conf"]);
      assert.equal(`${await read("/etc/two.conf")}\n`, texts["deep/two.conf"]);
      assert.deepEqual(await scene.containers(), containers);
    } finally {
      await scene.clear();
    }
  }, missing);
}
