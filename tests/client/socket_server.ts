/** WebSockets that take the bearer subprotocol; a plain call to one is told what its handshake would not say. */
import type { RawServer } from "./raw_server.ts";

/** Serves on a free loopback port until disposed of. */
export function serveSockets(): RawServer {
  const open = new Set<WebSocket>();
  const offers = new Map<string, string[]>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const url = new URL(request.url);
    const option = (name: string) => url.searchParams.get(name) ?? "";
    const cors = {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "authorization, content-type",
    };
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
    if (url.pathname === "/offers") return Response.json(offers.get(option("key")) ?? [], { headers: cors });
    if (!request.headers.has("upgrade")) {
      const problem = Number(option("problem"));
      if (problem > 0) {
        const type = "application/problem+json; charset=utf-8";
        const body = JSON.stringify({ title: `refused with ${problem}` });
        return new Response(body, { status: problem, headers: { ...cors, "content-type": type } });
      }
      const isWelcome = request.headers.get("authorization")?.startsWith("Bearer fresh");
      const status = !isWelcome ? 401 : url.pathname === "/missing" ? 404 : 426;
      return Response.json({}, { status, headers: cors });
    }
    const offered = (request.headers.get("sec-websocket-protocol") ?? "").split(", ");
    offers.set(option("key"), [...offers.get(option("key")) ?? [], offered.join(", ")]);
    if (offered.some((name) => name.startsWith("berth.bearer.") && !name.startsWith("berth.bearer.fresh"))) {
      return new Response("refused", { status: 401 });
    }
    if (option("problem")) return new Response("refused", { status: Number(option("problem")) });
    if (url.pathname === "/missing") return new Response("no such socket", { status: 404 });
    const { socket, response } = Deno.upgradeWebSocket(
      request,
      url.pathname === "/mute" ? {} : { protocol: "berth.v1" },
    );
    open.add(socket);
    socket.binaryType = "arraybuffer";
    socket.onclose = () => open.delete(socket);
    socket.onopen = () => {
      for (let i = 0; i < Number(option("flood")); i++) socket.send(new Uint8Array(2 ** 20));
      if (option("say")) socket.send(option("say"));
      if (option("code")) socket.close(Number(option("code")), "as asked");
    };
    socket.onmessage = ({ data }) => {
      if (url.pathname === "/echo") socket.send(data);
    };
    return response;
  });
  return {
    port: server.addr.port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.close();
      await server.shutdown();
    },
  };
}
