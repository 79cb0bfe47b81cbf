import assert from "node:assert/strict";
import { ownFileName } from "../../core/own_files.ts";
import { contextOf } from "./context.ts";

Deno.test("files that berth makes for moments are no part of a context, and everybody else's are", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${root}/sub`);
    const own = [
      ownFileName(crypto.randomUUID()),
      `sub/${ownFileName("0123456789abcdef")}`,
      `sub/${ownFileName("git-0123456789abcdef")}`,
    ];
    const others = ["Dockerfile", ".berth-notes", ".berth-notes.new", "sub/app.new"];
    for (const path of [...own, ...others]) await Deno.writeTextFile(`${root}/${path}`, path);
    const { entries, tar } = await contextOf(
      { root, path: root, hidden: [], allowHardLinks: false },
      { path: "Dockerfile" },
    );
    for (const path of own) await Deno.remove(`${root}/${path}`);

    assert.deepEqual(entries.map(({ path }) => path).sort(), [...others, "sub"].sort());
    assert.ok((await new Response(tar()).bytes()).length > 0, "it is sent although they are gone");
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
