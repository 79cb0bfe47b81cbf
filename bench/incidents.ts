/**
 * Incidents: the price of opening one, of an overview after one change and of watching 1,000 units, and the time from
 * an ending to a message.
 */
import { cpuUsage } from "node:process";
import type { AppParts } from "../app/parts.ts";
import type { Incident } from "../core/incidents.ts";
import { withTellings } from "../projects/watch/tellings.ts";
import { ENTRY } from "../tests/access/audit_entry.ts";
import { FIXTURE, startEngine } from "../tests/support/engine.ts";
import { eventually } from "../tests/support/eventually.ts";
import { manyProjects, PER_PROJECT } from "../tests/support/many_projects.ts";
import { serveEngines, startService } from "../tests/support/service.ts";
import { rounds } from "./rounds.ts";

const UNITS = 1_000;
const OPENED = 200;
/** Opening an incident with three rows of the outbox, against an entry of the audit log. */
const MOST_RATIO = 3;
const DEATHS = 50;
const MOST_TOLD_MS = 2_000;
const MOST_READABLE_MS = 1_000;
const WATCHED_MS = 30_000;
/** Each engine's list is read anew once a minute: a shorter look meets that, or does not. */
const IDLE_MS = 120_000;
const SETTLED_MS = 30_000;
/** A watcher that begins after this time does not watch while a bench runs. */
const NEVER_MS = 86_400_000;
/** Events a second, and the share of a core that watching may take. */
const RATES = [[0, 0.005], [1, 0.03], [40, 0.1]] as const;

/** An overview after one change, in calls and as a share of comparing everything anew. */
const MOST_CALLS = 2;
const MOST_SHARE = 0.2;
const CHANGES = 20;
/** A row that came too early was read again by then. */
const READ_AGAIN_MS = 1_500;

const missed: string[] = [];
const held = (what: string, figure: number, most: number, unit: string) => {
  console.log(`${what}: ${figure.toFixed(2)} ${unit}; promised are at most ${most}`);
  if (figure > most) missed.push(what);
};

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const p99 = (all: readonly number[]) =>
  all.toSorted((a, b) => a - b)[Math.ceil(all.length * 0.99) - 1] ?? NaN;

function incident(n: number): Incident {
  const at = Date.now();
  const nowhere = { project: "shop", engine: "one", container: null };
  return {
    id: crypto.randomUUID(),
    subject: { kind: "unit", workspace: "all", group: "shop", unit: `unit:shop.s${n}`, ...nowhere },
    ...{ kind: "broken", since: at, atLatest: false, cause: { kind: "ended", exitCode: 1 }, fields: [] },
    ...{ openedAt: at, closedAt: null, end: null, endings: 1, atFirst: false, lines: 1 },
  };
}

async function opening(): Promise<void> {
  await using berth = await startService();
  const { store } = berth.berth;
  for (const name of ["a", "b", "c"]) {
    await berth.call("POST /api/notices", {
      name,
      kind: "webhook",
      address: "http://127.0.0.1:1/",
      afterS: 86_400,
    });
  }
  const notices = await store.notices.list();
  let n = 0;
  const [entry, opened] = await rounds("incidents-opening", [
    {
      name: "an entry of the audit log",
      run: async () => {
        for (let at = 0; at < OPENED; at++) await store.audit.append([ENTRY]);
      },
    },
    {
      name: "an incident with three rows of the outbox",
      run: async () => {
        for (let at = 0; at < OPENED; at++) {
          const one = incident(n++);
          const { kind, since, atLatest, cause, fields } = one;
          const line = { at: one.openedAt, kind, since, atLatest, cause, fields };
          await store.incidents.write([
            withTellings({ incident: one, line }, null, notices, { at: one.openedAt, mono: one.openedAt }),
          ]);
        }
      },
    },
  ], { about: `${OPENED} of each, one after the other` });
  held("opening against an entry", (opened?.median ?? 0) / (entry?.median ?? 1), MOST_RATIO, "times");
}

async function telling(): Promise<void> {
  const at = new Map<string, number>();
  await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { data } = await request.json();
    for (const { subject } of data.incidents) at.set(subject, Date.now());
    return new Response(null, { status: 204 });
  });
  await using engine = await startEngine("docker");
  const notices = { foldMs: 0 };
  await using berth = await serveEngines({ docker: engine }, { watchTimes: { beginMs: 0, notices } });
  await eventually("berth watches", () => berth.berth.store.incidents.wasWatched());
  const address = `http://127.0.0.1:${receiver.addr.port}/`;
  await berth.call("POST /api/notices", { name: "ops", kind: "webhook", address, afterS: 0 });
  const told: number[] = [];
  const readable: number[] = [];
  for (let n = 0; n < DEATHS; n++) {
    const name = `b${n}`;
    const script = "until test -f /go; do sleep 0.01; done; echo bye; exit 3";
    await engine.cli("run", "-d", "--name", name, FIXTURE, "sh", "-c", script);
    await sleep(1_500); // it was looked at once
    await engine.cli("exec", name, "touch", "/go").catch(() => {}); // it may end with its container
    await eventually("its words are readable", async () => {
      const { items } = (await berth.call(`GET /api/endings?container=${name}`)).body;
      return items[0]?.words === "kept";
    });
    const readableAt = Date.now();
    const subject = `container ${name} on docker`;
    const toldAt = await eventually("it is told", () => at.get(subject) ?? null);
    // By the engine: a command in a container takes longer to come back than the container to end.
    const died = Date.parse((await engine.cli("inspect", "-f", "{{.State.FinishedAt}}", name)).trim());
    readable.push(readableAt - died);
    told.push(toldAt - died);
  }
  held(`an ending is readable, p99 of ${DEATHS}`, p99(readable), MOST_READABLE_MS, "ms");
  held(`an ending is told, p99 of ${DEATHS}`, p99(told), MOST_TOLD_MS, "ms");
}

