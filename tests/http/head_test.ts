/** HEAD stands for GET: the same headers, no body, and nothing that runs on behind it. */
import assert from "node:assert/strict";
import { raw, route, router } from "../../http/declare/router.ts";
import { eventually } from "../support/eventually.ts";
import { sendRaw } from "../support/raw_http.ts";
import { startService } from "../support/service.ts";

Deno.test("HEAD on a stream ends its source at once", async () => {
  let open = 0;
  const endless = route({
    method: "get",
    path: "/test/endless",
    summary: "A stream that ends only when nobody reads it",
    permission: "open",
    answers: { 200: raw("Bytes", { "text/plain": null }) },
  });
  const stream = () =>
    new ReadableStream<Uint8Array>({ start: () => void open++, cancel: () => void open-- });
  const routes = () => [router().on(endless, () => new Response(stream()))];
  await using berth = await startService({ install: [], mount: routes });

  for (let times = 0; times < 3; times++) {
    assert.equal((await berth.call("HEAD /api/test/endless")).status, 200);
  }

  await eventually("no stream is open", () => Promise.resolve(open === 0 ? true : null));
});

Deno.test("HEAD says the length that GET would have, of lists and of problems", async () => {
  await using berth = await startService({ install: [] });
  const ask = (method: string, path: string) =>
    sendRaw(
      berth.port,
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\nX-Request-Id: the-same-id\r\n` +
        `Authorization: Bearer ${berth.admin}\r\nConnection: close\r\n\r\n`,
    );

  for (const path of ["/api/workspaces", "/api/auth/me", "/api/workspaces/none"]) {
    const got = await ask("GET", path);
    const head = await ask("HEAD", path);
    assert.equal(head.status, got.status);
    assert.equal(head.headers.get("content-length"), got.headers.get("content-length"), path);
    assert.equal(head.body, "");
  }
});

Deno.test("HEAD says no length that GET would deny: of texts, of followed logs, of what is not there", async () => {
  await using berth = await startService();
  const ask = (method: string, path: string) =>
    sendRaw(
      berth.port,
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\n` +
        `Authorization: Bearer ${berth.admin}\r\nConnection: close\r\n\r\n`,
    );

  for (const path of ["/api/docs", "/api/docs/page.css", "/api/system/logs", "/api/nothing"]) {
    const got = await ask("GET", path);
    const head = await ask("HEAD", path);
    assert.deepEqual([head.status, head.body], [got.status, ""], path);
    const length = head.headers.get("content-length");
    assert.ok(length === null || length === got.headers.get("content-length"), `${path}: ${length}`);
  }
  const followed = await ask("HEAD", "/api/system/logs?follow=true");
  assert.deepEqual([followed.status, followed.headers.get("content-length")], [200, null]);
});
