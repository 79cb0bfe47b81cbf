/** Lists, inspect, a log and the start of today's code beside an earlier commit's, on one engine. */
import { FIXTURE, startEngine } from "../tests/support/engine.ts";
import { BEFORE, filesOf } from "./earlier_commit.ts";
import { exchangesPerSecond, onPort } from "./exchanges.ts";
import { fill, restartable, startBerth, waitForAll } from "./listed_berth.ts";
import { rounds } from "./rounds.ts";
import { startServer } from "./server_process.ts";

const SECONDS = Number(Deno.env.get("BERTH_BENCH_SECONDS") ?? "2");
const COUNT = 50;
const LINES = 200_000;

await using stack = new AsyncDisposableStack();
const engine = stack.use(await startEngine("docker"));
const folder = await Deno.makeTempDir({ prefix: "berth-before-" });
stack.defer(() => Deno.remove(folder, { recursive: true }));
const absent = await filesOf(BEFORE, folder);
await fill(engine, 0, COUNT);
const WRITE =
  `BEGIN { for (n = 1; n <= ${LINES}; n++) print "a line that is about as long as most lines are, number", n }`;
const talker = (await engine.cli("run", "-d", "--network", "none", FIXTURE, "awk", WRITE)).trim();
await engine.cli("wait", talker);

const versions = [
  ...(absent === undefined ? [{ name: BEFORE, checkout: `${folder}/` }] : []),
  { name: "now", checkout: new URL("../", import.meta.url).pathname },
];
const started = await Promise.all(versions.map(async ({ name, checkout }) => {
  const { server, key } = await startBerth(stack, engine.setting, checkout);
  stack.use(server);
  const id = await waitForAll(server, key, COUNT + 1);
  const port = server.port;
  return { name, id, checkout, port, target: onPort(port, { authorization: `Bearer ${key}` }), key };
}));
const missing = absent === undefined ? [] : [{ name: BEFORE, absent }];

for (
  const [name, about, path, headers] of [
    ["list", `a list of ${COUNT} containers, 8 connections`, () => "/api/containers", {}],
    ["list-gzip", "the same, compressed", () => "/api/containers", { "accept-encoding": "gzip" }],
    ["inspect", "one container", (id: string) => `/api/containers/${id}`, {}],
  ] as const
) {
  await rounds(`before-${name}`, [
    ...missing,
    ...started.map(({ name, id, target }) => ({
      name,
      run: () =>
        exchangesPerSecond({ ...target, headers: { ...target.headers, ...headers } }, path(id), SECONDS),
    })),
  ], { unit: "requests/s", better: "more", about });
}
await rounds("before-log", [
  ...missing,
  ...started.map(({ name, port, key }) => ({
    name,
    run: async () => {
      const begun = performance.now();
      const answer = await fetch(`http://127.0.0.1:${port}/api/containers/${talker}/logs?tail=all`, {
        headers: { authorization: `Bearer ${key}`, accept: "text/plain" },
      });
      let bytes = 0;
      for await (const chunk of answer.body!) bytes += chunk.length;
      if (bytes < LINES * 50) throw new Error(`the log has ${bytes} bytes`);
      return performance.now() - begun;
    },
  })),
], { about: `a log of ${LINES} lines as text` });
const starts = await Promise.all(
  versions.map(async ({ name, checkout }) => ({ name, options: await restartable(stack, checkout) })),
);
await rounds(
  "before-start",
  [
    ...missing,
    ...starts.map(({ name, options }) => ({
      name,
      async run() {
        await using server = await startServer(options);
        return server.firstAnswerMs;
      },
    })),
  ],
  { about: "from the start of the process to the first list, packages and modules cached", rounds: 9 },
);
