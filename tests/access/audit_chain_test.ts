/** Promise: an audit entry that somebody changes, removes or puts in is found by its number. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { sealsFrom } from "../../auth/audit/seals.ts";
import { verifyAudit } from "../../auth/audit/verify.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { auditEntryOf } from "./audit_entry.ts";
import { MovableClock, startAccess } from "../support/access_service.ts";
import { ON_SQLITE } from "../support/chosen_store.ts";
import { runBerth, startBerthProcess } from "../support/berth_process.ts";
import { ownFolder } from "../support/own_folder.ts";
import { TestCaller } from "../support/service.ts";

const SEALS = await sealsFrom(new Uint8Array(32).fill(9));
const FIXTURE = new URL("../support/fixtures/store_015db1d/", import.meta.url);
/** When the fixture was made. */
const THEN = Date.parse("2026-11-22T18:00:00Z");

/** 30 changes and 20 refusals, sealed. */
async function filled(path: string): Promise<void> {
  await using store = await openSqliteStore(path);
  await store.audit.append(
    Array.from(
      { length: 50 },
      (_, n) => auditEntryOf({ at: n, chain: n < 30 ? "changes" : "refusals", target: `t${n}` }),
    ),
  );
  await store.audit.seal(SEALS, 100);
}

function broken(report: Awaited<ReturnType<typeof verifyAudit>>) {
  return report.chains.map(({ broken }) => broken?.seq ?? null);
}

const REMOVED = /missing/;
const CHANGED = /changed or put in/;
const ENDS = /ends? of the chain/;

