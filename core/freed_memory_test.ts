import assert from "node:assert/strict";
import { giveBackFreed } from "./freed_memory.ts";

const MIB = 1024 * 1024;
/** The looks of a start, whose garbage is given back at the second of them. */
const STARTED = [110, 110];

/** Returns at which of the looks, each with so many MiB held, the memory was given back. */
async function askedAt(held: readonly number[], can = true): Promise<readonly number[]> {
  const asked: number[] = [];
  const over = Promise.withResolvers<void>();
  let look = -1;
  using _ = giveBackFreed({
    residentBytes: () => {
      if (++look >= held.length) over.resolve();
      return (held[look] ?? held.at(-1)!) * MIB;
    },
    giveBack: () => {
      if (look < held.length) asked.push(look);
      if (!can) over.resolve();
      return Promise.resolve(can);
    },
    lookMs: 1,
  });
  const awake = setInterval(() => {}, 1_000); // the looks alone keep nobody awake
  await over.promise;
  clearInterval(awake);
  return asked;
}

Deno.test("Memory is given back once it grows no more, and a small rest is let be", async () => {
  assert.deepEqual(await askedAt([...STARTED, 100, 200, 300, 300, 105, 107, 105]), [1, 5]);
  assert.deepEqual(await askedAt([...STARTED, 100, 107, 107, 107]), [1]);
});

Deno.test("A start's own garbage is given back however little it is", async () => {
  assert.deepEqual(await askedAt([110, 130, 131, 120, 121, 121]), [2]);
});

Deno.test("What is still held is asked for less and less often, and what is new at once", async () => {
  const held = Array.from({ length: 60 }, () => 300);
  const asked = [4, 7, 10, 13, 16, 19, 22, 25, 28, 33, 42, 59];
  assert.deepEqual(await askedAt([...STARTED, 100, 300, ...held]), [1, ...asked]);
  assert.deepEqual(await askedAt([...STARTED, 100, 300, 300, 400, 400, 400]), [1, 4, 6]);
});

Deno.test("Nothing is asked twice where nothing can be given back", async () => {
  assert.deepEqual(await askedAt([...STARTED, 100, 300, 300, 300, 300], false), [1]);
});

/** Holds much, lets go of it, and tells at the end how much of that it holds ten seconds later at the latest. */
const PROGRAM = `
  const { giveBackFreed } = await import(${JSON.stringify(import.meta.resolve("./freed_memory.ts"))});
  using _ = giveBackFreed({ lookMs: 100 });
  const held = () => Deno.memoryUsage().rss;
  await new Promise((resolve) => setTimeout(resolve, 250));
  const before = held();
  const kept = Array.from({ length: 4_000 }, () => new Uint8Array(30_000).fill(1));
  const most = held() - before;
  await new Promise((resolve) => setTimeout(resolve, 150));
  kept.length = 0;
  let share = 1;
  for (let look = 0; look < 100 && share > 0.5; look++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    share = (held() - before) / most;
  }
  console.log(share < 0.5 ? "back" : "kept");
`;

for (const isCaught of [true, false]) {
  Deno.test({
    name: `A process whose runtime ${isCaught ? "catches the signal gives back" : "does not lives on"}`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      const { success, stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["eval", "--no-lock", PROGRAM],
        env: { DENO_USR2_MEMORY_TRIM: isCaught ? "1" : "" },
        stderr: "inherit",
      }).output();
      assert.ok(success);
      const said = new TextDecoder().decode(stdout).trim();
      if (isCaught) assert.equal(said, "back");
    },
  });
}
