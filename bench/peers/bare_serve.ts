/** The peer of `bench/house.ts`: `Deno.serve` alone. */
const body = JSON.stringify({ status: "ok", version: "0.1.0" });
const headers = { "content-type": "application/json" };
Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.args[0]), onListen() {} },
  () => new Response(body, { headers }),
);
