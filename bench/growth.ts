/** Past one machine: the store in PostgreSQL beside the store in a file, and beside the bare driver. */
import pg from "pg";
import { randomSecret } from "../auth/secret.ts";
import { openPostgresStore } from "../store/postgres/store.ts";
import { ENTRY } from "../tests/access/audit_entry.ts";
import { CANNOT_RUN_POSTGRES, PostgresServer } from "../tests/support/postgres.ts";
import { inspected, scriptedId, ScriptedWorld } from "../tests/support/scripted_world.ts";
import { account, session } from "../tests/store/store_records.ts";
import { exchangesPerSecond, onPort } from "./exchanges.ts";
import { startBerth, waitForAll } from "./listed_berth.ts";
import { type Competitor, rounds } from "./rounds.ts";
import { startServer } from "./server_process.ts";

const SESSIONS = 8;
const SECONDS = 2;
const NOW = 5;
/** The newest token of each session. */
const current: Uint8Array[] = [];

await using stack = new AsyncDisposableStack();
const absent = CANNOT_RUN_POSTGRES;
const server = absent === null ? stack.use(await PostgresServer.start()) : null;
const folder = await Deno.makeTempDir({ prefix: "berth-bench-" });
stack.defer(() => Deno.remove(folder, { recursive: true }));
const sealingKey = `${folder}/sealing-key`;
await Deno.writeTextFile(sealingKey, randomSecret(), { mode: 0o600 });

/** The settings of a berth on a database of its own, or on a file. */
async function settings(kind: "SQLite" | "PostgreSQL"): Promise<Record<string, string>> {
  if (kind === "SQLite" || server === null) return {};
  const { name } = await server.database();
  return { BERTH_DATABASE_URL: server.url(name), BERTH_SEALING_KEY_FILE: sealingKey };
}

await rounds("growth-postgres-start", [await start("SQLite"), await start("PostgreSQL")], {
  rounds: 9,
  warmUps: 2,
  unit: "ms",
  about: "from the start of the process to the first answer, on a store that is there",
});
await rounds("growth-postgres-list", [await list("SQLite"), await list("PostgreSQL")], {
  rounds: 7,
  warmUps: 2,
  unit: "µs of CPU per request",
  about: "a list of 50 containers with an API key, 8 connections, as the server's own CPU time",
});
await rounds("growth-postgres-refresh", await refreshes(), {
  rounds: 7,
  warmUps: 2,
  unit: "refreshes/s",
  better: "more",
  about:
    "8 sessions that each take one new token after the other: the store, and the same statements on the bare driver",
});

async function start(kind: "SQLite" | "PostgreSQL"): Promise<Competitor> {
  if (kind === "PostgreSQL" && absent !== null) return { name: kind, absent };
  const data = await Deno.makeTempDir({ dir: folder });
  const env = { BERTH_DATA: data, BERTH_PORT: "PORT", BERTH_ENGINES: "none", ...await settings(kind) };
  const args = ["-A", new URL("../main.ts", import.meta.url).pathname, "serve"];
  return {
    name: kind,
    async run() {
      await using berth = await startServer({ args, path: "/api/health", env });
      return berth.firstAnswerMs;
    },
  };
}

async function list(kind: "SQLite" | "PostgreSQL"): Promise<Competitor> {
  if (kind === "PostgreSQL" && absent !== null) return { name: kind, absent };
  const count = 50;
  const ids = Array.from({ length: count }, (_, number) => scriptedId(number + 1));
  const containers = new Map(ids.map((id, number) => [id, inspected(id, `bench-${number}`)]));
  const engine = stack.use(new ScriptedWorld({ containers }));
  const engines = `scripted=unix://${engine.socket}`;
  const { server: berth, key } = await startBerth(stack, engines, undefined, await settings(kind));
  stack.use(berth);
  await waitForAll(berth, key, count);
  const target = onPort(berth.port, { authorization: `Bearer ${key}` });
  return {
    name: kind,
    async run() {
      const before = await berth.cpuSeconds();
      const rate = await exchangesPerSecond(target, "/api/containers", SECONDS);
      return (await berth.cpuSeconds() - before) * 1e6 / (rate * SECONDS);
    },
  };
}

