/** An act with its entries in the audit log, with the store in PostgreSQL beside the store in a file. */
import { randomSecret } from "../auth/secret.ts";
import { CANNOT_RUN_POSTGRES, PostgresServer } from "../tests/support/postgres.ts";
import { type Load, requestsPerSecond } from "./load.ts";
import { type Competitor, rounds } from "./rounds.ts";
import { startServer } from "./server_process.ts";

const SECONDS = 2;
const KINDS = ["SQLite", "PostgreSQL"] as const;
type Kind = typeof KINDS[number];

await using stack = new AsyncDisposableStack();
const folder = await Deno.makeTempDir({ prefix: "berth-bench-" });
stack.defer(() => Deno.remove(folder, { recursive: true }));
const database = CANNOT_RUN_POSTGRES === null ? stack.use(await PostgresServer.start()) : null;
const services = new Map<Kind, Awaited<ReturnType<typeof start>>>();
for (const kind of KINDS) {
  if (kind === "SQLite" || database !== null) services.set(kind, await start(kind));
}

await rounds("audit-stores", competitors((one) => requestsPerSecond(actsOf(one))), {
  unit: "acts/s",
  better: "more",
  about:
    "8 connections; each act leaves two entries, of which the first is on disk before it; the aim is 0.7",
});
await rounds(
  "audit-stores-cpu",
  competitors(async (one) => {
    const before = await one.server.cpuSeconds();
    const rate = await requestsPerSecond(actsOf(one));
    return (await one.server.cpuSeconds() - before) * 1e6 / (rate * SECONDS);
  }),
  { unit: "µs of CPU an act", about: "the same, as the CPU of berth's own process" },
);

function competitors(measure: (one: Awaited<ReturnType<typeof start>>) => Promise<number>): Competitor[] {
  return KINDS.map((name) => {
    const one = services.get(name);
    return one === undefined
      ? { name, absent: CANNOT_RUN_POSTGRES ?? "" }
      : { name, run: () => measure(one) };
  });
}

function actsOf({ server, key }: Awaited<ReturnType<typeof start>>): Load {
  const headers = { authorization: `Bearer ${key}` };
  return { port: server.port, path: "/api/bench/act", headers, seconds: SECONDS };
}

async function start(kind: Kind) {
  const data = `${folder}/${kind}`;
  const env: Record<string, string> = { BERTH_DATA: data, BERTH_PORT: "PORT", BERTH_ENGINES: "none" };
  if (kind === "PostgreSQL") {
    await Deno.writeTextFile(`${folder}/sealing-key`, randomSecret(), { mode: 0o600 });
    const { name } = await database!.database(); // only asked for where it runs
    env["BERTH_DATABASE_URL"] = database!.url(name);
    env["BERTH_SEALING_KEY_FILE"] = `${folder}/sealing-key`;
  }
  const args = ["-A", new URL("peers/audit_server.ts", import.meta.url).pathname];
  const server = stack.use(await startServer({ args, path: null, env }));
  return { server, key: await keyIn(`${data}/bench-key`) };
}

/** Written by the server right after it began to listen. */
async function keyIn(path: string): Promise<string> {
  for (let attempt = 0; attempt < 500; attempt++) {
    try {
      return await Deno.readTextFile(path);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  throw new Error("the server wrote no key");
}
