/** Promise: while the store takes nothing, people are told from memory, once, and history and page say what is missing. */
import assert from "node:assert/strict";
import type { Incident } from "../../core/incidents.ts";
import { withTellings } from "../../projects/watch/tellings.ts";
import { compose, composeMissing, workspace } from "../streams/live_scene.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { CANNOT_RUN_POSTGRES, PostgresServer } from "../support/postgres.ts";
import { randomSecret } from "../../auth/secret.ts";
import { serveEngines, startService, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { mayMount, SmallDisk } from "../support/small_disk.ts";
import { untilTargetsAreRead } from "./target_reads.ts";

const NOTICES = { tickMs: 20, foldMs: 0, retryMs: [20], deadMs: 60_000 };

interface Told {
  readonly type: string;
  readonly data: {
    readonly title: string;
    readonly lines: readonly string[];
    readonly incidents: readonly { readonly id: string; readonly subject: string; readonly state: string }[];
  };
}

function receiver(onTaken: () => void = () => {}) {
  const taken: Told[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    taken.push(await request.json());
    onTaken();
    return new Response(null, { status: 204 });
  });
  return {
    taken,
    url: `http://127.0.0.1:${server.addr.port}/`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const ENGINE_AWAY: Incident = {
  id: "i1",
  subject: {
    kind: "engine",
    workspace: null,
    group: null,
    project: null,
    unit: null,
    engine: "one",
    container: null,
  },
  ...{ kind: "engine", since: 1, atLatest: false, cause: { kind: "engine" }, fields: [], openedAt: 1 },
  ...{ closedAt: null, end: null, endings: 0, atFirst: false, lines: 1 },
};

Deno.test({
  name: "a target that took a message gets it once, although the full disk keeps berth from noting that",
  ignore: !mayMount,
  fn: async () => {
    await using disk = await SmallDisk.mount("16m");
    const folder = `${disk.folder}/berth`;
    await Deno.mkdir(folder);
    await using target = receiver(() => disk.fill());
    await using berth = await startService({ folder, watchTimes: { notices: NOTICES } });
    const made = await berth.call("POST /api/notices", {
      name: "ops",
      kind: "webhook",
      address: target.url,
      afterS: 0,
    });
    assert.equal(made.status, 201, made.text);
    const { store } = berth.berth;
    const { kind, since, atLatest, cause, fields } = ENGINE_AWAY;
    const line = { at: 1, kind, since, atLatest, cause, fields };
    await store.incidents.write([
      withTellings({ incident: ENGINE_AWAY, line }, null, await store.notices.list(), { at: 1, mono: 1 }),
    ]);
    await eventually("it is told", () => target.taken.length > 0);
    await sleep(500); // twenty-five looks of the sender
    assert.equal(target.taken.length, 1);
    disk.empty();
    await eventually("that is noted", async () => (await store.notices.counts()).told === 1);
    assert.equal(target.taken.length, 1);
  },
});

const WATCH = {
  beginMs: 0,
  tickMs: 100,
  wellMs: 1_000,
  notices: NOTICES,
  unrecorded: { afterMs: 0, againMs: 300, readMs: 100 },
};

/** Each service runs until it is told to end, and again when it is started again. */
const SCRIPT = "until test -f /go; do sleep 0.1; done; rm /go; echo bye; exit 3";
const TEXT = ["web", "db"].map((name) =>
  `  ${name}:\n    image: "${FIXTURE}"\n    command: [sh, -c, "${SCRIPT}"]\n`
).join("");

const { test } = await lawEngine("docker");

async function watched(
  berth: TestService,
  engine: TestEngine,
  name: string,
  url: string,
): Promise<
  AsyncDisposable & {
    readonly idOf: (service: string) => Promise<string>;
    readonly ends: (service: string) => Promise<unknown>;
  }
> {
  const { path } = await workspace(berth, name, `services:\n${TEXT}`);
  assert.equal(await compose(engine, path, "up", "-d"), "");
  const made = await berth.call("POST /api/notices", {
    name: "ops",
    kind: "webhook",
    address: url,
    afterS: 0,
  });
  assert.equal(made.status, 201, made.text);
  await eventually("both run", async () => {
    const { items } = (await berth.call("GET /api/incidents?state=open")).body;
    return items.length === 0 && (await engine.cli("ps", "-q")).trim().split("\n").length === 2;
  });
  await eventually(
    "it was told first",
    () => berth.berth.store.notices.counts().then(({ waiting }) => waiting === 0),
  );
  await untilTargetsAreRead(berth);
  const idOf = async (service: string) =>
    (await engine.cli("ps", "-aq", "--filter", `label=com.docker.compose.service=${service}`)).trim();
  return {
    [Symbol.asyncDispose]: async () => void await compose(engine, path, "down", "-t", "0"),
    idOf,
    ends: async (service) => engine.cli("exec", await idOf(service), "touch", "/go").catch(() => {}),
  };
}

const ofType = (taken: readonly Told[], type: string) => taken.filter((one) => one.type === type);
const openNow = async (berth: TestService) => (await berth.call("GET /api/incidents?state=open")).body.items;

test(
  "on a full disk what happens is told from memory, the history says that it has a gap, and all is recorded afterwards",
  async (engine) => {
    await using disk = await SmallDisk.mount("32m");
    const folder = `${disk.folder}/berth`;
    await Deno.mkdir(folder);
    await using target = receiver();
    await using berth = await serveEngines({ docker: engine }, { folder, watchTimes: WATCH });
    const viewer = await berth.key("viewer");
    await using scene = await watched(berth, engine, "full", target.url);

    disk.fill();
    await scene.ends("web");
    const told = await eventually("it is told from memory", () => ofType(target.taken, "unrecorded")[0]);
    assert.match(told.data.title, /full\.web broken, not recorded$/);
    assert.match(told.data.lines[0]!, /^since .* UTC nothing could be recorded: .*the disk is full/);
    const [{ id } = assert.fail()] = told.data.incidents;
    for (const caller of [berth, viewer]) {
      const [gap, ...others] = (await caller.call("GET /api/incidents?state=open")).body.items;
      assert.deepEqual([gap.subject, gap.cause.kind, others.length], ["berth", "unrecorded", 0]);
      assert.match(gap.cause.reason, /the disk is full/);
      assert.equal((await caller.call(`GET /api/incidents/${gap.id}`)).body.history.length, 1);
    }
    await scene.ends("db");
    await eventually("the next one is told, too", () => ofType(target.taken, "unrecorded").length === 2);
    await engine.cli("start", await scene.idOf("web"));
    const healed = await eventually(
      "that it is well again is told",
      () => ofType(target.taken, "unrecorded")[2],
    );
    assert.deepEqual(
      healed.data.incidents.map(({ subject, state }) => `${subject} ${state}`).sort(),
      ["full.db open", "full.web closed"],
    );
    await sleep(700);
    assert.equal(ofType(target.taken, "unrecorded").length, 3, "what is known is not told again");

    disk.empty();
    const open = await eventually("all is recorded", async () => {
      const items = await openNow(berth);
      return items.length === 1 && items[0].subject === "unit" ? items : null;
    });
    assert.deepEqual([open[0].unit, open[0].cause.kind, open[0].cause.exitCode, open[0].endings], [
      "unit:full.db",
      "ended",
      3,
      1,
    ]);
    assert.equal(open[0].id, healed.data.incidents.find(({ subject }) => subject === "full.db")!.id);
    const { items } = (await berth.call("GET /api/incidents?state=closed&kind=berth")).body;
    const [gap] = items.filter(({ cause }: { cause: { kind: string } }) => cause.kind === "unrecorded");
    assert.equal(gap.end, "well");
    assert.ok(
      Date.parse(gap.closedAt) - Date.parse(gap.openedAt) > 700,
      "it lasted as long as the disk was full",
    );
    const healedNow = (await berth.call(`GET /api/incidents/${id}`)).body;
    assert.equal(healedNow.unit, "unit:full.web", "who was told of it finds it");
    await eventually(
      "its end is told",
      () =>
        ofType(target.taken, "incidents").some(({ data }) =>
          data.lines.some((line) => /^berth: well again.*could be recorded/.test(line))
        ),
    );
    await eventually("the words of both are kept", async () => {
      const { body } = await berth.call("GET /api/endings");
      return body.items.filter(({ words }: { words: string }) => words === "kept").length === 2;
    });
  },
  composeMissing ?? (mayMount ? null : "no small file system may be mounted here"),
);

test(
  "a berth that ends on a full disk is not started there, and judges all anew once there is room",
  async (engine) => {
    await using disk = await SmallDisk.mount("32m");
    const folder = `${disk.folder}/berth`;
    await Deno.mkdir(folder);
    await using target = receiver();
    let admin: string | null;
    await using scene = new AsyncDisposableStack();
    {
      await using berth = await serveEngines({ docker: engine }, { folder, watchTimes: WATCH });
      admin = berth.admin;
      const { ends } = scene.use(await watched(berth, engine, "again", target.url));
      disk.fill();
      await ends("web");
      await eventually("it is told from memory", () => ofType(target.taken, "unrecorded").length > 0);
    }
    const start = () => serveEngines({ docker: engine }, { folder, watchTimes: WATCH, admin: admin! });
    const refused = await start().then((one) => one, (error) => error as Error);
    assert.match(refused instanceof Error ? refused.message : "it starts", /the disk is full/);
    disk.empty();
    await using berth = await start();
    const open = await eventually("all is recorded", async () => {
      const items = await openNow(berth);
      return items.length === 1 ? items : null;
    });
    assert.deepEqual([open[0].unit, open[0].kind], ["unit:again.web", "broken"]);
  },
  composeMissing ?? (mayMount ? null : "no small file system may be mounted here"),
);

test(
  "while PostgreSQL is away a container that dies is told from memory, and recorded with its cause afterwards",
  async (engine) => {
    await using server = await PostgresServer.start();
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-away-" }));
    await using _tidy = { [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
    const sealingKeyFile = `${folder}/sealing-key`;
    await Deno.writeTextFile(sealingKeyFile, randomSecret(), { mode: 0o600 });
    const database = await server.database();
    await using target = receiver();
    const settings = { folder, database, sealingKeyFile, watchTimes: WATCH };
    await using berth = await serveEngines({ docker: engine }, settings);
    await using scene = await watched(berth, engine, "away", target.url);

    await server.down();
    await scene.ends("web");
    const told = await eventually("it is told from memory", () => ofType(target.taken, "unrecorded")[0]);
    assert.match(told.data.title, /away\.web broken, not recorded$/);
    assert.match(told.data.lines[1]!, /cause unknown/, "nobody can tell who acted");
    assert.equal((await berth.call("GET /api/incidents?state=open")).status, 503, "never an empty list");

    await server.up();
    const open = await eventually("all is recorded", async () => {
      const { status, body } = await berth.call("GET /api/incidents?state=open");
      return status === 200 && body.items.length === 1 && body.items[0].subject === "unit"
        ? body.items
        : null;
    });
    const [{ id, unit, cause, endings }] = open;
    assert.deepEqual([unit, cause.kind, cause.exitCode, endings], ["unit:away.web", "ended", 3, 1]);
    assert.equal(id, told.data.incidents[0]!.id);
    const { items } = (await berth.call("GET /api/incidents?state=closed&kind=berth")).body;
    assert.deepEqual(items.map(({ cause }: { cause: { kind: string } }) => cause.kind), [
      "unrecorded",
      "firstWatch",
    ]);
    await eventually("its words are kept", async () => {
      const [ending] = (await berth.call("GET /api/endings")).body.items;
      return ending?.words === "kept";
    });
  },
  composeMissing ?? CANNOT_RUN_POSTGRES,
);
