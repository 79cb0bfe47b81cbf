import assert from "node:assert/strict";
import { noteAsked } from "../../core/asked.ts";
import { EngineConnection } from "./connection.ts";

const QUIET_MS = 400;
const LONG_MS = 60_000;

/** An answer, and who sends it. */
async function answered(bufferBytes?: number) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const [peer, conn] = await Promise.all([
    listener.accept(),
    Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port }),
  ]);
  listener.close();
  const answer = new EngineConnection(conn, {
    signal: new AbortController().signal,
    ...(bufferBytes === undefined ? {} : { bufferBytes }),
  });
  const says = async (words: string) => void await peer.write(new TextEncoder().encode(words));
  let given = new Uint8Array(0);
  /** Returns the bytes that were passed on last, as they are now. */
  const shown = () => {
    if (!answer.isEmpty) answer.giveTo({ push: (bytes, at, end) => given = bytes.subarray(at, end) });
    return new TextDecoder().decode(given);
  };
  const close = () => {
    answer.close();
    peer.close();
  };
  return { answer, peer, says, shown, [Symbol.dispose]: close };
}

Deno.test("what comes in one go is gathered until it is quiet, and what comes later is read behind it", async () => {
  using made = await answered();
  const { answer, says, shown } = made;
  await says("one ");
  assert.ok(await answer.read());
  const settling = answer.settle(QUIET_MS);
  await says("two ");
  await new Promise((resolve) => setTimeout(resolve, 20));
  await says("three");
  assert.equal(await settling, true);
  assert.equal(shown(), "one two three");

  await says("four");
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(shown(), "one two three", "what is read meanwhile does not touch what is shown");
  assert.ok(await answer.read());
  assert.equal(shown(), "four");
  await says("five");
  assert.ok(await answer.read());
  assert.equal(shown(), "five");
});

Deno.test("what comes has all the room, wherever what came before it ended", async () => {
  using made = await answered(16);
  const { answer, says, shown } = made;
  await says("0123456789");
  assert.ok(await answer.read());
  assert.equal(await answer.settle(QUIET_MS), true);
  for (const words of ["abcdefghijkl", "ABCDEFGHIJKL"]) {
    await says(words);
    assert.ok(await answer.read());
    assert.equal(await answer.settle(QUIET_MS), true);
    assert.equal(shown(), words);
  }
});

Deno.test("settling says that the answer ended meanwhile, and keeps what had come", async () => {
  using made = await answered();
  const { answer, peer, says, shown } = made;
  await says("last words");
  assert.ok(await answer.read());
  peer.closeWrite();
  assert.equal(await answer.settle(LONG_MS), false);
  assert.equal(shown(), "last words");
  assert.equal(await answer.read(), false);
});

Deno.test("settling ends when there is no room, and when the answer is closed", async () => {
  using full = await answered(8);
  await full.says("0123456789");
  assert.ok(await full.answer.read());
  assert.equal(await full.answer.settle(LONG_MS), true);
  assert.equal(full.shown(), "01234567");
  assert.ok(await full.answer.read());
  assert.equal(full.shown(), "89");

  using closed = await answered();
  await closed.says("a");
  assert.ok(await closed.answer.read());
  const settling = closed.answer.settle(LONG_MS);
  closed.answer.close();
  assert.equal(await settling, false);
});

Deno.test("a long answer gives way to others while they ask, and to nobody else", async () => {
  const turns: number[] = [];
  for (const isBusy of [true, false]) {
    using made = await answered();
    const { answer, peer } = made;
    const text = new Uint8Array(2 * 1024 ** 2);
    const sent = (async () => {
      for (let at = 0; at < text.byteLength;) at += await peer.write(text.subarray(at));
      peer.closeWrite();
    })();
    let others = 0;
    const asking = setInterval(() => void others++, 1);
    let reads = 0;
    while (await answer.readMuch()) {
      reads++;
      if (isBusy) noteAsked(performance.now());
      answer.giveTo({ push() {} });
    }
    clearInterval(asking);
    await sent;
    turns.push(others / reads);
  }
  const [busy = 0, quiet = 0] = turns;
  assert.ok(busy > 4 * quiet, `${busy} turns of others a read while they ask, else ${quiet}`);
});

Deno.test("long answers share their turns while others ask, however many they are", async () => {
  const asking = setInterval(() => noteAsked(performance.now()), 1);
  const few = await readsAtOnce(1);
  const many = await readsAtOnce(4);
  clearInterval(asking);
  assert.ok(few >= 2 && many < 2 * few + 4, `${many} reads by four, ${few} by one`);
});

/** Returns how often so many long answers were read in the time, once each of them gives way. */
async function readsAtOnce(count: number): Promise<number> {
  const text = new Uint8Array(8 * 1024 ** 2);
  const all = Array.from({ length: count }, async () => {
    using made = await answered();
    const { answer, peer } = made;
    const sent = (async () => {
      for (let at = 0; at < text.byteLength;) at += await peer.write(text.subarray(at));
    })().catch(() => {}); // it is closed before all of it was read
    let taken = 0;
    let reads = 0;
    let until = Infinity;
    while (performance.now() < until && await answer.readMuch()) {
      if (until < Infinity) reads++;
      answer.giveTo({ push: (_, at, end) => void (taken += end - at) });
      if (taken > 1024 ** 2 && until === Infinity) until = performance.now() + QUIET_MS;
    }
    answer.close();
    await sent;
    return reads;
  });
  return (await Promise.all(all)).reduce((sum, reads) => sum + reads, 0);
}
