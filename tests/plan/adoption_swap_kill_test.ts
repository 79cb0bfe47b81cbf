/** A berth that is killed within the swap of an adopted container: no other container ever counts as the adopted one. */
import assert from "node:assert/strict";
import { type Kill, mortal } from "../apply/apply_mortal.ts";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, TestCaller, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { AdoptionScene } from "./adoption_scene.ts";

const IS_WHOLE = Deno.env.get("BERTH_PROOF") === "1";
const LEASE = { applyTimes: { leaseMs: 1_000 } };

/** The end of a swap, and the line that begins it. */
const ENDS = [
  { state: "done", line: "    labels: { colour: blue }\n" },
  { state: "failed", line: "    command: [none]\n" },
] as const;

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  for (const end of ENDS) {
    test(`a berth that is killed in a swap that ends "${end.state}" never takes another container for the adopted one`, async (engine) => {
      if (!IS_WHOLE) {
        assert.ok(await killed(engine, ["after", "rename"], end));
        return;
      }
      for (const when of ["before", "after"] as const) {
        let kills = 0;
        while (await killed(engine, [when, "any", kills + 1], end)) kills++;
        assert.ok(kills >= 4, `a swap has more acts than ${kills}`);
      }
    });
  }
}

/** Resolves to false if the swap was over before the act came. */
async function killed(
  engine: TestEngine,
  kill: Kill,
  { state, line }: typeof ENDS[number],
): Promise<boolean> {
  await using scene = await AdoptionScene.on(engine, LEASE);
  const { berth: { folder, admin } } = scene;
  const name = `swap-${state}-${kill.join("-")}`;
  const adopted = await scene.run(name, "-v", "/scratch");
  assert.equal((await scene.adopt([adopted], name)).status, 201);
  const file = `${scene.folder}/${name}/compose.yaml`;
  await Deno.writeTextFile(file, `${await Deno.readTextFile(file)}${line}`);
  await eventually("the change is read", async () => (await scene.plan(name)).body.steps?.length > 0);
  await scene.berth.stop();

  const { child, url } = await mortal({ folder, admin }, engine, kill);
  let isDead = false;
  const death = child.status.then(() => isDead = true);
  const caller = new TestCaller(url, admin);
  const planned = await eventually("it is ready", async () => {
    const plan = await caller.call(`POST /api/workspaces/home/artifacts/groups/${name}/plan`, {});
    return plan.body.steps?.length > 0 && plan.body.blocked.length === 0 ? plan.body : null;
  });
  await caller.call(`POST /api/plans/${planned.id}/apply`, {}).catch(() => {}); // it dies
  await eventually("it is killed, or through", async () => {
    if (isDead) return true;
    const applies = await caller.call("GET /api/applies").catch(() => null);
    return applies?.body.items?.some((one: { state: string }) => one.state === state);
  }, { timeoutMs: 120_000 });
  const wasKilled = isDead;
  if (!isDead) child.kill("SIGKILL");
  await death;

  const looked = new Looks(engine, name, adopted.id);
  await using again = await serveEngines({ [engine.kind]: engine }, { ...LEASE, folder, admin: admin ?? "" });
  const over = await eventually("the next berth ends the apply", async () => {
    await looked.rows(again);
    const { body } = await again.call("GET /api/applies");
    const [apply] = body.items ?? [];
    return apply === undefined || apply.state === "running" ? null : apply;
  }, { timeoutMs: 120_000 });
  assert.equal(over.state, state, `${kill.join(" ")}: ${JSON.stringify(over)}`);
  const last = await eventually("one container is left", async () => {
    const rows = await looked.rows(again);
    const [one] = rows;
    return rows.length === 1 && one.state === "running" ? one : null;
  });
  assert.deepEqual(
    [last.name, last.id === adopted.id, last.compose.claim],
    state === "done" ? [name, false, undefined] : [name, true, "certain"],
    kill.join(" "),
  );
  assert.deepEqual(looked.wrong, [], kill.join(" "));
  assert.deepEqual(again.bugs(), []);
  return wasKilled;
}

/** Looks at the rows of a project, and keeps each wrong match: the next look may find it right. */
class Looks {
  readonly wrong: string[] = [];

  constructor(readonly engine: TestEngine, readonly project: string, readonly adopted: string) {}

  async rows(berth: TestService) {
    const { body } = await berth.call("GET /api/containers");
    // deno-lint-ignore no-explicit-any -- an answer
    const rows: any[] = (body.items ?? []).filter(({ compose }: any) => compose?.project === this.project);
    for (const { id, compose } of rows) {
      if (compose.claim === "certain" && id !== this.adopted) this.wrong.push(`${id} counts as adopted`);
      if (compose.claim !== undefined) continue;
      // The engine's own labels say which containers are those of the swap.
      const { status, json } = await this.engine.ask(`GET /containers/${id}/json`);
      const label = json?.Config?.Labels?.["com.docker.compose.project"];
      if (status === 200 && label !== this.project) this.wrong.push(`${id} has the label ${label}`);
    }
    return rows;
  }
}