const cpuMs = () => {
  const { user, system } = cpuUsage();
  return (user + system) / 1_000;
};
const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;

/**
 * All that an overview after one change costs, against the first one, of which nothing is remembered. Both are with
 * what the scripted engine takes for its answers.
 */
async function overview(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  let parts: AppParts | undefined;
  const mount = (all: AppParts) => {
    parts = all;
    return [];
  };
  const many = await manyProjects(stack, Math.ceil(UNITS / PER_PROJECT), { mount });
  const units = Math.ceil(UNITS / PER_PROJECT) * PER_PROJECT;
  const ask = async () => (await many.berth.call("GET /api/overview?limit=20")).body;
  const begun = cpuMs();
  await eventually("all are compared", async () => (await ask()).counts.differs === units, { everyMs: 100 });
  const all = cpuMs() - begun;
  await sleep(SETTLED_MS);
  const runtime = parts!.plugins.runtime!; // it was mounted by the first request, and answered
  const calls: number[] = [];
  const one: number[] = [];
  for (let n = 0; n < CHANGES; n++) {
    let begun = cpuMs();
    const stamp = runtime.stamp;
    many.touch(n * 7);
    await eventually("its row is read", () => runtime.stamp !== stamp, { everyMs: 5 });
    const reading = cpuMs() - begun;
    await sleep(READ_AGAIN_MS);
    const asked = many.engine.calls.length;
    begun = cpuMs();
    if ((await ask()).counts.differs !== units) throw new Error("Not all units differ");
    one.push(reading + cpuMs() - begun);
    // berth asks now and then which folders an engine sees.
    calls.push(many.engine.calls.slice(asked).filter((call) => call.startsWith("GET ")).length);
  }
  console.log(
    `comparing ${units} units anew ${all.toFixed(1)} ms of CPU, one change ${median(one).toFixed(1)} ms`,
  );
  held(
    `an overview after one change among ${units} units, median of ${CHANGES}`,
    Math.max(...calls),
    MOST_CALLS,
    "engine calls",
  );
  held("its CPU against comparing everything", median(one) / all, MOST_SHARE, "times");
}

/** Returns the share of a core that berth and its scripted engine take at each rate. */
async function sharesOf(beginMs: number): Promise<number[]> {
  await using stack = new AsyncDisposableStack();
  const many = await manyProjects(stack, Math.ceil(UNITS / PER_PROJECT), { watchTimes: { beginMs } });
  await (await many.ask(1)).text(); // all are compared
  if (beginMs === 0) await eventually("berth watches", () => many.berth.berth.store.incidents.wasWatched());
  await sleep(SETTLED_MS);
  const shares: number[] = [];
  for (const [rate] of RATES) {
    const before = cpuUsage();
    const begun = performance.now();
    const lasts = rate === 0 ? IDLE_MS : WATCHED_MS;
    let told = 0;
    while (performance.now() - begun < lasts) {
      const due = (performance.now() - begun) / 1_000 * rate;
      for (; told < due; told++) many.touch(told % UNITS);
      await sleep(rate === 0 ? lasts : 1_000 / rate);
    }
    const { user, system } = cpuUsage(before);
    shares.push((user + system) / 1_000 / (performance.now() - begun));
  }
  return shares;
}

/** The engine is followed in any case, so what watching takes is the difference to a berth that does not watch. */
async function watching(): Promise<void> {
  const without = await sharesOf(NEVER_MS);
  const watched = await sharesOf(0);
  for (const [at, [rate, most]] of RATES.entries()) {
    const [all = NaN, rest = NaN] = [watched[at], without[at]];
    const what = `watching ${UNITS} units at ${rate} events a second`;
    console.log(`${what}: berth takes ${(all * 100).toFixed(2)} %, and ${(rest * 100).toFixed(2)} % without`);
    held(what, (all - rest) * 100, most * 100, "% of a core");
  }
}

const parts = { opening, overview, telling, watching };
const chosen = Deno.args[0];
for (const [name, run] of Object.entries(parts)) if (chosen === undefined || chosen === name) await run();
if (missed.length > 0) throw new Error(`Missed: ${missed.join(", ")}`);
