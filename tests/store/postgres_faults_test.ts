/** Faults of a database, and berth beside them: it says so in a sentence, lives, and loses nothing. */
import assert from "node:assert/strict";
import { openPostgresStore } from "../../store/postgres/store.ts";
import { MIGRATIONS, type Step } from "../../store/postgres/migrations.ts";
import type { PostgresSettings } from "../../store/postgres/connection.ts";
import type { Store } from "../../core/store.ts";
import { auditEntryOf, ENTRY } from "../access/audit_entry.ts";
import { eventually } from "../support/eventually.ts";
import { within } from "../support/within.ts";
import { CANNOT_RUN_POSTGRES, PostgresServer, sharedPostgres } from "../support/postgres.ts";
import { PostgresWire } from "../support/postgres_wire.ts";
import { runBerth, startBerthProcess } from "../support/berth_process.ts";
import { certificates } from "../client/certificates.ts";
import { account, bytes, key, MANY, refused, session } from "./store_records.ts";
import { mayMount, SmallDisk } from "../support/small_disk.ts";
import { CHANGES_OF_PEOPLE } from "./store_people_contract.ts";
import { startService, TestCaller, type TestService } from "../support/service.ts";
import { randomSecret } from "../../auth/secret.ts";
import { freePort } from "../support/free_port.ts";
import { PROMISED } from "../proof/promised.ts";
import { isLeftToProof } from "../proof/long.ts";

const server = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;
const ALL = { before: null, limit: 100, action: null, actor: null, result: null };

function test(name: string, work: () => Promise<void>, ignore = false): void {
  Deno.test({ name, ignore: ignore || CANNOT_RUN_POSTGRES !== null || isLeftToProof(name) }, work);
}

