/** The faults of `deno task mutations` can still be put in: a line that moved takes its fault out of the count. */
import assert from "node:assert/strict";
import { mustApply, MUTATIONS } from "../proof/mutations.ts";

Deno.test("each fault that is put into berth's own code still finds its lines and its tests", async () => {
  await mustApply(new URL("../../", import.meta.url).pathname, MUTATIONS);
});

Deno.test("each fault names words of a test that is in its files", async () => {
  const unknown: string[] = [];
  for (const { name, tests, only } of MUTATIONS) {
    // The kind of the engine is put behind the name later.
    const words = only?.replace(/ \(docker\)$/, "") ?? "";
    const texts = await Promise.all(
      tests.map((file) => Deno.readTextFile(new URL(`../../${file}`, import.meta.url))),
    );
    if (!texts.some((text) => text.includes(words))) unknown.push(`${name}: ${only}`);
  }
  assert.deepEqual(unknown, []);
});
