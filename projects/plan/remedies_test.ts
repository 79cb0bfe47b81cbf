/** Held by reading the planner's own messages. */
import assert from "node:assert/strict";
import { PLAN_FIELDS } from "../../core/remedy.ts";
import { PlanRequest } from "./plan_shape.ts";

Deno.test("a remedy can change every option of a plan but the commit, and no other", () => {
  const options = Object.keys(PlanRequest.shape).filter((name) => name !== "commit");
  assert.deepEqual([...PLAN_FIELDS].sort(), options.sort());
});

Deno.test("no message of the planner quotes an option as the API calls it", async () => {
  const quoted = new RegExp(`\\\\?"(?:${PLAN_FIELDS.join("|")})\\\\?"(?=[^\`'"]*[\`'])`);
  const found: string[] = [];
  for await (const { name, isFile } of Deno.readDir(import.meta.dirname!)) {
    if (!isFile || name.endsWith("_test.ts")) continue;
    const text = await Deno.readTextFile(`${import.meta.dirname}/${name}`);
    for (const [at, line] of text.split("\n").entries()) {
      if (quoted.test(line)) found.push(`${name}:${at + 1}: ${line.trim()}`);
    }
  }
  assert.deepEqual(found, []);
});
