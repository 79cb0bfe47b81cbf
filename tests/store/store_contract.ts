/** The promises of every store, as one suite that each implementation runs. */
import assert from "node:assert/strict";
import { permissionsOf } from "../support/catalogue.ts";
import { sealsFrom } from "../../auth/audit/seals.ts";
import type { Rotation } from "../../core/access_store.ts";
import type { StrangerCount } from "../../core/audit_store.ts";
import type { AuditChain } from "../../core/store.ts";
import { auditEntryOf, ENTRY } from "../access/audit_entry.ts";
import {
  account,
  bytes,
  type Change,
  key,
  MANY,
  type Promised,
  refused,
  session,
  type StoreUnderTest,
} from "./store_records.ts";
import { appliesContract, CHANGES_OF_APPLIES } from "./store_applies_contract.ts";
import { endingsContract } from "./store_endings_contract.ts";
import { CHANGES_OF_CLAIMS, claimsContract } from "./store_claims_contract.ts";
import { filesContract } from "./store_files_contract.ts";
import { CHANGES_OF_IGNORED, ignoredContract } from "./store_ignored_contract.ts";
import { incidentsContract } from "./store_incidents_contract.ts";
import { CHANGES_OF_NOTICES, noticesContract } from "./store_notices_contract.ts";
import { CHANGES_OF_PEOPLE, peopleContract } from "./store_people_contract.ts";
import { CHANGES_OF_PLANS, plansContract } from "./store_plans_contract.ts";
import { CHANGES_OF_REGISTRIES, registriesContract } from "./store_registries_contract.ts";
import { CHANGES_OF_SOURCES, sourcesContract } from "./store_sources_contract.ts";
import { CHANGES_OF_UPDATES, updatesContract } from "./store_updates_contract.ts";

/** The newest 100 entries of the audit log. */
const ALL = { before: null, limit: 100, action: null, actor: null, result: null };

const SEALS = await sealsFrom(new Uint8Array(32).fill(7));

