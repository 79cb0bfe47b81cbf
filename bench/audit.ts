/** The cost of the audit log: a change with its entry, and an act that waits until its intent is on disk. */
import { cpuUsage } from "node:process";
import { sealsFrom } from "../auth/audit/seals.ts";
import { SqliteDatabase } from "../store/sqlite/database.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { auditEntryOf } from "../tests/access/audit_entry.ts";
import { requestsPerSecond } from "./load.ts";
import { rounds } from "./rounds.ts";
import { startServer } from "./server_process.ts";

const CHANGES = 500;
const folder = await Deno.makeTempDir({ prefix: "berth-bench-" });
await using stack = new AsyncDisposableStack();
stack.defer(() => Deno.remove(folder, { recursive: true }));

const store = stack.use(await openSqliteStore(`${folder}/told.db`));
const seals = await sealsFrom(new Uint8Array(32));
await (await openSqliteStore(`${folder}/untold.db`))[Symbol.asyncDispose]();
const bare = await SqliteDatabase.open(`${folder}/untold.db`);
stack.defer(() => bare.close());
const ADD = "INSERT INTO workspaces (id, name, path, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
const entry = auditEntryOf({
  at: Date.now(),
  action: "POST /api/workspaces",
  target: "/api/workspaces/shop",
  particulars: { path: "/srv/shop" },
  requestId: "0f8fad5b-00001",
});
const workspace = () => {
  const id = crypto.randomUUID();
  return {
    id,
    name: id,
    path: `/srv/${id}`,
    createdAt: new Date().toISOString(),
    allowHardLinks: false,
    editable: false,
  };
};

await rounds(
  "audit-change",
  [
    {
      name: "without its entry",
      run: () =>
        cpuPerChange(async () => {
          const { id, name, path, createdAt } = workspace();
          await bare.write(() => void bare.run(ADD, id, name, path, createdAt));
        }),
    },
    { name: "with its entry", run: () => cpuPerChange(() => store.workspaces.add(workspace(), entry)) },
    {
      name: "with its entry, sealed ten at a time",
      run: () => {
        let count = 0;
        return cpuPerChange(async () => {
          await store.workspaces.add(workspace(), entry);
          if (++count % 10 === 0) await store.audit.seal(seals, 1_000);
        });
      },
    },
  ],
  {
    unit: "µs of CPU a change",
    about: `${CHANGES} changes of a SQLite store, each a commit on disk`,
    rounds: 7,
  },
);

async function cpuPerChange(change: () => Promise<void>): Promise<number> {
  const before = cpuUsage();
  for (let n = 0; n < CHANGES; n++) await change();
  const { user, system } = cpuUsage(before);
  await store.audit.seal(seals, 1_000);
  return (user + system) / CHANGES;
}

const server = stack.use(
  await startServer({
    args: ["-A", new URL("peers/audit_server.ts", import.meta.url).pathname],
    path: null,
    env: { BERTH_DATA: `${folder}/data`, BERTH_PORT: "PORT", BERTH_ENGINES: "none" },
  }),
);
const headers = { authorization: `Bearer ${await key()}` };
const seconds = 2;
const kinds = [["a read", "/api/bench/read"], ["an act", "/api/bench/act"]] as const;

await rounds(
  "audit-act-cpu",
  kinds.map(([name, path]) => ({
    name,
    async run() {
      const before = await server.cpuSeconds();
      const rate = await requestsPerSecond({ port: server.port, path, headers, seconds });
      return (await server.cpuSeconds() - before) * 1e6 / (rate * seconds);
    },
  })),
  { unit: "µs of CPU a request", about: "8 connections; an act leaves two entries, sealed" },
);
await rounds(
  "audit-act-wait",
  [
    {
      name: "one commit",
      async run() {
        const began = performance.now();
        for (let n = 0; n < CHANGES; n++) await store.audit.append([entry]);
        const took = (performance.now() - began) / CHANGES;
        while (await store.audit.seal(seals, 1_000) > 0);
        return took;
      },
    },
    ...kinds.map(([name, path]) => ({
      name,
      run: async () =>
        1_000 / await requestsPerSecond({ port: server.port, path, headers, connections: 1, seconds }),
    })),
  ],
  { unit: "ms", about: "one connection, so nobody shares a commit" },
);

/** Written by the server right after it began to listen. */
async function key(): Promise<string> {
  for (let attempt = 0; attempt < 500; attempt++) {
    try {
      return await Deno.readTextFile(`${folder}/data/bench-key`);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  throw new Error("the server wrote no key");
}
