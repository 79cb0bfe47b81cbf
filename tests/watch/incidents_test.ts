/** Incidents by their routes, feed, metric and command: who sees which, and that flapping and restarts make none twice. */
import assert from "node:assert/strict";
import type { Incident, IncidentChange, IncidentSubject } from "../../core/incidents.ts";
import { LiveVisitor } from "../streams/live_visitor.ts";
import { runBerth } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

const NOBODY = { workspace: null, group: null, project: null, unit: null, engine: null, container: null };

function incident(
  id: string,
  subject: Partial<IncidentSubject>,
  over: Partial<Incident> = {},
): IncidentChange {
  const made: Incident = {
    id,
    subject: { kind: "unit", ...NOBODY, ...subject },
    kind: "broken",
    since: 1_000,
    atLatest: false,
    cause: { kind: "berth", act: "stop", by: { kind: "user", id: "ada", name: "Ada" } },
    fields: [],
    openedAt: 2_000,
    closedAt: null,
    end: null,
    endings: 0,
    atFirst: false,
    lines: 1,
    ...over,
  };
  const { kind, since, atLatest, cause, fields } = made;
  return { incident: made, line: { at: made.openedAt, kind, since, atLatest, cause, fields } };
}

const SHOP = { workspace: "all", group: "shop", project: "shop", unit: "unit:shop.web", engine: "one" };

async function planted(berth: TestService): Promise<void> {
  await berth.berth.store.incidents.write([
    incident("a1", SHOP, { openedAt: 5_000 }),
    incident("b2", { ...SHOP, group: "blog", project: "blog", unit: "unit:blog.web" }, { openedAt: 4_000 }),
    incident("c3", { kind: "engine", engine: "one" }, { openedAt: 3_000, kind: "engine" }),
    incident("d4", { kind: "container", engine: "one", container: "stray" }, { openedAt: 2_000 }),
    incident("e5", { kind: "berth", container: "watch" }, {
      openedAt: 1_000,
      closedAt: 1_000,
      kind: "berth",
    }),
  ]);
}

async function idsOf(caller: Pick<TestService, "call">, query = ""): Promise<string[]> {
  const { status, body, text } = await caller.call(`GET /api/incidents${query}`);
  assert.equal(status, 200, text);
  return body.items.map(({ id }: { readonly id: string }) => id);
}

Deno.test("GET /api/incidents filters, gives pages, and refuses a `before` that no page gave", async () => {
  await using berth = await startService();
  await planted(berth);
  assert.deepEqual(await idsOf(berth), ["a1", "b2", "c3", "d4", "e5"]);
  assert.deepEqual(await idsOf(berth, "?state=closed"), ["e5"]);
  assert.deepEqual(await idsOf(berth, "?kind=engine"), ["c3"]);
  assert.deepEqual(await idsOf(berth, "?project=shop@all"), ["a1"]);
  assert.deepEqual(await idsOf(berth, "?project=blog"), ["b2"]);
  assert.deepEqual(await idsOf(berth, "?unit=shop.web"), ["a1"]);
  const first = (await berth.call("GET /api/incidents?limit=2")).body;
  assert.deepEqual(await idsOf(berth, `?limit=2&before=${first.next}`), ["c3", "d4"]);
  const refused = await berth.call("GET /api/incidents?before=yesterday");
  assert.deepEqual([refused.status, refused.body.code], [400, "invalid_request"]);
});

Deno.test("a caller sees the incidents of what it sees, and only holders of audit:read who acted", async () => {
  await using berth = await startService();
  await planted(berth);
  const cases: readonly [readonly unknown[], readonly string[]][] = [
    [[{ role: "viewer" }], ["a1", "b2", "c3", "d4", "e5"]],
    [[{ role: "viewer", on: ["project:shop"] }], ["a1"]],
    [[{ role: "viewer", on: ["engine:one"] }], ["c3", "d4"]],
    [[{ permissions: ["artifacts:read"] }], []],
    [[{ permissions: ["artifacts:read", "containers:read"] }], ["a1", "b2", "d4"]],
  ];
  for (const [grants, seen] of cases) {
    const caller = berth.as(
      (await berth.call("POST /api/settings/api-keys", { name: "k", grants })).body.key,
    );
    assert.deepEqual(await idsOf(caller), seen, JSON.stringify(grants));
    for (const id of ["a1", "b2", "c3", "d4", "e5"]) {
      const { status, text } = await caller.call(`GET /api/incidents/${id}`);
      assert.equal(status, seen.includes(id) ? 200 : 404, `${id} ${JSON.stringify(grants)}`);
      assert.ok(!text.includes("Ada"), "nobody is named without audit:read");
    }
  }
  const own = (await berth.call("GET /api/incidents/a1")).body;
  assert.equal(own.cause.by.name, "Ada");
  assert.deepEqual(own.history.map(({ kind }: { readonly kind: string }) => kind), ["broken"]);
});

Deno.test("the beginning of the history is told to all who read it, its numbers to those who see all of berth", async () => {
  await using berth = await startService();
  await berth.berth.store.incidents.write([
    incident("w1", { kind: "berth", container: "watch" }, {
      kind: "berth",
      closedAt: 2_000,
      cause: { kind: "firstWatch", units: 12, bad: 3 },
    }),
  ]);
  const cases: readonly [readonly unknown[], unknown][] = [
    [[{ role: "viewer" }], { kind: "firstWatch", units: 12, bad: 3 }],
    [[{ role: "viewer", on: ["project:shop"] }], { kind: "firstWatch" }],
    [[{ permissions: ["containers:read"] }], undefined],
  ];
  for (const [grants, cause] of cases) {
    const made = await berth.call("POST /api/settings/api-keys", { name: "k", grants });
    const { body } = await berth.as(made.body.key).call("GET /api/incidents");
    assert.deepEqual(body.items?.[0]?.cause, cause, JSON.stringify(grants));
  }
});

