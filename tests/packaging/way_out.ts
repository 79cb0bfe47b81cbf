/**
 * A way to the npm registry out of a network that has none: `way_out.ts outside SOCKET` connects where a proxy's CONNECT
 * asks, to the registry alone; `way_out.ts inside SOCKET PORT` hands what comes to the port of that network on to it.
 */
const ALLOWED = /^registry\.npmjs\.org:443$/;
const [side, path = "", port = "0"] = Deno.args;

async function join(one: Deno.Conn, other: Deno.Conn): Promise<void> {
  await Promise.allSettled([
    one.readable.pipeTo(other.writable),
    other.readable.pipeTo(one.writable),
  ]);
}

async function connect(caller: Deno.Conn): Promise<void> {
  const bytes = new Uint8Array(4096);
  let head = "";
  while (!head.includes("\r\n\r\n")) {
    const size = await caller.read(bytes);
    if (size === null || head.length > 4096) return caller.close();
    head += new TextDecoder().decode(bytes.subarray(0, size));
  }
  const target = /^CONNECT (\S+) /.exec(head)?.[1] ?? "";
  if (!ALLOWED.test(target)) {
    await caller.write(new TextEncoder().encode("HTTP/1.1 403 Forbidden\r\n\r\n"));
    return caller.close();
  }
  const [hostname = "", at] = target.split(":");
  const there = await Deno.connect({ hostname, port: Number(at) });
  await caller.write(new TextEncoder().encode("HTTP/1.1 200 Connected\r\n\r\n"));
  await join(caller, there);
}

if (side === "outside") {
  for await (const caller of Deno.listen({ transport: "unix", path })) connect(caller).catch(() => {});
} else {
  for await (const caller of Deno.listen({ hostname: "127.0.0.1", port: Number(port) })) {
    Deno.connect({ transport: "unix", path }).then((out) => join(caller, out)).catch(() => {});
  }
}