export function storeContract(kind: string, prepare: () => Promise<StoreUnderTest & AsyncDisposable>): void {
  const promise: Promised = (name, work) =>
    Deno.test(`store (${kind}) ${name}`, async () => {
      await using under = await prepare();
      await work(under);
    });
  peopleContract(promise);
  filesContract(promise);
  plansContract(promise);
  appliesContract(promise);
  ignoredContract(promise);
  claimsContract(promise);
  registriesContract(promise);
  sourcesContract(promise);
  incidentsContract(promise);
  endingsContract(promise);
  updatesContract(promise);
  noticesContract(promise);

  promise("remembers workspaces in order of their names, across a new start", async (under) => {
    const later = {
      id: "zoo",
      name: "Zoo",
      path: "/srv/zoo",
      createdAt: "2026-01-01T00:00:00.000Z",
      allowHardLinks: false,
      editable: false,
    };
    const sooner = {
      id: "api",
      name: "Api",
      path: "/srv/api",
      createdAt: "2026-01-02T00:00:00.000Z",
      allowHardLinks: false,
      editable: false,
    };
    {
      await using store = await under.open("a");
      await store.workspaces.add(later, ENTRY);
      await store.workspaces.add(sooner, ENTRY);
    }
    await using store = await under.open("a");
    assert.deepEqual(await store.workspaces.list(), [sooner, later]);
    assert.deepEqual(await store.workspaces.get("zoo"), later);
    assert.equal(await store.workspaces.get("none"), null);
    assert.equal(await store.workspaces.change("zoo", { allowHardLinks: true }, ENTRY), true);
    assert.equal(await store.workspaces.change("none", { allowHardLinks: true }, ENTRY), false);
    assert.deepEqual(await store.workspaces.get("zoo"), { ...later, allowHardLinks: true });
    assert.equal(
      await store.workspaces.change("zoo", { editable: true, allowHardLinks: false }, ENTRY),
      true,
    );
    assert.deepEqual(await store.workspaces.get("zoo"), { ...later, editable: true });
    assert.equal(await store.workspaces.remove("zoo", ENTRY), true);
    assert.equal(await store.workspaces.remove("zoo", ENTRY), false);
    assert.deepEqual(await store.workspaces.list(), [sooner]);
  });

  promise(
    "refuses a workspace whose id or folder is taken, and leaves the first as it was",
    async (under) => {
      await using store = await under.open("a");
      const first = {
        id: "api",
        name: "Api",
        path: "/srv/api",
        createdAt: "2026-01-01T00:00:00.000Z",
        allowHardLinks: false,
        editable: false,
      };
      await store.workspaces.add(first, ENTRY);
      await refused("workspace_exists", store.workspaces.add({ ...first, path: "/srv/other" }, ENTRY));
      await refused("workspace_exists", store.workspaces.add({ ...first, id: "other" }, ENTRY));
      assert.deepEqual(await store.workspaces.list(), [first]);
    },
  );

  promise("remembers a key whole: digest, grants, addresses, times", async (under) => {
    await using store = await under.open("a");
    const scoped = key("scoped", {
      grants: [
        { permissions: ["containers:read", "images:read"], on: ["project:shop", "label:team=web"] },
        { role: "viewer" },
      ],
      expiresAt: 99,
      from: ["10.0.0.0/8", "::1"],
    });
    const admin = key("admin", { grants: [{ role: "admin" }], createdAt: 2 });
    await store.keys.add(scoped, MANY, ENTRY);
    await store.keys.add(admin, MANY, ENTRY);
    assert.deepEqual(await store.keys.list(), [scoped, admin]);
    assert.deepEqual(await store.keys.get("scoped"), scoped);
    await store.keys.used(new Map([["scoped", { at: 50, peer: "::1" }], ["gone", { at: 51, peer: "::1" }]]));
    assert.deepEqual(await store.keys.get("scoped"), { ...scoped, lastUsedAt: 50, lastUsedPeer: "::1" });
  });

  promise("gives 50 parallel setups on two handles one admin, for ever", async (under) => {
    await using one = await under.open("a");
    await using two = await under.open("a");
    assert.equal(await one.keys.isSetUp(), false);
    const tries = Array.from(
      { length: 50 },
      (_, n) =>
        (n % 2 === 0 ? one : two).keys.setUp({ key: key(`k${n}`, { grants: [{ role: "admin" }] }) }, ENTRY),
    );
    const results = await Promise.allSettled(tries);
    assert.equal(results.filter((result) => result.status === "fulfilled").length, 1);
    for (const result of results) {
      if (result.status === "rejected") assert.equal(result.reason.code, "setup_done");
    }
    const [born, ...others] = await two.keys.list();
    assert.deepEqual(others, []);
    await one.keys.add(key("second", { grants: [{ role: "admin" }] }), MANY, ENTRY);
    assert.equal(await two.keys.remove(born?.id ?? "", ENTRY), true);
    await refused(
      "setup_done",
      two.keys.setUp({ key: key("again", { grants: [{ role: "admin" }] }) }, ENTRY),
    );
    assert.equal(await two.keys.isSetUp(), true);
  });

  promise("keeps the last living admin key, under parallel deletions too", async (under) => {
    await using store = await under.open("a");
    await store.keys.add(key("a", { grants: [{ role: "admin" }] }), MANY, ENTRY);
    await store.keys.add(key("b", { grants: [{ role: "admin" }] }), MANY, ENTRY);
    await store.keys.add(key("expired", { grants: [{ role: "admin" }], expiresAt: 5 }), MANY, ENTRY);
    await store.keys.add(key("all", { grants: [{ permissions: [...permissionsOf("admin")] }] }), MANY, ENTRY);
    await store.keys.add(key("viewer", { grants: [{ role: "viewer" }] }), MANY, ENTRY);
    const results = await Promise.allSettled([
      store.keys.remove("a", ENTRY),
      store.keys.remove("b", ENTRY),
    ]);
    assert.deepEqual(results.map((result) => result.status).sort(), ["fulfilled", "rejected"]);
    const left = (await store.keys.list()).filter((one) => one.id === "a" || one.id === "b");
    assert.equal(left.length, 1);
    await refused("last_admin", store.keys.remove(left[0]?.id ?? "", ENTRY));
    assert.equal(await store.keys.remove("expired", ENTRY), true);
    assert.equal(await store.keys.remove("viewer", ENTRY), true);
    assert.equal(await store.keys.remove("viewer", ENTRY), false);
  });

  promise("knows a person by issuer and subject, never by their e-mail (R25)", async (under) => {
    await using store = await under.open("a");
    const ada = account("ada", { email: "ada@example.org" });
    const first = await store.sessions.open(session("s1", 1), ada, () => ENTRY);
    const again = await store.sessions.open(session("s2", 2), {
      ...ada,
      id: "fresh",
      name: "Ada L.",
      claims: `{"login":"ada"}`,
    }, () => ENTRY);
    const twin = await store.sessions.open(
      session("s3", 3),
      { ...ada, id: "twin", issuer: "https://other" },
      () => ENTRY,
    );
    assert.equal(again.id, first.id);
    assert.notEqual(twin.id, first.id);
    const now = await store.sessions.get("s1", 10, 1000);
    assert.deepEqual([
      now?.holder.kind === "user" && now.holder.account.name,
      now?.holder.kind === "user" && now.holder.account.claims,
    ], ["Ada L.", `{"login":"ada"}`]);
  });

  promise("gives a session until it is ended, over, or idle", async (under) => {
    await using store = await under.open("a");
    await store.sessions.open(session("s", 1, { createdAt: 0, expiresAt: 100 }), account("ada"), () => ENTRY);
    assert.equal((await store.sessions.get("s", 30, 50))?.id, "s");
    assert.equal(await store.sessions.get("s", 60, 50), null, "idle");
    assert.equal(await store.sessions.get("s", 100, 500), null, "over");
    assert.equal(await store.sessions.get("t", 1, 50), null, "unknown");
    assert.equal(await store.sessions.end("s", 40, ENTRY), true);
    assert.equal(await store.sessions.end("s", 41, ENTRY), false);
    assert.equal(await store.sessions.get("s", 30, 50), null, "ended");
  });

  promise(
    "rotates once for 100 parallel callers on two handles; all others get that successor (F39)",
    async (under) => {
      await using one = await under.open("a");
      await using two = await under.open("a");
      await one.sessions.open(session("s", 1), account("ada"), () => ENTRY);
      const results = await Promise.all(Array.from({ length: 100 }, (_, n) => {
        const store = n % 2 === 0 ? one : two;
        return store.sessions.rotate(rotation(1, 100 + n, { sealed: bytes(3, n) }), ENTRY);
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

  promise("ends the session when a spent token returns after the grace (R30)", async (under) => {
    await using store = await under.open("a");
    await store.sessions.open(session("s", 1), account("ada"), () => ENTRY);
    assert.equal((await store.sessions.rotate(rotation(1, 2, { now: 0 }), ENTRY)).kind, "rotated");
    assert.equal((await store.sessions.rotate(rotation(1, 3, { now: 10 }), ENTRY)).kind, "repeated");
    assert.equal((await store.sessions.rotate(rotation(1, 4, { now: 11 }), ENTRY)).kind, "reused");
    assert.equal((await store.sessions.rotate(rotation(2, 5, { now: 11 }), ENTRY)).kind, "ended");
    assert.equal(await store.sessions.get("s", 11, 1000), null);
  });

  promise("ends the session when a grandparent returns inside the grace (F40)", async (under) => {
    await using store = await under.open("a");
    await store.sessions.open(session("s", 1), account("ada"), () => ENTRY);
    await store.sessions.rotate(rotation(1, 2, { now: 0 }), ENTRY);
    await store.sessions.rotate(rotation(2, 3, { now: 1 }), ENTRY);
    assert.equal((await store.sessions.rotate(rotation(1, 4, { now: 2 }), ENTRY)).kind, "reused");
    assert.equal((await store.sessions.rotate(rotation(3, 5, { now: 2 }), ENTRY)).kind, "ended");
  });

  promise("never prolongs a session's end by rotating, and idles from the last rotation", async (under) => {
    await using store = await under.open("a");
    await store.sessions.open(session("s", 1, { createdAt: 0, expiresAt: 100 }), account("ada"), () => ENTRY);
    await store.sessions.rotate(rotation(1, 2, { now: 60, idleMs: 70 }), ENTRY);
    const after = await store.sessions.get("s", 99, 70);
    assert.deepEqual([after?.expiresAt, after?.lastUsedAt], [100, 60]);
    assert.equal(
      (await store.sessions.rotate(rotation(2, 3, { now: 100, idleMs: 70 }), ENTRY)).kind,
      "ended",
    );
  });

  promise("refuses a token of one session for another", async (under) => {
    await using store = await under.open("a");
    await store.sessions.open(session("s", 1), account("ada"), () => ENTRY);
    await store.sessions.open(session("t", 2), account("eve"), () => ENTRY);
    assert.equal((await store.sessions.rotate(rotation(2, 3, { session: "s" }), ENTRY)).kind, "ended");
    assert.equal((await store.sessions.rotate(rotation(2, 3, { session: "t" }), ENTRY)).kind, "rotated");
  });

  promise("forgets what is over and keeps what lives", async (under) => {
    await using store = await under.open("a");
    await store.sessions.open(
      session("over", 1, { createdAt: 0, expiresAt: 50 }),
      account("ada"),
      () => ENTRY,
    );
    await store.sessions.open(
      session("alive", 2, { createdAt: 40, expiresAt: 500 }),
      account("ada"),
      () => ENTRY,
    );
    await store.sessions.sweep(60, 100);
    assert.equal(await store.sessions.get("over", 10, 1000), null);
    assert.equal((await store.sessions.get("alive", 60, 100))?.id, "alive");
  });

  promise("has one pending and one active signing key, whoever adds", async (under) => {
    await using one = await under.open("a");
    await using two = await under.open("a");
    const added = await Promise.all([
      one.signingKeys.add(signingKey("k1"), ENTRY),
      two.signingKeys.add(signingKey("k2"), ENTRY),
    ]);
    assert.deepEqual(added.filter(Boolean).length, 1);
    const [first] = await two.signingKeys.list();
    assert.deepEqual(first, signingKey(first?.kid ?? ""));
    assert.equal(await two.signingKeys.activate(first?.kid ?? "", 5, ENTRY), true);
    assert.equal(await one.signingKeys.activate(first?.kid ?? "", 5, ENTRY), false);
    await one.signingKeys.add(signingKey("k3"), ENTRY);
    assert.equal(await one.signingKeys.activate("k3", 9, ENTRY), true);
    const states = (await two.signingKeys.list()).map((one) => [one.state, one.since, one.sealed.length]);
    assert.deepEqual(states.sort(), [["active", 9, 8], ["retiring", 9, 0]]);
    await one.signingKeys.forget(9);
    assert.equal((await one.signingKeys.list()).length, 2);
    await one.signingKeys.forget(10);
    assert.deepEqual((await one.signingKeys.list()).map((one) => one.kid), ["k3"]);
  });

  promise("lists the audit newest first, by page and by filter", async (under) => {
    await using store = await under.open("a");
    const entries = Array.from(
      { length: 10 },
      (_, n) => auditEntryOf({ at: n, action: n % 2 === 0 ? "keys.add" : "keys.remove" }),
    );
    await store.audit.append(entries);
    const page = await store.audit.list({ ...ALL, limit: 3 });
    assert.deepEqual([page.total, page.items.map((one) => one.at)], [10, [9, 8, 7]]);
    const { id, seq, ...last } = page.items[0] ?? assert.fail();
    assert.deepEqual([seq, last], [null, entries[9]]);
    const older = await store.audit.list({ ...ALL, limit: 3, before: id - 1, action: "keys.add" });
    assert.deepEqual([older.total, older.items.map((one) => one.at)], [5, [6, 4, 2]]);
    assert.equal((await store.audit.list({ ...ALL, actor: "nobody" })).total, 0);
    const any = { ...ALL, action: ["keys.remove", "keys.add"], actor: entries[0]!.actor.id };
    assert.equal((await store.audit.list(any)).total, 10);
    assert.equal((await store.audit.list({ ...any, action: ["keys.remove", "none"] })).total, 5);
  });

  const record = workspace(1);
  const life = { id: "s", ada: account("ada") };
  const changes: readonly Change[] = [
    {
      name: "workspaces.add",
      change: (store, entry) => store.workspaces.add(record, entry),
      state: (store) => store.workspaces.list(),
    },
    {
      name: "workspaces.change",
      before: (store) => store.workspaces.add(record, ENTRY),
      change: (store, entry) => store.workspaces.change(record.id, { editable: true }, entry),
      state: (store) => store.workspaces.list(),
    },
    {
      name: "workspaces.remove",
      before: (store) => store.workspaces.add(record, ENTRY),
      change: (store, entry) => store.workspaces.remove(record.id, entry),
      state: (store) => store.workspaces.list(),
    },
    {
      name: "keys.add",
      change: (store, entry) => store.keys.add(key("k", {}), MANY, entry),
      state: (store) => store.keys.list(),
    },
    {
      name: "keys.setUp",
      change: (store, entry) => store.keys.setUp({ key: key("k", { grants: [{ role: "admin" }] }) }, entry),
      state: async (store) => [await store.keys.list(), await store.keys.isSetUp()],
    },
    {
      name: "keys.remove",
      before: (store) => store.keys.add(key("k", {}), MANY, ENTRY),
      change: (store, entry) => store.keys.remove("k", entry),
      state: (store) => store.keys.list(),
    },
    {
      name: "sessions.open",
      change: (store, entry) => store.sessions.open(session("s", 1), life.ada, () => entry),
      state: (store) => store.sessions.get("s", 1, 1_000),
    },
    {
      name: "sessions.end",
      before: (store) => store.sessions.open(session("s", 1), life.ada, () => ENTRY),
      change: (store, entry) => store.sessions.end("s", 1, entry),
      state: (store) => store.sessions.get("s", 1, 1_000),
    },
    {
      name: "sessions.rotate, when it ends the session",
      before: async (store) => {
        await store.sessions.open(session("s", 1), life.ada, () => ENTRY);
        await store.sessions.rotate(rotation(1, 2, { now: 0 }), ENTRY);
      },
      change: (store, entry) => store.sessions.rotate(rotation(1, 3, { now: 20 }), entry),
      state: (store) => store.sessions.get("s", 1, 1_000),
    },
    {
      name: "signingKeys.add",
      change: (store, entry) => store.signingKeys.add(signingKey("k"), entry),
      state: (store) => store.signingKeys.list(),
    },
    {
      name: "signingKeys.activate",
      before: (store) => store.signingKeys.add(signingKey("k"), ENTRY),
      change: (store, entry) => store.signingKeys.activate("k", 5, entry),
      state: (store) => store.signingKeys.list(),
    },
  ];
  const all = [
    ...changes,
    ...CHANGES_OF_PEOPLE,
    ...CHANGES_OF_PLANS,
    ...CHANGES_OF_APPLIES,
    ...CHANGES_OF_CLAIMS,
    ...CHANGES_OF_IGNORED,
    ...CHANGES_OF_NOTICES,
    ...CHANGES_OF_REGISTRIES,
    ...CHANGES_OF_SOURCES,
    ...CHANGES_OF_UPDATES,
  ];
  for (const { name, before, change, state } of all) {
    promise(`commits ${name} with its entry, both or neither`, async (under) => {
      await using store = await under.open("a");
      await before?.(store);
      const was = await state(store);
      const told = async () => (await store.audit.list({ ...ALL, action: "told" })).total;

      const impossible = auditEntryOf({ action: "told", chain: "no such chain" as AuditChain });
      await assert.rejects(change(store, impossible));
      assert.deepEqual([await state(store), await told()], [was, 0], "neither");

      await change(store, auditEntryOf({ action: "told" }));
      assert.notDeepEqual(await state(store), was);
      assert.equal(await told(), 1, "both");
    });
  }

  promise("tells nothing where nothing changed (R52)", async (under) => {
    await using store = await under.open("a");
    await store.workspaces.remove("none", ENTRY);
    await store.keys.remove("none", ENTRY);
    await store.sessions.end("none", 1, ENTRY);
    await store.sessions.rotate(rotation(1, 2), ENTRY);
    await store.signingKeys.activate("none", 1, ENTRY);
    assert.equal((await store.audit.list(ALL)).total, 0);
    await store.sessions.open(session("s", 1), life.ada, () => ENTRY);
    assert.equal((await store.sessions.rotate(rotation(1, 2), ENTRY)).kind, "rotated");
    await store.signingKeys.add(signingKey("one"), ENTRY);
    await store.signingKeys.add(signingKey("two"), ENTRY);
    await store.keys.setUp({ key: key("k", { grants: [{ role: "admin" }] }) }, ENTRY);
    await refused("setup_done", store.keys.setUp({ key: key("l", { grants: [{ role: "admin" }] }) }, ENTRY));
    await refused("last_admin", store.keys.remove("k", ENTRY));
    assert.equal((await store.audit.list(ALL)).total, 3);
  });

  promise("seals every entry once, in order and each chain for itself, whoever seals", async (under) => {
    await using one = await under.open("a");
    await using two = await under.open("a");
    const entries = Array.from(
      { length: 90 },
      (_, n) => auditEntryOf({ at: 100 - n, chain: n % 3 === 0 ? "refusals" : "changes" }),
    );
    await one.audit.append(entries);
    assert.equal(await two.audit.unsealed(), 90);
    const sealed = await Promise.all(
      [one, two, one, two].map((store) => store.audit.seal(SEALS, 40)),
    );
    assert.deepEqual([sealed.reduce((sum, n) => sum + n), await one.audit.unsealed()], [90, 0]);
    for (const [chain, length] of [["changes", 60], ["refusals", 30]] as const) {
      const rows = await two.audit.sealed(chain, 0, 100);
      assert.deepEqual(rows.map(({ seq }) => seq), Array.from({ length }, (_, n) => n + 1));
      let previous = new Uint8Array(32);
      for (const row of rows) {
        const { mac, ...entry } = row;
        assert.deepEqual(mac, SEALS.mac(previous, entry), `${chain} ${row.seq}`);
        previous = new Uint8Array(mac);
      }
      const { seq, mac, floorSeq, proof, ...rest } = (await one.audit.chains())[chain];
      assert.deepEqual([seq, mac, floorSeq], [length, previous, 0]);
      assert.deepEqual(proof, SEALS.proof(chain, { seq, mac, floorSeq, ...rest }));
      assert.deepEqual((await one.audit.sealed(chain, length - 2, 9)).map((row) => row.seq), [
        length - 1,
        length,
      ]);
    }
    assert.equal(await one.audit.seal(SEALS, 40), 0);
  });

  promise(
    "forgets a chain from its old end alone, by age and by number, and knows where it stood",
    async (under) => {
      await using store = await under.open("a");
      await store.audit.append(Array.from({ length: 10 }, (_, at) => auditEntryOf({ at })));
      const unsealed = { before: 100, keep: 0 };
      assert.equal(await store.audit.forget("changes", unsealed, SEALS, 100), 0, "what is not sealed stays");
      await store.audit.seal(SEALS, 100);
      const fourth = (await store.audit.sealed("changes", 3, 1))[0] ?? assert.fail();

      assert.equal(await store.audit.forget("changes", { before: 4, keep: 100 }, SEALS, 100), 4);
      const { floorSeq, floorMac, seq, proof, mac } = (await store.audit.chains()).changes;
      assert.deepEqual([floorSeq, floorMac, seq], [4, fourth.mac, 10]);
      assert.deepEqual(proof, SEALS.proof("changes", { seq, mac, floorSeq, floorMac }));
      assert.equal(await store.audit.forget("changes", { before: 4, keep: 100 }, SEALS, 100), 0);
      assert.equal(
        await store.audit.forget("changes", { before: 0, keep: 3 }, SEALS, 2),
        2,
        "so many at once",
      );
      assert.equal(await store.audit.forget("changes", { before: 0, keep: 3 }, SEALS, 100), 1);
      assert.deepEqual((await store.audit.sealed("changes", 0, 100)).map((row) => row.seq), [8, 9, 10]);
      assert.equal((await store.audit.list(ALL)).total, 3);
    },
  );

  promise("forgets no entry of a known caller for one of strangers", async (under) => {
    await using store = await under.open("a");
    const actor = { kind: "anonymous", id: "-", name: "-" } as const;
    const strangers = Array.from({ length: 20 }, (_, n) => auditEntryOf({ at: n, chain: "refusals", actor }));
    await store.audit.append([auditEntryOf({ at: 0, chain: "refusals" }), ...strangers]);
    await store.audit.seal(SEALS, 100);
    assert.equal(await store.audit.forget("refusals", { before: 0, keep: 5 }, SEALS, 100), 0);
    await store.audit.append(
      Array.from({ length: 6 }, (_, n) => auditEntryOf({ at: 30 + n, chain: "refusals" })),
    );
    await store.audit.seal(SEALS, 100);
    assert.equal(await store.audit.forget("refusals", { before: 0, keep: 5 }, SEALS, 100), 22);
  });

  promise(
    "counts strangers in a bounded number of counters, from two handles, until the hour is over",
    async (under) => {
      await using one = await under.open("a");
      await using two = await under.open("a");
      const count = (hour: number, peer: string, count: number) => ({
        hour,
        peer,
        action: "a",
        result: "r",
        count,
      });
      await one.audit.countStrangers([count(1, "p1", 2), count(1, "p2", 1), count(2, "p1", 7)], 3);
      await two.audit.countStrangers([count(1, "p1", 3), count(1, "p3", 1), count(1, "p4", 4)], 3);
      await two.audit.countStrangers([count(1, "p5", 4), count(1, "p2", 1)], 3);
      const others = { hour: 1, peer: "*", action: "*", result: "*", count: 8 };
      const counted = await one.audit.strangers();
      assert.deepEqual(counted.map(({ peer, count }) => [peer, count]), [
        ["*", 8],
        ["p1", 7],
        ["p1", 5],
        ["p2", 2],
        ["p3", 1],
      ]);
      assert.deepEqual(counted[0], others);

      const entryOf = ({ peer, count }: StrangerCount) => auditEntryOf({ chain: "refusals", peer, count });
      const closed = await Promise.all([one, two].map((store) => store.audit.closeStrangers(2, entryOf)));
      assert.deepEqual(closed.sort(), [0, 4]);
      const { items } = await two.audit.list(ALL);
      assert.deepEqual(items.map(({ peer, count }) => [peer, count]).sort(), [
        ["*", 8],
        ["p1", 5],
        ["p2", 2],
        ["p3", 1],
      ]);
      assert.deepEqual(await one.audit.strangers(), [count(2, "p1", 7)]);
    },
  );

  promise("remembers for every receiver how far it is", async (under) => {
    await using store = await under.open("a");
    assert.deepEqual(await store.audit.delivered("tcp://one:1"), { changes: 0, refusals: 0 });
    await store.audit.deliver("tcp://one:1", { changes: 5, refusals: 0 });
    await store.audit.deliver("tcp://one:1", { changes: 7, refusals: 2 });
    assert.deepEqual(await store.audit.delivered("tcp://one:1"), { changes: 7, refusals: 2 });
    assert.deepEqual(await store.audit.delivered("tcp://two:1"), { changes: 0, refusals: 0 });
  });

  promise(
    "copies itself while it is written, and the copy opens with all that was acknowledged before (F65, R58)",
    async (under) => {
      await using store = await under.open("a");
      if (store.backup === null) return;
      for (let n = 0; n < 50; n++) await store.workspaces.add(workspace(n), ENTRY);
      let written = 50;
      const writing = (async () => {
        for (; written < 100; written++) await store.workspaces.add(workspace(written), ENTRY);
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
    "gives an offer to its owner once, of all who ask at two handles, until it expires",
    async (under) => {
      await using one = await under.open("a");
      await using two = await under.open("a");
      const offer = (id: string, expiresAt: number) => ({
        id,
        owner: "user:ada",
        expiresAt,
        body: `["${id}"]`,
      });
      await one.offers.add(offer("a", 10), 1, 3);
      assert.equal(await two.offers.take("a", "user:eve", 5), null, "it is not theirs");
      assert.equal(await two.offers.take("a", "user:ada", 10), null, "it has expired");
      const taken = await Promise.all(
        [one, two, one, two].map((store) => store.offers.take("a", "user:ada", 5)),
      );
      assert.deepEqual(taken.filter((body) => body !== null), ['["a"]']);
      for (const [id, end] of [["b", 20], ["c", 30], ["d", 40], ["e", 50]] as const) {
        await one.offers.add(offer(id, end), 1, 3);
      }
      assert.equal(await one.offers.take("b", "user:ada", 5), null, "the first to end made room");
      await one.offers.add(offer("f", 60), 35, 3);
      assert.equal(await one.offers.take("c", "user:ada", 5), null, "it was forgotten when it had expired");
      assert.equal(await two.offers.take("d", "user:ada", 5), '["d"]');
    },
  );

  promise(
    "remembers commands until they have ended, and gives out those that nobody answers for",
    async (under) => {
      const command = (mark: string, heldUntil: number) => ({
        mark,
        execId: `exec-${mark}`,
        backend: "docker",
        container: "web",
        user: "1000:1000",
        heldUntil,
        hungUp: false,
      });
      {
        await using store = await under.open("a");
        for (
          const one of [command("late", 30), command("early", 10), command("held", 10), command("over", 5)]
        ) {
          await store.commands.add(one);
        }
        await store.commands.hold(["held", "nobody"], 100);
        await store.commands.forget("over");
        await store.commands.forget("over");
      }
      await using store = await under.open("a");
      assert.deepEqual(await store.commands.left(9), []);
      assert.deepEqual(await store.commands.left(10), [command("early", 10)]);
      assert.deepEqual(await store.commands.left(30), [command("early", 10), command("late", 30)]);
      await store.commands.leave("held", 20, true);
      await store.commands.leave("nobody", 20, true);
      assert.deepEqual(await store.commands.left(20), [command("early", 10), {
        ...command("held", 20),
        hungUp: true,
      }]);
    },
  );

  promise(
    "says store_unavailable for a backup into a folder that is not there, and leaves nothing",
    async (under) => {
      await using store = await under.open("a");
      if (store.backup === null) return;
      await refused("store_unavailable", store.backup(`${under.folder}/none/copy`));
      await store.check();
    },
  );

  promise("says store_unavailable after it was closed", async (under) => {
    const store = await under.open("a");
    await store[Symbol.asyncDispose]();
    await refused("store_unavailable", store.check());
    await refused("store_unavailable", store.workspaces.add(workspace(1), ENTRY));
    await store[Symbol.asyncDispose]();
  });
}

function workspace(n: number) {
  return {
    id: `w${n}`,
    name: `W${n}`,
    path: `/srv/w${n}`,
    createdAt: "2026-01-01T00:00:00.000Z",
    allowHardLinks: false,
    editable: false,
  };
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
