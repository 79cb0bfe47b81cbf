/** Promise: the sealing key can be replaced, and nothing that it sealed is lost or can be made anew by a person who has it (F70, R57). */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { placeText } from "../../auth/audit/place.ts";
import { sealsFrom } from "../../auth/audit/seals.ts";
import { verifyAudit } from "../../auth/audit/verify.ts";
import { Seal } from "../../auth/sealing/sealing.ts";
import { randomSecret } from "../../auth/secret.ts";
import { readSealingKey, rotateSealingKey, type SealingKey } from "../../auth/sealing/key.ts";
import { type SealedEntry, type Seals } from "../../core/audit_store.ts";
import { AUDIT_CHAINS, type Store } from "../../core/store.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { type AccessService, MovableClock, PROGRAM, startAccess } from "../support/access_service.ts";
import { auditEntryOf, ENTRY } from "./audit_entry.ts";
import { type Ended, runBerth } from "../support/berth_process.ts";
import { ON_SQLITE } from "../support/chosen_store.ts";
import { ownFolder } from "../support/own_folder.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { startService } from "../support/service.ts";

const MINUTE_MS = 60_000;
const ADA = {
  ...{ issuer: "https://issuer.example", subject: "ada", name: "Ada", email: null, picture: null },
  ...{ claims: { groups: ["ops"] }, authenticatedAt: null },
};
const ROLES = [{ claim: "groups", value: "ops", role: "viewer" }] as const;
/** Of a key that has sealed nothing. */
const ENDS = AUDIT_CHAINS.map((chain) => placeText(chain, { seq: 0, mac: new Uint8Array(32) })).join(" ");
const server = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;

const rotate = (env: Record<string, string>): Promise<Ended> => runBerth(["sealing-key", "rotate"], env);

async function verified(folder: string): Promise<string> {
  const { code, stdout, stderr } = await runBerth(["audit", "verify"], { BERTH_DATA: folder });
  return `${code} ${stdout}${stderr}`;
}

/** Signing keys by what can open them: the sealing key of today, or one before it. */
async function sealedToday(berth: AccessService): Promise<Record<string, boolean>> {
  const { secret } = await readSealingKey(`${berth.folder}/sealing-key`);
  const seal = await Seal.from(secret, "signing keys");
  const keys = await berth.store.signingKeys.list();
  const states = keys.map(async ({ kid, sealed, state }) =>
    [state, await seal.open(sealed, `signing_keys|sealed|${kid}`) !== null] as const
  );
  return Object.fromEntries(await Promise.all(states));
}

// The store is a file of SQLite, and a command works on it.
Deno.test({
  name:
    "After a rotation sessions go on, another signing key comes in, and the whole audit log verifies (F70, R57)",
  ignore: !ON_SQLITE,
}, async () => {
  await using folder = await ownFolder("berth-key-");
  const options = { folder: folder.path, clock: new MovableClock(), roles: ROLES };
  const path = `${folder.path}/sealing-key`;
  let tokens: { readonly accessToken: string; readonly refreshToken: string };
  let admin: string;
  {
    await using berth = await startAccess(options);
    admin = await berth.setUp();
    tokens = await berth.access.sessions.open(ADA, PROGRAM, ENTRY);
    const { code, stderr } = await rotate({ BERTH_DATA: folder.path });
    assert.equal(code, 1);
    assert.match(stderr, /berth still runs on this data folder; stop it first/);
  }
  const first = (await Deno.readTextFile(path)).trim();
  for (const lines of [2, 3]) {
    const { code, stdout, stderr } = await rotate({ BERTH_DATA: folder.path });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /A new sealing key is in .*sealing-key, before the old/);
    const text = (await Deno.readTextFile(path)).trim().split("\n");
    assert.deepEqual([text.length, text[0] === first, text.at(-1)?.startsWith(first)], [lines, false, true]);
    assert.match(await verified(folder.path), /^0 changes: 1 to \d+ are whole/);
  }
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);

  await using berth = await startAccess(options);
  assert.deepEqual(await sealedToday(berth), { active: false });
  assert.equal((await berth.call("GET /api/auth/me", { token: tokens.accessToken })).status, 200);
  const next = await berth.call("POST /api/auth/refresh", { body: { refreshToken: tokens.refreshToken } });
  assert.equal(next.status, 200);
  for (let minute = 0; minute < 3; minute++) {
    berth.clock.move(MINUTE_MS);
    assert.equal((await berth.call("GET /api/auth/me", { token: next.body.accessToken })).status, 200);
  }
  assert.deepEqual(await sealedToday(berth), { active: true, retiring: false });
  const listed = await berth.call("GET /api/system/audit?action=sealing_key.rotate", { token: admin });
  assert.equal(listed.body.total, 2);
  await berth.access.auditUpkeep.seal();
  assert.match(await verified(folder.path), /^0 changes: 1 to \d+ are whole/);
});

/** Somebody who can write the store, and has the sealing key that was replaced. */
class Forger implements AsyncDisposable {
  readonly #raw: DatabaseSync;

  private constructor(path: string, readonly store: Store, readonly seals: Seals) {
    this.#raw = new DatabaseSync(path);
  }

  /** In a log of ten changes under the old key, and ten under the key of now. */
  static async in(folder: string): Promise<Forger> {
    const [path, key] = [`${folder}/berth.db`, `${folder}/sealing-key`];
    const store = await openSqliteStore(path);
    const fill = async ({ secret }: SealingKey) => {
      await store.audit.append(Array.from({ length: 10 }, (_, at) => auditEntryOf({ at })));
      await store.audit.seal(await sealsFrom(secret), 100);
    };
    const old = await readSealingKey(key);
    await fill(old);
    await rotateSealingKey(key, old, await store.audit.chains());
    await fill(await readSealingKey(key));
    return new Forger(path, store, await sealsFrom(old.secret));
  }

