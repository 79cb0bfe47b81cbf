/**
 * After random edits of a project, each planned and applied, the next plan is empty, nobody was replaced for nothing,
 * and Compose finds nothing to do.
 */
import assert from "node:assert/strict";
import { project, scene, service } from "./apply_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { eventually } from "../support/eventually.ts";
import { numbers } from "../support/numbers.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { HEALTHY } from "./health_checks.ts";

/** `BERTH_TEST_EDITS=50` for the whole proof. */
const EDITS = Number(Deno.env.get("BERTH_TEST_EDITS") ?? "3");
const SEED = Number(Deno.env.get("BERTH_TEST_SEED") ?? "1");

/** One service, and what an edit may give it: the first of each is how it begins. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  environment: ["", "environment: { A: '1' }", "environment: { A: '2', B: x }"],
  labels: ["", "labels: { tier: front }", "labels: { tier: back, 'a.b': '1' }"],
  volumes: [
    "",
    "volumes: ['data:/data']",
    "volumes: ['data:/other', '/scratch']",
    "volumes: ['./:/folder:ro']",
  ],
  networks: ["", "networks: [default, back]", "networks: { back: { aliases: [far] } }"],
  user: ["", "user: '1000'"],
  restart: ["", "restart: on-failure:2"],
  memory: ["", "mem_limit: 64m", "mem_limit: 65m"],
  scale: ["", "scale: 2", "scale: 0"],
  command: ["", "hostname: front", "working_dir: /tmp"],
  depends: ["", "depends_on: [base]", "depends_on: { base: { condition: service_healthy, restart: true } }"],
  tmpfs: ["", "tmpfs: [/memory]", "cap_drop: [ALL]"],
};
const KEYS = Object.keys(CHOICES);
const SERVICES = ["one", "two", "three"];

type Picks = Record<string, Record<string, number>>;

function textOf(name: string, picks: Picks): string {
  const services = SERVICES.map((label) =>
    service(label, [HEALTHY, ...KEYS.map((key) => CHOICES[key]![picks[label]![key]!]!)].join("\n"))
  );
  return project(
    name,
    [service("base", HEALTHY), ...services],
    "networks: { back: {} }\nvolumes: { data: {} }\n",
  );
}

for (const kind of ["docker", "podman"] as const) {
  // The same code and the same files: every commit has it on one of them.
  if (kind === "podman" && EDITS <= 3) continue;
  const { test } = await lawEngine(kind);

  test(
    `after ${EDITS} random edits, each applied, plans are empty and Compose finds nothing to do`,
    async (engine) => {
      const random = numbers(SEED);
      const pick = (count: number) => Math.floor(random() * count);
      const name = `edited${kind}`;
      const picks: Picks = Object.fromEntries(
        SERVICES.map((label) => [label, Object.fromEntries(KEYS.map((key) => [key, 0]))]),
      );
      await scene(engine, name, textOf(name, picks), async (scene) => {
        assert.equal((await scene.apply()).state, "done");
        for (let edit = 1; edit <= EDITS; edit++) {
          const label = SERVICES[pick(SERVICES.length)]!;
          const key = KEYS[pick(KEYS.length)]!;
          const others = CHOICES[key]!.length - 1;
          picks[label]![key] = (picks[label]![key]! + 1 + pick(others)) % (others + 1);
          const what = `edit ${edit} of seed ${SEED}: ${label} ${
            CHOICES[key]![picks[label]![key]!] || `without ${key}`
          }`;
          const before = await scene.ids();
          await scene.write(textOf(name, picks));

          // Compose cannot be told by a label that a limit was changed in place.
          const applied = await scene.apply({ inPlace: false, orphans: "remove" });

          assert.deepEqual([applied.state, applied.reason], ["done", null], what);
          const next = await eventually("the next plan is empty", async () => {
            const plan = await scene.plan({ inPlace: false });
            return plan.steps.length === 0 ? plan : null;
          }).catch(async () =>
            assert.fail(`${what}: ${JSON.stringify((await scene.plan({ inPlace: false })).steps)}`)
          );
          assert.deepEqual(next.blocked, [], what);
          const ids = await scene.ids();
          const changed = Object.keys(before).filter((one) =>
            ids[one] !== undefined && ids[one] !== before[one]
          );
          const allowed = new Set(
            applied.steps.filter(({ kind }) => kind === "container.swap").map(({ target }) => target),
          );
          assert.deepEqual(changed.filter((one) => !allowed.has(one)), [], what);
          assert.deepEqual(
            changed.filter((one) => !one.startsWith(`${name}-${label}-`)),
            [],
            `${what}: nobody else`,
          );
          // Compose makes its own containers anew on this Podman, too.
          if (kind === "podman") continue;
          assert.equal(await composeToday(engine.socket, scene.path, "up", "-d"), "", what);
          assert.deepEqual(await scene.ids(), ids, `${what}: Compose finds nothing to do`);
        }
      });
    },
    kind === "podman" ? null : composeOfToday.missing,
  );
}
