import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { type Message, SendQueue } from "./queue.ts";

/** A wire that sends nothing until told to. */
class StalledWire {
  bufferedAmount = 0;
  readonly sent: Message[] = [];
  send(message: Message): void {
    this.sent.push(message);
    this.bufferedAmount += sizeOf(message);
  }
  flush(): void {
    this.bufferedAmount = 0;
  }
}

function sizeOf(message: Message): number {
  return typeof message === "string" ? new TextEncoder().encode(message).byteLength : message.byteLength;
}

Deno.test("a send queue never lets more than its limit wait, and refuses the message that would (R36)", () => {
  fc.assert(fc.property(
    fc.array(fc.oneof(fc.string({ unit: "grapheme", maxLength: 600 }), fc.uint8Array({ maxLength: 3_000 }))),
    fc.integer({ min: 0, max: 8_000 }),
    (messages, limit) => {
      const wire = new StalledWire();
      const queue = new SendQueue(wire, limit);
      let accepted = 0;
      for (const given of messages) {
        const message = typeof given === "string" ? given : new Uint8Array(given);
        const fits = accepted + sizeOf(message) <= limit;
        assert.equal(queue.offer(message), fits);
        if (fits) accepted += sizeOf(message);
        assert.equal(queue.bytes, accepted);
      }
      queue.clear();
    },
  ));
});

Deno.test("a send queue keeps the order across what the wire takes at once and what has to wait", async () => {
  const wire = new StalledWire();
  const queue = new SendQueue(wire);
  const messages = Array.from({ length: 60 }, (_, at) => new Uint8Array(16 * 1024).fill(at));
  for (const message of messages) assert.equal(queue.offer(message), true);
  assert.ok(wire.sent.length < messages.length, "the wire took everything, so nothing had to wait");

  const drained = queue.drained();
  const flushing = setInterval(() => wire.flush(), 2);
  await drained;
  clearInterval(flushing);

  assert.deepEqual(wire.sent, messages);
  assert.equal(queue.bytes, 0);
});

Deno.test("clear() says how many messages were dropped and lets go of whoever waits for room", async () => {
  const wire = new StalledWire();
  const queue = new SendQueue(wire);
  for (let at = 0; at < 20; at++) queue.offer(new Uint8Array(50_000));
  const waiting = queue.drained();

  const dropped = queue.clear();

  await waiting;
  assert.equal(dropped + wire.sent.length, 20);
  assert.ok(dropped > 0);
});
