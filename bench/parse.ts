/** Reading YAML with places and budgets against the parser alone; a changed file against its whole folder. */

import { parseAllDocuments } from "yaml";
import { parseNow } from "../artifacts/files/parse_file.ts";
import { WorkspaceReader } from "../artifacts/reading/workspace_reader.ts";
import { composeFile, composeFolders } from "./compose_folders.ts";
import { rounds } from "./rounds.ts";

const texts = Array.from({ length: 300 }, (_, seed) => composeFile(seed));

await rounds("parse", [
  {
    name: "yaml's documents",
    run() {
      for (const text of texts) parseAllDocuments(text);
    },
  },
  {
    name: "berth: scan, parse, values with places",
    run() {
      for (const text of texts) parseNow({ path: "compose.yaml", kind: "compose", text, hash: "" });
    },
  },
], {
  rounds: 11,
  warmUps: 3,
  about: `${texts.length} Compose files, ${
    Math.round(texts.join("").length / 1000)
  } kB; under 1.25 is at least 0.8 of its speed`,
});

for (const count of [50, 500]) {
  await using folder = await composeFolders(count);
  const reader = new WorkspaceReader(folder.path);
  await reader.read();
  let turn = 0;
  await rounds(`reread-${count}`, [
    {
      name: "one changed file",
      async run() {
        const path = `project-${turn % count}/compose.yaml`;
        await Deno.writeTextFile(
          `${folder.path}/${path}`,
          composeFile(turn++).replace("LOG_LEVEL", `LEVEL_${turn}`),
        );
        const before = performance.now();
        await reader.update(new Set([path]));
        return performance.now() - before;
      },
    },
    { name: "the whole folder, unchanged", run: async () => void await reader.read() },
    {
      name: "the whole folder, never seen",
      run: async () => void await new WorkspaceReader(folder.path).read(),
    },
  ], { rounds: 9, warmUps: 2, about: `${count} projects of six services` });
}

await using folder = await composeFolders(500);
await rounds("read-stall", [{
  name: "longest time without a turn of the loop",
  async run() {
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }, 1);
    await new WorkspaceReader(folder.path).read();
    clearInterval(timer);
    return Math.max(longest, performance.now() - last);
  },
}], { about: "while 500 projects are read for the first time" });