  /** Changes an entry, and seals it and those behind it. */
  async change(from: number, to: number): Promise<void> {
    this.#raw.prepare("UPDATE audit SET target = 'forged' WHERE chain = 'changes' AND seq = ?").run(from);
    let previous = (await this.#entry(from - 1)).mac;
    for (let seq = from; seq <= to; seq++) {
      previous = this.seals.mac(previous, await this.#entry(seq));
      this.#raw.prepare("UPDATE audit SET mac = ? WHERE chain = 'changes' AND seq = ?").run(previous, seq);
    }
    if (to === 20) await this.#end(to);
  }

  /** Takes away what stands behind an entry. */
  async cut(seq: number): Promise<void> {
    this.#raw.prepare("DELETE FROM audit WHERE chain = 'changes' AND seq > ?").run(seq);
    await this.#end(seq);
  }

  async #end(seq: number): Promise<void> {
    const { floorSeq, floorMac } = (await this.store.audit.chains()).changes;
    const { mac } = await this.#entry(seq);
    const proof = this.seals.proof("changes", { seq, mac, floorSeq, floorMac });
    this.#raw.prepare("UPDATE audit_chains SET seq = ?, mac = ?, proof = ? WHERE chain = 'changes'")
      .run(seq, mac, proof);
  }

  async #entry(seq: number): Promise<SealedEntry> {
    return (await this.store.audit.sealed("changes", seq - 1, 1))[0]!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#raw.close();
    await this.store[Symbol.asyncDispose]();
  }
}

for (
  const [what, forge, expected] of [
    ["nothing", async () => {}, null],
    ["an entry of before, and seals all that the old key sealed", (log) => log.change(4, 10), 10],
    ["an entry of after", (log) => log.change(15, 20), 15],
    ["the end, to one before the key was replaced", (log) => log.cut(8), 8],
  ] as readonly (readonly [string, (log: Forger) => Promise<void>, number | null])[]
) {
  Deno.test(`Whoever has an old sealing key and the store changes ${what}`, async () => {
    await using folder = await ownFolder("berth-key-");
    await using forger = await Forger.in(folder.path);
    await forge(forger);
    const { secret, earlier } = await readSealingKey(`${folder.path}/sealing-key`);
    const { chains } = await verifyAudit(forger.store.audit, await sealsFrom(secret, earlier), []);
    assert.equal(chains.find(({ chain }) => chain === "changes")!.broken?.seq ?? null, expected);
  });
}

Deno.test("A sealing key with a line that is none is refused by its number, and holds sixteen earlier ones", async () => {
  await using folder = await ownFolder("berth-key-");
  const path = `${folder.path}/sealing-key`;
  const place = { seq: 1, mac: new Uint8Array(32) };
  const ends = { changes: place, refusals: place };
  await readSealingKey(path);
  for (let n = 1; n <= 16; n++) await rotateSealingKey(path, await readSealingKey(path), ends);
  const key = await readSealingKey(path);
  const { seq, mac } = key.earlier[15]!.until.refusals;
  assert.deepEqual([key.earlier.length, seq, mac], [16, place.seq, place.mac]);
  await assert.rejects(rotateSealingKey(path, key, ends), /holds 16 earlier keys; remove its last line/);
  const lines = (await Deno.readTextFile(path)).trim().split("\n");
  for (const wrong of ["x", lines[0]!, lines[1]!.replace(/ refusals.*/, ""), `${lines[1]} more`]) {
    await Deno.writeTextFile(path, [lines[0], lines[1], wrong].join("\n"));
    await assert.rejects(readSealingKey(path), {
      code: "store_unavailable",
      message: /line 3 of ".*" is not/,
    });
  }
});

Deno.test({
  name:
    "Replicas go over to another sealing key together: none starts with that of before, or while one still runs (F70)",
  ignore: CANNOT_RUN_POSTGRES !== null,
}, async () => {
  await using folder = await ownFolder("berth-key-");
  const database = await server.database();
  const sealingKeyFile = `${folder.path}/sealing-key`;
  const { host, port, user, name } = database;
  const env = {
    BERTH_DATA: folder.path,
    BERTH_DATABASE_URL: `postgres://${user}@${encodeURIComponent(host)}:${port}/${name}`,
    BERTH_SEALING_KEY_FILE: sealingKeyFile,
  };
  const options = { folder: folder.path, database, sealingKeyFile };
  await Deno.writeTextFile(sealingKeyFile, randomSecret(), { mode: 0o600 });
  const before = await Deno.readTextFile(sealingKeyFile);
  {
    await using _running = await startService(options);
    const { code, stderr } = await rotate(env);
    assert.equal(code, 1);
    assert.match(stderr, /still runs; stop all replicas first/);
  }
  assert.equal(await Deno.readTextFile(sealingKeyFile), before);

  const { code, stderr } = await rotate(env);
  assert.equal(code, 0, stderr);
  const after = await Deno.readTextFile(sealingKeyFile);
  await Deno.writeTextFile(sealingKeyFile, before);
  await assert.rejects(startService(options), /another key than the one that this database is sealed with/);

  // As if it had been interrupted before the database was told
  await Deno.writeTextFile(sealingKeyFile, `${randomSecret()}\n${after.replace("\n", ` ${ENDS}\n`)}`);
  await assert.rejects(startService(options), /was rotated only half; stop all replicas/);
  assert.equal((await rotate(env)).code, 0);
  await using again = await startService(options);
  assert.equal((await again.call("GET /api/health")).status, 200);
  assert.equal((await runBerth(["audit", "verify"], env)).code, 0);
});
