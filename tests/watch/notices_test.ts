/** Notices with real receivers: what they get, that nothing is lost, and that what nobody may know stays here. */
import assert from "node:assert/strict";
// The library that receivers of Standard Webhooks use, as the judge of signatures.
import { Webhook } from "npm:standardwebhooks@1.0.0";
import type { Incident, IncidentChange } from "../../core/incidents.ts";
import { Notices } from "../../projects/notices/notices.ts";
import { withTellings } from "../../projects/watch/tellings.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { runBerth } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

const SECRET = `whsec_${btoa("a secret of twenty-four b")}`;
const FAST = {
  watchTimes: { notices: { tickMs: 20, foldMs: 0, retryMs: [20], deadMs: 60_000 } },
};

interface Taken {
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
}

/** A receiver that answers what `answer` says, and keeps what it got. */
function receiver(answer: (taken: Taken, count: number) => number | Response = () => 204) {
  const taken: Taken[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const one = { path: new URL(request.url).pathname, headers: request.headers, text: await request.text() };
    taken.push(one);
    const said = answer(one, taken.length);
    return typeof said === "number" ? new Response(null, { status: said }) : said;
  });
  return {
    taken,
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const NOBODY = { workspace: null, group: null, project: null, unit: null, engine: null, container: null };

function incident(id: string, over: Partial<Incident> = {}): Incident {
  return {
    id,
    subject: {
      kind: "unit",
      workspace: "all",
      group: "shop",
      project: "shop",
      unit: `unit:shop.${id}`,
      engine: "one",
      container: null,
    },
    kind: "broken",
    since: Date.now(),
    atLatest: false,
    cause: { kind: "ended", exitCode: 3 },
    fields: [],
    openedAt: Date.now(),
    closedAt: null,
    end: null,
    endings: 1,
    atFirst: false,
    lines: 1,
    ...over,
  };
}

/** Writes as the watcher does: all of one look in one commit. */
async function writeAll(
  berth: TestService,
  incidents: readonly Incident[],
  before: Incident | null = null,
): Promise<void> {
  const { store } = berth.berth;
  const notices = await store.notices.list();
  await store.incidents.write(incidents.map((now) => {
    const { kind, since, atLatest, cause, fields } = now;
    const line = { at: Date.now(), kind, since, atLatest, cause, fields };
    const change: IncidentChange = { incident: now, line: now.closedAt === null ? line : null };
    return withTellings(change, before, notices, { at: Date.now(), mono: Date.now() });
  }));
}

const write = (berth: TestService, now: Incident, before: Incident | null = null) =>
  writeAll(berth, [now], before);

/** Returns the time of the day in UTC, some hours from now. */
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);

async function notice(berth: TestService, over: Record<string, unknown>): Promise<string> {
  const { status, body, text } = await berth.call("POST /api/notices", { name: "n", afterS: 0, ...over });
  assert.equal(status, 201, text);
  return body.id;
}

Deno.test("a webhook is signed so that the standard's own library accepts it, and told of the end as well", async () => {
  await using target = receiver();
  await using berth = await startService(FAST);
  await notice(berth, { kind: "webhook", address: `${target.url}/hook`, secret: SECRET });
  const web = incident("web");
  await write(berth, web);
  await eventually("the beginning is told", () => target.taken.length === 1);
  await write(berth, { ...web, closedAt: Date.now(), end: "well" }, web);
  await eventually("the end is told", () => target.taken.length === 2);
  const [began, ended] = target.taken.map(({ text, headers }) =>
    // deno-lint-ignore no-explicit-any -- the library gives back what was sent
    new Webhook(SECRET).verify(text, Object.fromEntries(headers)) as any
  );
  assert.deepEqual([began.type, began.data.incidents[0].state, ended.data.incidents[0].state], [
    "incidents",
    "open",
    "closed",
  ]);
  assert.match(began.data.lines[0], /^shop\.web: broken since .* UTC, ended by itself with 3$/);
  assert.throws(() =>
    new Webhook(SECRET).verify(`${target.taken[0]!.text} `, Object.fromEntries(target.taken[0]!.headers))
  );
  await eventually("nothing waits any more", async () => {
    const counts = await berth.berth.store.notices.counts();
    return Object.values(counts).every((count) => count === 0);
  });
});