/** The settings of a service on this database, with a sealing key of its own. */
async function serviceOn(database: PostgresSettings, sealingKey = randomSecret()) {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-pg-" }));
  const sealingKeyFile = `${folder}/sealing-key`;
  await Deno.writeTextFile(sealingKeyFile, sealingKey, { mode: 0o600 });
  return {
    options: { folder, database, sealingKeyFile },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** The methods that do most; the proof takes all. */
const CUT = Deno.env.get("BERTH_PROOF") === "1" ? /./ : /^(?:people.useLink|keys.adopt)$/;

for (
  const { name, change, before, state } of [
    ...CHANGES_OF_PEOPLE,
    {
      name: "keys.remove",
      before: (store: Store) => store.keys.add(key("k", {}), MANY, ENTRY),
      change: (store: Store, entry = ENTRY) => store.keys.remove("k", entry),
      state: (store: Store) => store.keys.list(),
    },
  ]
) {
  if (!CUT.test(name)) continue;
  test(`${name} happens whole or not at all, whichever of its statements the connection ends at (F66)`, async () => {
    let hit = true;
    for (let at = 1; hit; at++) {
      hit = false;
      const settings = await server.database();
      await using whole = await openPostgresStore(settings);
      await before?.(whole);
      await using wire = new PostgresWire(server.folder);
      await using store = await openPostgresStore({ ...settings, host: wire.folder, pool: 1 });
      const was = await state(whole);
      let sent = 0;
      let cutting: Promise<void> | undefined;
      const cut = async () => {
        await server.sql(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${settings.name}' ` +
            "AND state LIKE 'idle in transaction%'",
        );
        wire.cut();
      };
      wire.onSend = () => {
        if (++sent !== at) return;
        hit = true;
        return cutting = cut();
      };
      const outcome = await change(store, auditEntryOf({ action: "told" })).then(
        () => null,
        (error) => error,
      );
      wire.onSend = () => {};
      await cutting; // the caller hears of the end before the whole way is cut
      if (outcome !== null) assert.equal(outcome.code, "store_unavailable", `${outcome} at ${at}`);
      const told = async () => (await whole.audit.list({ ...ALL, action: "told" })).total;
      await eventually("the database has noticed", async () => {
        const sql = `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database ` +
          `WHERE d.datname = '${settings.name}' AND l.mode LIKE '%ExclusiveLock' AND l.locktype = 'relation'`;
        return (await server.sql(sql)).length === 0;
      });
      const changed = JSON.stringify(await state(whole)) !== JSON.stringify(was);
      assert.equal(await told(), changed ? 1 : 0, `cut at ${at}`);
      if (outcome === null) assert.ok(changed, "what was acknowledged is there");
      if (changed) continue;
      await change(store, auditEntryOf({ action: "told" }));
      assert.equal(await told(), 1, "and it can be done again");
    }
  });
}

test("A change whose COMMIT is done and never answered is said to be unknown, and is not repeated", async () => {
  const settings = await server.database();
  await using whole = await openPostgresStore(settings);
  await using wire = new PostgresWire(server.folder);
  await using store = await openPostgresStore({ ...settings, host: wire.folder, pool: 1 });
  const sent: string[] = [];
  wire.onSend = (open, piece) => {
    const word = /BEGIN|COMMIT/.exec(new TextDecoder("latin1").decode(piece))?.[0];
    if (word === undefined) return;
    sent.push(word);
    if (word === "COMMIT") open.mute();
  };

  const outcome = store.keys.add(key("k", {}), MANY, auditEntryOf({ action: "told" })).then(
    () => null,
    (error) => error,
  );
  await eventually("the database has it", async () => (await whole.keys.list()).length === 1);
  wire.cut();
  wire.speak();

  assert.equal((await outcome)?.code, "store_unavailable");
  assert.deepEqual(sent, ["BEGIN", "COMMIT"]);
  assert.equal((await whole.audit.list({ ...ALL, action: "told" })).total, 1);
});

test("A server that restarts amid 200 requests a second is 503 meanwhile, and good again two seconds after it (F66)", async () => {
  await using own = await PostgresServer.start();
  await using on = await serviceOn(await own.database());
  await using berth = await startService(on.options);
  const seen = new Map<string, number>();
  let stop = false;
  const ask = async (n: number) => {
    const answer = n % 10 === 0
      ? await berth.call("POST /api/settings/api-keys", { name: `k${n}`, role: "viewer" })
      : await berth.call("GET /api/settings/api-keys");
    const what = answer.status === 503 ? `503 ${answer.body.code}` : `${answer.status}`;
    seen.set(what, (seen.get(what) ?? 0) + 1);
    if (answer.status === 201) acknowledged.push(answer.body.id);
  };
  const acknowledged: string[] = [];
  const asking = (async () => {
    const all: Promise<void>[] = [];
    for (let n = 0; !stop; n++) {
      all.push(ask(n));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all(all);
  })();
  await eventually("some were answered", () => (seen.get("200") ?? 0) > 50);
  await own.down();
  await eventually("the loss is told", () => (seen.get("503 store_unavailable") ?? 0) > 20);
  assert.equal((await berth.call("GET /api/health")).status, 503);
  assert.equal((await berth.anonymous().call("GET /api/health/live")).status, 200);
  await own.up();
  await within(
    5_000,
    "berth is good again",
    async () => (await berth.call("GET /api/health")).status === 200,
  );
  await within(
    5_000,
    "a change is taken",
    async () =>
      (await berth.call("POST /api/settings/api-keys", { name: "after", role: "viewer" })).status === 201,
  );
  stop = true;
  await asking;
  assert.deepEqual([...seen.keys()].sort(), ["200", "201", "503 store_unavailable"]);
  const { body } = await berth.call("GET /api/settings/api-keys");
  const there = new Set(body.items.map(({ id }: { id: string }) => id));
  assert.deepEqual(acknowledged.filter((id) => !there.has(id)), [], "what was acknowledged is there");
  assert.deepEqual(berth.bugs(), []);
});

test("Sessions that are refreshed at two replicas, while connections end at random, are never lost (F66)", async () => {
  const settings = await server.database();
  await using one = await openPostgresStore(settings);
  await using two = await openPostgresStore(settings);
  const clients = 8;
  for (let n = 0; n < clients; n++) {
    await one.sessions.open(session(`s${n}`, n), account("ada"), () => ENTRY);
  }
  let stop = false;
  let rotated = 0;
  const lives = Array.from({ length: clients }, async (_, n) => {
    let token = bytes(32, n);
    for (let round = 0; !stop || round % 2 === 1; round++) {
      const [store, other] = round % 2 === 0 ? [one, two] : [two, one];
      const next = crypto.getRandomValues(new Uint8Array(32));
      const rotation = { session: `s${n}`, presented: token, now: 5, graceMs: 1_000, idleMs: 1_000 };
      const answers = await Promise.all([store, other].map(async (at, which) => {
        const successor = which === 0 ? next : crypto.getRandomValues(new Uint8Array(32));
        const rotation_ = { ...rotation, successor, sealed: successor };
        // A caller that got no answer asks again with the same token.
        while (true) {
          const answer = await at.sessions.rotate(rotation_, ENTRY).catch(() => null);
          if (answer !== null) return { ...answer, successor };
        }
      }));
      for (const { kind } of answers) assert.ok(kind === "rotated" || kind === "repeated", kind);
      const [first] = answers;
      rotated += answers.filter(({ kind }) => kind === "rotated").length;
      assert.ok(answers.filter(({ kind }) => kind === "rotated").length <= 1);
      token = first!.kind === "repeated" ? new Uint8Array(first!.sealed) : first!.successor;
    }
  });
  for (let n = 0; n < 25; n++) {
    await server.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${settings.name}' ` +
        "AND pid <> pg_backend_pid() AND random() < 0.4",
    );
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  stop = true;
  await Promise.all(lives);
  assert.ok(rotated > clients, `${rotated} rotations`);
  for (let n = 0; n < clients; n++) assert.equal((await one.sessions.get(`s${n}`, 6, 1_000))?.id, `s${n}`);
});

test("Six replicas that start on an empty database at once make one schema, and all of them start (F95)", async () => {
  const settings = await server.database();
  const stores = await Promise.all(
    Array.from({ length: 6 }, () => openPostgresStore({ ...settings, pool: 2 })),
  );
  try {
    for (const store of stores) await store.check();
    const [row] = await server.sql("SELECT version FROM schema_version", settings.name);
    assert.deepEqual(row, { version: MIGRATIONS.length });
  } finally {
    for (const store of stores) await store[Symbol.asyncDispose]();
  }
});

/** As a later version might have them: first what only adds, then what takes away. */
const EXPANDED: readonly Step[] = [...MIGRATIONS, {
  sql: "ALTER TABLE workspaces ADD COLUMN colour text",
  oldest: MIGRATIONS.length,
}];
const CONTRACTED: readonly Step[] = [...EXPANDED, {
  sql: "ALTER TABLE workspaces DROP COLUMN allow_hard_links",
  oldest: EXPANDED.length,
}];

test("A schema that only grew serves the berth before it, too; one that lost something waits for its end (F95)", async () => {
  const settings = await server.database();
  const self = { id: "old", name: "old-one", startedAt: 1, version: "0.1.0" };
  const record = {
    id: "w",
    name: "W",
    path: "/w",
    createdAt: "2026-01-01T00:00:00Z",
    allowHardLinks: false,
    editable: false,
  };
  await using old = await openPostgresStore(settings);
  await old.replicas!.seen(self);

  await using expanded = await openPostgresStore(settings, EXPANDED);
  await old.workspaces.add(record, ENTRY);
  assert.deepEqual(await expanded.workspaces.list(), [record]);
  await old.check();
  {
    await using again = await openPostgresStore(settings); // the old one starts anew
    await again.check();
  }

  const early = await refused("store_unavailable", openPostgresStore(settings, CONTRACTED));
  const known = MIGRATIONS.length;
  assert.equal(early.headers?.["retry-after"], "1", "a supervisor tries again until it has ended");
  assert.match(early.message, new RegExp(`"old-one" still runs .* knows schema ${known}, .* stop it first`));
  await old.workspaces.remove("w", ENTRY);

  await old.replicas!.gone("old");
  await using _ = await openPostgresStore(settings, CONTRACTED);
  const late = await refused("store_unavailable", openPostgresStore(settings));
  assert.match(
    late.message,
    new RegExp(
      `schema ${known + 2}, which takes a berth that knows ${
        known + 1
      }, and this one knows ${known}; start the newer`,
    ),
  );
});

test("A step of the schema may take longer than other statements", async () => {
  const settings = await server.database();
  const step = {
    sql: "CREATE TABLE told AS SELECT current_setting('statement_timeout') AS at",
    oldest: MIGRATIONS.length,
  };
  await (await openPostgresStore(settings, [...MIGRATIONS, step]))[Symbol.asyncDispose]();
  assert.deepEqual(await server.sql("SELECT at FROM told", settings.name), [{ at: "10min" }]);
});

test("A database of another program is left as it is", async () => {
  const settings = await server.database();
  await server.sql("CREATE TABLE theirs (x integer)", settings.name);
  const { message } = await refused("store_unavailable", openPostgresStore(settings));
  assert.match(message, /tables of another program; make one for berth alone/);
  const tables = await server.sql(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
    settings.name,
  );
  assert.deepEqual(tables, [{ tablename: "theirs" }]);
});

test("A mute database is a sentence within health's time, and berth is well when it speaks again (F66)", async () => {
  await using wire = new PostgresWire(server.folder);
  await using on = await serviceOn({ ...await server.database(), host: wire.folder });
  await using berth = await startService(on.options);
  assert.equal((await berth.call("GET /api/health")).body.checks.store.status, "ok");
  wire.mute();
  const health = await within(10_000, "health tells it", async () => {
    const answer = await berth.call("GET /api/health");
    return answer.status === 503 ? answer : null;
  });
  assert.match(health.body.checks.store.reason, /does not answer; look at the server/);
  assert.equal((await berth.anonymous().call("GET /api/health/live")).status, 200);
  wire.speak();
  await within(
    20_000,
    "berth is well again",
    async () => (await berth.call("GET /api/health")).status === 200,
  );
  assert.deepEqual(berth.bugs(), []);
});

test("A key that is deleted while the other replica hears nothing ends its stream there within five seconds (F96)", async () => {
  await using wire = new PostgresWire(server.folder);
  const settings = await server.database();
  const secret = randomSecret();
  await using here = await serviceOn(settings, secret);
  await using there = await serviceOn({ ...settings, host: wire.folder }, secret);
  await using one = await startService(here.options);
  await using two = await startService({ ...there.options, admin: one.admin! });
  const watcher = await one.key(["system:logs"]);
  const open = async () => {
    const response = await two.as(watcher.credential!).fetch("GET /api/system/logs?follow=true");
    assert.equal(response.status, 200);
    return response;
  };
  const stream = await open();
  const ended = (async () => {
    for await (const _ of stream.body!);
  })().catch(() => {});
  // The hint is lost: connections end in the very moment, and the listener's first pause has to pass.
  const { body } = await one.call("GET /api/settings/api-keys");
  const { id } = body.items.find(({ name }: { name: string }) => name === "test");
  wire.cut();
  assert.equal((await one.call(`DELETE /api/settings/api-keys/${id}`)).status, 204);
  let isOver = false;
  ended.then(() => isOver = true);
  await within(PROMISED.revoked, "the stream ends", () => isOver);
});

/**
 * Asserts what callers see of a berth that cannot write: the same sentence everywhere, a process that lives, and lists.
 */
async function cannotWrite(berth: TestService, words: RegExp): Promise<void> {
  const { status, body } = await berth.call("POST /api/settings/api-keys", { name: "no", role: "viewer" });
  assert.deepEqual([status, body.code], [503, "store_unavailable"]);
  assert.match(body.title, words);
  const health = await within(10_000, "health tells it", async () => {
    const answer = await berth.call("GET /api/health");
    return answer.status === 503 && answer.body.checks.store.status === "failed" ? answer.body : null;
  });
  assert.match(health.checks.store.reason, words);
  assert.equal((await berth.anonymous().call("GET /api/health/live")).status, 200);
  assert.equal((await berth.anonymous().call("GET /api/health/ready")).status, 503);
  assert.equal((await berth.call("GET /api/settings/api-keys")).status, 200);
}

test("A disk without room is a sentence, health says so, and both end when there is room (F66)", async () => {
  await using disk = await SmallDisk.mount("8m");
  await new Deno.Command("chown", { args: ["postgres", disk.folder] }).output();
  const settings = await server.database("brimful");
  await server.sql(`CREATE TABLESPACE small LOCATION '${disk.folder}'`);
  await server.sql("ALTER DATABASE brimful SET default_tablespace = small");
  {
    await using on = await serviceOn(settings);
    await using berth = await startService(on.options);
    const { store } = berth.berth;
    disk.fill();
    const acknowledged: string[] = [];
    await refused(
      "store_unavailable",
      (async () => {
        while (acknowledged.length < 1_000) {
          const id = `k${acknowledged.length}`;
          await store.keys.add(key(id, { name: "x".repeat(1_000) }), MANY, ENTRY);
          acknowledged.push(id);
        }
      })(),
    );
    await cannotWrite(berth, /the disk of its database is full; make room there$/);
    const ids = async () => (await store.keys.list()).map(({ id }) => id).filter((id) => id.startsWith("k"));
    assert.deepEqual((await ids()).sort(), acknowledged.sort());
    disk.empty();
    await within(10_000, "it is well", async () => (await berth.call("GET /api/health")).status === 200);
    await berth.key("viewer");
    assert.deepEqual(berth.bugs(), []);
  }
  await server.sql("DROP DATABASE brimful WITH (FORCE)");
  await server.sql("DROP TABLESPACE small");
}, !mayMount);

test("A database that became a standby is a sentence for health and for changes; reads go on (F66)", async () => {
  const settings = await server.database();
  await using on = await serviceOn(settings);
  await using berth = await startService(on.options);
  const readOnly = (value: "on" | "off") =>
    server.sql(
      `ALTER DATABASE ${settings.name} SET default_transaction_read_only = ${value}; ` +
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${settings.name}'`,
    );
  await readOnly("on");
  await cannotWrite(berth, /takes no changes, as a standby does; name the primary in BERTH_DATABASE_URL$/);
  await readOnly("off");
  await within(10_000, "it is well", async () => (await berth.call("GET /api/health")).status === 200);
  await berth.key("viewer");
  assert.deepEqual(berth.bugs(), []);
});

test("A start without its database is worth another try, by its exit code; one with a wrong setting is not (F95)", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-start-" }));
  const socket = `${folder}/.s.PGSQL.5432`;
  await Deno.writeTextFile(`${folder}/sealing-key`, randomSecret(), { mode: 0o600 });
  const env = (url: string) => ({
    BERTH_DATABASE_URL: url,
    BERTH_SEALING_KEY_FILE: `${folder}/sealing-key`,
    BERTH_MIN_DESCRIPTORS: "0",
    BERTH_PORT: "0",
  });
  const start = async (url: string) => {
    const data = `${folder}/data-${crypto.randomUUID()}`;
    const { code, stderr } = await runBerth(["serve"], { ...env(url), BERTH_DATA: data });
    return `${code} ${stderr.trim()}`;
  };
  const later = { sql: "CREATE TABLE later (id text)", oldest: MIGRATIONS.length + 1 };
  const [newer, foreign, standby] = await Promise.all([1, 2, 3].map(() => server.database()));
  await (await openPostgresStore(newer!, [...MIGRATIONS, later]))[Symbol.asyncDispose]();
  await server.sql("CREATE TABLE theirs (x integer)", foreign!.name);
  await server.sql(`ALTER DATABASE ${standby!.name} SET default_transaction_read_only = on`);
  await using mute = new PostgresWire(server.folder);
  mute.mute();
  const postgres = (folder: string, name = "berth") =>
    `postgres://berth@${encodeURIComponent(folder)}/${name}`;
  const here = postgres(folder, (await server.database()).name);
  try {
    const starts: readonly (readonly [url: string, said: RegExp])[] = [
      [
        here,
        /^1 .*there is no socket of a database at that place; start PostgreSQL, or correct BERTH_DATABASE_URL$/,
      ],
      [postgres(mute.folder), /^1 .*does not answer; look at the server and the way to it$/],
      [server.url("nowhere"), /^64 .*does not exist on that server; make it/],
      [
        server.url(newer!.name),
        new RegExp(
          `^64 .*has schema ${later.oldest}, which takes a berth that knows ${later.oldest}, .*; start the newer berth$`,
        ),
      ],
      [server.url(foreign!.name), /^64 .*holds the tables of another program; make one for berth alone$/],
      [
        server.url(standby!.name),
        /^1 .*takes no changes, as a standby does; name the primary in BERTH_DATABASE_URL$/,
      ],
      [
        "postgres://ada:canary@db.example/berth",
        /^64 (?!.*canary)[^]*put it into a file, and name that in BERTH_DATABASE_PASSWORD_FILE$/,
      ],
    ];
    await Promise.all(starts.map(async ([url, said]) => assert.match(await start(url), said)));
    // The same start, once the database is there.
    await Deno.symlink(`${server.folder}/.s.PGSQL.5432`, socket);
    await using berth = await startBerthProcess({ env: env(here) });
    assert.equal((await new TestCaller(berth.url, null).call("GET /api/health/ready")).status, 200);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

test("Another sealing key is refused at the start by name, and a missing one is not made (F97)", async () => {
  const settings = await server.database();
  await using right = await serviceOn(settings);
  await using wrong = await serviceOn(settings);
  {
    await using berth = await startService(right.options);
    assert.notEqual(berth.admin, null);
  }
  await assert.rejects(startService(wrong.options), {
    code: "store_unavailable",
    message: /another key than the one that this database is sealed with; .* BERTH_SEALING_KEY_FILE/,
  });
  await Deno.remove(wrong.options.sealingKeyFile);
  await assert.rejects(startService(wrong.options), /there is no file .*; copy it from another replica/);
  assert.equal(await Deno.stat(wrong.options.sealingKeyFile).catch(() => null), null);
});

test("A database that cannot be reached, or lets nobody in, is a sentence that says what to mend", async () => {
  await using own = await PostgresServer.start();
  await own.sql("CREATE ROLE ada LOGIN PASSWORD 'right'");
  await own.sql("CREATE DATABASE berth OWNER ada");
  const kinds = await certificates();
  const port = freePort();
  await own.listen(port, kinds["private CA"]);
  const folder = own.folder;
  const file = async (name: string, text: string) => {
    await Deno.writeTextFile(`${folder}/${name}`, text);
    return `${folder}/${name}`;
  };
  const good: PostgresSettings = {
    ...{ host: "127.0.0.1", port, user: "ada", name: "berth", pool: 2 },
    passwordFile: await file("password", "right\n"),
    ca: await file("ca.pem", kinds["private CA"].ca),
  };
  const says = async (change: Partial<PostgresSettings>, words: RegExp) => {
    const { message } = await refused("store_unavailable", openPostgresStore({ ...good, ...change }));
    assert.match(message, words);
    for (const secret of ["right", "canary"]) assert.ok(!message.includes(secret), message);
  };
  {
    await using store = await openPostgresStore(good);
    const [row] = await own.sql(
      "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'ada'",
    );
    assert.deepEqual(row, { ssl: true });
    await Deno.writeTextFile(good.passwordFile!, "new");
    await own.sql("ALTER ROLE ada PASSWORD 'new'");
    await own.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ada'");
    await eventually("a new password needs no restart", () => store.check().then(() => true));
  }
  await says(
    { passwordFile: await file("wrong", "canary") },
    /refuses the user or the password; look at .*PASSWORD_FILE/,
  );
  await says({ passwordFile: null }, /refuses the user or the password/);
  await says({ passwordFile: `${folder}/none` }, /the file of "BERTH_DATABASE_PASSWORD_FILE" cannot be read/);
  await says({ name: "nowhere" }, /does not exist on that server; make it/);
  await says({ user: "nobody" }, /refuses the user or the password/);
  await says(
    { port: freePort() },
    /nothing listens at the address .*; start PostgreSQL, or correct BERTH_DATABASE_URL/,
  );
  await says({ host: `${folder}/none` }, /there is no socket of a database/);
  await says({ host: "database.invalid" }, /the host of its database is not known/);
  await says({ ca: `${folder}/none` }, /the file of "BERTH_DATABASE_CA" cannot be read/);
  await says(
    { ca: await file("other.pem", kinds["self-signed CA"].ca) },
    /certificate .* is not trusted; .*BERTH_DATABASE_CA/,
  );
  await own.listen(port, kinds["wrong host"]);
  await says({}, /certificate .* is for another name/);
  await own.listen(port, kinds["expired"]);
  await says({}, /certificate .* has expired; renew it there/);
  await own.sql("REVOKE CREATE ON SCHEMA public FROM PUBLIC", "berth");
  await own.sql("CREATE ROLE eve LOGIN");
  await own.sql("CREATE DATABASE others");
  await says(
    { host: folder, ca: null, user: "eve", name: "others" },
    /may not use these tables; make them the owner of the database/,
  );
});
