/** `forward_server.ts <port> <path>`: every connection to the port goes to the unix socket. */
const [port, path = ""] = Deno.args;

for await (const from of Deno.listen({ hostname: "127.0.0.1", port: Number(port) })) {
  const to = await Deno.connect({ transport: "unix", path });
  void Promise.allSettled([from.readable.pipeTo(to.writable), to.readable.pipeTo(from.writable)]);
}