for (
  const [what, sql, found, words] of [
    ["a changed actor", "UPDATE audit SET actor_name = 'eve' WHERE chain = 'changes' AND seq = 12", [
      12,
      null,
    ], CHANGED],
    [
      "a changed time",
      "UPDATE audit SET at = at + 1 WHERE chain = 'changes' AND seq = 1",
      [1, null],
      CHANGED,
    ],
    [
      "a changed result",
      "UPDATE audit SET result = 'x' WHERE chain = 'refusals' AND seq = 20",
      [null, 20],
      CHANGED,
    ],
    [
      "changed particulars",
      `UPDATE audit SET particulars = '{"a":"b"}' WHERE chain = 'refusals' AND seq = 7`,
      [null, 7],
      CHANGED,
    ],
    [
      "a changed count",
      "UPDATE audit SET count = 2 WHERE chain = 'refusals' AND seq = 7",
      [null, 7],
      CHANGED,
    ],
    [
      "a changed seal",
      "UPDATE audit SET mac = zeroblob(32) WHERE chain = 'changes' AND seq = 30",
      [30, null],
      CHANGED,
    ],
    ["a removed entry", "DELETE FROM audit WHERE chain = 'changes' AND seq = 17", [17, null], REMOVED],
    ["a removed first entry", "DELETE FROM audit WHERE chain = 'refusals' AND seq = 1", [null, 1], REMOVED],
    ["a removed last entry", "DELETE FROM audit WHERE chain = 'changes' AND seq = 30", [30, null], REMOVED],
    [
      "a removed entry whose gap was closed",
      "DELETE FROM audit WHERE chain = 'changes' AND seq = 17; UPDATE audit SET seq = -seq WHERE chain = 'changes' AND seq > 17; UPDATE audit SET seq = -seq - 1 WHERE seq < 0",
      [17, null],
      CHANGED,
    ],
    [
      "two entries that changed places",
      "UPDATE audit SET seq = -5 WHERE chain = 'changes' AND seq = 5; UPDATE audit SET seq = 5 WHERE chain = 'changes' AND seq = 6; UPDATE audit SET seq = 6 WHERE seq = -5",
      [5, null],
      CHANGED,
    ],
    [
      "an entry put in between",
      "UPDATE audit SET seq = -seq WHERE chain = 'changes' AND seq > 8; UPDATE audit SET seq = 1 - seq WHERE seq < 0; INSERT INTO audit (chain, at, actor_kind, actor_id, actor_name, action, result, seq, mac) SELECT chain, at, actor_kind, actor_id, 'eve', action, result, 9, mac FROM audit WHERE chain = 'changes' AND seq = 8",
      [9, null],
      CHANGED,
    ],
    [
      "an entry put in beside another",
      "DROP INDEX audit_by_seq; INSERT INTO audit (chain, at, actor_kind, actor_id, actor_name, action, result, seq, mac) SELECT chain, at, actor_kind, actor_id, 'eve', action, result, seq, mac FROM audit WHERE chain = 'changes' AND seq = 8",
      [8, null],
      /twice/,
    ],
    [
      "an entry put in behind the end",
      "INSERT INTO audit (chain, at, actor_kind, actor_id, actor_name, action, result, seq, mac) VALUES ('refusals', 1, 'user', 'e', 'eve', 'a', 'done', 21, zeroblob(32))",
      [null, 21],
      /behind the end/,
    ],
    [
      "an entry moved to the other chain",
      "UPDATE audit SET chain = 'refusals', seq = 21 WHERE chain = 'changes' AND seq = 30",
      [30, 21],
      REMOVED,
    ],
    [
      "a cut tail with an end to fit",
      "DELETE FROM audit WHERE chain = 'changes' AND seq > 25; UPDATE audit_chains SET seq = 25, mac = (SELECT mac FROM audit WHERE chain = 'changes' AND seq = 25) WHERE chain = 'changes'",
      [25, null],
      ENDS,
    ],
    [
      "a cut beginning with a floor to fit",
      "UPDATE audit_chains SET floor_seq = 4, floor_mac = (SELECT mac FROM audit WHERE chain = 'changes' AND seq = 4) WHERE chain = 'changes'; DELETE FROM audit WHERE chain = 'changes' AND seq <= 4",
      [30, null],
      ENDS,
    ],
    ["an emptied chain", "DELETE FROM audit WHERE chain = 'refusals'", [null, 1], REMOVED],
  ] as const
) {
  Deno.test(`verifyAudit finds ${what}`, async () => {
    await using folder = await ownFolder("berth-chain-");
    const path = `${folder.path}/berth.db`;
    await filled(path);
    await using store = await openSqliteStore(path);
    assert.deepEqual(broken(await verifyAudit(store.audit, SEALS, [])), [null, null], "whole before");
    const raw = new DatabaseSync(path);
    raw.exec(sql);
    raw.close();
    const report = await verifyAudit(store.audit, SEALS, []);
    assert.deepEqual(broken(report), found);
    assert.match(report.chains.find((chain) => chain.broken !== null)?.broken?.what ?? "", words);
  });
}

