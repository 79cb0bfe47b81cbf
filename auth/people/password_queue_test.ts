/** The queue of password checks while many addresses guess. */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import { PasswordQueue } from "./password_queue.ts";

const isRefused = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === "too_many_requests";

/** Lets 60 addresses ask over and over, and one sender in between; returns the checks that ran before that one's. */
async function checksBefore(
  queue: PasswordQueue,
  sender: { peer: string; isKnown: boolean },
): Promise<number> {
  let ran = 0;
  let isDone = false;
  const check = async (peer: string, isKnown: boolean, work: () => void) => {
    using _turn = await queue.turn({ peer, isKnown });
    await Promise.resolve();
    work();
  };
  const guessing = Array.from({ length: 60 }, async (_, index) => {
    for (let tries = 0; !isDone && tries < 1_000; tries++) {
      await check(`203.0.113.${index}`, false, () => ran++).catch((error) =>
        assert.ok(isRefused(error), error)
      );
    }
  });
  while (ran < 100) await Promise.resolve();
  const before = ran;
  let after = 0;
  await check(sender.peer, sender.isKnown, () => after = ran);
  isDone = true;
  await Promise.all(guessing);
  return after - before;
}

Deno.test("A known browser's password is checked within a few checks while 60 addresses guess", async () => {
  const count = await checksBefore(new PasswordQueue(), { peer: "203.0.113.1", isKnown: true });
  assert.ok(count <= 4, `${count}`);
});

Deno.test("A password from an unrelated address is checked within a few checks while 60 addresses guess", async () => {
  const count = await checksBefore(new PasswordQueue(), { peer: "198.51.100.1", isKnown: false });
  assert.ok(count <= 4, `${count}`);
});

Deno.test("One unknown peer takes at most eight places, and known senders have places of their own", async () => {
  const queue = new PasswordQueue();
  const running = [
    await queue.turn({ peer: "a", isKnown: false }),
    await queue.turn({ peer: "a", isKnown: false }),
  ];
  const waiting = Array.from({ length: 8 }, () => queue.turn({ peer: "a", isKnown: false }));
  await assert.rejects(queue.turn({ peer: "a", isKnown: false }), isRefused);
  const known = Array.from({ length: 16 }, () => queue.turn({ peer: "a", isKnown: true }));
  await assert.rejects(queue.turn({ peer: "a", isKnown: true }), isRefused);
  for (const turn of running) turn[Symbol.dispose]();
  for (const turn of [...known, ...waiting]) turn.then((one) => one[Symbol.dispose]());
  await Promise.all([...known, ...waiting]);
});
