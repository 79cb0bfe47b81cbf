/** Runs a shell or a command in a container: `BERTH_KEY=... deno run -A docs/shell.ts web`, in a pipe too. */
import { BearerAuth, Client } from "../client/mod.ts";
import { CONTAINER_EXEC } from "../client/berth/mod.ts";
import { connect } from "../client/connect.ts";

const baseUrl = Deno.env.get("BERTH_URL") ?? "http://127.0.0.1:8700";
using client = new Client({ baseUrl, auth: new BearerAuth(Deno.env.get("BERTH_KEY") ?? "") });
const [id, ...cmd] = Deno.args;
if (id === undefined) {
  console.error("Usage: BERTH_KEY=... deno run -A docs/shell.ts <container> [command...]");
  Deno.exit(64);
}
const tty = Deno.stdin.isTerminal(); // in a pipe what goes in comes out as it is, and has an end
await using shell = await connect(client, CONTAINER_EXEC, { params: { id }, query: { cmd, tty } });

if (tty) {
  const resize = () => {
    const { columns, rows } = Deno.consoleSize();
    shell.send({ type: "resize", cols: Math.min(columns, 1_000), rows: Math.min(rows, 1_000) });
  };
  Deno.stdin.setRaw(true);
  resize();
  Deno.addSignalListener("SIGWINCH", resize);
}
(async () => {
  for await (const bytes of Deno.stdin.readable) shell.send(bytes);
  if (!tty) shell.send({ type: "eof" });
})();
const output = Deno.stdout.writable.getWriter();
let code = 1;
for await (const message of shell) {
  if (message instanceof Uint8Array) await output.write(message);
  else if (message.type === "error") console.error(message.title);
  else if (message.type === "exit") code = message.code ?? 1;
}
if (tty) Deno.stdin.setRaw(false);
Deno.exit(code);
