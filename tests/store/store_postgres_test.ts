/** PostgreSQL keeps every promise of a store, and what only a server can break. */
import assert from "node:assert/strict";
import type { PostgresSettings } from "../../store/postgres/connection.ts";
import { PostgresDatabase } from "../../store/postgres/database.ts";
import { openPostgresStore } from "../../store/postgres/store.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { bytes, key, MANY, refused } from "./store_records.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { eventually } from "../support/eventually.ts";
import { storeContract } from "./store_contract.ts";

const server = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null;
/** A database with all tables, made once: each test has a copy. */
const made = await server?.database("made");
if (made !== undefined) await (await openPostgresStore(made))[Symbol.asyncDispose]();
const madeStore = (): Promise<PostgresSettings> => server!.database(undefined, "made");

async function databaseOfOurOwn() {
  const names = new Map<string, Promise<Parameters<typeof openPostgresStore>[0]>>();
  const folder = await Deno.makeTempDir({ prefix: "berth-store-" });
  return {
    kind: "postgres",
    folder,
    open: async (name: string) => {
      if (!names.has(name)) names.set(name, madeStore());
      return await openPostgresStore(await names.get(name)!);
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

if (CANNOT_RUN_POSTGRES === null) storeContract("postgres", databaseOfOurOwn);

function test(name: string, work: (settings: PostgresSettings) => Promise<void>): void {
  Deno.test({
    name,
    ignore: server === null,
    fn: async () => await work(await madeStore()),
  });
}

const self = (id: string, over = {}) => ({
  id,
  name: `replica-${id}`,
  startedAt: 1,
  version: "0.1.0",
  ...over,
});
const token = (replica: string, over = {}) => ({ hash: bytes(32, 1), replica, expiresAt: 100, ...over });

test("Replicas see each other while they live, and not when they stopped or said nothing for 20 seconds", async (settings) => {
  await using one = await openPostgresStore(settings);
  await using two = await openPostgresStore(settings);
  await one.replicas!.seen(self("a"));
  await two.replicas!.seen(self("b", { startedAt: 2 }));
  const names = async () => (await one.replicas!.list()).map(({ name }) => name);
  assert.deepEqual(await names(), ["replica-a", "replica-b"]);
  const [first] = await two.replicas!.list();
  assert.ok(Math.abs((first?.seenAt ?? 0) - Date.now()) < 60_000);
  await server!.sql("UPDATE replicas SET seen_at = seen_at - 21000 WHERE id = 'a'", settings.name);
  assert.deepEqual(await names(), ["replica-b"]);
  await two.replicas!.gone("b");
  assert.deepEqual(await names(), []);
  await one.replicas!.seen(self("c"));
  assert.deepEqual((await server!.sql("SELECT id FROM replicas", settings.name)).map(({ id }) => id), ["c"]);
});

test("Replicas agree on the setup token of one that lives, until it expires or that one is gone", async (settings) => {
  await using one = await openPostgresStore(settings);
  await using two = await openPostgresStore(settings);
  await one.replicas!.seen(self("a"));
  await two.replicas!.seen(self("b"));
  const offers = await Promise.all([
    one.replicas!.offerSetup(token("replica-a"), 5),
    two.replicas!.offerSetup(token("replica-b", { hash: bytes(32, 2) }), 5),
  ]);
  assert.deepEqual(offers[0], offers[1], "one of them counts");
  const [winner, loser] = offers[0]!.replica === "replica-a" ? ["a", "b"] : ["b", "a"];
  const again = token(`replica-${winner}`, { hash: bytes(32, 3) });
  assert.deepEqual(await one.replicas!.offerSetup(again, 6), again, "its own, after a restart");
  const late = token(`replica-${loser}`, { hash: bytes(32, 4), expiresAt: 200 });
  assert.deepEqual(await two.replicas!.offerSetup(late, 99), again);
  assert.deepEqual(await two.replicas!.offerSetup(late, 100), late, "after its end");
  await one.replicas!.gone(loser!);
  assert.deepEqual(
    await one.replicas!.offerSetup(again, 101),
    again,
    "nobody can say the other one any more",
  );
  await one.keys.setUp({ key: key("k", { grants: [{ role: "admin" }] }) }, ENTRY);
  assert.equal(await two.replicas!.setupToken(), null);
});

test("What one replica alone does is its turn until it is gone, or its time is over (F102)", async (settings) => {
  await using one = await openPostgresStore(settings);
  await using two = await openPostgresStore(settings);
  const hour = 3_600_000;
  await one.replicas!.seen(self("a"));
  await two.replicas!.seen(self("b"));
  const asked = await Promise.all([
    one.replicas!.turn("send", "a", hour),
    two.replicas!.turn("send", "b", hour),
  ]);
  assert.deepEqual(asked.toSorted(), [false, true], "one of them has it");
  const [[first, its], [second, other]] = asked[0] ? [[one, "a"], [two, "b"]] : [[two, "b"], [one, "a"]];
  assert.equal(await second.replicas!.turn("something else", other, hour), true);
  assert.equal(await first.replicas!.turn("send", its, hour), true, "and may have it for longer");
  assert.equal(await second.replicas!.turn("send", other, hour), false);

  await first.replicas!.gone(its);
  assert.equal(await second.replicas!.turn("send", other, 0), true);
  await first.replicas!.seen(self(its));
  assert.equal(await first.replicas!.turn("send", its, hour), true, "the other one's is over");
});

test("The first sealing key is that of all replicas", async (settings) => {
  await using one = await openPostgresStore(settings);
  await using two = await openPostgresStore(settings);
  const told = await Promise.all([one.replicas!.sealedWith("1"), two.replicas!.sealedWith("2")]);
  assert.equal(told[0], told[1]);
  assert.equal(await one.replicas!.sealedWith("3"), told[0]);
});

test("A change of rights is heard by every replica, and so is that one may have been missed", async (settings) => {
  await using one = await openPostgresStore(settings);
  await using two = await openPostgresStore(settings);
  const heard: (string | null)[] = [];
  using _ = two.replicas!.listen((hint) => heard.push(hint));
  await eventually("it listens", () => heard.includes(null));
  await one.keys.add(key("k", {}), MANY, ENTRY);
  await one.keys.remove("k", ENTRY);
  await eventually("the deletion is heard", () => heard.includes("rights"));
  await one.keys.remove("k", ENTRY);
  assert.deepEqual(heard, [null, "rights"], "one for each change that happened");

  await server!.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${settings.name}' AND query LIKE 'LISTEN%'`,
  );
  await eventually("it listens again, and says so", () => heard.filter((hint) => hint === null).length === 2);
});

test("Changes that lock each other out are repeated until both are done", async (settings) => {
  await using one = await openPostgresStore(settings);
  const records = ["a", "b"].map((id) => key(id, {}));
  for (const record of records) await one.keys.add(record, MANY, ENTRY);
  // Each takes the rows in the order in which the other one does not: one is chosen, rolled back and repeated.
  const database = await PostgresDatabase.open(settings);
  let attempts = 0;
  const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const change = (mine: number) =>
    database.write(async (tx) => {
      attempts++;
      const ids = mine === 0 ? ["a", "b"] : ["b", "a"];
      await tx.run("UPDATE keys SET last_used_at = $1 WHERE id = $2", mine, ids[0]!);
      met[mine]!.resolve();
      await met[1 - mine]!.promise;
      await tx.run("UPDATE keys SET last_used_at = $1 WHERE id = $2", mine, ids[1]!);
    });
  await Promise.all([change(0), change(1)]);
  assert.equal(attempts, 3);
  await database[Symbol.asyncDispose]();
});

test("A text with the character NUL is refused, which PostgreSQL cannot hold", async (settings) => {
  await using store = await openPostgresStore(settings);
  const { message } = await refused(
    "invalid_request",
    store.keys.add(key("k", { name: "a\0b" }), MANY, ENTRY),
  );
  assert.match(message, /the character NUL/);
  assert.deepEqual(await store.keys.list(), []);
});
