/**
 * Random edits of projects that a real Compose brought up: each gives exactly the steps that follow from it, in an order
 * that works. `BERTH_TEST_SEED` plays one again, and `BERTH_TEST_EDITS` says how many there are.
 */
import assert from "node:assert/strict";
import type { Plan, Step } from "../../projects/plan/plan_shape.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { eventually } from "../support/eventually.ts";
import { save, workspace } from "../streams/live_scene.ts";
import { expectedSteps, type Project, randomFrom, someEdit, someProject, textOf } from "./plan_edits.ts";
import { serveEngines } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

const SEED = Number(Deno.env.get("BERTH_TEST_SEED") ?? Date.now() % 1_000_000);
const EDITS = Number(Deno.env.get("BERTH_TEST_EDITS") ?? 3);
/** Edits of one project, before the next one is brought up. */
const EACH = 10;

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  test(
    `${EDITS} random edits give exactly the steps that follow from them`,
    async (engine) => {
      await using berth = await serveEngines({ [engine.kind]: engine });
      const random = randomFrom(SEED);
      console.log(`BERTH_TEST_SEED=${SEED} plays this again`);
      for (let done = 0, round = 0; done < EDITS; round++) {
        const name = `edits${kind}${round}`;
        const project = someProject(random);
        const text = textOf(name, project);
        const { id, path } = await workspace(berth, name, text);
        const planOf = async (body: unknown): Promise<Plan> => {
          const answer = await berth.call(`POST /api/workspaces/${id}/artifacts/groups/${name}/plan`, body);
          assert.equal(answer.status, 201, answer.text);
          return answer.body;
        };
        assert.equal(await composeToday(engine.socket, path, "up", "-d"), "", text);
        try {
          const containers = project.reduce((sum, { scale }) => sum + scale, 0);
          await eventually(`all of ${name} is seen to run`, async () => {
            const plan = await planOf({});
            return plan.steps.length === 0 && plan.unchanged === containers ? plan : null;
          }).catch(async () => assert.deepEqual((await planOf({})).steps, [], `seed ${SEED}\n${text}`));
          for (let n = 0; n < EACH && done < EDITS; n++, done++) {
            const { words, after } = someEdit(project, random);
            await save(berth, id, `${path}/compose.yaml`, textOf(name, after));
            const plan = await planOf({ orphans: "remove" });
            assert.deepEqual(
              [plan.blocked, plan.steps.map(({ kind, target }) => `${kind} ${target}`).sort()],
              [[], expectedSteps(name, project, after, kind)],
              `seed ${SEED}, ${words}\n${text}`,
            );
            inOrder(name, after, plan, words);
            await save(berth, id, `${path}/compose.yaml`, text);
          }
        } finally {
          await Deno.writeTextFile(`${path}/compose.yaml`, text);
          await composeToday(engine.socket, path, "down", "--volumes", "--timeout", "0");
          await berth.call(`DELETE /api/workspaces/${id}`);
        }
      }
    },
    composeOfToday.missing,
  );
}

/** Every step has a reason, comes after what it needs, and what is made comes after whom it depends on. */
function inOrder(name: string, project: Project, { steps }: Plan, words: string): void {
  const of = (service: string): Step[] =>
    steps.filter(({ kind, target }) =>
      target.startsWith(`${name}-${service}-`) && /swap|start|restart|create/.test(kind)
    );
  for (const { n, why, after } of steps) {
    assert.ok(why.length > 0 && after.every((one) => one < n), `${words}: step ${n}`);
  }
  for (const { name: service, dependsOn, sharesWith } of project) {
    for (const needed of [...Object.keys(dependsOn), ...(sharesWith === null ? [] : [sharesWith])]) {
      for (const later of of(service)) {
        for (const sooner of of(needed)) {
          assert.ok(sooner.n < later.n, `${words}: ${sooner.target} before ${later.target}`);
        }
      }
    }
  }
}