Deno.test("ntfy, Slack and Apprise get the bodies that they take", async () => {
  await using target = receiver();
  await using berth = await startService(FAST);
  await notice(berth, { name: "a", kind: "ntfy", address: `${target.url}/ntfy/topic`, secret: "tk_1" });
  await notice(berth, { name: "b", kind: "slack", address: `${target.url}/services/T/B` });
  await notice(berth, { name: "c", kind: "apprise", address: `${target.url}/notify/key` });
  await write(berth, incident("web"));
  await eventually("all are told", () => target.taken.length === 3);
  const of = (path: string) => target.taken.find((one) => one.path === path)!;
  const ntfy = of("/ntfy");
  assert.deepEqual([JSON.parse(ntfy.text).topic, ntfy.headers.get("authorization")], [
    "topic",
    "Bearer tk_1",
  ]);
  assert.match(JSON.parse(ntfy.text).message, /^shop\.web: broken/);
  assert.match(JSON.parse(of("/services/T/B").text).text, /^berth: shop\.web broken\nshop\.web/);
  assert.deepEqual(JSON.parse(of("/notify/key").text).type, "failure");
});

Deno.test("a receiver that fails gets the same message again, with the same id and the present state, and delays no other", async () => {
  await using bad = receiver((_, count) => count < 4 ? 503 : 200);
  await using good = receiver();
  await using berth = await startService(FAST);
  await notice(berth, { name: "bad", kind: "webhook", address: bad.url });
  await notice(berth, { name: "good", kind: "webhook", address: good.url });
  await write(berth, incident("web"));
  await eventually("it was taken at last", () => bad.taken.length === 4);
  assert.equal(new Set(bad.taken.map(({ headers }) => headers.get("webhook-id"))).size, 1);
  await eventually("the other one is told", () => good.taken.length === 1);
});

Deno.test("a target that refuses three times is dead: others are told, and a person sends it again", async () => {
  let isOpen = false;
  await using bad = receiver(() => isOpen ? 200 : 403);
  await using good = receiver();
  await using berth = await startService(FAST);
  const id = await notice(berth, { name: "bad", kind: "webhook", address: bad.url });
  await notice(berth, { name: "good", kind: "slack", address: good.url });
  await write(berth, incident("web"));
  const dead = await eventually("it is dead", async () => {
    const { body } = await berth.call("GET /api/notices/messages");
    return body.items.find(({ state }: { readonly state: string }) => state === "dead") ?? null;
  });
  assert.deepEqual([dead.notice, dead.attempts, dead.problem], [id, 3, "it answered 403"]);
  await eventually(
    "the other one is told",
    () => good.taken.some(({ text }) => text.includes("was not taken")),
  );
  assert.ok(!bad.taken.some(({ text }) => text.includes("was not taken")));
  isOpen = true;
  assert.equal((await berth.call(`POST /api/notices/messages/${dead.id}/retry`)).status, 204);
  await eventually(
    "nothing is stuck",
    async () => (await berth.call("GET /api/notices/messages")).body.items.length === 0,
  );
  await eventually(
    "its incident is over",
    async () => (await berth.call("GET /api/incidents?kind=berth&state=open")).body.items.length === 0,
  );
});

Deno.test("what is due together is one message, and what healed before it was told is never told", async () => {
  await using target = receiver();
  await using berth = await startService({
    watchTimes: { notices: { ...FAST.watchTimes.notices, foldMs: 600_000 } },
  });
  await notice(berth, { kind: "webhook", address: target.url, afterS: 4 });
  const healed = incident("healed");
  await write(berth, healed);
  await write(berth, { ...healed, closedAt: Date.now(), end: "well" }, healed);
  await writeAll(berth, Array.from({ length: 30 }, (_, n) => incident(`u${n}`)));
  await eventually("one message is there", () => target.taken.length === 1);
  const { data } = JSON.parse(target.taken[0]!.text);
  assert.deepEqual([data.total, data.incidents.length, data.lines.at(-1)], [30, 10, "and 20 more"]);
  assert.ok(!target.taken[0]!.text.includes("healed"));
});

