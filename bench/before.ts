/**
 * Lists, inspect, a log, audited writes and the start of today's code on one engine, beside the commits before and after
 * its folders were put in order.
 */
import { randomSecret } from "../auth/secret.ts";
import { FIXTURE, startEngine } from "../tests/support/engine.ts";
import { CANNOT_RUN_POSTGRES, PostgresServer } from "../tests/support/postgres.ts";
import { filesOf, HOUSE } from "./earlier_commit.ts";
import { exchangesPerSecond, onPort } from "./exchanges.ts";
import { fill, restartable, startBerth, waitForAll } from "./listed_berth.ts";
import { rounds } from "./rounds.ts";
import { type ServerProcess, startServer } from "./server_process.ts";

const SECONDS = Number(Deno.env.get("BERTH_BENCH_SECONDS") ?? "2");
const COUNT = 50;
const LINES = 200_000;
const WRITES = 100;

await using stack = new AsyncDisposableStack();
const engine = stack.use(await startEngine("docker"));
const folder = await Deno.makeTempDir({ prefix: "berth-before-" });
stack.defer(() => Deno.remove(folder, { recursive: true }));
const commits = await Promise.all(
  Object.values(HOUSE).map(async (name) => {
    const checkout = `${folder}/${name}/`;
    await Deno.mkdir(checkout);
    return { name, checkout, absent: await filesOf(name, checkout) };
  }),
);
await fill(engine, 0, COUNT);
const WRITE =
  `BEGIN { for (n = 1; n <= ${LINES}; n++) print "a line that is about as long as most lines are, number", n }`;
const talker = (await engine.cli("run", "-d", "--network", "none", FIXTURE, "awk", WRITE)).trim();
await engine.cli("wait", talker);

const versions = [
  ...commits.filter(({ absent }) => absent === undefined),
  { name: "now", checkout: undefined }, // the bundle that is shipped; the earlier commits ran from their sources
];
const started = await Promise.all(versions.map(async ({ name, checkout }) => {
  const { server, key } = await startBerth(stack, engine.setting, checkout);
  stack.use(server);
  const id = await waitForAll(server, key, COUNT + 1);
  const port = server.port;
  return { name, id, server, port, target: onPort(port, { authorization: `Bearer ${key}` }), key };
}));
const missing = commits.flatMap(({ name, absent }) => absent === undefined ? [] : [{ name, absent }]);

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
const writes = (servers: readonly { name: string; server: ServerProcess; key: string }[]) => [
  ...missing,
  ...servers.map(({ name, server, key }) => ({ name, run: () => cpuOfWrites(server, key) })),
];
const WRITTEN = {
  unit: "ms of CPU",
  about: `${WRITES} keys made and deleted, each with its entries in the audit log`,
};
await rounds("before-writes", writes(started), WRITTEN);
if (CANNOT_RUN_POSTGRES === null) {
  const postgres = stack.use(await PostgresServer.start());
  const sealingKey = `${folder}/sealing-key`;
  await Deno.writeTextFile(sealingKey, randomSecret(), { mode: 0o600 });
  const servers = [];
  for (const { name, checkout } of versions) {
    const { server, key } = await startBerth(stack, "none", checkout, {
      BERTH_DATABASE_URL: postgres.url((await postgres.database()).name),
      BERTH_SEALING_KEY_FILE: sealingKey,
    });
    servers.push({ name, server: stack.use(server), key });
  }
  await rounds("before-writes-postgres", writes(servers), WRITTEN);
}
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
        return await server.cpuSeconds() * 1_000;
      },
    })),
  ],
  {
    unit: "ms of CPU",
    about: "from the start of the process to the first list, packages and modules cached",
    rounds: 9,
  },
);

/** Makes keys one after the other, and deletes each. */
async function cpuOfWrites({ port, cpuSeconds }: ServerProcess, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const keys = `http://127.0.0.1:${port}/api/settings/api-keys`;
  const before = await cpuSeconds();
  for (let n = 0; n < WRITES; n += 1) {
    const body = JSON.stringify({ name: `bench-${crypto.randomUUID()}`, role: "viewer" });
    const made = await fetch(keys, { method: "POST", headers, body });
    const { id } = await made.json();
    const gone = await fetch(`${keys}/${id}`, { method: "DELETE", headers });
    await gone.body?.cancel();
    if (!made.ok || !gone.ok) throw new Error(`no key: ${made.status}, ${gone.status}`);
  }
  return (await cpuSeconds() - before) * 1_000;
}
