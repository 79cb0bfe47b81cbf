/** Many engines, and engines on other hosts: what a list, a container in memory, a change and a log cost there. */
import { FIXTURE, NoEngine, startEngine } from "../tests/support/engine.ts";
import { eventually } from "../tests/support/eventually.ts";
import { startManyEngines } from "../tests/proof/many_engines.ts";
import { SshHost } from "../tests/support/ssh_host.ts";
import { startTlsEngine, type TlsEngine } from "../tests/support/tls_engine.ts";
import { exchangesPerSecond, onPort } from "./exchanges.ts";
import { fill, startBerth, waitForAll } from "./listed_berth.ts";
import { median, rounds } from "./rounds.ts";

/** Engines and containers on each. */
const FEW = [5, 200] as const;
const MANY = [100, 200] as const;
/** Containers on a host behind ssh. */
const LISTED = 50;

await lists();
try {
  await using far = await startTlsEngine();
  await overTls(far);
} catch (error) {
  if (!(error instanceof NoEngine)) throw error;
  console.log(`absent: a real engine behind TLS, ${error.message}`);
}
try {
  await overSsh();
} catch (error) {
  if (!(error instanceof NoEngine)) throw error;
  console.log(`absent: a real host behind ssh, ${error.message}`);
}

/** CPU of the service for a list that nobody asked for before, with 1,000 and with 20,000 containers. */
async function lists(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const made = await Promise.all([FEW, MANY].map(async ([engines, containers]) => {
    const many = stack.use(await startManyEngines(engines, containers));
    const { server, key } = await startBerth(stack, many.setting);
    stack.use(server);
    await waitForAll(server, key, engines * containers);
    return { server, key, name: `${engines * containers} containers on ${engines} engines` };
  }));
  let asked = 0;
  const filters: Readonly<Record<string, () => string>> = {
    project: () => `project=p${asked % 20}`,
    label: () => `label=team=t${asked % 7}`,
    none: () => "sort=name",
  };
  for (const [filter, query] of Object.entries(filters)) {
    const competitors = made.map(({ server, key, name }) => ({
      name,
      async run() {
        const before = await server.cpuSeconds();
        for (let turn = 0; turn < 100; turn += 1) {
          asked += 1; // another limit each time, so that no answer is remembered
          const url = `http://127.0.0.1:${server.port}/api/containers?limit=${50 + asked % 50}&${query()}`;
          await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).arrayBuffer();
        }
        return (await server.cpuSeconds() - before) * 10;
      },
    }));
    await rounds(`growth-list-${filter}`, competitors, {
      unit: "ms of CPU",
      about: `a list of 50 to 100, by ${filter === "none" ? "name, without a filter" : filter}; the aim is 2`,
    });
  }
  const [few, many] = made;
  const held = (await many!.server.rssBytes() - await few!.server.rssBytes()) / 1e3;
  await rounds(
    "growth-memory",
    [{ name: "berth", run: () => held / (MANY[0] * MANY[1] - FEW[0] * FEW[1]) }],
    {
      unit: "kB for each container",
      warmUps: 0,
      about: "resident memory with 20,000 containers, less that with 1,000; the aim is 18",
    },
  );
}

async function overTls({ engine, client, url, host }: TlsEngine): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "berth-bench-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  await Deno.writeTextFile(
    `${folder}/config.yaml`,
    JSON.stringify({
      engines: [{ name: "near", url: `unix://${engine.socket}` }, { name: "far", url, ...client }],
    }),
  );
  const { server, key } = await startBerth(stack, "", undefined, { BERTH_CONFIG: `${folder}/config.yaml` });
  stack.use(server);
  const base = `http://127.0.0.1:${server.port}/api`;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const lines = 200_000;
  const id = await engine.cli(
    ...["run", "-d", "--name", "web", FIXTURE, "sh", "-c"],
    `awk 'BEGIN { for (i = 1; i <= ${lines}; i++) print "GET /api/items 200 12ms user=alice " i }'; exec idle`,
  );
  await eventually("the log is written", async () => {
    return (await engine.cli("logs", "--tail", "1", id)).endsWith(` ${lines}`);
  }, { everyMs: 200 });
  await waitForAll(server, key, 2);

  const change = (backend: string) => async () => {
    const times: number[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 150)); // people change one thing after the other
      const began = performance.now();
      const body = JSON.stringify({ name: `v${turn}`, backend });
      const answer = await fetch(`${base}/volumes`, { method: "POST", headers, body });
      await answer.arrayBuffer();
      times.push(performance.now() - began);
    }
    return median(times);
  };
  await rounds("growth-change-tls", [
    { name: "the engine's socket", run: change("near") },
    { name: "mutual TLS", run: change("far") },
  ], { unit: "ms", about: "a volume made through berth, median of 20" });

  const timed = async (program: string, args: readonly string[]) => {
    const began = performance.now();
    const { success } = await new Deno.Command(program, { args: [...args], stdout: "null" }).output();
    if (!success) throw new Error(`${program} failed`);
    return lines / (performance.now() - began);
  };
  const tls = ["--tlsverify", "--tlscacert", client.ca, "--tlscert", client.cert, "--tlskey", client.key];
  await rounds("growth-log-tls", [
    {
      name: "docker --tlsverify logs",
      run: () => timed("docker", ["-H", `tcp://${host}:2376`, ...tls, "logs", id]),
    },
    {
      name: "berth",
      run: () =>
        timed("curl", [
          ...["-sS", "--fail", "-o", "/dev/null", "-H", `authorization: Bearer ${key}`],
          `${base}/containers/${id}/logs?backend=far`,
        ]),
    },
  ], { unit: "thousand lines/s", better: "more", about: `a log of ${lines} lines over mutual TLS` });
}

/** Lists come from memory, wherever the engine is. */
async function overSsh(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(await startEngine("docker"));
  const host = stack.use(await SshHost.start(engine.socket));
  await fill(engine, 0, LISTED);
  const ways = [
    ["the engine's socket", engine.setting, {}],
    ["ssh", "nas=ssh://ada@nas", { BERTH_SSH: host.program }],
  ] as const;
  const competitors = [];
  for (const [name, setting, more] of ways) {
    const { server, key } = await startBerth(stack, setting, undefined, more);
    stack.use(server);
    await waitForAll(server, key, LISTED);
    const target = onPort(server.port, { authorization: `Bearer ${key}` });
    competitors.push({ name, run: () => exchangesPerSecond(target, "/api/containers", 2) });
  }
  await rounds("growth-list-ssh", competitors, {
    unit: "requests/s",
    better: "more",
    about: `a list of ${LISTED} containers, 8 connections; the aim is 0.98`,
  });
}
