/** The metrics of berth, read by a real Prometheus. */
import assert from "node:assert/strict";
import { StartFailure } from "../../app/start_failure.ts";
import { readConfig } from "../../config/config.ts";
import { Metrics } from "../../core/metrics.ts";
import { randomSecret } from "../../auth/secret.ts";
import { LOCK_SPACE, LOCKS } from "../../store/postgres/transaction.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { save, workspace } from "../streams/live_scene.ts";
import { measureUnits } from "../../routes/unit_metrics.ts";
import { sendRaw } from "../support/raw_http.ts";
import { serveEngines, startService } from "../support/service.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const missing = await Promise.all(
  ["prometheus", "promtool"].map((name) => Deno.stat(`/usr/bin/${name}`).then(() => "", () => name)),
).then((names) => names.filter((name) => name !== "").map((name) => `"${name}" is not installed`)[0] ?? null);
const server = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;
const { test } = await sharedEngine("docker");

/** The value of one series, as the text says it. */
function valueOf(text: string, series: string): number | null {
  const line = text.split("\n").find((line) => line.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
}

test(
  "a Prometheus that scrapes berth with a key knows its engines, rows, events, requests and streams",
  async (engine) => {
    await using berth = await serveEngines({ docker: engine });
    await engine.cli("run", "-d", "--name", "web", "--network", "none", FIXTURE, "idle");
    const key = await berth.key(["system:read"]);
    await using prometheus = await startPrometheus(berth.port, key.credential!);
    const logs = await berth.fetch("GET /api/containers/web/logs?follow=true");

    await eventually("it is scraped", async () => await prometheus.ask("up") === 1);
    const asked: readonly (readonly [query: string, is: (value: number) => boolean])[] = [
      ['berth_engine_up{backend="docker"}', (value) => value === 1],
      ['berth_engines{state="up"}', (value) => value === 1],
      ['berth_engine_events_total{backend="docker"}', (value) => value >= 2],
      ['berth_mirror_rows{kind="containers"}', (value) => value === 1],
      ["berth_mirror_waiting", (value) => value === 0],
      ['berth_streams_open{kind="logs"}', (value) => value === 1],
      ['berth_http_requests_total{route="GET /api/metrics",status="200"}', (value) => value >= 1],
      ["histogram_quantile(0.99, sum by (le) (berth_http_request_seconds_bucket))", (value) => value > 0],
      ["sum(berth_store_seconds_count)", (value) => value > 0],
      ["berth_log_dropped_total", (value) => value === 0],
      ["process_resident_memory_bytes", (value) => value > 50e6 && value < 5e9],
      ["time() - process_start_time_seconds", (value) => value > 0 && value < 3_600],
    ];
    for (const [query, is] of asked) {
      await eventually(query, async () => {
        const value = await prometheus.ask(query);
        return value !== null && is(value) ? true : Promise.reject(new Error(String(value)));
      });
    }
    await logs.body?.cancel();
    await engine.cli("rm", "-f", "web");
    await eventually(
      "the stream is closed",
      async () => await prometheus.ask('berth_streams_open{kind="logs"}') === 0,
    );

    await engine.pause();
    await using _resuming = {
      [Symbol.asyncDispose]: () => engine.resume(),
    };
    await eventually(
      "it is told",
      async () => await prometheus.ask('berth_engines{state="unresponsive"}') === 1,
    );
  },
  missing,
);

test("berth_units and berth_projects count verdicts at each scrape, and name nobody", async (engine) => {
  await using berth = await serveEngines({ docker: engine });
  const text = `name: counted
services:
  web: { image: ${FIXTURE}, command: [idle] }
  job: { image: ${FIXTURE}, command: [idle] }
  left: { image: ${FIXTURE}, profiles: [rare] }
`;
  const { id, path } = await workspace(berth, "counted", text);
  const key = await berth.key(["system:read"]);
  const scraped = async () => (await key.call("GET /api/metrics")).text;
  const counts = async (family: string) => {
    const lines = (await scraped()).split("\n").filter((line) => line.startsWith(`${family}{`));
    return Object.fromEntries(lines.map((line) => /"(\w+)"\} (\d+)/.exec(line)!.slice(1)));
  };
  const well = { paused: "0", completed: "0", asWritten: "0" };
  const none = { broken: "0", differs: "0", stopped: "0", unknown: "0", ...well };
  assert.deepEqual(await counts("berth_units"), { ...none, notStarted: "2" });
  assert.deepEqual(await counts("berth_projects"), { ...none, notStarted: "1" });
  assert.doesNotMatch(await scraped(), /counted/);

  await save(berth, id, `${path}/compose.yaml`, text.replace("  job:", "  more:"));
  await save(berth, id, `${path}/compose.yaml`, text.replace(/ {2}job:.*\n/, ""));
  assert.deepEqual(await counts("berth_units"), { ...none, notStarted: "1" });
});

