/** A body that trickles in costs its sender the request, and the service nothing. */
import assert from "node:assert/strict";
import * as z from "../../core/schema.ts";
import { json, reply, route, router } from "../../http/declare/router.ts";
import { sendRaw } from "../support/raw_http.ts";
import { startService } from "../support/service.ts";

Deno.test("a body that does not arrive in time is 408, and the handler never sees it (F4, R34)", async () => {
  let ran = 0;
  const slow = route({
    method: "post",
    path: "/test/slow",
    summary: "Takes a body, soon",
    permission: "open",
    body: z.strictObject({ a: z.string() }),
    bodyTimeoutMs: 100,
    answers: { 200: json(z.strictObject({}), "Taken") },
  });
  const routes = () => [
    router().on(slow, () => {
      ran++;
      return reply(200, {});
    }),
  ];
  await using berth = await startService({ install: [], mount: routes });
  const head = `POST /api/test/slow HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\n` +
    "Content-Type: application/json\r\n";

  const never = await sendRaw(berth.port, `${head}Content-Length: 9\r\n\r\n{"a"`);
  const chunked = await sendRaw(berth.port, `${head}Transfer-Encoding: chunked\r\n\r\n4\r\n{"a"\r\n`);

  for (const { status, body } of [never, chunked]) {
    assert.equal(status, 408);
    assert.equal(JSON.parse(body).code, "body_too_slow");
  }
  assert.equal(ran, 0);
  assert.equal((await berth.call("GET /api/health")).status, 200);
});
