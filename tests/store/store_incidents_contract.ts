/** Promises of every store for incidents. */
import assert from "node:assert/strict";
import {
  type Incident,
  type IncidentChange,
  type IncidentQuery,
  type IncidentSubject,
  MOST_LINES,
} from "../../core/incidents.ts";
import { auditEntryOf } from "../access/audit_entry.ts";
import type { Promised } from "./store_records.ts";

const UNIT: IncidentSubject = {
  kind: "unit",
  workspace: "srv",
  group: "shop",
  project: "shop",
  unit: "unit:shop.web",
  engine: "docker",
  container: null,
};

const ALL: IncidentQuery = {
  state: null,
  kind: null,
  workspace: null,
  group: null,
  unit: null,
  since: null,
  before: null,
  limit: 100,
};

function incident(id: string, over: Partial<Incident> = {}): Incident {
  return {
    id,
    subject: { ...UNIT, unit: `unit:shop.${id}` },
    kind: "differs",
    since: 1_000,
    atLatest: false,
    cause: { kind: "outside", act: "update" },
    fields: [{ field: "memory", declared: "512m", actual: "256m", file: "compose.yaml", line: 18 }],
    openedAt: 2_000,
    closedAt: null,
    end: null,
    endings: 0,
    atFirst: false,
    lines: 1,
    ...over,
  };
}

function change(of: Incident, at = of.openedAt): IncidentChange {
  const { kind, since, atLatest, cause, fields } = of;
  return { incident: of, line: { at, kind, since, atLatest, cause, fields } };
}

export function incidentsContract(promise: Promised): void {
  promise("keeps incidents and their lines, across a new start", async (under) => {
    const web = incident("web");
    {
      await using store = await under.open("a");
      assert.deepEqual(await store.incidents.write([change(web)]), ["web"]);
    }
    await using store = await under.open("a");
    assert.deepEqual(await store.incidents.open(), [web]);
    const worse: Incident = {
      ...web,
      kind: "broken",
      cause: { kind: "ended", exitCode: 1 },
      fields: [],
      lines: 2,
    };
    assert.deepEqual(await store.incidents.write([change(worse, 3_000)]), ["web"]);
    assert.deepEqual(await store.incidents.get("web"), worse);
    const lines = await store.incidents.lines("web");
    assert.deepEqual(lines.map(({ seq, at, kind }) => [seq, at, kind]), [[1, 2_000, "differs"], [
      2,
      3_000,
      "broken",
    ]]);
    assert.deepEqual(lines[1]?.cause, { kind: "ended", exitCode: 1 });
  });

  promise("opens one incident per subject at most, whoever writes", async (under) => {
    await using store = await under.open("a");
    await using other = await under.open("a");
    assert.deepEqual(await store.incidents.write([change(incident("web"))]), ["web"]);
    const twin = incident("twin", { subject: incident("web").subject });
    assert.deepEqual(await other.incidents.write([change(twin), change(incident("db"))]), ["db"]);
    const closed = incident("web", { closedAt: 5_000, end: "well" });
    assert.deepEqual(await other.incidents.write([{ incident: closed, line: null }]), ["web"]);
    // Closed by the other one: this one is told so, and opens no second row.
    assert.deepEqual(await store.incidents.write([{ incident: { ...closed, endings: 3 }, line: null }]), []);
    assert.deepEqual(await store.incidents.get("web"), closed);
    assert.deepEqual(await store.incidents.write([change(twin)]), ["twin"]);
  });

  promise("lists incidents newest first, by what is asked, and page by page", async (under) => {
    await using store = await under.open("a");
    const old = incident("old", { openedAt: 1_000, closedAt: 1_500, end: "well" });
    const api = incident("api", {
      openedAt: 3_000,
      kind: "broken",
      subject: { ...UNIT, workspace: "nas", group: "api" },
    });
    await store.incidents.write([old, incident("web"), api].map((one) => change(one)));
    const ids = async (query: Partial<IncidentQuery>) =>
      (await store.incidents.list({ ...ALL, ...query })).map(({ id }) => id);
    assert.deepEqual(await ids({}), ["api", "web", "old"]);
    assert.deepEqual(await ids({ limit: 1, before: { at: 3_000, id: "api" } }), ["web"]);
    assert.deepEqual(await ids({ state: "open" }), ["api", "web"]);
    assert.deepEqual(await ids({ state: "closed" }), ["old"]);
    assert.deepEqual(await ids({ kind: "broken" }), ["api"]);
    assert.deepEqual(await ids({ workspace: "nas" }), ["api"]);
    assert.deepEqual(await ids({ group: "shop" }), ["web", "old"]);
    assert.deepEqual(await ids({ unit: "unit:shop.old" }), ["old"]);
    assert.deepEqual(await ids({ since: 1_500 }), ["api", "web"]);
  });

  promise(
    "forgets old closed incidents with their lines, never open ones or the first watch",
    async (under) => {
      await using store = await under.open("a");
      assert.equal(await store.incidents.wasWatched(), false);
      const first = incident("first", {
        subject: { ...UNIT, kind: "berth", workspace: null, unit: null, container: "watch" },
        closedAt: 2_000,
      });
      const closed = [1, 2, 3].map((n) =>
        incident(`c${n}`, { openedAt: n * 1_000, closedAt: n * 1_000, end: "well" })
      );
      await store.incidents.write([first, incident("web"), ...closed].map((one) => change(one)));
      assert.equal(await store.incidents.wasWatched(), true);
      assert.equal(await store.incidents.forget(1_500, 100), 1);
      assert.equal(await store.incidents.forget(0, 3), 1);
      assert.deepEqual((await store.incidents.list(ALL)).map(({ id }) => id).sort(), ["c3", "first", "web"]);
      assert.deepEqual(await store.incidents.lines("c1"), []);
    },
  );

  promise("keeps 200 lines of an incident, and tells each write by its revision", async (under) => {
    await using store = await under.open("a");
    let revision = await store.incidents.revision();
    for (let lines = 1; lines <= MOST_LINES + 3; lines++) {
      await store.incidents.write([change(incident("web", { lines }))]);
    }
    assert.equal((await store.incidents.lines("web")).length, MOST_LINES);
    assert.equal((await store.incidents.get("web"))?.lines, MOST_LINES + 3);
    assert.ok(await store.incidents.revision() > revision);
    revision = await store.incidents.revision();
    await store.incidents.write([{ incident: incident("web", { lines: 9 }), line: null }]);
    assert.ok(await store.incidents.revision() > revision);
  });

  promise("finds changes of the audit log by their time", async (under) => {
    await using store = await under.open("a");
    const entries = [1, 2, 3].map((at) => auditEntryOf({ at: at * 1_000, target: `/${at}` }));
    await store.audit.append([
      ...entries,
      auditEntryOf({ at: 2_000, chain: "refusals", target: "/refused" }),
    ]);
    const found = async (from: number, to: number, limit: number) =>
      (await store.audit.between(from, to, limit)).map(({ target }) => target);
    assert.deepEqual(await found(1_500, 3_000, 10), ["/3", "/2"]);
    assert.deepEqual(await found(0, 9_000, 2), ["/3"]);
  });
}