Deno.test("berth_units is unknown beside engines that are away, and absent where nothing can be read", async () => {
  await using berth = await startService({ engines: [{ name: "away", url: "unix:///nowhere/s" }] });
  await workspace(berth, "lonely", "name: lonely\nservices: { web: { image: x } }\n");
  const { text } = await berth.call("GET /api/metrics");
  assert.equal(valueOf(text, 'berth_units{verdict="unknown"}'), 1);
  assert.equal(valueOf(text, 'berth_projects{verdict="unknown"}'), 1);

  const models = [() => new Promise<never>(() => {}), () => Promise.reject(new Error("the store is away"))];
  for (const read of models) {
    const metrics = new Metrics();
    const registry = { models: read, hashOf: () => Promise.reject(new Error("nobody asks")) };
    measureUnits(metrics, { registry, runtime: () => null, digests: () => Promise.resolve(String) }, 10);
    assert.doesNotMatch(await metrics.text({ engines: true }), /^berth_/m);
  }
});

Deno.test({
  name: "promtool accepts the alerts of docs/operations.md",
  ignore: missing !== null,
  async fn() {
    const text = await Deno.readTextFile(new URL("../../docs/operations.md", import.meta.url));
    const rules = /```yaml\n(groups:\n[^]*?)```/.exec(text)?.[1] ?? assert.fail("there are none");
    const file = await Deno.makeTempFile({ suffix: ".yml" });
    try {
      await Deno.writeTextFile(file, rules);
      const { success, stdout, stderr } = await new Deno.Command("promtool", {
        args: ["check", "rules", file],
      })
        .output();
      const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assert.ok(success, said);
      assert.match(said, /4 rules found/);
    } finally {
      await Deno.remove(file);
    }
  },
});

