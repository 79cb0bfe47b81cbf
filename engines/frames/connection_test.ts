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
      if (isBusy) noteAsked();
      answer.giveTo({ push() {} });
    }
    clearInterval(asking);
    await sent;
    turns.push(others / reads);
  }
  const [busy = 0, quiet = 0] = turns;
  assert.ok(busy > 4 * quiet, `${busy} turns of others a read while they ask, else ${quiet}`);
});
