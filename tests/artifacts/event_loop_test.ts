/** Reading a large workspace leaves the event loop to others: no piece of it takes long. */
import assert from "node:assert/strict";
import process from "node:process";
import { problemsOf } from "../../artifacts/report/report.ts";
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";
import { slowness } from "../proof/slowness.ts";
import { type Files, workspaceFolder } from "../support/workspace_folder.ts";

/** A piece grows with the largest project, not with their number: a thousand in `deno task proof`. */
const PROJECTS = Deno.env.get("BERTH_PROOF") === "1" ? 1_000 : 150;
/** Half of what callers may notice. */
const LONGEST_MS = 50;

/** Eight services each, with ports, mounts, volumes and dependencies. */
function projects(): Files {
  const service = (index: number, of: number) =>
    [
      `  s${index}:`,
      `    image: nginx:1.2${index}`,
      `    ports: ["${8_000 + (of * 8 + index) % 50_000}:80"]`,
      "    environment: [A=1, 'B=${B:-2}']",
      `    volumes: ["./data${index}:/data", "v${index}:/v"]`,
      ...(index > 0 ? [`    depends_on: [s${index - 1}]`] : []),
    ].join("\n");
  const numbers = Array.from({ length: 8 }, (_, index) => index);
  return Object.fromEntries(Array.from({ length: PROJECTS }, (_, of) => [
    `p${of}/compose.yaml`,
    `services:\n${numbers.map((index) => service(index, of)).join("\n")}\nvolumes:\n${
      numbers.map((index) => `  v${index}:\n`).join("")
    }`,
  ]));
}

/** The most processor time between two turns of the event loop: what else runs on the machine does not count. */
async function longestPiece(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let at = performance.now();
  let used = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(used);
    longest = Math.max(longest, Math.min((user + system) / 1_000, performance.now() - at));
    at = performance.now();
    used = process.threadCpuUsage();
  }, 1);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return longest;
}

Deno.test(`no piece of reading and checking ${PROJECTS} projects takes ${LONGEST_MS} ms (F53, R38)`, async () => {
  await using folder = await workspaceFolder(projects());
  const pieces: number[] = [];
  const beganAt = Date.now();
  // The best of a few: a collection of garbage may fall into any of them.
  while (pieces.length < 5 && !pieces.some((longest) => longest < LONGEST_MS)) {
    pieces.push(
      await longestPiece(async () => {
        const model = await new WorkspaceReader(folder.path).read();
        assert.equal(model.units.length, 8 * PROJECTS);
        await problemsOf(model);
      }),
    );
  }
  // Processor time grows, too, where others share the core.
  assert.ok(Math.min(...pieces) < LONGEST_MS * slowness(beganAt), `${pieces.map(Math.round).join(", ")} ms`);
});
