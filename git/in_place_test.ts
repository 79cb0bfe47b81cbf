/** Promise: a file that cannot be written any more takes those back that were written in place before it. */
import assert from "node:assert/strict";
import { decide } from "./changes.ts";
import { blobId } from "./folder_state.ts";
import { Unwritten } from "./in_place.ts";
import { Writer } from "./writer.ts";

Deno.test("a file that is exchanged after all were looked at leaves every file in place as it was", async () => {
  const root = await Deno.makeTempDir({ prefix: "berth-test-" });
  try {
    const contents = new Map<string, Uint8Array>();
    const entry = (path: string, text: string) => {
      const bytes = new TextEncoder().encode(text);
      const id = blobId(bytes, "0".repeat(40));
      contents.set(id, bytes);
      return { path, kind: "file" as const, executable: false, id, size: bytes.length };
    };
    const changes = ["a.conf", "b.conf"].map((path) => ({
      path,
      from: entry(path, "1\n"),
      to: entry(path, "2\n"),
    }));
    for (const { path } of changes) await Deno.writeTextFile(`${root}/${path}`, "1\n");
    const mounted = new Set(["a.conf", "b.conf"]);
    const decisions = await decide(root, changes, mounted);
    const writer = new Writer(
      {
        root,
        mounted,
        contents: (ids) => Promise.resolve(new Map(ids.map((id) => [id, contents.get(id)!]))),
      },
      decisions,
      mounted,
    );
    await writer.stage(() => {});
    // No link is followed, also for root, who may write every file.
    await Deno.rename(`${root}/b.conf`, `${root}/elsewhere`);
    await Deno.symlink("elsewhere", `${root}/b.conf`);

    await assert.rejects(async () => {
      for await (const _ of writer.act());
    }, Unwritten);

    assert.equal(writer.at, "b.conf");
    assert.deepEqual(
      ["a.conf", "elsewhere"].map((name) => Deno.readTextFileSync(`${root}/${name}`)),
      ["1\n", "1\n"],
    );
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
