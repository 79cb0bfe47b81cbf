/**
 * A message that is sent to a socket in pieces and never ends: `endless_message.ts URL KEY MIB`. Prints how many MiB were
 * taken before the connection was lost, or all of them.
 */
const [url = "", key = "", most = "0"] = Deno.args;
const { hostname, port, host } = new URL(url);
const PIECE = 1024 * 1024;
/** Of a message that goes on: text at first, then more of it; masked with zeros, as a client must mask. */
function piece(opcode: 0 | 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(14 + PIECE).fill(0x78, 14);
  bytes.set([opcode, 0xff]);
  new DataView(bytes.buffer).setBigUint64(2, BigInt(PIECE));
  return bytes;
}

const wire = await Deno.connect({ hostname, port: Number(port) });
const head = [
  "GET /api/live HTTP/1.1",
  `host: ${host}`,
  `authorization: Bearer ${key}`,
  "connection: upgrade",
  "upgrade: websocket",
  "sec-websocket-version: 13",
  "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-protocol: berth.v1",
];
await wire.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n`));
const answer = new Uint8Array(4096);
const size = await wire.read(answer) ?? 0;
const status = new TextDecoder().decode(answer.subarray(0, size)).split("\r\n")[0];
if (!status?.includes(" 101 ")) throw new Error(`Not upgraded: ${status}`);

let sent = 0;
const [first, further] = [piece(1), piece(0)];
const writer = wire.writable.getWriter();
try {
  for (; sent < Number(most); sent++) await writer.write(sent === 0 ? first : further);
} catch {
  // lost: that is how far it came
}
console.log(sent);
Deno.exit(0);
