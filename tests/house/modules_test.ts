/** A service goes on with the modules that it started with, whatever becomes of its folder and its descriptors. */
import assert from "node:assert/strict";
import { ProgramCopy } from "../support/program_copy.ts";

Deno.test("the task serve reads every module at start: one that is gone when it is first needed is answered with", async () => {
  await using program = await ProgramCopy.make();
  await using berth = await program.serve("none");
  await Deno.remove(`${program.folder}/http/docs/openapi.ts`);

  const answer = await fetch(`${berth.url}/api/openapi.json`);
  await answer.body?.cancel();
  assert.equal(answer.status, 200);
});