Deno.test("a notice is told of its kinds and scopes alone, later of what was on purpose, and of nothing in quiet hours", async () => {
  await using target = receiver();
  await using berth = await startService(FAST);
  const quiet = { from: inHours(-2), to: inHours(2), zone: "Etc/UTC" };
  await notice(berth, {
    name: "scope",
    kind: "webhook",
    address: `${target.url}/blog`,
    on: ["project:blog"],
  });
  await notice(berth, { name: "kind", kind: "webhook", address: `${target.url}/engine`, tells: ["engine"] });
  await notice(berth, { name: "quiet", kind: "webhook", address: `${target.url}/quiet`, quiet });
  await notice(berth, { name: "all", kind: "webhook", address: `${target.url}/all` });
  const edited = incident("edited", { kind: "differs", cause: { kind: "file", file: "compose.yaml" } });
  await write(berth, edited);
  await write(berth, incident("first", { atFirst: true }));
  await write(berth, incident("web"));
  await eventually("one is told", () => target.taken.length > 0);
  assert.deepEqual(target.taken.map(({ path }) => path), ["/all"]);
  assert.ok(!target.taken[0]!.text.includes("edited") && !target.taken[0]!.text.includes("first"));
  // Somebody changed it outside of berth since: that ends the hour.
  await write(berth, { ...edited, cause: { kind: "outside", act: "update" } }, edited);
  await eventually("it is told", () => target.taken.some(({ text }) => text.includes("edited")));
});

Deno.test("a unit that a person stops before it was told as broken is told after an hour, to those that want it", async () => {
  await using berth = await startService({ watchTimes: { ...FAST.watchTimes, beginMs: 3_600_000 } });
  const address = "http://127.0.0.1:1/";
  const all = await notice(berth, {
    name: "all",
    kind: "slack",
    address,
    afterS: 60,
    tells: ["broken", "stopped"],
  });
  await notice(berth, { name: "broken", kind: "slack", address, afterS: 60, tells: ["broken"] });
  const web = incident("web");
  await write(berth, web);
  const { notices } = berth.berth.store;
  const dueIn = (minutes: number) => notices.due(Date.now() + minutes * 60_000);
  assert.equal((await dueIn(2)).length, 2);
  const stopped = incident("web", { kind: "stopped", cause: { kind: "berth", act: "stop" } });
  await write(berth, stopped, web);
  assert.deepEqual([await dueIn(59), await dueIn(61)], [[], [all]]);
  // It is started again, and fails once more.
  await write(berth, web, stopped);
  assert.equal((await dueIn(2)).length, 2);
});

Deno.test("an address and a secret are in no answer, log or file, a test says what came of it, and link-local is refused", async () => {
  await using target = receiver((_, count) =>
    count === 1
      ? new Response("canary-answer", { status: 302, headers: { location: "http://169.254.169.254/" } })
      : 200
  );
  await using berth = await startService(FAST);
  const id = await notice(berth, {
    kind: "webhook",
    address: `${target.url}/canary-path`,
    secret: "canary-secret",
  });
  const redirected = (await berth.call(`POST /api/notices/${id}/test`)).body;
  assert.deepEqual([redirected.taken, redirected.status], [false, 302]);
  const tested = await berth.call(`POST /api/notices/${id}/test`);
  assert.deepEqual([tested.body.taken, tested.body.status], [true, 200]);
  assert.equal(JSON.parse(target.taken[1]!.text).type, "test");
  const local = await notice(berth, { kind: "slack", address: "http://169.254.169.254/latest" });
  assert.match((await berth.call(`POST /api/notices/${local}/test`)).body.problem, /may not be called/);
  const answers = [
    (await berth.call("GET /api/notices")).text,
    (await berth.call("GET /api/system/audit")).text,
    tested.text,
    berth.logged().join("\n"),
  ];
  for (const text of answers) assert.ok(!text.includes("canary"), text.slice(0, 300));
  for await (const { name, isFile } of Deno.readDir(`${berth.folder}/data`)) {
    if (!isFile) continue;
    const bytes = await Deno.readFile(`${berth.folder}/data/${name}`);
    assert.ok(!new TextDecoder("latin1").decode(bytes).includes("canary"), name);
  }
  assert.equal((await (await berth.key("operator")).call("GET /api/notices")).status, 403);
});

