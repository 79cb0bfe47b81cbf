/** Waits for what containers become: healthy, ended well, or sound enough to take another's place. */

import { pause } from "../../core/pause.ts";
import type { ServiceError } from "../../core/error.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { failed, type Hand } from "./hand.ts";

const LOOK_MS = 200;
/** The milliseconds that a container without a health check must run to be healthy. */
export const SOUND_MS = 3_000;
const MOST_HEALTHY_MS = 5 * 60_000;
const GRACE_MS = 30_000;
const COMPLETED_MS = 60 * 60_000;

/** The result of a look at a container: it is as it should be, will never be, or may become so. */
type Verdict = "reached" | "open" | ServiceError;

/** The wait was cut: nothing is known. */
export class Cut extends Error {}

/**
 * Waits for the condition of all containers of the step's unit. Each attempt has the whole time: since an earlier one the
 * host or the engine may have started anew, a person may have resumed the apply, or the clock may have been set.
 */
export async function waitForUnit(hand: Hand): Promise<void> {
  const of = hand.orders.declared(hand.step);
  const isHealth = !hand.step.target.endsWith("service_completed_successfully");
  const containers = await awaited(hand, of.unit.label);
  await Promise.all(containers.map(async ({ id, name }) => {
    const found = await hand.acts.find(id);
    if (found === null) throw failed(`Container "${name}" is gone`);
    const ms = isHealth
      ? healthyMs(hand, found)
      : (hand.work.timeouts.completed ?? 0) * 1_000 || COMPLETED_MS;
    const judge = isHealth ? healthOf : endOf;
    try {
      await until(hand, id, judge, ms, intervalMs(found), hand.ending);
    } catch (error) {
      if (!(error instanceof Cut)) await hand.keepWords(found).catch(() => {});
      throw error;
    }
  }));
}

/** Returns the containers of the service. Throws where there is none: nothing of it can become what is waited for. */
async function awaited({ orders }: Pick<Hand, "orders">, service: string) {
  const known = await orders.containersOf(service);
  if (known.length > 0) return known;
  await orders.relist();
  const listed = await orders.containersOf(service);
  if (listed.length === 0) throw failed(`Every container of the service "${service}" is gone`);
  return listed;
}

/** The parts of a hand that a wait needs. */
type WaitingHand = Pick<Hand, "acts" | "work" | "stopping">;

/** Waits until a new container may take the place of another; `mayEnd`: a job that ends well is sound, too. */
export async function waitForSound(hand: WaitingHand, id: string, mayEnd: boolean): Promise<void> {
  const found = await hand.acts.find(id);
  if (found === null) throw failed("The new container is gone");
  const hasHealth = found.health !== null;
  // Only a start counts that happened after the last look.
  let started: string | null = null;
  let since = 0; // by this clock alone: the engine's may be another one, and either may be set
  const judge = (one: InspectedContainer): Verdict => {
    if (mayEnd && one.state === "exited" && one.exitCode === 0) return "reached";
    const dead = deathOf(one);
    if (dead !== null) return dead;
    if (one.restartCount > 0) {
      return failed(`Container "${one.name}" was restarted by the engine: it does not stay up`);
    }
    if (hasHealth) return healthOf(one);
    if (one.startedAt === null) return "open";
    if (one.startedAt !== started) [started, since] = [one.startedAt, performance.now()];
    return performance.now() - since >= SOUND_MS ? "reached" : "open";
  };
  const ms = hasHealth ? healthyMs(hand, found) : SOUND_MS + GRACE_MS;
  await until(hand, id, judge, ms, intervalMs(found), hand.stopping);
}

async function until(
  { acts }: Pick<Hand, "acts">,
  id: string,
  judge: (container: InspectedContainer) => Verdict,
  ms: number,
  everyMs: number,
  ending: AbortSignal,
): Promise<void> {
  const end = performance.now() + ms;
  let checkAt = performance.now();
  for (;;) {
    if (ending.aborted) throw new Cut();
    if (performance.now() >= checkAt) {
      await acts.checkHealth(id).catch(() => {}); // what it says is looked at below
      checkAt = performance.now() + everyMs;
    }
    const found = await acts.find(id);
    if (found === null) throw failed("The container was removed by somebody else");
    const verdict = judge(found);
    if (verdict === "reached") return;
    if (verdict !== "open") throw verdict;
    if (performance.now() > end) {
      const seconds = Math.round(ms / 1_000);
      throw failed(
        `Container "${found.name}" did not become what is waited for within ${seconds} s: it is ${
          found.health ?? found.state
        }`,
      );
    }
    await pause(LOOK_MS, ending);
  }
}

function healthOf(one: InspectedContainer): Verdict {
  const dead = deathOf(one);
  if (dead !== null) return dead;
  if (one.health === "healthy") return "reached";
  if (one.health === "unhealthy") return failed(`Container "${one.name}" is unhealthy`);
  if (one.health === null) {
    return failed(`Container "${one.name}" has no health check, so nobody can wait for its health`);
  }
  return "open";
}

function endOf(one: InspectedContainer): Verdict {
  if (one.state !== "exited") {
    return one.state === "dead" ? failed(`Container "${one.name}" is dead`) : "open";
  }
  return one.exitCode === 0
    ? "reached"
    : failed(`Container "${one.name}" ended with code ${one.exitCode ?? "?"}`);
}

/** Returns the reason that the wait cannot succeed; null where it can. */
export function deathOf({ name, state, exitCode }: InspectedContainer): ServiceError | null {
  if (state === "running" || state === "paused" || state === "created") return null;
  if (state === "restarting") {
    return failed(`Container "${name}" ends again and again, with code ${exitCode ?? "?"}`);
  }
  return failed(`Container "${name}" ended with code ${exitCode ?? "?"}`);
}

/** Engines write 0 where nothing is said. */
const STANDARD_MS = 30_000;
const msOf = (nanoseconds = 0): number => nanoseconds === 0 ? STANDARD_MS : nanoseconds / 1e6;

const intervalMs = ({ healthTimes }: InspectedContainer): number =>
  Math.max(LOOK_MS, msOf(healthTimes?.interval));

/** As its own times say, and what may go on beside it. */
function healthyMs({ work }: Pick<Hand, "work">, { healthTimes }: InspectedContainer): number {
  if (work.timeouts.healthy !== undefined) return work.timeouts.healthy * 1_000;
  const rounds = (healthTimes?.retries || 3) * (msOf(healthTimes?.interval) + msOf(healthTimes?.timeout));
  return Math.min(MOST_HEALTHY_MS, (healthTimes?.startPeriod ?? 0) / 1e6 + rounds + GRACE_MS);
}
