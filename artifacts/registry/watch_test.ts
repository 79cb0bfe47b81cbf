/** Changes in watched folders are reported. When there are too many, that is reported instead, and its end. */

import assert from "node:assert/strict";
import { plant } from "../../tests/support/planted_folder.ts";
import { within } from "../../tests/support/within.ts";
import { Watcher } from "./watch.ts";

/** A worker that is slow on a busy machine is not trusted at first; it is asked again, as the registry does. */
async function isWatched(watch: ReturnType<Watcher["folder"]>, folders: readonly string[]): Promise<void> {
  await within(10_000, "the folders are watched", async () => {
    await watch.follow(folders);
    return watch.isWatching;
  });
}

Deno.test("follow() is told of what changes in its folders, and of nothing deeper or elsewhere", async () => {
  await using folder = await plant({ "a/x": "", "a/deep/x": "", "b/x": "" });
  using watcher = new Watcher();
  using watch = watcher.folder(folder.path);

  assert.equal(await watch.follow(["", "a"]), true);
  await isWatched(watch, ["", "a"]);
  assert.equal(await watch.follow(["", "a"]), false);
  await folder.write("a/deep/x", "1");
  await folder.write("b/x", "1");
  await folder.write("a/y", "1");

  const seen = new Set<string>();
  await within(2_000, "the change is told", () => {
    for (const path of watch.take() ?? []) seen.add(path);
    return seen.has("a/y");
  });
  assert.deepEqual([...seen].filter((path) => path !== "a/y"), []);
});

Deno.test("folders in which too much happens are not watched until it is over, and others are all the while", async () => {
  await using folder = await plant({ "busy/": "", "calm/": "" });
  using watcher = new Watcher();
  using busy = watcher.folder(`${folder.path}/busy`);
  using calm = watcher.folder(`${folder.path}/calm`);
  await Promise.all([isWatched(busy, [""]), isWatched(calm, [""])]);

  let turn = 0;
  await within(5_000, "watching ends", async () => {
    for (let n = 0; n < 300; n++) await folder.write(`busy/${turn++ % 10}`, "");
    return !busy.isWatching;
  });
  assert.equal(busy.take(), null);
  assert.equal(await busy.follow([""]), false);
  await folder.write("calm/x", "");
  await within(2_000, "a change elsewhere is told", () => calm.take()?.has("x"));

  await within(8_000, "it is told that it is calm again", () => busy.take() === null);
  await isWatched(busy, [""]);
  await folder.write("busy/x", "");
  await within(2_000, "a change is told again", () => busy.take()?.has("x"));
});

Deno.test("a change is told at once beside a workspace of 2,000 folders in which much happens", async () => {
  await using folder = await plant({ "busy/": "", "calm/": "" });
  const folders = ["", ...Array.from({ length: 2_000 }, (_, n) => `${n}`)];
  for (const name of folders) await Deno.mkdir(`${folder.path}/busy/${name}`, { recursive: true });
  using watcher = new Watcher();
  using busy = watcher.folder(`${folder.path}/busy`);
  using calm = watcher.folder(`${folder.path}/calm`);
  await Promise.all([isWatched(busy, folders), isWatched(calm, [""])]);

  for (let n = 0; n < 1_000; n++) {
    await folder.write(`busy/${n}.txt`, "");
    await Deno.remove(`${folder.path}/busy/${n}.txt`);
  }
  await folder.write("calm/x", "");
  await within(3_000, "the change elsewhere is told", () => calm.take()?.has("x"));
});

Deno.test("a folder that is gone is not watched, and can be when it is back", async () => {
  await using folder = await plant({});
  using watcher = new Watcher();
  using watch = watcher.folder(`${folder.path}/late`);

  assert.equal(await watch.follow([""]), true);
  assert.equal(watch.isWatching, false);

  await Deno.mkdir(`${folder.path}/late`);
  assert.equal(await watch.follow([""]), true);
  assert.equal(watch.isWatching, true);
});
