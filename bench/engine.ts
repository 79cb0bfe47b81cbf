/** Lists and inspects through the whole service against the engine's own socket, and nginx in front of it. */
import { startEngine, type TestEngine } from "../tests/support/engine.ts";
import { exchangesPerSecond, onPort, onSocket, type Target } from "./exchanges.ts";
import { inspected, scriptedId, ScriptedWorld } from "../tests/support/scripted_world.ts";
import { fill, startBerth, waitForAll } from "./listed_berth.ts";
import { startNodePeer } from "./node_peer.ts";
import { rounds } from "./rounds.ts";
import { freePort } from "../tests/support/free_port.ts";

const SECONDS = Number(Deno.env.get("BERTH_BENCH_SECONDS") ?? "2");
/** The rate that the design's measurements used. */
const EVENTS_PER_SECOND = 36;

await using stack = new AsyncDisposableStack();
const engine = stack.use(await startEngine("docker"));
const nginx = await startNginx(engine);
const fastify = await startNodePeer("fastify_dockerode.mjs", ["fastify@5", "dockerode@4"], [
  engine.socket,
  "PORT",
]);
if (typeof fastify !== "string") stack.use(fastify);
const FASTIFY = "fastify and dockerode on Node";
/** Enough of both that what a process needs anyway drops out of the difference. */
const SCRIPTED = [500, 5_000] as const;
const memory: Record<number, number> = {};

for (const count of [50, 500]) {
  await fill(engine, 0, count);
  const { server, key } = await startBerth(stack, engine.setting);
  await using _server = server;
  const listed = await waitForAll(server, key, count);
  const berth = onPort(server.port, { authorization: `Bearer ${key}` });
  const direct = onSocket(engine.socket);
  const peers = (path: string, own: string, headers: Record<string, string> = {}) => [
    { name: "the engine's socket", run: () => exchangesPerSecond(direct, path, SECONDS) },
    nginx === null
      ? { name: "nginx in front of it", absent: "nginx is not installed" }
      : { name: "nginx in front of it", run: () => exchangesPerSecond(nginx, path, SECONDS) },
    typeof fastify === "string" ? { name: FASTIFY, absent: fastify } : {
      name: FASTIFY,
      run: () => exchangesPerSecond(onPort(fastify.port), own, SECONDS),
    },
    {
      name: "berth",
      run: () => exchangesPerSecond({ ...berth, headers: { ...berth.headers, ...headers } }, own, SECONDS),
    },
  ];
  const unit = { unit: "requests/s", better: "more" } as const;
  const list = "/v1.41/containers/json?all=1";
  await rounds(`engine-list-${count}`, peers(list, "/api/containers"), {
    ...unit,
    about: `a list of ${count} containers, 8 connections`,
  });
  await rounds(`engine-list-gzip-${count}`, peers(list, "/api/containers", { "accept-encoding": "gzip" }), {
    ...unit,
    about: `the same, berth's compressed`,
  });
  await rounds(
    `engine-inspect-${count}`,
    peers(`/v1.41/containers/${listed}/json`, `/api/containers/${listed}`),
    {
      ...unit,
      about: `one container of ${count}`,
    },
  );
  await rounds(`engine-list-events-${count}`, [
    { name: "berth, quiet", run: () => exchangesPerSecond(berth, "/api/containers", SECONDS) },
    {
      name: `berth, ${EVENTS_PER_SECOND} events a second`,
      run: () => underEvents(() => exchangesPerSecond(berth, "/api/containers", SECONDS)),
    },
  ], { ...unit, about: `a list of ${count} containers while others rename them` });
}
for (const count of SCRIPTED) {
  const containers = new Map(
    Array.from(
      { length: count },
      (_, number) => [scriptedId(number), inspected(scriptedId(number), `c-${number}`)],
    ),
  );
  await using world = new ScriptedWorld({ containers });
  const { server, key } = await startBerth(stack, `docker=unix://${world.socket}`);
  await using _server = server;
  await waitForAll(server, key, count);
  memory[count] = await server.rssBytes();
}
const [few, many] = SCRIPTED;
await rounds("engine-memory", [
  { name: "berth", run: () => ((memory[many] ?? 0) - (memory[few] ?? 0)) / (many - few) / 1e3 },
], {
  unit: "kB for each container",
  warmUps: 0,
  about: `resident memory with ${many} scripted containers, less that with ${few}`,
});

async function underEvents(measure: () => Promise<number>): Promise<number> {
  let going = true;
  const renaming = (async () => {
    for (let turn = 0; going; turn += 1) {
      await engine.ask(
        `POST /containers/bench-0${turn % 2 === 0 ? "" : "x"}/rename?name=bench-0${
          turn % 2 === 0 ? "x" : ""
        }`,
      );
      await new Promise((resolve) => setTimeout(resolve, 1_000 / EVENTS_PER_SECOND));
    }
  })();
  try {
    return await measure();
  } finally {
    going = false;
    await renaming;
    await engine.ask("POST /containers/bench-0x/rename?name=bench-0");
  }
}

/** Debian's nginx as the plainest possible front, keeping its connections to the engine. */
async function startNginx(engine: TestEngine): Promise<Target | null> {
  const folder = await Deno.makeTempDir({ prefix: "berth-nginx-" });
  const port = freePort();
  await Deno.writeTextFile(
    `${folder}/nginx.conf`,
    `user root; daemon off; pid ${folder}/pid; error_log ${folder}/error; worker_processes 1;
events { worker_connections 256; }
http {
  access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; proxy_buffers 64 16k;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream engine { server unix:${engine.socket}; keepalive 16; }
  server { listen 127.0.0.1:${port}; keepalive_requests 1000000; location / { proxy_pass http://engine; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host localhost; } }
}
`,
  );
  try {
    const child = new Deno.Command("nginx", {
      args: ["-c", `${folder}/nginx.conf`],
      stdout: "null",
      stderr: "null",
    }).spawn();
    stack.defer(async () => {
      child.kill("SIGTERM");
      await child.status;
      await Deno.remove(folder, { recursive: true });
    });
  } catch {
    return null;
  }
  const target = onPort(port);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      (await target.connect()).close();
      return target;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return null;
}