Deno.test({
  name: "promtool finds nothing to blame, with names of every kind in the labels",
  ignore: missing !== null,
  async fn() {
    await using berth = await startService({ engines: [{ name: "away", url: "unix:///nowhere/s" }] });
    await berth.call("GET /api/nothing/such");
    await berth.call("GET /api/workspaces");
    const { text, headers } = await berth.call("GET /api/metrics");
    assert.equal(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    assert.equal(await promtool(text), "");

    const metrics = new Metrics();
    metrics.read("gauge", { name: "odd", help: 'A "b" \\ c\nd.' }, () => [
      { labels: { a: 'x"y\\z\nw' }, value: 0.5 },
    ]);
    assert.equal(await promtool(await metrics.text({ engines: true })), "");
  },
});

Deno.test({
  name: "a change that was in another's way in PostgreSQL is made again, and that is counted",
  ignore: missing !== null || CANNOT_RUN_POSTGRES !== null,
  async fn() {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-retries-" }));
    try {
      const database = await server.database();
      const sealingKeyFile = `${folder}/sealing-key`;
      await Deno.writeTextFile(sealingKeyFile, randomSecret(), { mode: 0o600 });
      await using berth = await startService({ folder, database, sealingKeyFile });
      const made = await berth.call("POST /api/settings/api-keys", { name: "gone", role: "viewer" });
      // It has the row that berth wants, wants the lock that berth has, and waits longer than berth does.
      const other = server.sql(
        `BEGIN; SET LOCAL deadlock_timeout = '1min'; UPDATE keys SET last_used_at = 1;
         DO $$ BEGIN WHILE NOT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'transactionid')
         LOOP PERFORM pg_sleep(0.02); END LOOP; END $$;
         SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${LOCKS.rights}); COMMIT`,
        database.name,
      );
      await eventually(
        "the other one has the row",
        async () =>
          (await server.sql("SELECT 1 FROM pg_locks WHERE relation = 'keys'::regclass", database.name))
            .length > 0,
      );
      assert.equal((await berth.call(`DELETE /api/settings/api-keys/${made.body.id}`)).status, 204);
      await other;
      const { text } = await berth.call("GET /api/metrics");
      assert.equal(valueOf(text, "berth_store_retries_total"), 1);
      assert.equal(await promtool(text), "");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("a route is counted under its declared name, whatever callers ask for", async () => {
  await using berth = await startService();
  for (const path of ["w1", "w2", "w%2f3"]) await berth.call(`GET /api/workspaces/${path}`);
  for (const path of ["a", "b"]) await berth.call(`GET /api/nothing/${path}`);
  await berth.anonymous().call("GET /api/workspaces");
  await berth.key("viewer");
  const { text } = await berth.call("GET /api/metrics");
  assert.equal(valueOf(text, 'berth_http_requests_total{route="GET /api/workspaces/{id}",status="404"}'), 3);
  assert.equal(valueOf(text, 'berth_http_requests_total{route="none",status="404"}'), 2);
  assert.equal(valueOf(text, 'berth_http_requests_total{route="GET /api/workspaces",status="401"}'), 1);
  assert.doesNotMatch(text, /w1|w2|nothing/);
  assert.ok(valueOf(text, 'berth_store_seconds_count{operation="keys.add"}')! >= 1, text);
  const bucket = valueOf(text, 'berth_http_request_seconds_bucket{le="+Inf"}')!;
  assert.equal(valueOf(text, "berth_http_request_seconds_count"), bucket);
  assert.ok(bucket >= 6);
});

Deno.test("metrics need system:read everywhere", async () => {
  await using berth = await startService();
  assert.equal((await berth.anonymous().call("GET /api/metrics")).status, 401);
  const other = await berth.key(["workspaces:read"]);
  assert.equal((await other.call("GET /api/metrics")).status, 403);
  const scoped = await berth.call("POST /api/settings/api-keys", {
    name: "scoped",
    grants: [{ permissions: ["system:read"], on: ["engine:docker"] }],
  });
  assert.equal(scoped.status, 201, scoped.text);
  assert.equal((await berth.as(scoped.body.key).call("GET /api/metrics")).status, 403);
});

Deno.test("a port of its own serves metrics and probes alone, without a credential, and engines' names with one", async () => {
  await using berth = await startService({
    engines: [{ name: "secret-engine", url: "unix:///nowhere/s" }],
    metricsPort: 0,
  });
  const port = berth.berth.metricsPort!;
  const get = async (path: string, headers = "", host = `127.0.0.1:${port}`) => {
    const request = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${headers}connection: close\r\n\r\n`;
    return await sendRaw(port, request);
  };
  const open = await get("/api/metrics");
  assert.equal(open.status, 200);
  assert.match(open.body, /^berth_engines\{state="away"\} 1$/m);
  assert.doesNotMatch(open.body, /secret-engine/);
  const known = await get("/api/metrics", `authorization: Bearer ${berth.admin}\r\n`);
  assert.match(known.body, /^berth_engine_up\{backend="secret-engine"\} 0$/m);
  const wrong = await get("/api/metrics", "authorization: Bearer berth_wrong_key\r\n");
  assert.equal(wrong.status, 200);
  assert.doesNotMatch(wrong.body, /secret-engine/);

  assert.equal((await get("/api/metrics", "", "evil.example")).status, 421);
  assert.deepEqual([(await get("/api/health/live")).body, (await get("/api/health/ready")).body], [
    "live\n",
    "ready\n",
  ]);
  for (const path of ["/", "/api/containers", "/api/workspaces", "/api/openapi.json", "/api/health"]) {
    assert.equal((await get(path, `authorization: Bearer ${berth.admin}\r\n`)).status, 404, path);
  }
  assert.equal(
    (await sendRaw(
      port,
      `POST /api/metrics HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    )).status,
    405,
  );
});

Deno.test("the port for metrics is refused where others could read it, and says so where it is taken", async () => {
  const env = (values: Record<string, string>) => ({
    env: (name: string) => values[name],
    isContained: false,
  });
  const given = {
    BERTH_DATA: "/tmp/x",
    HOME: "/tmp",
    BERTH_METRICS_PORT: "9100",
    BERTH_METRICS_HOST: "0.0.0.0",
  };
  await assert.rejects(
    readConfig(env(given)),
    /BERTH_METRICS_HOST: "0\.0\.0\.0" can be reached from other machines/,
  );
  const { metricsHost } = await readConfig(env({ ...given, BERTH_TLS_CERT: "/c", BERTH_TLS_KEY: "/k" }));
  assert.equal(metricsHost, "0.0.0.0");

  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await assert.rejects(
    startService({ metricsPort: taken.addr.port }).then((berth) => berth[Symbol.asyncDispose]()),
    (error) => error instanceof StartFailure && /another program uses that port/.test(error.message),
  );
});

async function promtool(text: string): Promise<string> {
  const child = new Deno.Command("promtool", {
    args: ["check", "metrics"],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  const said = new TextDecoder().decode(stderr) + new TextDecoder().decode(stdout);
  assert.equal(success || said !== "", true);
  return said;
}

/** A Prometheus that reads berth every second with this key; `ask` gives the value of a query with one answer. */
async function startPrometheus(berth: number, key: string) {
  const folder = await Deno.makeTempDir({ prefix: "berth-prometheus-" });
  using free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = free.addr;
  free.close();
  await Deno.writeTextFile(`${folder}/key`, key);
  await Deno.writeTextFile(
    `${folder}/prometheus.yml`,
    `global: { scrape_interval: 1s }
scrape_configs:
  - job_name: berth
    metrics_path: /api/metrics
    authorization: { credentials_file: ${folder}/key }
    static_configs: [{ targets: ["127.0.0.1:${berth}"] }]
`,
  );
  const child = new Deno.Command("prometheus", {
    args: [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    stdout: "null",
    stderr: "null",
  }).spawn();
  return {
    async ask(query: string): Promise<number | null> {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`)
        .then((response) => response.json(), () => null);
      const value = answer?.data?.result?.[0]?.value?.[1];
      return value === undefined ? null : Number(value);
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

Deno.test("A start warns of every former name of a setting, and names the new place in config.yaml", async () => {
  await using berth = await startService({
    former: [{ name: "BERTH_METRICS_PORT", now: "metrics.port" }, { name: "BERTH_DATABASE_POOL", now: null }],
  });
  const warned = berth.logged().map((line) => JSON.parse(line)).filter(({ message }) =>
    /old name/.test(message)
  );
  assert.deepEqual(warned.map(({ level, name }) => [level, name]), [
    ["warn", "BERTH_METRICS_PORT"],
    ["warn", "BERTH_DATABASE_POOL"],
  ]);
  assert.match(warned[0].message, /write "metrics\.port" in config\.yaml/);
  assert.match(warned[1].message, /nobody needs it/);
});
