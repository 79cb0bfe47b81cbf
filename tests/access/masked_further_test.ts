/** Secrets in forms that an attack on the masks tried: no answer to a viewer and no line of the log holds one. */
import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { FURTHER_FILES, FURTHER_LINES } from "./masked_further.ts";
import { search } from "./masked_search.ts";
import { CANARY } from "./masked_shapes.ts";

const { test } = await sharedEngine("docker");
const filled = (text: string) => text.replaceAll("%", CANARY);

test("a viewer sees no secret of commands, defaults, comments, extensions and odd files", async (engine) => {
  await using berth = await serveEngines({ docker: engine });
  const callers = { viewer: await berth.key("viewer"), operator: await berth.key("operator") };
  const services = FURTHER_LINES.map((line, at) => `  s${at}:\n    image: ${FIXTURE}\n    ${line}\n`).join(
    "",
  );
  const files: typeof FURTHER_FILES = {
    "all lines": { "compose.yaml": `services:\n${services}` },
    ...FURTHER_FILES,
  };
  let answers = 0;
  for (const [at, [what, { "compose.yaml": text = "", ...others }]] of Object.entries(files).entries()) {
    const folder = `${berth.folder}/workspaces/further${at}`;
    await Deno.mkdir(folder);
    for (const [name, other] of Object.entries(others)) {
      await Deno.writeTextFile(`${folder}/${name}`, filled(other));
    }
    await Deno.writeTextFile(`${folder}/compose.yaml`, filled(text));
    const made = await berth.call("POST /api/workspaces", { path: folder });
    answers += await search(callers, made.body.id, what);
  }
  for (const line of berth.logged()) assert.ok(!line.includes(CANARY), line);
  console.log(
    `${FURTHER_LINES.length} lines, ${Object.keys(files).length} files, ${answers} answers: no canary`,
  );
});
