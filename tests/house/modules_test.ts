/** A service goes on with the modules that it started with, whatever becomes of its folder and its descriptors. */
import assert from "node:assert/strict";
import { BerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** All that a service is made of, and nothing else. */
async function copyOfProgram(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "berth-modules-" });
  const left = ["tests", "bench", "docs", "dist", "node_modules"];
  const taken: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(ROOT)) {
    const counts = isDirectory ? !name.startsWith(".") && !left.includes(name) : /\.ts$|^deno\./.test(name);
    if (counts) taken.push(ROOT + name);
  }
  const { success } = await new Deno.Command("cp", { args: ["-r", ...taken, folder] }).output();
  assert.ok(success);
  return folder;
}

Deno.test("the task serve reads every module at start: one that is gone when it is first needed is answered with", async () => {
  const folder = await copyOfProgram();
  const { tasks } = JSON.parse(await Deno.readTextFile(`${folder}/deno.json`));
  const [, ...args] = tasks.serve.command.split(" ");
  const child = new Deno.Command(Deno.execPath(), {
    args,
    cwd: folder,
    env: { BERTH_DATA: `${folder}/data`, BERTH_PORT: "0", BERTH_ENGINES: "none" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await using berth = new BerthProcess(child, folder, false);
  const url = await eventually("it listens", () => berth.url);
  await Deno.remove(`${folder}/http/docs/openapi.ts`);

  const answer = await fetch(`${url}/api/openapi.json`);
  await answer.body?.cancel();
  assert.equal(answer.status, 200);
});
