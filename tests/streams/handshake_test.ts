/** A socket opens only for a whole handshake; anything less is the caller's mistake, said so, and never ours. */
import assert from "node:assert/strict";
import { router, socketRoute } from "../../http/declare/router.ts";
import { sendRaw } from "../support/raw_http.ts";
import { startService } from "../support/service.ts";

const WHOLE: Readonly<Record<string, string>> = {
  "Connection": "Upgrade",
  "Upgrade": "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
};

Deno.test("an incomplete WebSocket handshake is refused before the handler runs", async () => {
  let ran = 0;
  const path = socketRoute({
    path: "/test/socket",
    summary: "Counts",
    permission: "system:read",
    subject: "everything",
  });
  const routes = () => [
    router().socket(path, () => {
      ran++;
      return new Response("the handler ran");
    }),
  ];
  await using berth = await startService({ install: [], mount: routes });
  const ask = async (changes: Record<string, string>, method = "GET") => {
    const headers = Object.entries({ ...WHOLE, ...changes }).filter(([, value]) => value !== "");
    const { status, headers: answered } = await sendRaw(
      berth.port,
      `${method} /api/test/socket HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\n` +
        `Authorization: Bearer ${berth.admin}\r\n` +
        headers.map(([name, value]) => `${name}: ${value}\r\n`).join("") + "\r\n",
    );
    return { status, answered };
  };

  assert.equal((await ask({ "Connection": "close, Upgrade" }, "HEAD")).status, 405);
  assert.equal((await ask({ "Upgrade": "" })).status, 426);
  assert.equal((await ask({ "Upgrade": "h2c" })).status, 426);
  assert.equal((await ask({ "Connection": "keep-alive" })).status, 426);
  const old = await ask({ "Sec-WebSocket-Version": "8" });
  assert.deepEqual([old.status, old.answered.get("sec-websocket-version")], [426, "13"]);
  for (const key of ["", "short", "dGhlIHNhbXBsZSBub25jZQ==x"]) {
    assert.equal((await ask({ "Sec-WebSocket-Key": key })).status, 400, key);
  }
  assert.equal(ran, 0);

  assert.equal((await ask({ "Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket" })).status, 200);
  assert.equal(ran, 1);
});
