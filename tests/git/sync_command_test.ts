/** `berth sync`, typed as the page about Git says, on a real engine. */
import assert from "node:assert/strict";
import { runBerth } from "../support/berth_process.ts";
import { FIXTURE } from "../support/engine.ts";
import { hasGit } from "../support/git_server.ts";
import { startService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { SourceScene, web } from "./source_scene.ts";

const { test } = await sharedEngine("docker");

test("berth sync applies the newest commit, also by its id, and an earlier one only once it is asked for", async (engine) => {
  if (!hasGit()) return console.warn("SKIPPED: `berth sync`, because git is not installed");
  const engines = [{ name: engine.kind, url: `unix://${engine.socket}` }];
  const titled = (title: string) => web(FIXTURE, `    environment: { TITLE: ${title} }\n`);
  await using scene = await SourceScene.with(
    { "blog/compose.yaml": titled("old") },
    { start: () => startService({ engines }) },
  );
  const berth = async (...args: string[]) => {
    const { url, credential } = scene.berth;
    const { code, stdout, stderr } = await runBerth(args, { BERTH_URL: url, BERTH_KEY: credential! });
    return [code, stderr, stdout] as const;
  };
  const runs = () => engine.cli("exec", "blog-web-1", "sh", "-c", "echo $TITLE");
  const { head: first } = await scene.follow();
  assert.deepEqual((await berth("sync", scene.id, "--yes")).slice(0, 2), [0, ""]);
  assert.equal(await runs(), "old");
  await Deno.mkdir(`${scene.path}/new`);
  await Deno.writeTextFile(`${scene.path}/new/compose.yaml`, titled("mine"));
  const [exit, , listed] = await berth("source", scene.id);
  assert.deepEqual([exit, listed.trimEnd().split("\n").at(-1)], [
    0,
    "not committed: new/compose.yaml (added)",
  ]);
  await Deno.remove(`${scene.path}/new`, { recursive: true });

  const next = await scene.repository.push({ "blog/compose.yaml": titled("new") });
  await scene.check();
  assert.deepEqual((await berth("sync", scene.id, "--commit", next.slice(0, 8), "--yes")).slice(0, 2), [
    0,
    "",
  ]);
  assert.equal(await runs(), "new");

  const [code, stderr, stdout] = await berth("sync", scene.id, "--commit", first!.slice(0, 8), "--yes");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.ok(stdout.endsWith(`${scene.id} is at ${first!.slice(0, 8)}\n`), stdout);
  assert.equal(await runs(), "new", "files alone go back");
  assert.equal((await berth("apply", `blog@${scene.id}`, "--yes"))[0], 0);
  assert.equal(await runs(), "old");

  // The page's "Sync" writes the files, and applies nothing.
  await scene.berth.call(`POST /api/workspaces/${scene.id}/source/sync`, { commit: next });
  assert.deepEqual(await berth("sync", scene.id, "--yes"), [
    2,
    `berth: Not as written: blog@${scene.id} (differs)\n`,
    "up to date\n",
  ]);
});
