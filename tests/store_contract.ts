/** What every store promises, as one suite that each implementation runs. */
import assert from "node:assert/strict";
import { permissionsOf } from "./catalogue.ts";
import { ServiceError } from "../core/error.ts";
import type { AccountRecord, AuditRecord, KeyRecord, NewSession, Rotation, Store } from "../core/store.ts";

/** `open` opens the same memory again each time it is called with the same name. */
export interface StoreUnderTest {
  readonly kind: string;
  open(name: string): Promise<Store>;
  readonly folder: string;
}

export function storeContract(kind: string, prepare: () => Promise<StoreUnderTest & AsyncDisposable>): void {
  function promise(name: string, work: (under: StoreUnderTest) => Promise<void>): void {
    Deno.test(`store (${kind}) ${name}`, async () => {
      await using under = await prepare();
      await work(under);
    });
  }

  promise("remembers workspaces in order of their names, across a new start", async (under) => {
    const later = { id: "zoo", name: "Zoo", path: "/srv/zoo", createdAt: "2026-01-01T00:00:00.000Z" };
    const sooner = { id: "api", name: "Api", path: "/srv/api", createdAt: "2026-01-02T00:00:00.000Z" };
    {
      await using store = await under.open("a");
      await store.workspaces.add(later);
      await store.workspaces.add(sooner);
    }
    await using store = await under.open("a");
    assert.deepEqual(await store.workspaces.list(), [sooner, later]);
    assert.deepEqual(await store.workspaces.get("zoo"), later);
    assert.equal(await store.workspaces.get("none"), null);
    assert.equal(await store.workspaces.remove("zoo"), true);
    assert.equal(await store.workspaces.remove("zoo"), false);
    assert.deepEqual(await store.workspaces.list(), [sooner]);
  });

  promise(
    "refuses a workspace whose id or folder is taken, and leaves the first as it was",
    async (under) => {
      await using store = await under.open("a");
      const first = { id: "api", name: "Api", path: "/srv/api", createdAt: "2026-01-01T00:00:00.000Z" };
      await store.workspaces.add(first);
      await refused("workspace_exists", store.workspaces.add({ ...first, path: "/srv/other" }));
      await refused("workspace_exists", store.workspaces.add({ ...first, id: "other" }));
      assert.deepEqual(await store.workspaces.list(), [first]);
    },
  );

  promise("remembers a key whole: digest, role or permissions, times", async (under) => {
    await using store = await under.open("a");
    const scoped = key("scoped", {
      role: null,
      permissions: ["containers:read", "images:read"],
      expiresAt: 99,
    });
    const admin = key("admin", { role: "admin", createdAt: 2 });
    await store.keys.add(scoped);
    await store.keys.add(admin);
    assert.deepEqual(await store.keys.list(), [scoped, admin]);
    assert.deepEqual(await store.keys.get("scoped"), scoped);
    await store.keys.used(new Map([["scoped", 50], ["gone", 51]]));
    assert.deepEqual(await store.keys.get("scoped"), { ...scoped, lastUsedAt: 50 });
  });

  promise("gives 50 parallel setups on two handles one admin, for ever", async (under) => {
    await using one = await under.open("a");
    await using two = await under.open("a");
    assert.equal(await one.keys.isSetUp(), false);
    const tries = Array.from(
      { length: 50 },
      (_, n) => (n % 2 === 0 ? one : two).keys.setUp(key(`k${n}`, { role: "admin" })),
    );
    const results = await Promise.allSettled(tries);
    assert.equal(results.filter((result) => result.status === "fulfilled").length, 1);
    for (const result of results) {
      if (result.status === "rejected") assert.equal(result.reason.code, "setup_done");
    }
    const [born, ...others] = await two.keys.list();
    assert.deepEqual(others, []);
    await one.keys.add(key("second", { role: "admin" }));
    assert.equal(await two.keys.remove(born?.id ?? "", 10), true);
    await refused("setup_done", two.keys.setUp(key("again", { role: "admin" })));
    assert.equal(await two.keys.isSetUp(), true);
  });

  promise("keeps the last living admin key, under parallel deletions too", async (under) => {
    await using store = await under.open("a");
    await store.keys.add(key("a", { role: "admin" }));
    await store.keys.add(key("b", { role: "admin" }));
    await store.keys.add(key("expired", { role: "admin", expiresAt: 5 }));
    await store.keys.add(key("all", { role: null, permissions: permissionsOf("admin") }));
    await store.keys.add(key("viewer", { role: "viewer" }));
    const results = await Promise.allSettled([store.keys.remove("a", 10), store.keys.remove("b", 10)]);
    assert.deepEqual(results.map((result) => result.status).sort(), ["fulfilled", "rejected"]);
    const left = (await store.keys.list()).filter((one) => one.id === "a" || one.id === "b");
    assert.equal(left.length, 1);
    await refused("last_admin", store.keys.remove(left[0]?.id ?? "", 10));
    assert.equal(await store.keys.remove("expired", 10), true);
    assert.equal(await store.keys.remove("viewer", 10), true);
    assert.equal(await store.keys.remove("viewer", 10), false);
  });

  promise("knows a person by issuer and subject, never by their e-mail", async (under) => {
    await using store = await under.open("a");
    const ada = account("ada", { email: "ada@example.org" });
    const first = await store.sessions.open(session("s1", 1), ada);
    const again = await store.sessions.open(session("s2", 2), {
      ...ada,
      id: "fresh",
      name: "Ada L.",
      claims: `{"login":"ada"}`,
    });
    const twin = await store.sessions.open(session("s3", 3), { ...ada, id: "twin", issuer: "https://other" });
    assert.equal(again.id, first.id);
    assert.notEqual(twin.id, first.id);
    const now = await store.sessions.get("s1", 10, 1000);
    assert.deepEqual([now?.account.name, now?.account.claims], ["Ada L.", `{"login":"ada"}`]);
  });

  promise("gives a session until it is ended, over, or idle", async (under) => {
    await using store = await under.open("a");
    await store.sessions.open(session("s", 1, { createdAt: 0, expiresAt: 100 }), account("ada"));
    assert.equal((await store.sessions.get("s", 30, 50))?.id, "s");
    assert.equal(await store.sessions.get("s", 60, 50), null, "idle");
    assert.equal(await store.sessions.get("s", 100, 500), null, "over");
    assert.equal(await store.sessions.get("t", 1, 50), null, "unknown");
    assert.equal(await store.sessions.end("s", 40), true);
    assert.equal(await store.sessions.end("s", 41), false);
    assert.equal(await store.sessions.get("s", 30, 50), null, "ended");
  });

  promise(
    "rotates once for 100 parallel callers on two handles; all others get that successor",
    async (under) => {
      await using one = await under.open("a");
      await using two = await under.open("a");
      await one.sessions.open(session("s", 1), account("ada"));
      const results = await Promise.all(Array.from({ length: 100 }, (_, n) => {
        const store = n % 2 === 0 ? one : two;
        return store.sessions.rotate(rotation(1, 100 + n, { sealed: bytes(3, n) }));
      }));
      const winners = results.flatMap((result, n) => result.kind === "rotated" ? [n] : []);
      assert.equal(winners.length, 1);
      for (const result of results) {
        if (result.kind !== "rotated") {
          assert.deepEqual(result, { kind: "repeated", sealed: bytes(3, winners[0] ?? -1) });
        }
      }
      assert.equal((await two.sessions.get("s", 10, 1000))?.id, "s");
    },
  );

  promise("ends the session when a spent token returns after the grace", async (under) => {
    await using store = await under.open("a");
    await store.sessions.open(session("s", 1), account("ada"));
    assert.equal((await store.sessions.rotate(rotation(1, 2, { now: 0 }))).kind, "rotated");
    assert.equal((await store.sessions.rotate(rotation(1, 3, { now: 10 }))).kind, "repeated");
    assert.equal((await store.sessions.rotate(rotation(1, 4, { now: 11 }))).kind, "reused");
    assert.equal((await store.sessions.rotate(rotation(2, 5, { now: 11 }))).kind, "ended");
    assert.equal(await store.sessions.get("s", 11, 1000), null);
  });

  promise("ends the session when a grandparent returns inside the grace", async (under) => {
    await using store = await under.open("a");
    await store.sessions.open(session("s", 1), account("ada"));
    await store.sessions.rotate(rotation(1, 2, { now: 0 }));
    await store.sessions.rotate(rotation(2, 3, { now: 1 }));
    assert.equal((await store.sessions.rotate(rotation(1, 4, { now: 2 }))).kind, "reused");
    assert.equal((await store.sessions.rotate(rotation(3, 5, { now: 2 }))).kind, "ended");
  });

  promise("never prolongs a session's end by rotating, and idles from the last rotation", async (under) => {
    await using store = await under.open("a");
    await store.sessions.open(session("s", 1, { createdAt: 0, expiresAt: 100 }), account("ada"));
    await store.sessions.rotate(rotation(1, 2, { now: 60, idleMs: 70 }));
    const after = await store.sessions.get("s", 99, 70);
    assert.deepEqual([after?.expiresAt, after?.lastUsedAt], [100, 60]);
    assert.equal((await store.sessions.rotate(rotation(2, 3, { now: 100, idleMs: 70 }))).kind, "ended");
  });

  promise("refuses a token of one session for another", async (under) => {
    await using store = await under.open("a");
    await store.sessions.open(session("s", 1), account("ada"));
    await store.sessions.open(session("t", 2), account("eve"));
    assert.equal((await store.sessions.rotate(rotation(2, 3, { session: "s" }))).kind, "ended");
    assert.equal((await store.sessions.rotate(rotation(2, 3, { session: "t" }))).kind, "rotated");
  });

  promise("forgets what is over and keeps what lives", async (under) => {
    await using store = await under.open("a");
    await store.sessions.open(session("over", 1, { createdAt: 0, expiresAt: 50 }), account("ada"));
    await store.sessions.open(session("alive", 2, { createdAt: 40, expiresAt: 500 }), account("ada"));
    await store.sessions.sweep(60, 100);
    assert.equal(await store.sessions.get("over", 10, 1000), null);
    assert.equal((await store.sessions.get("alive", 60, 100))?.id, "alive");
  });

  promise("has one pending and one active signing key, whoever adds", async (under) => {
    await using one = await under.open("a");
    await using two = await under.open("a");
    const added = await Promise.all([
      one.signingKeys.add(signingKey("k1")),
      two.signingKeys.add(signingKey("k2")),
    ]);
    assert.deepEqual(added.filter(Boolean).length, 1);
    const [first] = await two.signingKeys.list();
    assert.deepEqual(first, signingKey(first?.kid ?? ""));
    assert.equal(await two.signingKeys.activate(first?.kid ?? "", 5), true);
    assert.equal(await one.signingKeys.activate(first?.kid ?? "", 5), false);
    await one.signingKeys.add(signingKey("k3"));
    assert.equal(await one.signingKeys.activate("k3", 9), true);
    const states = (await two.signingKeys.list()).map((one) => [one.state, one.since, one.sealed.length]);
    assert.deepEqual(states.sort(), [["active", 9, 8], ["retiring", 9, 0]]);
    await one.signingKeys.forget(9);
    assert.equal((await one.signingKeys.list()).length, 2);
    await one.signingKeys.forget(10);
    assert.deepEqual((await one.signingKeys.list()).map((one) => one.kid), ["k3"]);
  });

  promise("lists the audit newest first, by page and by filter, and keeps the newest", async (under) => {
    await using store = await under.open("a");
    const records = Array.from({ length: 10 }, (_, n) => audit(n, n % 2 === 0 ? "keys.add" : "keys.remove"));
    await store.audit.append(records, 8);
    const none = { before: null, limit: 3, action: null, actor: null, result: null };
    const page = await store.audit.list(none);
    assert.deepEqual([page.total, page.items.map((one) => one.at)], [8, [9, 8, 7]]);
    const { id, ...last } = page.items[0] ?? assert.fail();
    assert.deepEqual(last, records[9]);
    const older = await store.audit.list({ ...none, before: id - 1, action: "keys.add" });
    assert.deepEqual([older.total, older.items.map((one) => one.at)], [4, [6, 4, 2]]);
    assert.equal((await store.audit.list({ ...none, actor: "nobody" })).total, 0);
  });

  promise(
    "copies itself while it is written, and the copy opens with all that was acknowledged before",
    async (under) => {
      await using store = await under.open("a");
      for (let n = 0; n < 50; n++) await store.workspaces.add(workspace(n));
      let written = 50;
      const writing = (async () => {
        for (; written < 100; written++) await store.workspaces.add(workspace(written));
      })();
      await store.backup(`${under.folder}/copy`);
      await writing;
      const left = [...Deno.readDirSync(under.folder)].map((entry) => entry.name);
      assert.deepEqual(left.filter((name) => name.includes("partial")), []);
      await using copy = await under.open("copy");
      const ids = new Set((await copy.workspaces.list()).map((one) => one.id));
      for (let n = 0; n < 50; n++) assert.ok(ids.has(`w${n}`), `w${n}`);
    },
  );

  promise(
    "says store_unavailable for a backup into a folder that is not there, and leaves nothing",
    async (under) => {
      await using store = await under.open("a");
      await refused("store_unavailable", store.backup(`${under.folder}/none/copy`));
      await store.check();
    },
  );

  promise("says store_unavailable after it was closed", async (under) => {
    const store = await under.open("a");
    await store[Symbol.asyncDispose]();
    await refused("store_unavailable", store.check());
    await refused("store_unavailable", store.workspaces.add(workspace(1)));
    await store[Symbol.asyncDispose]();
  });
}

