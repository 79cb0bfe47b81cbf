/** Holds a shell in a container: `BERTH_KEY=... deno run -A docs/shell.ts web`. */
import { BearerAuth, Client } from "../client/mod.ts";
import { CONTAINER_EXEC } from "../client/berth/mod.ts";
import { connect } from "../client/connect.ts";

const baseUrl = Deno.env.get("BERTH_URL") ?? "http://127.0.0.1:8700";
using client = new Client({ baseUrl, auth: new BearerAuth(Deno.env.get("BERTH_KEY") ?? "") });
const [id = "", ...cmd] = Deno.args;
await using shell = await connect(client, CONTAINER_EXEC, { params: { id }, query: { cmd } });

if (Deno.stdin.isTerminal()) {
  const resize = () => {
    const { columns: cols, rows } = Deno.consoleSize();
    shell.send({ type: "resize", cols, rows });
  };
  Deno.stdin.setRaw(true);
  resize();
  Deno.addSignalListener("SIGWINCH", resize);
}
(async () => {
  for await (const keys of Deno.stdin.readable) shell.send(keys);
})();
for await (const message of shell) {
  if (message instanceof Uint8Array) await Deno.stdout.write(message);
  else if (message.type === "error") console.error(message.title);
  else if (message.type === "exit") {
    if (Deno.stdin.isTerminal()) Deno.stdin.setRaw(false);
    Deno.exit(message.code ?? 1);
  }
}
