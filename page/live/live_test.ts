/** The page's own socket, where a proxy lets none through. */
import assert from "node:assert/strict";
import { answerWith } from "../../tests/page/fake_berth.ts";
import { eventually } from "../../tests/support/eventually.ts";
import { follow, link } from "./live.ts";

/** A socket whose handshake is refused, as by a proxy that knows none. */
class Refused extends EventTarget {
  onclose: () => void = () => {};
  constructor() {
    super();
    setTimeout(() => this.onclose(), 1);
  }
  close(): void {}
}

Deno.test("a page that was never live says so once its first socket was refused", async () => {
  answerWith((path) => path === "/api/live" ? { title: "no upgrade" } : null);
  Object.assign(globalThis, { WebSocket: Refused });
  assert.equal(link.value, null);
  const end = follow("projects", {}, { message() {} });
  const told = await eventually("it is told", () => link.value, { timeoutMs: 3_000 });
  assert.deepEqual([told.live, told.wasLive], [false, false]);
  end();
});
