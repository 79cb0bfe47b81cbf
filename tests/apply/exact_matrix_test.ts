/**
 * Every key of a service in its forms, made once by Docker Compose and once by berth: the engine shows the same container,
 * but for what `exact/agreed.ts` explains. All ways of writing them with BERTH_PROOF=1, else a twentieth, another each day.
 */
import assert from "node:assert/strict";
import type { Plan } from "../../projects/plan/plan_shape.ts";
import { project, scene, service } from "./apply_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { isAgreed } from "./exact/agreed.ts";
import { FILES, FORMS, MORE } from "./exact/forms.ts";
import { made, unequal } from "./exact/made.ts";
import { indented, type Named, named, plainProject, serviceOf, taken, unblocked } from "./exact/taken.ts";
import { FIXTURE } from "../support/engine.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const IS_PROOF = Deno.env.get("BERTH_PROOF") === "1";
/** All forms, in one way of writing. */
const ASKED = Deno.env.get("BERTH_TEST_EXACT");
const IS_ALL = IS_PROOF || ASKED === "all";
/** Chooses the forms of today, or those whose lines have the asked text. */
const isChosen = (lines: string, n: number): boolean =>
  ASKED === undefined ? n % PARTS === DAY % PARTS : lines.includes(ASKED);
const DAY = Math.floor(Date.now() / 86_400_000);
const PARTS = 20;
/** Containers of one project. */
const EACH = 60;

/** The ways to write the same service. */
const WAYS = {
  plain: (forms: readonly Named[]) => ({ "compose.yaml": plainProject(forms) }),
  extends: (forms: readonly Named[]) => ({
    "compose.yaml": `name: exact\nservices:\n${service("s0")}${
      forms.map(({ name }) => `  ${name}: { extends: { file: base.yaml, service: ${name} } }\n`).join("")
    }${MORE}`,
    "base.yaml": `services:\n${service("s0")}${
      forms.map(({ name, lines }) => serviceOf(name, lines)).join("")
    }`,
  }),
  merge: (forms: readonly Named[]) => ({
    "compose.yaml": `name: exact\n${
      forms.map(({ name, lines }) => `x-${name}: &${name}\n${indented(lines, 2)}`).join("")
    }services:\n${service("s0")}${
      forms.map(({ name }) => `  ${name}:\n    <<: *${name}\n    image: ${FIXTURE}\n`).join("")
    }${MORE}`,
  }),
} as const;

/** Forms whose files are copied into the container right before its start. */
const COPIES = /^(?:secrets|configs):/;

/** Forms that name another container. */
const NAMES_CONTAINER = /service:s0|^volumes_from:/;

const { test } = await sharedEngine("docker");

/** Returns the steps that make something, and those that must be done before. */
function creations({ steps }: Plan, started: readonly string[]): number[] {
  const chosen = new Set<number>();
  const take = (n: number) => {
    if (chosen.has(n)) return;
    chosen.add(n);
    steps.find((step) => step.n === n)?.after.forEach(take);
  };
  for (const { n, kind, unit } of steps) {
    const isStart = kind === "container.start" && started.some((name) => unit === `unit:exact.${name}`);
    if (isStart || /^(?:network|volume|container)\.create$/.test(kind)) take(n);
  }
  return [...chosen].sort((a, b) => a - b);
}

test(
  "A container that berth makes is the one that Compose makes, key by key and form by form",
  async (engine) => {
    const ways = IS_PROOF ? Object.keys(WAYS) as (keyof typeof WAYS)[] : ["plain" as const];
    const chosen = named(FORMS).filter(({ lines }, n) => IS_ALL || isChosen(lines, n));
    const found: string[] = [];
    let count = 0;
    await scene(engine, "exact", project("exact", [service("s0")]), async (scene) => {
      await Deno.mkdir(`${scene.path}/own`);
      for (const [path, text] of Object.entries(FILES)) {
        await Deno.writeTextFile(`${scene.path}/${path}`, text);
      }
      const forms = await unblocked(scene, await taken(scene.path, engine.socket, chosen));
      for (let first = 0; first < forms.length; first += EACH) {
        const some = forms.slice(first, first + EACH);
        for (const way of ways) {
          const { "compose.yaml": text, ...others } = WAYS[way](some) as Record<string, string>;
          for (const [path, other] of Object.entries(others)) {
            await Deno.writeTextFile(`${scene.path}/${path}`, other);
          }
          await scene.write(text!);
          assert.equal(await composeToday(engine.socket, scene.path, "--profile", "*", "create"), "");
          const copied = some.filter(({ lines }) => COPIES.test(lines)).map(({ name }) => name);
          if (copied.length > 0) await composeToday(engine.socket, scene.path, "up", "-d", ...copied);
          const ofCompose = await made(engine, "exact");
          await scene.clear();
          const plan = await scene.plan();
          const steps = creations(plan, copied);
          assert.deepEqual(plan.blocked.map(({ message }) => message), [], way);
          const begun = await scene.begin(plan, { steps });
          assert.equal(begun.status, 202, begun.text);
          const over = await scene.over(begun.body.id);
          assert.equal(
            over.state,
            "done",
            JSON.stringify(over.steps.filter(({ state }) => state !== "done")),
          );
          const ofBerth = await made(engine, "exact");
          for (const [name, one] of ofCompose) {
            const { lines = "" } = some.find((form) => form.name === name) ?? {};
            for (const { path, compose, berth } of unequal(one, ofBerth.get(name) ?? {})) {
              if (isAgreed(path, lines)) continue;
              // A container that another one needs runs on one side alone.
              if (path.startsWith("NetworkSettings.") && (name === "s0" || copied.includes(name))) continue;
              // Compose hashes the other container's id, and another one is made on each side.
              if (path.endsWith(".config-hash") && NAMES_CONTAINER.test(lines)) continue;
              found.push(
                `${way} ${name} ${JSON.stringify(lines)}\n  ${path}\n  compose ${
                  JSON.stringify(compose)
                }\n  berth   ${JSON.stringify(berth)}`,
              );
            }
          }
          count += ofCompose.size;
          await scene.clear();
        }
      }
    });
    console.log(`${count} containers were made twice`);
    assert.equal(found.length, 0, `${found.length} values differ:\n${found.slice(0, 400).join("\n")}`);
  },
  composeOfToday.missing,
);