export async function refused(code: string, work: Promise<unknown>): Promise<ServiceError> {
  try {
    await work;
  } catch (thrown) {
    assert.ok(thrown instanceof ServiceError, `expected ${code}, got ${thrown}`);
    assert.equal(thrown.code, code);
    return thrown;
  }
  assert.fail(`expected ${code}, got an answer`);
}

function bytes(length: number, fill: number): Uint8Array {
  return new Uint8Array(length).fill(fill);
}

function workspace(n: number) {
  return { id: `w${n}`, name: `W${n}`, path: `/srv/w${n}`, createdAt: "2026-01-01T00:00:00.000Z" };
}

export function key(id: string, over: Partial<KeyRecord>): KeyRecord {
  return {
    id,
    name: `key ${id}`,
    hash: bytes(32, id.length),
    role: null,
    permissions: [],
    createdAt: 1,
    createdBy: "test",
    expiresAt: null,
    lastUsedAt: null,
    ...over,
  };
}

function account(subject: string, over: Partial<AccountRecord> = {}): AccountRecord {
  const issuer = "https://issuer.example";
  return {
    id: subject,
    issuer,
    subject,
    name: subject,
    email: null,
    picture: null,
    claims: "{}",
    ...over,
  };
}

function session(id: string, token: number, over: Partial<NewSession> = {}): NewSession {
  return { id, createdAt: 0, expiresAt: 10_000, binding: null, token: bytes(32, token), ...over };
}

function rotation(presented: number, successor: number, over: Partial<Rotation> = {}): Rotation {
  return {
    session: "s",
    presented: bytes(32, presented),
    successor: bytes(32, successor),
    sealed: bytes(3, successor),
    now: 5,
    graceMs: 10,
    idleMs: 1000,
    ...over,
  };
}

function signingKey(kid: string) {
  return {
    kid,
    algorithm: "EdDSA",
    publicKey: "{}",
    sealed: bytes(8, 1),
    state: "pending",
    createdAt: 1,
    since: 1,
  } as const;
}

function audit(at: number, action: string): AuditRecord {
  const actor = { kind: "apiKey", id: "k", name: "key" } as const;
  return { at, actor, action, target: "t", result: "done", requestId: "r", peer: "127.0.0.1" };
}
