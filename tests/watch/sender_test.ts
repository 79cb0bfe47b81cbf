/** Promise: a message that is given up has an incident, unless its notice is gone. */
import assert from "node:assert/strict";
import type { Incident } from "../../core/incidents.ts";
import type { NoticeRecord, NoticeStore } from "../../core/notices.ts";
import { pause } from "../../core/pause.ts";
import type { Store } from "../../core/store.ts";
import type { Attempt, Notices } from "../../projects/notices/notices.ts";
import { Sender } from "../../projects/notices/sender.ts";
import { withTellings } from "../../projects/watch/tellings.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { eventually } from "../support/eventually.ts";
import { SILENT } from "../support/silent_log.ts";

const NOTICE: NoticeRecord = {
  ...{
    id: "a",
    name: "ops",
    kind: "webhook",
    host: "ops.lan",
    tells: ["engine"],
    on: [],
    afterS: 0,
    quiet: null,
  },
  ...{ by: { kind: "user", id: "ada", name: "Ada" }, at: 5, sealed: new Uint8Array(8) },
};
const BEGUN: Incident = {
  subject: {
    ...{
      kind: "engine",
      engine: "one",
      workspace: null,
      group: null,
      project: null,
      unit: null,
      container: null,
    },
  },
  ...{
    id: "i",
    kind: "engine",
    since: 1,
    atLatest: false,
    cause: { kind: "engine" },
    fields: [],
    openedAt: 1,
  },
  ...{ closedAt: null, end: null, endings: 0, atFirst: false, lines: 1 },
};
const REFUSED: Attempt = { result: "refused", status: 403, problem: "it answered 403", ms: 1 };
const ANY = {
  state: null,
  kind: "berth",
  workspace: null,
  group: null,
  unit: null,
  since: null,
  before: null,
} as const;

/** A sender of one message that its target refuses. */
async function refusing(
  send: (attempt: number, store: Store) => Promise<void>,
  overrides: (store: NoticeStore) => Partial<NoticeStore> = () => ({}),
) {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "berth-sender-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const store = stack.use(await openSqliteStore(`${folder}/store.db`));
  await store.notices.add(NOTICE, 9, ENTRY);
  const begun = { incident: BEGUN, line: null };
  await store.incidents.write([withTellings(begun, null, [NOTICE], { at: 1, mono: 1 })]);
  let attempts = 0;
  const notices: Pick<Notices, "send"> = {
    send: async () => {
      await send(++attempts, store);
      return REFUSED;
    },
  };
  stack.use(
    new Sender({
      store: { ...store.notices, ...overrides(store.notices) },
      mutes: store.mutes,
      incidents: store.incidents,
      notices: notices as Notices,
      units: () => Promise.resolve([]),
      isOurTurn: () => Promise.resolve(true),
      now: () => Date.now(),
      steady: () => Date.now(),
      base: null,
      log: SILENT,
      times: { tickMs: 5, foldMs: 0, retryMs: [5] },
    }),
  );
  const owned = stack.move();
  return {
    store,
    /** The incidents of targets. */
    found: () => store.incidents.list({ ...ANY, limit: 9 }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

Deno.test("no message is given up without an incident, also when berth ends in that moment", async () => {
  await using berth = await refusing(() => Promise.resolve(), (store) => ({
    // A commit that never comes, as in a process that is killed before it.
    failed: (batch) =>
      batch.state === "dead" ? Promise.reject(new Error("it was killed")) : store.failed(batch),
  }));
  const [found] = await eventually("it has an incident", async () => {
    const all = await berth.found();
    return all.length > 0 ? all : null;
  }, { timeoutMs: 10_000 });
  assert.equal(found!.closedAt, null);
  assert.equal((await berth.store.notices.counts()).dead, 0, "it is tried once more");
});

Deno.test("a notice that is removed during its last attempt leaves no open incident", async () => {
  await using berth = await refusing(async (attempt, store) => {
    if (attempt < 3) return;
    await store.notices.remove(NOTICE.id, ENTRY);
    await pause(200); // the sender looks, and finds nothing to close yet
  });
  const end = await eventually("its incident is over", async () => {
    const [found] = await berth.found();
    return found?.end ?? null;
  }, { timeoutMs: 10_000 });
  assert.equal(end, "undeclared");
});