Deno.test("verifyAudit says whole while entries are written, sealed and forgotten meanwhile", async () => {
  await using folder = await ownFolder("berth-chain-");
  await using writer = await openSqliteStore(`${folder.path}/berth.db`);
  await using reader = await openSqliteStore(`${folder.path}/berth.db`);
  const batch = Array.from({ length: 700 }, (_, at) => auditEntryOf({ at }));
  for (let n = 0; n < 6; n++) await writer.audit.append(batch);
  while (await writer.audit.seal(SEALS, 1_000) > 0);
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      await writer.audit.append(batch.slice(0, 50));
      await writer.audit.seal(SEALS, 1_000);
      await writer.audit.forget("changes", { before: 0, keep: 3_000 }, SEALS, 1_000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
  for (let n = 0; n < 15; n++) {
    assert.deepEqual(broken(await verifyAudit(reader.audit, SEALS, [])), [null, null]);
  }
  isOver = true;
  await writing;
  assert.ok((await reader.audit.chains()).changes.floorSeq > 0);
});

Deno.test("verifyAudit misses a tail that was cut only without the end that was told before", async () => {
  await using folder = await ownFolder("berth-chain-");
  const path = `${folder.path}/berth.db`;
  await filled(path);
  // A person with a copy of the whole earlier store can put it back: nothing inside can tell.
  await Deno.copyFile(path, `${folder.path}/before.db`);
  let end;
  {
    await using store = await openSqliteStore(path);
    await store.audit.append([auditEntryOf({ target: "incriminating" })]);
    await store.audit.seal(SEALS, 9);
    end = (await store.audit.chains()).changes;
  }
  const told = { chain: "changes", seq: end.seq, mac: end.mac } as const;
  const checked = async (
    file: string,
    checkpoint: typeof told | { chain: null; seq: number; mac: Uint8Array },
  ) => {
    await using store = await openSqliteStore(file);
    const { chains, missed } = await verifyAudit(store.audit, SEALS, [checkpoint]);
    return [...chains.map(({ broken }) => broken), missed.length];
  };
  assert.deepEqual(await checked(path, told), [null, null, 0]);
  assert.deepEqual(await checked(path, { ...told, chain: null }), [null, null, 0]);
  assert.deepEqual(await checked(`${folder.path}/before.db`, told), [null, null, 1]);
});

Deno.test("verifyAudit begins at a checkpoint that it is given, and trusts what stands before it", async () => {
  await using folder = await ownFolder("berth-chain-");
  const path = `${folder.path}/berth.db`;
  await filled(path);
  await using store = await openSqliteStore(path);
  const rows = await store.audit.sealed("changes", 0, 100);
  const at = (seq: number) => ({ chain: "changes" as const, seq, mac: rows[seq - 1]?.mac ?? assert.fail() });
  const raw = new DatabaseSync(path);
  raw.exec("UPDATE audit SET actor_name = 'eve' WHERE chain = 'changes' AND seq IN (5, 20)");
  raw.close();
  const found = async (...checkpoints: ReturnType<typeof at>[]) => {
    const { chains: [changes] } = await verifyAudit(store.audit, SEALS, checkpoints);
    return [changes?.from, changes?.broken?.seq ?? null];
  };
  assert.deepEqual(await found(), [1, 5]);
  assert.deepEqual(await found(at(6)), [6, 20]);
  assert.deepEqual(await found(at(21), at(8)), [8, 20]);
  assert.deepEqual(await found(at(20)), [20, 20], "the entry itself is looked at");
  assert.deepEqual(await found(at(21)), [21, null]);
});

function rowsOf(path: string): unknown[] {
  const raw = new DatabaseSync(path, { readOnly: true });
  const rows = raw.prepare(
    "SELECT at, actor_name, action, target, result, request_id, peer FROM audit ORDER BY id",
  )
    .all().map((row) => ({ ...row }));
  raw.close();
  return rows;
}

async function fixture(folder: string): Promise<void> {
  for (const name of ["berth.db", "sealing-key"]) {
    await Deno.copyFile(new URL(name, FIXTURE), `${folder}/${name}`);
    await Deno.chmod(`${folder}/${name}`, 0o600);
  }
}

const upgraded =
  "A store of commit 015db1d keeps its keys and its whole audit log, which is sealed at the upgrade (F77)";
// The earlier store is a file of SQLite.
Deno.test({ name: upgraded, ignore: !ON_SQLITE }, async () => {
  await using folder = await ownFolder("berth-chain-");
  await fixture(folder.path);
  const path = `${folder.path}/berth.db`;
  const before = rowsOf(path);
  const clock = new MovableClock();
  clock.move(THEN - clock.now());
  await using berth = await startAccess({ folder: folder.path, clock });
  await berth.access.auditUpkeep.seal();
  assert.deepEqual(rowsOf(path), before);
  const { changes, refusals } = await berth.store.audit.chains();
  assert.deepEqual([changes.seq, refusals.seq, await berth.store.audit.unsealed()], [5, 40, 0]);
  const key = Uint8Array.fromBase64((await Deno.readTextFile(`${folder.path}/sealing-key`)).trim(), {
    alphabet: "base64url",
  });
  const report = await verifyAudit(berth.store.audit, await sealsFrom(key), []);
  assert.deepEqual(broken(report), [null, null]);
  const admin = "berth_58b74e45bb448499_EraV1Q0TH7K-XMXX9OLnKqJtRsex4uXp3iBg7HaWyxg";
  const listed = await berth.call("GET /api/system/audit?result=done", { token: admin });
  assert.deepEqual([listed.status, listed.body.total], [200, 5]);
});

Deno.test("The audit log forgets changes after 400 days and refusals after 30, and what is left verifies", async () => {
  await using berth = await startAccess();
  const admin = await berth.setUp();
  await berth.call("DELETE /api/settings/api-keys/none", { token: admin });
  await berth.access.audit.flush();
  await berth.access.auditUpkeep.seal();
  const left = async (days: number) => {
    berth.clock.move(days * 86_400_000);
    await berth.access.auditUpkeep.forget();
    const { changes, refusals } = await berth.store.audit.chains();
    return [changes.seq - changes.floorSeq, refusals.seq - refusals.floorSeq];
  };
  assert.deepEqual(await left(29.9), [1, 1]);
  assert.deepEqual(await left(0.2), [1, 0]);
  assert.deepEqual(await left(369.8), [1, 0]);
  assert.deepEqual(await left(0.2), [0, 0]);
  await berth.store.audit.append([auditEntryOf({ at: berth.clock.now() })]);
  await berth.access.auditUpkeep.seal();
  assert.equal((await berth.store.audit.sealed("changes", 0, 9))[0]?.seq, 2);
});

Deno.test("berth audit verify answers 0, 1 or 2, beside a running service too, and names the first wrong entry", async () => {
  await using folder = await ownFolder("berth-chain-");
  const env = { BERTH_DATA: folder.path };
  const verify = async (...args: string[]) => {
    const { code, stdout, stderr } = await runBerth(["audit", "verify", ...args], env);
    return { code, text: stdout + stderr };
  };
  const nothing = await verify();
  assert.equal(nothing.code, 4);
  assert.match(nothing.text, /sealing-key.*is not there/);
  assert.deepEqual([...Deno.readDirSync(folder.path)], [], "and nothing was made");

  await using berth = await startBerthProcess({ data: folder.path });
  const token = (await Deno.readTextFile(`${folder.path}/setup-token`)).trim();
  const { body: { key } } = await new TestCaller(berth.url, null).call("POST /api/settings/setup", {
    token,
    name: "me",
  });
  const admin = new TestCaller(berth.url, key);
  for (let n = 0; n < 5; n++) await admin.call("POST /api/settings/api-keys", { name: "k", role: "viewer" });
  await (await admin.fetch("GET /api/system/audit?format=ndjson")).text(); // what is written is sealed now

  const whole = await verify();
  assert.equal(whole.code, 0, whole.text);
  assert.match(whole.text, /^changes: 1 to 6 are whole, changes:6:[0-9a-f]{64}\nrefusals: empty/);
  const end = /changes:6:[0-9a-f]{64}/.exec(whole.text)?.[0] ?? "";
  assert.equal((await verify("--from", end)).code, 0);
  assert.equal((await verify(`--from=${end.slice("changes:".length)}`)).code, 0);
  const other = await verify("--from", `changes:6:${"0".repeat(64)}`);
  assert.deepEqual([other.code, /BROKEN at 6/.test(other.text)], [1, true]);
  for (
    const wrong of [["--from"], ["--from", "6"], ["--from", `x:6:${"0".repeat(64)}`], ["--to", end], ["now"]]
  ) {
    assert.equal((await verify(...wrong)).code, 64, wrong.join(" "));
  }
  assert.equal((await runBerth(["audit"], env)).code, 64);
  assert.equal((await berth.end()).code, 0);

  const log = await Deno.readTextFile(`${folder.path}/berth.log`);
  const told = [...log.matchAll(/"The audit log ends here".*?"changes":"(changes:6:[0-9a-f]{64})"/g)].at(-1)
    ?.[1];
  assert.equal(told, end, "the log tells where the chain ends");

  const raw = new DatabaseSync(`${folder.path}/berth.db`);
  raw.exec("UPDATE audit SET peer = '10.0.0.1' WHERE chain = 'changes' AND seq = 3");
  raw.close();
  const found = await verify();
  assert.equal(found.code, 1);
  assert.match(found.text, /^changes: BROKEN at 3: /);
});
