/** The peer of `bench/streams_latency.ts`: an engine's log as it comes, by `Deno.serve` alone. */
const [socket = "", port = "0"] = Deno.args;
Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen() {} }, async () => {
  const conn = await Deno.connect({ transport: "unix", path: socket });
  await conn.write(
    new TextEncoder().encode("GET /v1.41/containers/c1/logs?follow=1 HTTP/1.1\r\nHost: x\r\n\r\n"),
  );
  return new Response(conn.readable);
});