/** Returns how often `rotate` succeeded in a while, by one caller for each session. */
async function rate(
  rotate: (of: number, presented: Uint8Array, next: Uint8Array) => Promise<void>,
): Promise<number> {
  const until = performance.now() + SECONDS * 1_000;
  const counts = await Promise.all(current.map(async (_, of) => {
    let count = 0;
    for (; performance.now() < until; count++) {
      const next = crypto.getRandomValues(new Uint8Array(32));
      await rotate(of, current[of]!, next);
      current[of] = next;
    }
    return count;
  }));
  return counts.reduce((sum, count) => sum + count) / SECONDS;
}

async function refreshes(): Promise<Competitor[]> {
  if (server === null) {
    return ["the bare driver", "PostgreSQL"].map((name) => ({ name, absent: absent ?? "" }));
  }
  const database = await server.database();
  const store = stack.use(await openPostgresStore(database));
  for (let of = 0; of < SESSIONS; of++) {
    current.push(new Uint8Array(32).fill(of));
    await store.sessions.open(
      session(`s${of}`, of, { expiresAt: 1e12 }),
      account(`person${of}`),
      () => ENTRY,
    );
  }
  const pool = new pg.Pool({
    host: database.host,
    user: "berth",
    database: database.name,
    max: 8,
    password: () => "",
  });
  stack.defer(() => pool.end());
  return [{ name: "the bare driver", run: () => rate(bare(pool)) }, {
    name: "PostgreSQL",
    run: () =>
      rate(async (of, presented, successor) => {
        const rotation = { session: `s${of}`, presented, successor, sealed: successor, now: NOW };
        const { kind } = await store.sessions.rotate({ ...rotation, graceMs: 10, idleMs: 1_000 }, ENTRY);
        if (kind !== "rotated") throw new Error(`a token was ${kind}`);
      }),
  }];
}

/** The statements of a rotation, prepared, one after the other. */
// deno-lint-ignore no-explicit-any -- the driver brings no types
function bare(pool: any): (of: number, presented: Uint8Array, next: Uint8Array) => Promise<void> {
  const statement = (name: string, text: string, ...values: unknown[]) => ({ name, text, values });
  return async (of, presented, next) => {
    const id = `s${of}`;
    const client = await pool.connect();
    await client.query("BEGIN");
    const alive = await client.query(statement(
      "alive",
      "SELECT generation AS newest, account_id FROM sessions WHERE id = $1 AND ended_at IS NULL " +
        "AND expires_at > $2 AND last_used_at > $3 FOR UPDATE",
      ...[id, NOW, NOW - 1_000],
    ));
    const token = await client.query(statement(
      "token",
      "SELECT generation, used_at, sealed_successor FROM refresh_tokens WHERE hash = $1 AND session_id = $2",
      ...[presented, id],
    ));
    const generation = token.rows[0].generation + 1;
    await client.query(statement(
      "spent",
      "UPDATE refresh_tokens SET used_at = CASE WHEN hash = $1 THEN $2 ELSE used_at END, " +
        "sealed_successor = CASE WHEN hash = $1 THEN $3::bytea END " +
        "WHERE session_id = $4 AND (hash = $1 OR sealed_successor IS NOT NULL)",
      ...[presented, NOW, next, id],
    ));
    await client.query(statement(
      "next",
      "INSERT INTO refresh_tokens (hash, session_id, generation) VALUES ($1, $2, $3)",
      ...[next, id, generation],
    ));
    await client.query(statement(
      "used",
      "UPDATE sessions SET generation = $1, last_used_at = $2 WHERE id = $3",
      ...[generation, NOW, id],
    ));
    await client.query(statement(
      "seen",
      "UPDATE accounts SET last_seen_at = $1 WHERE id = $2",
      ...[NOW, alive.rows[0].account_id],
    ));
    await client.query("COMMIT");
    client.release();
  };
}
