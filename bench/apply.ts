/**
 * The cost of bringing a project up beside Docker Compose, taking turns on one engine: projects of 1, 10 and 30
 * services, from nothing and with nothing to do. Compose answers when the last container is started, so berth is
 * measured until then; what it waits afterwards, to see whether the containers stay up, is printed apart.
 *
 * Where berth's time goes, ten services, by the acts of an apply: nine tenths are the engine's own starts, a twentieth
 * its creates, and the rest 40 looks at containers, four for each. Sixteen steps run at a time; with six, 30 services
 * took a tenth longer than Compose. A container is made before those that it depends on have started, as Compose does:
 * that took ten services from 1.03 of Compose to 0.84 and 0.99 in two runs, and 30 from 1.07 to 0.95 and 0.97.
 */
import { parseArgs } from "node:util";
import type { Apply } from "../projects/apply/apply_shape.ts";
import { composeOfToday, composeToday } from "../tests/support/compose.ts";
import { ApplyScene, project, service } from "../tests/apply/apply_scene.ts";
import { startEngine } from "../tests/support/engine.ts";
import { eventually } from "../tests/support/eventually.ts";
import { serveEngines } from "../tests/support/service.ts";
import { median, rounds } from "./rounds.ts";

/** Services that nothing depends on, and a last layer of a third that depend on all of the first. */
const SIZES = [1, 10, 30];
const COMPOSE = "docker compose up -d";
const only = parseArgs({ options: { size: { type: "string" } } }).values.size;

function text(size: number): string {
  const first = Math.ceil(size * 2 / 3);
  const services = Array.from({ length: size }, (_, number) => {
    const below = Array.from({ length: first }, (_, one) => `s${one}`);
    const depends = number < first ? "" : `depends_on: [${below.join(", ")}]\n`;
    return service(`s${number}`, `${depends}environment: { N: '${number}' }`);
  });
  return project(`shop${size}`, services);
}

await using engine = await startEngine("docker");
await using berth = await serveEngines({ docker: engine }, { applyTimes: { judgedMs: 3_000 } });

async function compose(scene: ApplyScene): Promise<void> {
  const failure = await composeToday(engine.socket, scene.path, "up", "-d");
  if (failure !== "") throw new Error(failure);
}

/** Waits until nothing is there, and berth has seen that. */
async function gone(scene: ApplyScene, size: number): Promise<void> {
  await scene.clear();
  await eventually("berth sees that all is gone", async () => {
    const { steps } = await scene.plan();
    return steps.length === 2 * size + 1;
  });
}

/** Plans, applies, and returns the milliseconds until the last start and those of the judgement. */
async function up(scene: ApplyScene): Promise<{ started: number; judged: number }> {
  const begin = performance.now();
  const plan = await scene.plan();
  const { body } = await scene.begin(plan);
  let started: number | null = null;
  const headers = { accept: "application/x-ndjson" };
  const response = await berth.fetch(`GET /api/applies/${body.id}/events`, undefined, { headers });
  const open = new Set(plan.steps.map(({ n }) => n));
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    for (const [, n] of chunk.matchAll(/"step":(\d+),"state":"done"/g)) open.delete(Number(n));
    if (open.size === 0) started ??= performance.now();
  }
  const { state, reason }: Apply = (await berth.call(`GET /api/applies/${body.id}`)).body;
  if (state !== "done" || started === null) throw new Error(reason ?? state);
  return { started: started - begin, judged: performance.now() - started };
}

const absent = composeOfToday.missing === null ? {} : { absent: composeOfToday.missing };
for (const size of SIZES.filter((one) => only === undefined || only === String(one))) {
  const scene = await ApplyScene.on(engine, berth, `shop${size}`, text(size));
  const judged: number[] = [];
  await gone(scene, size);
  await rounds(`apply-up-${size}`, [
    {
      name: "berth: plan and apply",
      run: async () => {
        const took = await up(scene);
        judged.push(took.judged);
        await gone(scene, size);
        return took.started;
      },
    },
    {
      name: COMPOSE,
      ...absent,
      run: async () => {
        const start = performance.now();
        await compose(scene);
        const took = performance.now() - start;
        await gone(scene, size);
        return took;
      },
    },
  ], { against: COMPOSE, about: `Bringing up ${size} services, from nothing, until the last start` });
  console.log(`Judged afterwards: ${(median(judged) / 1_000).toFixed(1)} s for ${size} services\n`);

  await compose(scene);
  await eventually("berth sees it", async () => (await scene.plan()).steps.length === 0);
  await rounds(`apply-nothing-${size}`, [
    {
      name: "berth: plan",
      run: async () => {
        const { steps } = await scene.plan();
        if (steps.length > 0) throw new Error("there is something to do");
      },
    },
    { name: COMPOSE, ...absent, run: () => compose(scene) },
  ], { against: COMPOSE, about: `Nothing to do for ${size} services` });
  await scene.clear();
}
