/** Applies of a stack at berths that are killed one after the other, on a swarm of one node. */
import { FIXTURE, NoEngine, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { TestCaller, type TestService } from "../support/service.ts";
import { SWARM_IMAGE } from "../support/swarm.ts";
import { type Kill, mortal } from "./apply_mortal.ts";
import type { ApplyScene } from "./apply_scene.ts";

export const LEASE = { applyTimes: { leaseMs: 1_000 } };
export const NEVER = { pull: "never" };

/** Returns an engine that is a swarm of its own; null where the machine cannot have one. */
export async function startLoneManager(what: string): Promise<TestEngine | null> {
  try {
    const engine = await startEngine("docker");
    await engine.cli("tag", FIXTURE, SWARM_IMAGE);
    await engine.cli("swarm", "init", "--advertise-addr", "127.0.0.1");
    return engine;
  } catch (error) {
    if (!(error instanceof NoEngine)) throw error;
    console.error(`NOT RUN: ${what}, because ${error.message}`);
    return null;
  }
}

export const swarmIsFound = (berth: TestCaller) =>
  eventually(
    "the swarm is found",
    async () => (await berth.call("GET /api/clusters").catch(() => null))?.body.total === 1,
  );

/** The bodies of the requests for a plan and for its apply. */
export interface Asked {
  readonly plan: unknown;
  readonly apply: unknown;
}

/** Applies what is written at berths that die one after the other. Returns how many did. */
export async function killed(
  own: TestEngine,
  scene: ApplyScene,
  kills: readonly Kill[],
  asked: Asked = { plan: NEVER, apply: {} },
): Promise<number> {
  const { berth: { folder, admin, berth } } = scene;
  await berth.stop();
  let count = 0;
  let id = "";
  for (const kill of kills) {
    const { child, url } = await mortal({ folder, admin }, own, kill);
    const caller = new TestCaller(url, admin);
    if (id === "") {
      await swarmIsFound(caller);
      const begun = await scene.begin(await scene.plan(asked.plan, caller), asked.apply, caller)
        .catch(() => null);
      id = begun?.body.id ?? "";
    }
    let isDead = false;
    const status = child.status.then(() => isDead = true);
    await eventually("it is killed, or through", async () => {
      if (isDead || id === "") return isDead;
      const answer = await caller.call(`GET /api/applies/${id}`).catch(() => null);
      return answer?.status === 200 && answer.body.state !== "running";
    }, { timeoutMs: 120_000 });
    if (isDead) count += 1;
    else child.kill("SIGKILL");
    await status;
  }
  return count;
}

/** Removes all that a test has left in the swarm. */
export async function clearSwarm(own: TestEngine): Promise<void> {
  for (const list of ["services", "secrets", "configs"]) {
    for (const { ID } of (await own.ask(`GET /${list}`)).json) await own.ask(`DELETE /${list}/${ID}`);
  }
  await eventually("its networks are gone", async () => {
    const { json } = await own.ask("GET /networks");
    const mine = json.filter(({ Name }: { Name: string }) => Name.startsWith("shop_"));
    for (const { Id } of mine) await own.ask(`DELETE /networks/${Id}`);
    return mine.length === 0;
  });
}

/** The newest apply at a berth, when it is over. */
export async function lastApply(scene: ApplyScene, berth: TestService) {
  const { items: [{ id }] } = (await berth.call("GET /api/applies")).body;
  return await scene.over(id, berth);
}
