/**
 * Promise: how long a wrong key takes tells nobody how much of its secret is right (F49). That its id is one of a key can
 * be told, as a row is read: ids are no secrets. It takes `BERTH_PROOF=1`.
 */
import assert from "node:assert/strict";
import type { Credentials } from "../../auth/sessions/credentials.ts";
import { startService } from "../support/service.ts";

const isProof = Deno.env.get("BERTH_PROOF") === "1";
const SAMPLES = 100_000;
/** Slower rounds were disturbed by something else. */
const UNDISTURBED = 0.9;
/** Beyond this, two kinds can be told apart (Welch's t-test, as dudect has it). */
const MOST_T = 4.5;

function welch(one: Float64Array, other: Float64Array): number {
  const [a, b] = [moments(one), moments(other)];
  return (a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count);
}

function moments(all: Float64Array): { mean: number; variance: number; count: number } {
  const values = all.toSorted().subarray(0, Math.floor(all.length * UNDISTURBED));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, variance, count: values.length };
}

async function isGoodKey(credentials: Credentials, key: string): Promise<boolean> {
  try {
    await credentials.check(key, "127.0.0.1");
    return true;
  } catch {
    return false;
  }
}

Deno.test({
  name: "a key that is wrong at its beginning, in the middle or at its end takes as long (F49)",
  ignore: !isProof,
  async fn() {
    await using berth = await startService();
    const { credentials } = berth.berth.access;
    const { credential } = await berth.key("viewer");
    const good = credential!;
    const secretAt = good.indexOf("_", "berth_".length) + 1; // a secret may have more of them
    const bent = (at: number) => good.slice(0, at) + (good[at] === "A" ? "B" : "A") + good.slice(at + 1);
    const kinds = [
      bent(secretAt),
      bent(secretAt + 20),
      bent(good.length - 2), // the last digit has unused bits
    ];
    const times = kinds.map(() => new Float64Array(SAMPLES));
    const order = kinds.map((_, kind) => kind);
    for (let round = -500; round < SAMPLES; round++) {
      // In another order each time, so that no kind always comes behind the same one
      for (let at = order.length - 1; at > 0; at--) {
        const other = Math.floor(Math.random() * (at + 1));
        [order[at], order[other]] = [order[other]!, order[at]!];
      }
      for (const kind of order) {
        const began = performance.now();
        const isGood = await isGoodKey(credentials, kinds[kind]!);
        if (round >= 0) times[kind]![round] = performance.now() - began;
        assert.equal(isGood, false);
      }
    }
    for (let one = 0; one < kinds.length; one++) {
      for (let other = one + 1; other < kinds.length; other++) {
        const t = welch(times[one]!, times[other]!);
        console.log(`${one} and ${other}: t = ${t.toFixed(2)}`);
        assert.ok(Math.abs(t) < MOST_T, `${one} and ${other} can be told apart: t = ${t}`);
      }
    }
  },
});