Deno.test("an empty key is refused, and a notice that has one from before is given up and told of", async () => {
  await using good = receiver();
  await using berth = await startService({
    watchTimes: { notices: { ...FAST.watchTimes.notices, deadMs: 0 } },
  });
  const asked = { name: "n", kind: "webhook", address: good.url };
  for (const secret of ["whsec_", "whsec_ ", "whsec_="]) {
    const { status, body } = await berth.call("POST /api/notices", { ...asked, secret });
    assert.deepEqual([status, body.code], [422, "notice_refused"], secret);
  }
  await notice(berth, { name: "good", kind: "slack", address: good.url });
  const { store, access } = berth.berth;
  const seal = access.noticeSeal;
  using earlier = new Notices({ store: store.notices, seal, now: () => Date.now(), base: null });
  const by = { kind: "user", id: "ada", name: "Ada" } as const;
  const rest = { ca: null, tells: ["broken"], on: [], afterS: 0, quiet: null, by } as const;
  const { id } = await earlier.add(
    { ...rest, name: "empty", kind: "webhook", address: good.url, secret: "whsec_" },
    () => ENTRY,
  );
  const tested = (await berth.call(`POST /api/notices/${id}/test`)).body;
  assert.deepEqual([tested.taken, tested.problem], [false, "berth cannot make the message (DataError)"]);
  await write(berth, incident("web"));
  await eventually(
    "it is given up, and others are told",
    () => good.taken.some(({ text }) => text.includes("was not taken: berth cannot make")),
  );
});

Deno.test("hostile names in a message lose their markup and control characters, and are cut", async () => {
  await using target = receiver();
  await using berth = await startService(FAST);
  await notice(berth, { kind: "slack", address: target.url });
  const unit = `unit:<!channel>\r\nevil\u202e@here ${"x".repeat(5_000)}`;
  await write(berth, incident("web", { subject: { ...incident("web").subject, unit } }));
  await eventually("it is told", () => target.taken.length === 1);
  const { text } = JSON.parse(target.taken[0]!.text);
  assert.ok(text.length < 500 && !/[<>@\r\u202e]/.test(text), text);
});

