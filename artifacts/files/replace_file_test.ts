/** Promises: of two saves at once one is written and told so, and what a crash left goes with a later one. */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import { replaceFile } from "./replace_file.ts";
import { sha256 } from "./sha256.ts";

async function inFolder(work: (root: string) => Promise<void>): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-test-" }));
  try {
    await work(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("of two saves of one file at once, as by two replicas, exactly the one that is told so is written", async () => {
  await inFolder(async (root) => {
    for (let round = 0; round < 20; round++) {
      const old = `old ${round}`;
      await Deno.writeTextFile(`${root}/file`, old);
      const texts = ["one ", "other "].map((text) => text.repeat(30_000));
      const told = await Promise.all(
        texts.map((text) =>
          replaceFile(root, "file", { expected: sha256(old), text }).then(() => "saved", (error) => {
            assert.ok(error instanceof ServiceError);
            return error.code;
          })
        ),
      );
      assert.deepEqual(told.toSorted(), ["file_changed", "saved"]);
      assert.ok(await Deno.readTextFile(`${root}/file`) === texts[told.indexOf("saved")], `round ${round}`);
    }
    assert.deepEqual([...Deno.readDirSync(root)].map(({ name }) => name), ["file"]);
  });
});

Deno.test("a save removes what a crash left of earlier ones, and nothing that is another save's or a sync's", async () => {
  await inFolder(async (root) => {
    const left = [".berth-0123456789abcdef.new", `.berth-${crypto.randomUUID()}.new`];
    const kept = [`.berth-${crypto.randomUUID()}.new`, ".berth-git-0123456789abcdef.new", ".berth-notes.new"];
    for (const name of ["file", ...left, ...kept]) await Deno.writeTextFile(`${root}/${name}`, "old");
    const past = new Date(Date.now() - 2 * 60 * 60_000);
    for (const name of [...left, ...kept.slice(1)]) await Deno.utime(`${root}/${name}`, past, past);

    await replaceFile(root, "file", { expected: sha256("old"), text: "new" });

    assert.deepEqual([...Deno.readDirSync(root)].map(({ name }) => name).sort(), ["file", ...kept].sort());
  });
});
