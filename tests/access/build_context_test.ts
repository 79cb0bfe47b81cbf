/** Build contexts and Dockerfiles outside of a workspace tell a caller nothing of the host. */
import assert from "node:assert/strict";
import { startService } from "../support/service.ts";

/** Pairs of which the first is there and the second is not. */
const PAIRS: readonly (readonly [there: string, gone: string])[] = [
  ["build: ../outside", "build: ../outsidX"],
  ["build: /etc", "build: /etX"],
  ["build: ./toFolder", "build: ./toNothin"],
  [
    "build: { context: ., dockerfile: ../outside/Dockerfile }",
    "build: { context: ., dockerfile: ../outside/DockerfilX }",
  ],
  ["build: { context: ., dockerfile: /etc/passwd }", "build: { context: ., dockerfile: /etc/passwX }"],
  ["build: { context: ., dockerfile: ./toFile }", "build: { context: ., dockerfile: ./toNone }"],
  [
    "build: { context: ., additional_contexts: { x: ../outside } }",
    "build: { context: ., additional_contexts: { x: ../outsidX } }",
  ],
];

Deno.test("what is told of a build context outside of the workspace is the same whether it is there or not", async () => {
  await using berth = await startService({});
  const root = `${berth.folder}/workspaces`;
  await Deno.mkdir(`${root}/outside`);
  await Deno.writeTextFile(`${root}/outside/Dockerfile`, "FROM scratch\n");
  const told: string[][] = [];
  for (const half of [0, 1] as const) {
    const path = `${root}/shop${half}`;
    await Deno.mkdir(path);
    const links = {
      toFolder: "../outside",
      toNothin: "../nothing",
      toFile: "../outside/Dockerfile",
      toNone: "../none",
    };
    for (const [name, target] of Object.entries(links)) await Deno.symlink(target, `${path}/${name}`);
    if (half === 0) await Deno.mkdir(`${path}/own`);
    const services = PAIRS.map((pair, at) => `  s${at}: { ${pair[half]} }\n`).join("");
    const text = `name: shop\nservices:\n${services}  own: { build: ./own }\n`;
    await Deno.writeTextFile(`${path}/compose.yaml`, text);
    const made = await berth.call("POST /api/workspaces", { path });
    const base = `/api/workspaces/${made.body.id}/artifacts`;
    const { body } = await berth.call(`POST ${base}/validate`);
    told.push(
      body.diagnostics.map(({ code, message, subject }: Record<string, string>) =>
        `${subject} ${code} ${message!.replace(/"[^"]*"/g, '""')}`
      ),
    );
  }
  const [there = [], gone = []] = told;
  const foreign = (lines: readonly string[]) => lines.filter((line) => !line.startsWith("unit:shop.own "));
  assert.deepEqual(foreign(there), foreign(gone));
  assert.notDeepEqual(there, gone, "what is in the workspace is told");
});