Deno.test("a mute holds messages of its scope back, only for those who may, and what is still bad is told at its end", async () => {
  await using target = receiver();
  await using berth = await startService(FAST);
  await notice(berth, { kind: "webhook", address: target.url, afterS: 0 });
  const operator = async (on: string) =>
    berth.as(
      (await berth.call("POST /api/settings/api-keys", {
        name: "k",
        grants: [{ role: "operator", on: [on] }],
      }))
        .body.key,
    );
  const shop = await operator("project:shop");
  assert.equal(
    (await (await operator("project:blog")).call("POST /api/mutes", { on: "project:shop", forS: 60 })).status,
    403,
  );
  assert.equal(
    (await (await berth.key("viewer")).call("POST /api/mutes", { on: "project:shop", forS: 60 })).status,
    403,
  );
  for (
    const wrong of [{ forS: 60 }, { on: "label:a=b", forS: 60 }, {
      incident: "x",
      on: "project:shop",
      forS: 60,
    }]
  ) {
    assert.equal((await berth.call("POST /api/mutes", wrong)).body.code, "mute_refused");
  }
  assert.equal((await berth.call("POST /api/mutes", { on: "project:shop", forS: 9_999_999 })).status, 400);
  const made = await shop.call("POST /api/mutes", { on: "project:shop", forS: 600 });
  assert.equal(made.status, 201, made.text);
  const healed = incident("healed");
  await writeAll(berth, [incident("web"), healed]);
  await write(berth, { ...healed, closedAt: Date.now(), end: "well" }, healed);
  const other = incident("db");
  await write(berth, { ...other, subject: { ...other.subject, project: "blog", group: "blog" } });
  await eventually("the other project is told", () => target.taken.length === 1);
  assert.ok(!target.taken[0]!.text.includes("shop.web"));
  const [row] = (await berth.call("GET /api/incidents?unit=shop.web")).body.items;
  assert.equal(row.mutedUntil, made.body.until);
  assert.deepEqual((await (await operator("project:blog")).call("GET /api/mutes")).body.items, []);
  assert.equal(
    (await (await operator("project:blog")).call(`DELETE /api/mutes/${made.body.id}`)).status,
    404,
  );
  assert.equal((await shop.call(`DELETE /api/mutes/${made.body.id}`)).status, 204);
  await eventually("what is still bad is told", () => target.taken.length === 2);
  assert.ok(target.taken[1]!.text.includes("shop.web") && !target.taken[1]!.text.includes("healed"));
});

Deno.test("berth mute holds a scope back for a time, lists it, and ends it", async () => {
  await using berth = await startService(FAST);
  const run = (...args: string[]) =>
    runBerth(["mute", ...args], { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });
  assert.match(
    (await run("project:shop", "--for", "30m", "--unit", "shop.web")).stdout,
    /^muted until 20.*Z\n$/,
  );
  assert.match((await run()).stdout, /project:shop shop\.web +all/);
  assert.equal((await run("project:shop", "--for", "soon")).code, 64);
  assert.equal((await run("shop", "--for", "30m")).code, 64);
  assert.equal((await run("project:shop", "--end")).code, 1);
  assert.equal((await run("project:shop", "--unit", "shop.web", "--end")).code, 0);
  assert.equal((await run()).stdout, "Nothing is muted\n");
});

Deno.test("the first message of a target says what berth watches, and what is wrong now", async () => {
  await using target = receiver();
  await using berth = await startService(FAST);
  const { store } = berth.berth;
  const at = Date.now();
  const first = incident("watch", {
    subject: { ...NOBODY, kind: "berth", container: "watch" },
    kind: "berth",
    cause: { kind: "firstWatch", units: 3, bad: 2 },
    closedAt: at,
    end: "well",
  });
  const path = `${berth.folder}/workspaces/shop`;
  await Deno.mkdir(path);
  await Deno.writeTextFile(
    `${path}/compose.yaml`,
    "name: shop\nservices: {web: {image: a}, db: {image: b}}\n",
  );
  assert.equal((await berth.call("POST /api/workspaces", { path })).status, 201);
  await notice(berth, { name: "early", kind: "webhook", address: `${target.url}/early` });
  await write(berth, first);
  await eventually("who was there before is told", () => target.taken.length === 1);
  assert.equal(JSON.parse(target.taken[0]!.text).data.title, "berth watches 2 units: all is well");
  await write(berth, incident("web"));
  await notice(berth, { name: "late", kind: "webhook", address: `${target.url}/late` });
  await notice(berth, { name: "blog", kind: "webhook", address: `${target.url}/blog`, on: ["project:blog"] });
  await eventually(
    "each is told once",
    () => target.taken.filter(({ path }) => path !== "/early").length === 2,
  );
  const bodies = new Map(target.taken.map(({ path, text }) => [path, JSON.parse(text)]));
  assert.deepEqual(
    ["/late", "/blog"].map((path) => [bodies.get(path).type, bodies.get(path).data.title]),
    [
      ["watching", "berth watches 2 units: 1 not as it should be"],
      ["watching", "berth watches 0 units: all is well"],
    ],
  );
  assert.match(bodies.get("/late").data.lines[0], /^shop\.web: broken since/);
  await eventually("nothing is left to tell", async () => (await store.notices.counts()).waiting === 0);
  assert.deepEqual(target.taken.map(({ path }) => path).sort(), ["/blog", "/early", "/early", "/late"]);
});

