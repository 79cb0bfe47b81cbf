import assert from "node:assert/strict";
import type { ApplyRecord } from "../../core/applies.ts";
import { Leases } from "./leases.ts";

Deno.test("An apply that begins while a renewal is under way is held", async () => {
  const apply = { id: "a1", epoch: 1 } as ApplyRecord;
  const slow = Promise.withResolvers<ApplyRecord[]>();
  const answers = [slow.promise, Promise.resolve([apply])];
  const store = { renew: () => answers.shift() ?? assert.fail("a third renewal") };
  const leases = new Leases({ store, owner: "one", ms: 60_000, now: () => Promise.resolve(0) });
  const before = leases.renew();

  const held = leases.assertHeld(apply);

  slow.resolve([]); // it was asked before the apply was there
  assert.deepEqual(await before, []);
  await held;
});
