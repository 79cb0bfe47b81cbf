import assert from "node:assert/strict";
import { pause } from "../../core/pause.ts";
import { Socket } from "../socket/socket.ts";
import { Room } from "./room.ts";

Deno.test("Room lets twenty subscriptions of one slow socket through in turn, so that it never overflows, and ends with each", async () => {
  let buffered = 0;
  const closed: number[] = [];
  const wire = {
    get bufferedAmount() {
      return buffered;
    },
    send: (message: string) => void (buffered += message.length),
    close: (code: number) => void closed.push(code),
  };
  const socket = new Socket(wire as unknown as WebSocket);
  const room = new Room(socket);
  const told = new Map<number, number>();
  const endings = Array.from({ length: 20 }, () => new AbortController());
  const running = endings.map(async ({ signal }, at) => {
    while (!signal.aborted && !socket.signal.aborted) {
      await room.take(128 * 1024, signal);
      if (signal.aborted) return;
      told.set(at, (told.get(at) ?? 0) + 1);
      socket.send("x".repeat(64 * 1024));
    }
  });
  const reading = setInterval(() => buffered = Math.max(0, buffered - 256 * 1024), 1);
  for (let round = 0; round < 500 && [...told.values()].reduce((sum, one) => sum + one, 0) < 200; round++) {
    await pause(2);
  }
  clearInterval(reading); // from now on nothing is read

  assert.deepEqual(closed, []);
  const counts = [...told.values()];
  assert.ok(counts.length === 20 && Math.max(...counts) - Math.min(...counts) <= 3, counts.join());
  for (const ending of endings) ending.abort();
  await Promise.all(running);
});
