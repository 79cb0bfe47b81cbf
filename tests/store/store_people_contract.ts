/** The promises of every store about people, of keys that know who made them, and of the last admin. */
import assert from "node:assert/strict";
import type { Grant } from "../../core/access.ts";
import type { KeyRecord, NewPerson } from "../../core/access_store.ts";
import type { Store } from "../../core/store.ts";
import { auditEntryOf, ENTRY } from "../access/audit_entry.ts";
import { account, bytes, type Change, key, MANY, type Promised, refused, session } from "./store_records.ts";

const ADMIN: readonly Grant[] = [{ role: "admin" }];
const LINK = { hash: bytes(32, 7), expiresAt: 100 };
const IDLE = 1_000;

function person(id: string, over: Partial<NewPerson> = {}): NewPerson {
  return {
    id,
    issuer: "berth",
    subject: id,
    name: id,
    grants: [{ role: "viewer" }],
    password: null,
    createdAt: 1,
    ...over,
  };
}

function keyOf(id: string, kind: "user" | "apiKey", creator: string, over: Partial<KeyRecord> = {}) {
  return key(id, { creator: { kind, id: creator }, ...over });
}

async function withPassword(store: Store, id: string, over: Partial<NewPerson> = {}): Promise<void> {
  await store.people.add(person(id, over), { ...LINK, hash: bytes(32, id.charCodeAt(0)) }, ENTRY);
  await store.people.setPassword(id, "hashed", null, 2, ENTRY);
}

const apiKey = (id: string, secret = key(id, {}).hash) => ({ kind: "apiKey", id, secret } as const);

/** At the time 4. */
const rotation = (secret: number, until: number, keep: string | null = null) => ({
  hash: bytes(32, secret),
  until,
  now: 4,
  keep,
});

const all = async (store: Store) => [await store.people.list(5, IDLE), await store.keys.list()];
const sessionsOf = (store: Store) => store.sessions.list("ada", 5, IDLE);

/** As in the store's own contract: the change and its entry, both or neither. */
export const CHANGES_OF_PEOPLE: readonly Change[] = [
  {
    name: "people.add",
    change: (store, entry) => store.people.add(person("ada"), LINK, entry),
    state: all,
  },
  {
    name: "people.change",
    before: (store) => store.people.add(person("ada"), LINK, ENTRY),
    change: (store, entry) => store.people.change("ada", { disabledAt: 3 }, entry),
    state: all,
  },
  {
    name: "people.remove",
    before: (store) => store.people.add(person("ada"), LINK, ENTRY),
    change: (store, entry) => store.people.remove("ada", entry),
    state: all,
  },
  {
    name: "people.setPassword",
    before: (store) => store.people.add(person("ada"), LINK, ENTRY),
    change: (store, entry) => store.people.setPassword("ada", "hashed", null, 2, entry),
    state: all,
  },
  {
    name: "people.link",
    before: (store) => store.people.add(person("ada"), LINK, ENTRY),
    change: (store, entry) =>
      store.people.link("ada", { ...LINK, hash: bytes(32, 8) }, person("ada").grants, entry),
    state: (store) => store.people.linked(LINK.hash, 5),
  },
  {
    name: "people.useLink",
    before: (store) => store.people.add(person("ada"), LINK, ENTRY),
    change: (store, entry) => store.people.useLink(LINK.hash, "hashed", 5, () => entry),
    state: all,
  },
  {
    name: "keys.rotate",
    before: (store) => store.keys.add(key("k", {}), MANY, ENTRY),
    change: (store, entry) => store.keys.rotate("k", rotation(9, 5), entry),
    state: all,
  },
  {
    name: "keys.adopt",
    before: async (store) => {
      await store.people.add(person("ada"), LINK, ENTRY);
      await store.keys.add(key("k", {}), MANY, ENTRY);
    },
    change: (store, entry) =>
      store.keys.adopt("k", { creator: { kind: "user", id: "ada" }, name: "ada", expiresAt: null }, entry),
    state: all,
  },
  {
    name: "sessions.openFor",
    before: (store) => store.people.add(person("ada"), LINK, ENTRY),
    change: (store, entry) => store.sessions.openFor(session("s", 1), { kind: "user", id: "ada" }, entry),
    state: sessionsOf,
  },
  {
    name: "sessions.prove",
    before: (store) => store.sessions.open(session("s", 1), account("ada"), () => ENTRY),
    change: (store, entry) => store.sessions.prove("s", 4, entry),
    state: sessionsOf,
  },
  {
    name: "sessions.endAll",
    before: (store) => store.sessions.open(session("s", 1), account("ada"), () => ENTRY),
    change: (store, entry) => store.sessions.endAll("ada", null, 4, entry),
    state: sessionsOf,
  },
];

