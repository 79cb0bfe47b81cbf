/** Archives are read with tar itself, which knows nothing of how they were written. */
import assert from "node:assert/strict";
import { concat } from "./bytes.ts";
import { TAR_END, type TarEntry, tarHeader, tarPadding } from "./tar.ts";

Deno.test("tar unpacks files, folders, links, and paths that are too long for its header", async () => {
  const long = `${"deep/".repeat(40)}é`;
  const changed = 1_700_000_000;
  const entry = (path: string, kind: TarEntry["kind"], text = "", target?: string) => {
    const bytes = new TextEncoder().encode(text);
    const mode = kind === "folder" ? 0o755 : 0o640;
    const head = tarHeader({ path, kind, mode, size: bytes.length, changed, ...target && { target } });
    return [head, bytes, tarPadding(bytes.length)];
  };
  const archive = concat([
    ...entry("folder", "folder"),
    ...entry("folder/empty", "file"),
    ...entry("folder/block", "file", "b".repeat(512)),
    ...entry(long, "file", "far away"),
    ...entry("short", "link", "", "folder/block"),
    ...entry("far", "link", "", long),
    TAR_END,
  ]);
  const folder = await Deno.makeTempDir();
  try {
    const tar = new Deno.Command("tar", { args: ["-C", folder, "-xf", "-"], stdin: "piped" }).spawn();
    const writer = tar.stdin.getWriter();
    await writer.write(archive);
    await writer.close();
    assert.equal((await tar.status).code, 0);
    assert.equal(await Deno.readTextFile(`${folder}/far`), "far away");
    assert.equal(await Deno.readTextFile(`${folder}/short`), "b".repeat(512));
    assert.equal(await Deno.readLink(`${folder}/far`), long);
    const { mode, mtime } = await Deno.stat(`${folder}/folder/block`);
    assert.deepEqual([mode! & 0o777, mtime!.getTime()], [0o640, changed * 1_000]);
    assert.equal((await Deno.stat(`${folder}/folder/empty`)).size, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