Deno.test("a target that hangs, one that leads elsewhere and one that fails for a day delay no other, and are given up", async () => {
  const elsewhere: string[] = [];
  await using inner = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    elsewhere.push(request.url);
    return new Response(null, { status: 204 });
  });
  const hanging = Promise.withResolvers<Response>();
  await using target = receiver(({ path }) =>
    path === "/well" ? 204 : path === "/fails" ? 500 : new Response(null, {
      status: 307,
      headers: { location: `http://127.0.0.1:${inner.addr.port}/` },
    })
  );
  await using still = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => hanging.promise);
  const notices = { tickMs: 20, foldMs: 0, retryMs: [20], deadMs: 300 };
  await using berth = await startService({ watchTimes: { notices } });
  const add = (name: string, address: string) => notice(berth, { name, kind: "webhook", address, afterS: 0 });
  await add("hangs", `http://127.0.0.1:${still.addr.port}/`);
  await add("leads", `${target.url}/leads`);
  await add("fails", `${target.url}/fails`);
  await add("well", `${target.url}/well`);
  const begun = Date.now();
  await write(berth, incident("web"));
  const told = () => target.taken.filter(({ path }) => path === "/well").map(({ text }) => text);
  await eventually("the well one is told", () => told().some((text) => text.includes("shop.web")));
  assert.ok(Date.now() - begun < 9_000, "before the one that hangs is given up");
  await eventually(
    "it is told of the others",
    () =>
      ["leads", "fails"].every((name) =>
        told().some((text) => text.includes(`notice ${JSON.stringify(JSON.stringify(name)).slice(1, -1)}`))
      ),
  );
  const failed = await eventually("the one that hangs is tried again", async () => {
    const { items } = (await berth.call("GET /api/notices/messages")).body;
    return items.find(({ problem }: { problem: string }) => /no answer within 10 s/.test(problem)) ?? null;
  });
  assert.ok(failed.attempts >= 1);
  assert.deepEqual(elsewhere, [], "no redirect is followed");
  hanging.resolve(new Response(null, { status: 204 }));
});

Deno.test("a sender with nothing to send asks the store twice a look, however many notices and mutes there are", async () => {
  await using berth = await startService(FAST);
  const at = Date.now();
  await write(
    berth,
    incident("watch", {
      subject: { ...NOBODY, kind: "berth", container: "watch" },
      cause: { kind: "firstWatch" },
      closedAt: at,
      end: "well",
    }),
  );
  for (let n = 0; n < 20; n++) {
    await notice(berth, { name: `n${n}`, kind: "webhook", address: "http://127.0.0.1:1/", afterS: 600 });
  }
  const { notices } = berth.berth.store;
  for (const { id } of (await notices.list())) {
    await notices.sent((await notices.take(id, at * 2, id, []))!.id);
  }
  await write(berth, incident("web"));
  await berth.call("POST /api/mutes", { on: "project:shop", forS: 600 });
  const countOf = async (operation: string) => {
    const { text } = await berth.call("GET /api/metrics");
    const name = `berth_store_seconds_count{operation="${operation}"}`;
    return Number(text.split("\n").find((line) => line.startsWith(name))?.split(" ").at(-1) ?? "0");
  };
  const asked = ["notices.due", "notices.take", "mutes.list"];
  const before = await Promise.all(asked.map(countOf));
  await eventually("some looks have passed", async () => await countOf("notices.due") >= before[0]! + 20);
  const [looks = 0, taken, muted] = (await Promise.all(asked.map(countOf))).map((one, n) => one - before[n]!);
  assert.deepEqual([looks >= 20, taken, muted], [true, 0, 0]);
});