export function peopleContract(promise: Promised): void {
  promise("remembers people in order of their names, with all that is known of them", async (under) => {
    await using store = await under.open("a");
    await store.people.add(
      person("zoe", { grants: [{ role: "operator", on: ["project:shop"] }] }),
      LINK,
      ENTRY,
    );
    await store.sessions.open(session("s", 1, { createdAt: 3 }), account("ada"), () => ENTRY);
    const [ada, zoe] = await store.people.list(5, IDLE);
    assert.deepEqual(ada, {
      ...account("ada"),
      grants: null,
      createdAt: 3,
      lastSeenAt: 3,
      disabledAt: null,
      hasPassword: false,
      sessions: 1,
    });
    assert.deepEqual([zoe?.id, zoe?.grants, zoe?.lastSeenAt, zoe?.sessions], [
      "zoe",
      [{ role: "operator", on: ["project:shop"] }],
      null,
      0,
    ]);
    assert.deepEqual(await store.people.get("ada", 5, IDLE), ada);
    assert.equal(await store.people.get("eve", 5, IDLE), null);
    assert.equal((await store.people.named("berth", "zoe"))?.password, null);
    assert.equal(await store.people.named("berth", "ada"), null, "a provider's person is no local one");
    await refused("person_exists", store.people.add(person("other", { subject: "zoe" }), LINK, ENTRY));
  });

  promise(
    "sets a password by a link once, for one of 20 at the same time, and ends the sessions",
    async (under) => {
      await using one = await under.open("a");
      await using two = await under.open("a");
      await one.people.add(person("ada"), LINK, ENTRY);
      await one.sessions.openFor(session("s", 1), { kind: "user", id: "ada" }, ENTRY);
      assert.equal(await one.people.linked(LINK.hash, 100), null, "it ran out");
      assert.equal(await one.people.useLink(LINK.hash, "late", 100, () => ENTRY), null);
      assert.equal((await two.people.linked(LINK.hash, 99))?.id, "ada");
      const used = await Promise.all(
        Array.from(
          { length: 20 },
          (_, n) => (n % 2 === 0 ? one : two).people.useLink(LINK.hash, `p${n}`, 5, () => ENTRY),
        ),
      );
      assert.equal(
        used.filter((result) => result !== null).length,
        1,
      );
      const winner = used.findIndex((result) => result !== null);
      assert.equal((await two.people.named("berth", "ada"))?.password, `p${winner}`);
      assert.deepEqual(await two.sessions.list("ada", 6, IDLE), []);
    },
  );

  promise("lets a new link replace the one before", async (under) => {
    await using store = await under.open("a");
    await store.people.add(person("ada"), LINK, ENTRY);
    const { grants: held } = person("ada");
    const another = { hash: bytes(32, 8), expiresAt: 100 };
    assert.equal(await store.people.link("ada", another, held, ENTRY), true);
    assert.equal(await store.people.linked(LINK.hash, 5), null);
    assert.equal((await store.people.linked(another.hash, 5))?.id, "ada");
    assert.equal(await store.people.link("eve", LINK, held, ENTRY), false);
    await refused("forbidden", store.people.link("ada", LINK, ADMIN, ENTRY));
    assert.equal((await store.people.linked(another.hash, 5))?.id, "ada");
  });

  promise(
    "ends a link with other grants, another password, and while somebody is disabled",
    async (under) => {
      await using store = await under.open("a");
      const { grants: held } = person("ada");
      const use = () => store.people.useLink(LINK.hash, "by link", 5, () => ENTRY);
      await store.people.add(person("ada"), LINK, ENTRY);
      await store.people.change("ada", { grants: ADMIN }, ENTRY);
      assert.deepEqual([await store.people.linked(LINK.hash, 5), await use()], [null, null]);
      await store.people.link("ada", LINK, ADMIN, ENTRY);
      await store.people.setPassword("ada", "hashed", null, 2, ENTRY);
      assert.deepEqual([await store.people.linked(LINK.hash, 5), await use()], [null, null]);
      await store.people.add(person("zoe"), { ...LINK, hash: bytes(32, 9) }, ENTRY);
      await store.people.change("zoe", { disabledAt: 5 }, ENTRY);
      await store.people.link("zoe", LINK, held, ENTRY);
      assert.equal(await store.people.linked(LINK.hash, 5), null);
      await store.people.change("zoe", { disabledAt: null }, ENTRY);
      assert.equal(
        (await store.people.linked(LINK.hash, 5))?.id,
        "zoe",
        "the one that was made since counts",
      );
      assert.equal(await store.people.linked(bytes(32, 9), 5), null);
      await store.people.change("zoe", { disabledAt: 6 }, ENTRY);
      assert.equal(await use(), null);
      assert.equal((await store.people.named("berth", "zoe"))?.password, null);
    },
  );

  promise("replaces a hash only by another one of the same password", async (under) => {
    await using store = await under.open("a");
    await withPassword(store, "ada");
    await store.people.rehash("ada", "another", "dearer");
    assert.equal((await store.people.named("berth", "ada"))?.password, "hashed");
    await store.people.rehash("ada", "hashed", "dearer");
    assert.equal((await store.people.named("berth", "ada"))?.password, "dearer");
  });

  promise("lets a disabled person open nothing, by whichever way they come", async (under) => {
    await using store = await under.open("a");
    const ada = await store.sessions.open(session("s", 1), account("ada"), () => ENTRY);
    await store.keys.add(keyOf("k", "user", ada.id), MANY, ENTRY);
    await store.keys.add(keyOf("l", "apiKey", "k"), MANY, ENTRY);
    await store.people.change(ada.id, { disabledAt: 4 }, ENTRY);

    const again = await store.sessions.open(session("t", 2), { ...account("ada"), name: "Eve" }, () => ENTRY);
    assert.deepEqual([again.disabledAt, again.name], [4, "ada"]);
    assert.equal(await store.sessions.get("t", 5, IDLE), null);
    assert.equal(await store.sessions.openFor(session("u", 3), { kind: "user", id: ada.id }, ENTRY), null);
    assert.equal(await store.sessions.openFor(session("v", 4), apiKey("l"), ENTRY), null);
    await refused("unauthenticated", store.keys.add(keyOf("m", "apiKey", "l"), MANY, ENTRY));
    assert.deepEqual((await store.keys.list()).map((one) => [one.id, one.disabled]), [["k", true], [
      "l",
      true,
    ]]);

    await store.people.change(ada.id, { disabledAt: null }, ENTRY);
    assert.equal((await store.keys.get("l"))?.disabled, false);
    assert.equal((await store.sessions.get("s", 5, IDLE))?.id, "s");
  });

  promise("knows who made a key, and takes with a creator all that came from them", async (under) => {
    await using store = await under.open("a");
    await store.people.add(person("ada"), LINK, ENTRY);
    await store.keys.add(key("root", {}), MANY, ENTRY);
    await store.keys.add(keyOf("a", "user", "ada", { createdAt: 2 }), MANY, ENTRY);
    await store.keys.add(keyOf("b", "apiKey", "a", { createdAt: 3 }), MANY, ENTRY);
    await store.keys.add(keyOf("c", "apiKey", "b", { createdAt: 4 }), MANY, ENTRY);
    await store.sessions.openFor(session("s", 1), apiKey("c"), ENTRY);
    assert.deepEqual((await store.keys.list("b")).map((one) => one.id), ["c"]);
    const made = await store.keys.get("c");
    assert.deepEqual([made?.personId, made?.limit], ["ada", { grants: person("ada").grants, claims: "{}" }]);
    const lower = [{ permissions: ["system:read"] }];
    await store.people.change("ada", { grants: lower }, ENTRY);
    assert.deepEqual((await store.keys.list()).map(({ limit }) => limit?.grants), [
      undefined,
      ...[lower, lower, lower],
    ]);
    await refused("unauthenticated", store.keys.add(keyOf("x", "apiKey", "none"), MANY, ENTRY));

    // Taken over, the branch goes with its new creator.
    const by = { creator: { kind: "apiKey", id: "root" } as const, name: "root", expiresAt: 50 };
    assert.equal(await store.keys.adopt("b", by, ENTRY), true);
    const adopted = await store.keys.get("b");
    assert.deepEqual([adopted?.creator?.id, adopted?.createdBy, adopted?.expiresAt, adopted?.personId], [
      "root",
      "root",
      50,
      null,
    ]);
    const moved = await store.keys.get("c");
    assert.deepEqual([moved?.personId, moved?.limit, moved?.expiresAt], [null, null, 50]);
    assert.equal(await store.people.remove("ada", ENTRY), true);
    assert.deepEqual((await store.keys.list()).map((one) => one.id), ["root", "b", "c"]);
    assert.equal((await store.sessions.get("s", 5, IDLE))?.id, "s");

    assert.equal(await store.keys.remove("root", ENTRY), true);
    assert.deepEqual(await store.keys.list(), []);
    assert.equal(await store.sessions.get("s", 5, IDLE), null, "a key's session goes with it");
  });

  promise("keeps the secret before the last rotation for a while", async (under) => {
    await using store = await under.open("a");
    const before = key("k", {});
    await store.keys.add(before, MANY, ENTRY);
    assert.equal(await store.keys.rotate("k", rotation(9, 77), ENTRY), true);
    const after = await store.keys.get("k");
    assert.deepEqual([after?.hash, after?.previous], [bytes(32, 9), { hash: before.hash, until: 77 }]);
    assert.equal(await store.keys.rotate("none", rotation(9, 77), ENTRY), false);
  });

  promise("ends the sessions of a key with the secret that opened them", async (under) => {
    await using store = await under.open("a");
    await store.keys.add(key("k", {}), MANY, ENTRY);
    let opened = 0;
    const open = (secret: number) =>
      store.sessions.openFor(
        session(`s${++opened}`, opened, { createdAt: 4 }),
        apiKey("k", bytes(32, secret)),
        ENTRY,
      );
    const living = async (at: number) =>
      (await store.sessions.list("k", at, IDLE)).map(({ id }) => id).sort();
    await open(1);
    await open(1);
    await store.keys.rotate("k", rotation(7, 50, "s2"), ENTRY);
    assert.deepEqual([await living(49), await living(50)], [["s1", "s2"], ["s2"]]);
    assert.ok(await open(1) !== null && await open(7) !== null && await open(8) === null);

    // Of the secret before the overlap, or of the one after it: nobody can tell.
    await store.keys.rotate("k", rotation(8, 60), ENTRY);
    assert.deepEqual(await living(5), []);
    assert.ok(await open(1) === null && await open(7) !== null);
    await store.keys.rotate("k", rotation(9, 4), ENTRY);
    assert.deepEqual([await living(4), await living(5), await open(8)], [[], [], null]);
  });

  promise("holds no more keys than it is told to", async (under) => {
    await using store = await under.open("a");
    await store.keys.add(key("a", {}), 1, ENTRY);
    await refused("too_many_keys", store.keys.add(key("b", {}), 1, ENTRY));
    assert.equal((await store.keys.list()).length, 1);
  });

  promise("gives out a key that is used and ends soon once, to one of all who ask", async (under) => {
    await using one = await under.open("a");
    await using two = await under.open("a");
    for (const [id, expiresAt] of [["soon", 60], ["late", 500], ["over", 5], ["never", null]] as const) {
      await one.keys.add(key(id, { expiresAt }), MANY, ENTRY);
    }
    await one.keys.add(key("unused", { expiresAt: 60 }), MANY, ENTRY);
    const use = { at: 4, peer: "::1" };
    await one.keys.used(new Map(["soon", "late", "over", "never"].map((id) => [id, use])));
    const told = auditEntryOf({ action: "told" });
    const given = await Promise.all(
      [one, two, one, two].map((store) => store.keys.ending(10, 100, () => told)),
    );
    assert.deepEqual(given.flat().map((key) => key.id), ["soon"]);
    const entries = await one.audit.list({
      before: null,
      limit: 9,
      action: "told",
      actor: null,
      result: null,
    });
    assert.equal(entries.total, 1);
  });

  promise("remembers a session whole, and ends all of somebody's but one", async (under) => {
    await using store = await under.open("a");
    await store.people.add(person("ada"), LINK, ENTRY);
    const holder = { kind: "user", id: "ada" } as const;
    const opened = await store.sessions.openFor(session("s", 1, { provedAt: 2 }), holder, ENTRY);
    assert.deepEqual([opened?.provedAt, opened?.peer, opened?.device], [2, "::1", "a test"]);
    await store.sessions.openFor(session("t", 2, { createdAt: 4 }), holder, ENTRY);
    await store.sessions.openFor(session("u", 3), holder, ENTRY);
    assert.deepEqual((await store.sessions.list("ada", 5, IDLE)).map((one) => one.id), ["t", "s", "u"]);
    assert.equal(await store.sessions.prove("s", 9, ENTRY), true);
    assert.equal((await store.sessions.get("s", 5, IDLE))?.provedAt, 9);
    assert.deepEqual((await store.sessions.endAll("ada", "s", 5, ENTRY)).sort(), ["t", "u"]);
    assert.deepEqual((await store.sessions.list("ada", 6, IDLE)).map((one) => one.id), ["s"]);
    assert.deepEqual(await store.sessions.endAll("ada", "s", 5, ENTRY), []);
    assert.equal(await store.sessions.prove("t", 9, ENTRY), false);
  });

  promise("counts as the last admin who can always come in, a person as well as a key", async (under) => {
    await using store = await under.open("a");
    await withPassword(store, "ada", { grants: ADMIN });
    await store.keys.add(key("ends", { grants: ADMIN, expiresAt: 99 }), MANY, ENTRY);
    await store.keys.add(key("scoped", { grants: [{ role: "admin", on: ["engine:nas"] }] }), MANY, ENTRY);
    await store.people.add(person("linked", { grants: ADMIN }), { ...LINK, hash: bytes(32, 1) }, ENTRY);
    await withPassword(store, "zoe", { grants: [{ role: "operator" }] });
    const before = await all(store);
    for (
      const lower of [
        () => store.people.remove("ada", ENTRY),
        () => store.people.change("ada", { disabledAt: 5 }, ENTRY),
        () => store.people.change("ada", { grants: [{ role: "operator" }] }, ENTRY),
        () => store.people.change("ada", { grants: [{ role: "admin", on: ["engine:nas"] }] }, ENTRY),
      ]
    ) await refused("last_admin", lower());
    assert.deepEqual(await all(store), before, "nothing is left of what was rolled back");

    await store.keys.add(key("rescue", { grants: ADMIN }), MANY, ENTRY);
    assert.equal(await store.people.change("ada", { disabledAt: 5 }, ENTRY), true);
    await refused("last_admin", store.keys.remove("rescue", ENTRY));
    const by = { creator: { kind: "user", id: "zoe" } as const, name: "zoe", expiresAt: 50 };
    await refused("last_admin", store.keys.adopt("rescue", by, ENTRY));
    assert.equal(await store.people.change("ada", { disabledAt: null }, ENTRY), true);
    assert.equal(await store.keys.remove("rescue", ENTRY), true);
  });

  promise("refuses a deletion that takes the last admin along", async (under) => {
    await using store = await under.open("a");
    await store.people.add(person("ada", { grants: ADMIN }), LINK, ENTRY);
    await store.keys.add(keyOf("maker", "user", "ada"), MANY, ENTRY);
    await store.keys.add(keyOf("admin", "apiKey", "maker", { grants: ADMIN }), MANY, ENTRY);
    const lowered = store.people.change("ada", { grants: [{ role: "operator" }] }, ENTRY);
    await refused("last_admin", lowered); // the key would hold no more than she
    await refused("last_admin", store.keys.remove("maker", ENTRY));
    await refused("last_admin", store.people.remove("ada", ENTRY));
    await refused("last_admin", store.people.change("ada", { disabledAt: 5 }, ENTRY));
    assert.equal((await store.keys.list()).length, 2);
  });

  promise("leaves an admin in 150 rounds of two who lower each other at once (F94)", async (under) => {
    await using one = await under.open("a");
    await using two = await under.open("a");
    const lowering: readonly ((store: Store, id: string) => Promise<unknown>)[] = [
      (store, id) => store.keys.remove(`key ${id}`, ENTRY),
      (store, id) => store.people.remove(`person ${id}`, ENTRY),
      (store, id) => store.people.change(`person ${id}`, { disabledAt: 5 }, ENTRY),
      (store, id) => store.people.change(`person ${id}`, { grants: [{ role: "viewer" }] }, ENTRY),
    ];
    const make = async (how: number, id: string) => {
      if (how === 0) return await one.keys.add(key(`key ${id}`, { grants: ADMIN }), MANY, ENTRY);
      await one.people.add(
        person(`person ${id}`, { grants: ADMIN }),
        { hash: hashOf(id), expiresAt: 9 },
        ENTRY,
      );
      await one.people.setPassword(`person ${id}`, "hashed", null, 1, ENTRY);
    };
    let survivor: (() => Promise<unknown>) | null = null;
    for (let round = 0; round < 150; round++) {
      const [left, right] = [round % 4, Math.floor(round / 4) % 4];
      await make(left, `${round} left`);
      await make(right, `${round} right`);
      await survivor?.(); // whoever was left before may go now: there are two others
      const results = await Promise.allSettled([
        lowering[left]?.(one, `${round} left`),
        lowering[right]?.(two, `${round} right`),
      ]);
      const outcome = results.map(({ status }) => status).sort();
      assert.deepEqual(outcome, ["fulfilled", "rejected"], `round ${round}`);
      const lost = results.findIndex(({ status }) => status === "rejected");
      survivor = lost === 0
        ? () => lowering[left]?.(one, `${round} left`) ?? Promise.resolve()
        : () => lowering[right]?.(two, `${round} right`) ?? Promise.resolve();
    }
  });

  promise("makes a person the first admin, once for ever", async (under) => {
    await using store = await under.open("a");
    await store.keys.setUp({ person: person("ada", { grants: ADMIN, password: "hashed" }) }, ENTRY);
    assert.equal(await store.keys.isSetUp(), true);
    await refused("setup_done", store.keys.setUp({ person: person("eve", { grants: ADMIN }) }, ENTRY));
    assert.deepEqual((await store.people.list(5, IDLE)).map((one) => [one.id, one.hasPassword]), [[
      "ada",
      true,
    ]]);
    await refused("last_admin", store.people.remove("ada", ENTRY));
  });
}

function hashOf(id: string): Uint8Array {
  const hash = bytes(32, 0);
  new TextEncoder().encodeInto(id, hash);
  return hash;
}
