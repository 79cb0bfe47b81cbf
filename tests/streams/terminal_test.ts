/** Events, merged logs and measurements of real engines, over the sockets that a browser opens. */
import assert from "node:assert/strict";
import { Sights } from "../../core/sight.ts";
import { NO_OWNER } from "../support/no_owner.ts";
import type { Log } from "../../core/log.ts";
import { Backends } from "../../engines/links/backends.ts";
import { statsRoutes } from "../../plugins/containers/stats/routes.ts";
import { EventHub } from "../../plugins/containers/events/event_hub.ts";
import { findLiveIn, readLive } from "../../plugins/containers/backends/live_container.ts";
import { whileSeenIn } from "../../plugins/containers/backends/while_seen.ts";
import { StatsFeeds } from "../../plugins/containers/stats/stats_feed.ts";
import { StreamLimit } from "../../plugins/containers/backends/stream_limit.ts";
import { terminalRoutes } from "../../plugins/containers/events/routes.ts";
import { chaosProxy } from "../proof/chaos_proxy.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { StreamService, Visitor } from "../support/stream_service.ts";

const OWNERSHIP = {
  ...NO_OWNER,
  projectsOf: (workspace: string) => workspace === "known" ? ["shop"] : null,
};
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, access() {}, with: () => SILENT };
async function serve(real: TestEngine) {
  const backends = Backends.configured([{
    name: real.kind,
    guess: real.kind,
    address: { kind: "unix", path: real.socket },
  }], SILENT);
  await backends.settle();
  const streamLimit = new StreamLimit();
  const failures: unknown[] = [];
  const feeds = new StatsFeeds();
  const hub = new EventHub(backends.feed);
  const engines = { backends, sights: new Sights(OWNERSHIP) };
  const find = findLiveIn(engines);
  const onFailure = (error: unknown) => void failures.push(error);
  const service = new StreamService(
    terminalRoutes({
      engines,
      streamLimit,
      hub,
      onFailure,
    }).add(statsRoutes({ find, whileSeen: whileSeenIn(engines), streamLimit, feeds, onFailure })),
  );
  return {
    service,
    backends,
    feeds,
    streamLimit,
    failures,
    open: (query: Record<string, string>) =>
      new Visitor(`${service.url}/api/terminal/compose-logs?${new URLSearchParams(query)}`),
    stats: (id: string) => new Visitor(`${service.url}/api/containers/${id}/stats`),
    [Symbol.asyncDispose]: async () => {
      service.stop();
      await service[Symbol.asyncDispose]();
      await feeds[Symbol.asyncDispose]();
      hub[Symbol.dispose]();
      await backends[Symbol.asyncDispose]();
    },
  };
}

// deno-lint-ignore no-explicit-any -- a test looks into whatever was said
function messages(visitor: Visitor): any[] {
  return visitor.texts.map((text) => JSON.parse(text)).flatMap((one) =>
    one.type === "batch" ? one.items : [one]
  );
}