Deno.test("berth incidents lists them, and its exit code is 2 while one is open", async () => {
  await using berth = await startService();
  const run = (...args: string[]) =>
    runBerth(["incidents", ...args], { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });
  const none = await run("--open");
  assert.deepEqual([none.code, none.stdout], [0, "No incidents\n"]);
  await planted(berth);
  const open = await run("--open");
  assert.equal(open.code, 2, open.stderr);
  assert.match(open.stdout, /open +shop\.web +broken +stopped through berth by Ada/);
  assert.ok(!open.stdout.includes("berth watches"));
  const all = await run("--json");
  assert.deepEqual(JSON.parse(all.stdout).map(({ id }: { readonly id: string }) => id), [
    "a1",
    "b2",
    "c3",
    "d4",
    "e5",
  ]);
});

Deno.test("the feed of incidents tells the open ones, and each change, to those who may see them", async () => {
  await using berth = await startService();
  await planted(berth);
  const grants = [{ role: "viewer", on: ["project:shop"] }];
  const { body } = await berth.call("POST /api/settings/api-keys", { name: "k", grants });
  await using visitor = new LiveVisitor(berth, body.key);
  await visitor.subscribe("i", "incidents");
  const list = await visitor.list("i");
  assert.deepEqual([...list.rows.keys()], ["a1"]);
  const worse = incident("a1", SHOP, { openedAt: 5_000, kind: "stopped", lines: 2 });
  await berth.berth.store.incidents.write([worse]);
  await eventually("the change is told", () => list.rows.get("a1")?.kind === "stopped");
});

Deno.test("the feed of incidents has the open ones however many are newer, and says from when on it has all", async () => {
  await using berth = await startService();
  const { incidents } = berth.berth.store;
  const now = Date.now();
  const old = { openedAt: 1_000 };
  const blog = { ...SHOP, group: "blog", project: "blog", unit: "unit:blog.web" };
  await incidents.write([incident("open", SHOP, old), incident("other", blog, old)]);
  // Newer ones, of which a caller with the scope of another project sees none.
  const closed = (n: number): IncidentChange => {
    const subject = { ...SHOP, unit: `unit:shop.n${n}` };
    const over = { openedAt: now - 90_000, closedAt: now - 60_000 + n, end: "well" } as const;
    return incident(`n${String(n).padStart(4, "0")}`, subject, over);
  };
  await incidents.write(Array.from({ length: 1_001 }, (_, n) => closed(n)));
  const shownTo = async (on: string) => {
    const grants = [{ role: "viewer", on: [on] }];
    const { body } = await berth.call("POST /api/settings/api-keys", { name: "k", grants });
    await using visitor = new LiveVisitor(berth, body.key);
    await visitor.subscribe("i", "incidents");
    const { rows, beside } = await visitor.list("i");
    return { rows: [...rows.keys()], from: beside["completeFrom"] };
  };
  const shop = await shownTo("project:shop");
  assert.deepEqual([shop.rows.length, shop.rows.includes("open")], [1_000, true]);
  assert.deepEqual(
    [shop.rows.includes("n0001"), shop.rows.includes("n0002")],
    [false, true],
    "the oldest end is cut",
  );
  assert.equal(shop.from, new Date(now - 60_000 + 1).toISOString());
  assert.deepEqual(await shownTo("project:blog"), { rows: ["other"], from: null });
});

Deno.test("a folder without a project that was registered while berth watches, and goes missing, is news", async () => {
  await using berth = await startService({ watchTimes: { beginMs: 0, tickMs: 50 } });
  const { store } = berth.berth;
  await eventually("berth watches", () => store.incidents.wasWatched());
  const path = `${berth.folder}/workspaces/empty`;
  await Deno.mkdir(path);
  assert.equal((await berth.call("POST /api/workspaces", { path })).status, 201);
  const openNow = async () => (await store.incidents.open())[0];
  await eventually("it was found well", async () => {
    const { body } = await berth.call("GET /api/workspaces/empty");
    return body.state !== "reading";
  });
  await new Promise((resolve) => setTimeout(resolve, 2_000)); // some looks
  await Deno.remove(path);
  const { subject, atFirst } = await eventually("it has an incident", openNow);
  assert.deepEqual([subject.kind, subject.workspace, atFirst], ["workspace", "empty", false]);
});

Deno.test("an incident lists the endings of a loop that began half a minute before it, and not those of the one before", async () => {
  await using berth = await startService();
  const { store } = berth.berth;
  await store.incidents.write([
    incident("loop", { kind: "container", engine: "one", container: "stray" }, {
      since: 100_000,
      openedAt: 100_500,
    }),
  ]);
  const ending = { engine: "one", containerId: "c", container: "stray", project: null, startedFrom: null };
  const place = { workspace: null, group: null, unit: null };
  const how = { exitCode: 1, outOfMemory: false, words: "none", more: 0 } as const;
  for (const at of [30_000, 70_000, 100_000]) {
    await store.endings.add({ id: `e${at}`, at, ...ending, ...place, ...how }, null);
  }
  const { items } = (await berth.call("GET /api/endings?incident=loop")).body;
  assert.deepEqual(items.map(({ id }: { readonly id: string }) => id), ["e100000", "e70000"]);
});
