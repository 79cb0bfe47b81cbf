/** What bringing a project up costs beside Docker Compose: 20 services in four layers, from nothing, taking turns. */
import { serveEngines } from "../tests/support/service.ts";
import { ApplyScene, project, service } from "../tests/apply/apply_scene.ts";
import { composeOfToday, composeToday } from "../tests/support/compose.ts";
import { startEngine } from "../tests/support/engine.ts";
import { eventually } from "../tests/support/eventually.ts";
import { rounds } from "./rounds.ts";

const LAYERS = 4;
const EACH = 5;

/** Each service of a layer depends on all of the layer below it. */
const text = project(
  "shop",
  Array.from({ length: LAYERS * EACH }, (_, number) => {
    const layer = Math.floor(number / EACH);
    const below = Array.from({ length: EACH }, (_, one) => `s${(layer - 1) * EACH + one}`);
    const depends = layer === 0 ? "" : `depends_on: [${below.join(", ")}]\n`;
    return service(`s${number}`, `${depends}environment: { N: '${number}' }`);
  }),
);

await using engine = await startEngine("docker");
await using berth = await serveEngines({ docker: engine });
const scene = await ApplyScene.on(engine, berth, "shop", text);

/** Nothing is there, and berth has seen that. */
async function gone(): Promise<void> {
  await scene.clear();
  await eventually(
    "berth sees that all is gone",
    async () => (await scene.plan()).steps.length === 2 * LAYERS * EACH + 1,
  );
}

await gone();
await rounds("apply-up", [
  {
    name: "berth: plan and apply",
    run: async () => {
      const start = performance.now();
      const { state, reason } = await scene.apply();
      const took = performance.now() - start;
      if (state !== "done") throw new Error(reason ?? state);
      await gone();
      return took;
    },
  },
  {
    name: "docker compose up",
    ...(composeOfToday.missing === null ? {} : { absent: composeOfToday.missing }),
    run: async () => {
      const start = performance.now();
      const failure = await composeToday(engine.socket, scene.path, "up", "-d");
      const took = performance.now() - start;
      if (failure !== "") throw new Error(failure);
      await gone();
      return took;
    },
  },
], {
  against: "docker compose up",
  about: "Bringing up 20 services in four layers, from nothing",
});