async function leave(...visitors: Visitor[]): Promise<void> {
  for (const visitor of visitors) visitor.wire.close();
  await Promise.all(visitors.map(({ closed }) => closed));
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("events come with rising numbers, resume behind any of them, and hold no command line", async (engine) => {
    await using berth = await serve(engine);
    const visitor = berth.open({});
    await eventually("the greeting", () => messages(visitor).length > 0);
    const id = await engine.cli("run", "-d", FIXTURE);
    await engine.cli("exec", id, "sh", "-c", "true # hunter2");
    await engine.cli("rm", "-f", id);
    const events = () =>
      messages(visitor).filter(({ type, container }) => type === "event" && container.id === id);
    await eventually("the removal", () => events().some(({ action }) => action === "destroy"));
    const actions = events().map(({ action }) => action);
    for (const action of ["create", "start", "die", "destroy"]) {
      assert.ok(actions.includes(action), `${action} in ${actions}`);
    }
    assert.doesNotMatch(visitor.texts.join(), /hunter2/);

    const all = messages(visitor).filter(({ type }) => type === "event");
    const again = berth.open({ since: String(all[0].seq) });
    await eventually(
      "the past",
      () => messages(again).filter(({ type }) => type === "event").length >= all.length - 1,
    );
    const past = messages(again).filter(({ type }) => type === "event").slice(0, all.length - 1);
    assert.deepEqual(past, all.slice(1));
    await leave(visitor, again);
    assert.deepEqual(berth.failures, []);
  });

  test("logs of a project are merged by time, past and live, and a container that joins later is heard from its start", async (engine) => {
    await using berth = await serve(engine);
    const project = `shop${crypto.randomUUID().slice(0, 8)}`;
    const label = ["--label", `com.docker.compose.project=${project}`];
    const counting = (
      word: string,
    ) => ["sh", "-c", `for i in 1 2 3 4 5; do echo ${word} $i; sleep 0.05; done; exec idle`];
    const a = await engine.cli("run", "-d", ...label, FIXTURE, ...counting("a"));
    const b = await engine.cli("run", "-d", ...label, FIXTURE, ...counting("b"));
    const other = await engine.cli("run", "-d", FIXTURE, ...counting("other"));
    await eventually("the past is written", async () => (await engine.cli("logs", b)).includes("b 5"));
    const visitor = berth.open({ project, logs: "true" });
    const logs = () => messages(visitor).filter(({ type }) => type === "log");
    await eventually("the past", () => logs().length === 10);
    const past = logs();
    assert.deepEqual(past.map(({ time }) => time), past.map(({ time }) => time).toSorted());
    assert.deepEqual(new Set(past.map(({ container }) => container.id)), new Set([a, b]));

    const c = await engine.cli("run", "-d", ...label, FIXTURE, ...counting("c"));
    await eventually("the newcomer", () => logs().some(({ line }) => line === "c 5"));
    await engine.cli("restart", "-t", "0", a);
    await eventually("the second life", () => logs().filter(({ line }) => line === "a 5").length === 2);
    const of = (id: string) => logs().filter(({ container }) => container.id === id).map(({ line }) => line);
    assert.deepEqual(of(c), ["c 1", "c 2", "c 3", "c 4", "c 5"]);
    assert.deepEqual(of(a), [...of(b), ...of(b)].map((line) => line.replace("b", "a")));
    assert.deepEqual(of(other), []);
    await leave(visitor);
    await engine.cli("rm", "-f", a, b, c, other);
    assert.deepEqual(berth.failures, []);
  });

  test("two who measure one container share one stream of the engine, which ends soon after the last left", async (engine) => {
    await using berth = await serve(engine);
    const id = await engine.cli("run", "-d", FIXTURE, "sh", "-c", "while :; do :; done");
    const visitors = [berth.stats(id), berth.stats(id.slice(0, 12))];
    await eventually("samples", () => visitors.every(({ texts }) => texts.length >= 3));
    assert.equal(berth.feeds.open, 1);
    const sample = JSON.parse(visitors[0]!.texts.at(-1)!);
    assert.deepEqual(Object.keys(sample).toSorted(), [
      "cpuPercent",
      "memoryBytes",
      "memoryLimitBytes",
      "pids",
      "readBytes",
      "rxBytes",
      "time",
      "txBytes",
      "writeBytes",
    ]);
    assert.ok(sample.cpuPercent > 0 && sample.memoryLimitBytes > 0, JSON.stringify(sample));
    await leave(...visitors);
    await eventually("the stream is closed", () => berth.feeds.open === 0);

    const last = berth.stats(id);
    await eventually("a sample", () => last.texts.length >= 1);
    await engine.cli("rm", "-f", id);
    const missing = berth.stats("nothing-of-that-name");
    assert.equal((await missing.closed).code, 4404);
    await leave(last);
    assert.deepEqual(berth.failures, []);
  });

  test("measurements come about once a second from either engine, and go on behind a restart", async (engine) => {
    await using berth = await serve(engine);
    const id = await engine.cli("run", "-d", FIXTURE);
    const visitor = berth.stats(id);
    const times = () => visitor.texts.map((text) => Date.parse(JSON.parse(text).time));
    await eventually("samples", () => times().length >= 4);
    const closest = Math.min(...times().slice(1).map((time, at) => time - times()[at]!));
    assert.ok(closest < 4_000, `none less than ${closest} ms behind another`);

    await engine.cli("stop", "-t", "0", id);
    const before = times().length;
    await engine.cli("start", id);
    await eventually("samples of the second life", () => times().length >= before + 3);
    await leave(visitor);
    await engine.cli("rm", "-f", id);
    assert.deepEqual(berth.failures, []);
  });

  test("what does not exist closes 4404 with its words", async (engine) => {
    await using berth = await serve(engine);
    for (
      const [query, code] of [[{ workspace: "unknown" }, "workspace_not_found"], [
        { container: "nothing" },
        "container_not_found",
      ], [{ backend: "nothing", container: "x" }, "backend_not_found"]] as const
    ) {
      const visitor = berth.open(query);
      assert.equal((await visitor.closed).code, 4404);
      assert.equal(messages(visitor)[0].code, code);
    }
    const known = berth.open({ workspace: "known" });
    await eventually("the greeting", () => messages(known)[0]?.type === "hello");
    await leave(known);
  });
}

const { test } = await sharedEngine("docker");

