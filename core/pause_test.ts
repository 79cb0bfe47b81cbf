import assert from "node:assert/strict";
import { pause } from "./pause.ts";

/** A signal that counts who listens to it. */
function counted(): {
  readonly signal: AbortSignal;
  readonly abort: () => void;
  readonly listeners: () => number;
} {
  const controller = new AbortController();
  const { signal } = controller;
  const heard = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
    heard.add(listener);
    add(type, listener);
  };
  signal.removeEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
    heard.delete(listener);
    remove(type, listener);
  };
  return { signal, abort: () => controller.abort(), listeners: () => heard.size };
}

Deno.test("however a pause ends, nothing listens to its signal any more", async () => {
  const { signal, abort, listeners } = counted();
  await pause(1, signal);
  assert.equal(listeners(), 0, "its time is over");

  await pause(60_000, signal, Promise.resolve());
  assert.equal(listeners(), 0, "woken");

  const cut = pause(60_000, signal);
  assert.equal(listeners(), 1);
  abort();
  await cut;
  assert.equal(listeners(), 0, "aborted");

  await pause(60_000, signal); // at once
});
