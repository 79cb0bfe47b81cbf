/** The rows of 1,000 projects: their size, their truth, and the cost of one change among them. */
import { cpuUsage } from "node:process";
import { eventually } from "../tests/support/eventually.ts";
import { manyProjects, PER_PROJECT } from "../tests/support/many_projects.ts";
import { rounds } from "./rounds.ts";

const FEW = 10;
const MANY = 1_000;
/** Bytes of all rows, compressed. */
const AIM_BYTES = 15 * 1024;

await using stack = new AsyncDisposableStack();
const few = await manyProjects(stack, FEW);
const many = await manyProjects(stack, MANY);

const text = await (await many.ask(MANY)).text();
const differing = JSON.parse(text).items.filter(({ verdict }: { verdict: string }) => verdict === "differs");
const packed = await compressed(text);
console.log(`rows of ${MANY} projects: ${text.length} bytes, ${packed} compressed; the aim is ${AIM_BYTES}`);
const fields = JSON.parse(text).items.reduce(
  (sum: number, one: { differences: number }) => sum + one.differences,
  0,
);
console.log(
  `${differing.length} of ${MANY} projects differ, in ${fields} fields of ${MANY * PER_PROJECT} containers`,
);
if (packed > AIM_BYTES || differing.length !== MANY || fields < MANY * PER_PROJECT) Deno.exitCode = 1;

/** Returns the CPU for one changed container, and for the rows that follow. */
async function change({ projects, touch, ask }: typeof few): Promise<number> {
  const before = cpuUsage();
  const memory = touch(0);
  await eventually("the change is told", async () => (await (await ask(projects)).text()).includes(memory));
  const { user, system } = cpuUsage(before);
  return (user + system) / 1_000;
}

await rounds("projects-change", [
  { name: `${FEW} projects`, run: () => change(few) },
  { name: `${MANY} projects`, run: () => change(many) },
], {
  unit: "ms of CPU",
  about: "one changed container, until its row is told; the aim is twice that of 10 projects",
});

async function compressed(of: string): Promise<number> {
  const stream = new Blob([of]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}