test("merged logs hear those who ran all along on an engine that was away when the watching began", async (engine) => {
  const project = `shop${crypto.randomUUID().slice(0, 8)}`;
  const label = `com.docker.compose.project=${project}`;
  const id = await engine.cli(
    ...["run", "-d", "--label", label, FIXTURE, "sh", "-c"],
    "n=0; while :; do n=$((n+1)); echo $n; sleep 0.1; done",
  );
  await using proxy = chaosProxy(engine.socket);
  proxy.set({ refuse: true });
  await using berth = await serve({ ...engine, socket: proxy.socket });
  const visitor = berth.open({ project, logs: "true", tail: "2" });
  await eventually("the greeting", () => messages(visitor)[0]?.type === "hello");
  proxy.set({});
  const lines = () => messages(visitor).filter(({ type }) => type === "log").map(({ line }) => Number(line));
  await eventually("its lines", () => lines().length > 5);
  await leave(visitor);
  const [first = 0] = lines();
  assert.deepEqual(lines(), lines().map((_, at) => first + at));
  await engine.cli("rm", "-f", id);
});

test("a death of the engine is told, its return is a resync, and logs go on behind the last line (F13)", async (engine) => {
  await using berth = await serve(engine);
  const id = await engine.cli(
    "run",
    "-d",
    "--restart",
    "always",
    FIXTURE,
    "sh",
    "-c",
    "n=0; while :; do n=$((n+1)); echo $n; sleep 0.02; done",
  );
  const visitor = berth.open({ logs: "true", container: id });
  const lines = () => messages(visitor).filter(({ type }) => type === "log").map(({ line }) => line);
  await eventually("lines", () => lines().length > 20);
  await engine.kill();
  await eventually(
    "it is told",
    () => messages(visitor).some(({ type, state }) => type === "backend" && state === "away"),
  );
  const before = lines().length;
  await engine.start();
  await eventually("resync", () => messages(visitor).some(({ type }) => type === "resync"));
  await eventually("more lines", () => lines().length > before + 20, { timeoutMs: 90_000 });
  await leave(visitor);
  const seen = lines();
  const oracle = (await engine.cli("logs", id)).split("\n");
  const first = oracle.indexOf(seen[0]);
  assert.deepEqual(seen, oracle.slice(first, first + seen.length));
  await engine.cli("rm", "-f", id);
});

test("2,000 events in a burst and a viewer who reads nothing: every call is answered with the latest meanwhile, and the state is the engine's (F22)", async (engine) => {
  await using berth = await serve(engine);
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: berth.service.port });
  await conn.write(new TextEncoder().encode(
    `GET /api/terminal/compose-logs HTTP/1.1\r\nHost: 127.0.0.1:${berth.service.port}\r\nUpgrade: websocket\r\n` +
      "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  ));
  const visitor = berth.open({});
  const ids = await Promise.all(Array.from({ length: 20 }, () => engine.cli("create", FIXTURE)));
  const first = berth.backends.feed.seq;
  // Renaming is the cheapest thing that an engine tells of: a hundred times each
  let answered = 0;
  const { engine: ours } = berth.backends.named(engine.kind);
  const rename = async (id: string) => {
    for (let turn = 0; turn < 100; turn++) {
      const name = `n${id.slice(0, 8)}x${turn}`;
      await engine.ask(`POST /containers/${id}/rename?name=${name}`);
      if (turn % 10 !== 0) continue;
      assert.equal((await readLive(ours, id, "look at it")).name, name);
      answered++;
    }
  };
  await Promise.all(ids.map(rename));
  assert.equal(answered, 200);
  await eventually("all events", () => berth.backends.feed.seq >= first + 2_000);
  await eventually("the last name of each", async () => {
    const { up } = await berth.backends.fresh("containers");
    const names = [...up[0]!.mirror.containers.rows.values()].filter(({ id }) => ids.includes(id)).map((
      { name },
    ) => name);
    return names.length === 20 && names.every((name) => name.endsWith("x99"));
  });
  const asked = (await engine.ask("GET /containers/json?all=1")).json.map((
    { Id, Names }: { Id: string; Names: string[] },
  ) => [Id, Names[0]?.slice(1)]);
  const { up } = await berth.backends.fresh("containers");
  const known = [...up[0]!.mirror.containers.rows.values()].map(({ id, name }) => [id, name]);
  assert.deepEqual(new Map(known as [string, string][]), new Map(asked as [string, string][]));
  const told = () =>
    messages(visitor).filter(({ type, action }) => type === "event" && action === "rename")
      .reduce((sum, { repeated = 1 }) => sum + repeated, 0);
  await eventually("every event is told or counted", () => told() === 2_000);
  // The first that the other reads is its greeting: it was there all the time, and nobody waited for it
  let unread = "";
  const buffer = new Uint8Array(4_096);
  while (!unread.includes(`"type":"hello"`)) {
    const size = await conn.read(buffer);
    assert.ok(size !== null, `closed behind ${unread}`);
    unread += new TextDecoder().decode(buffer.subarray(0, size));
  }
  assert.match(unread, /^HTTP\/1\.1 101 /);
  conn.close();
  await leave(visitor);
  await engine.cli("rm", "-f", ...ids);
});
