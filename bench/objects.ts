/** Lists of images, volumes and networks through the whole service against the engine's own socket. */
import { FIXTURE, startEngine } from "../tests/support/engine.ts";
import { adminKey } from "./admin_key.ts";
import { exchangesPerSecond, onPort, onSocket } from "./exchanges.ts";
import { rounds } from "./rounds.ts";
import { startServer } from "./server_process.ts";

const SECONDS = Number(Deno.env.get("BERTH_BENCH_SECONDS") ?? "2");
const COUNT = 30;

await using engine = await startEngine("docker");
const container = await engine.cli("create", FIXTURE);
for (let number = 0; number < COUNT; number += 1) {
  await engine.ask("POST /volumes/create", { Name: `bench-${number}` });
  if (number < 10) await engine.ask("POST /networks/create", { Name: `bench-${number}` });
  const changes = encodeURIComponent(`LABEL number=${number}`);
  await engine.ask(
    `POST /commit?container=${container}&repo=bench-${number}&tag=1&changes=${changes}`,
    {},
  );
}

const data = await Deno.makeTempDir({ prefix: "berth-bench-" });
await using server = await startServer({
  args: ["-A", new URL("../main.ts", import.meta.url).pathname, "serve"],
  path: "/api/health",
  env: { BERTH_DATA: data, BERTH_PORT: "PORT", BERTH_ENGINES: engine.setting },
});
const url = `http://127.0.0.1:${server.port}`;
const key = await adminKey(url, `${data}/setup-token`);
const berth = onPort(server.port, { authorization: `Bearer ${key}` });
const direct = onSocket(engine.socket);
for (const [kind, path] of [["images", "images/json"], ["volumes", "volumes"], ["networks", "networks"]]) {
  const listed = await fetch(`${url}/api/${kind}`, { headers: berth.headers });
  const { total } = await listed.json();
  await rounds(`objects-${kind}`, [
    { name: "the engine's socket", run: () => exchangesPerSecond(direct, `/v1.41/${path}`, SECONDS) },
    { name: "berth", run: () => exchangesPerSecond(berth, `/api/${kind}`, SECONDS) },
  ], { unit: "requests/s", better: "more", about: `a list of ${total} ${kind}, 8 connections` });
}
await Deno.remove(data, { recursive: true });
