/**
 * Clients do what they like while berth, its engine and the connection between them are killed, stopped and cut. Every
 * answer is recorded and checked: no acknowledged change is lost, nothing is read that never was, no gap in a log is
 * left untold.
 *
 *     BERTH_CHAOS_MINUTES=30 BERTH_CHAOS_ENGINE=podman BERTH_CHAOS_SEED=7 deno task chaos
 */
import { startBerthProcess } from "./berth_process.ts";
import { browse } from "./browse.ts";
import { chaosProxy } from "./chaos_proxy.ts";
import { LinesModel, NamesModel, type Outcome } from "./chaos_model.ts";
import { type EngineKind, FIXTURE, startEngine } from "./engine.ts";
import { eventually } from "./eventually.ts";
import { type Answer, TestCaller } from "./service.ts";
import { freePort } from "./free_port.ts";

const MINUTES = Number(Deno.env.get("BERTH_CHAOS_MINUTES") ?? "30");
const KIND = (Deno.env.get("BERTH_CHAOS_ENGINE") ?? "docker") as EngineKind;
const SEED = Number(Deno.env.get("BERTH_CHAOS_SEED") ?? `${crypto.getRandomValues(new Uint16Array(1))[0]}`);
const CLIENTS = 6;
/** How soon all must be right once nothing is broken any more; a busy machine takes longer. */
const RIGHT_MS = 60_000;

console.log(`chaos of ${MINUTES} minutes on ${KIND}, seed ${SEED}`);
const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-chaos-" }));
const history = await Deno.open(`${folder}/history.jsonl`, { create: true, append: true });
const encoder = new TextEncoder();
const started = performance.now();
const now = () => performance.now() - started;
const counts = new Map<string, number>();
const broken: string[] = [];

function tell(what: Record<string, unknown>): void {
  history.writeSync(encoder.encode(`${JSON.stringify({ at: Math.round(now()), ...what })}\n`));
}

function counted(what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

/** The same numbers for the same seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

await using engine = await startEngine(KIND);
await using proxy = chaosProxy(engine.socket);
const port = freePort();
const options = {
  data: `${folder}/data`,
  env: { BERTH_PORT: `${port}`, BERTH_ROOTS: folder, BERTH_ENGINES: `${KIND}=unix://${proxy.socket}` },
};
let berth = await startBerthProcess(options);
const admin = new TestCaller(berth.url, await berth.setUp());
const keys = new NamesModel("keys");
const workspaces = new NamesModel("workspaces");
const containers = new NamesModel("containers");
const lines = new LinesModel();
/** Ids by name, as they were acknowledged. */
const ids = new Map<string, string>();
const ending = new AbortController();

/** What the answer says of a change; null for an answer that did not come. */
function outcomeOf(answer: Answer | null): Outcome {
  if (answer === null || answer.status >= 500) return "unknown";
  return answer.status < 300 ? "yes" : "no";
}

async function ask(caller: TestCaller, route: string, body?: unknown): Promise<Answer | null> {
  const began = now();
  let answer: Answer | null = null;
  try {
    answer = await caller.call(route, body, { signal: AbortSignal.timeout(30_000) });
  } catch { // cut off
  }
  const status = answer?.status ?? null;
  tell({ route, body, status, ms: Math.round(now() - began) });
  counted(`${route.split(" ")[0]} ${status === null ? "cut" : status < 400 ? "done" : status}`);
  if (answer?.body?.code === "internal") broken.push(`${route} was answered with a defect: ${answer.text}`);
  return answer;
}

async function add(model: NamesModel, name: string, ask: () => Promise<Answer | null>): Promise<void> {
  const began = now();
  model.tries(name, began);
  const answer = await ask();
  const outcome = outcomeOf(answer);
  model.added(name, { began, ended: now(), outcome });
  if (outcome === "yes") ids.set(`${model.what} ${name}`, answer!.body.id);
  tell({ added: name, outcome });
}

async function remove(model: NamesModel, name: string, ask: () => Promise<Answer | null>): Promise<void> {
  const began = now();
  model.removed(name, { began, ended: Infinity, outcome: "unknown" });
  const answer = await ask();
  // What is not there any more may have gone by a try that was never answered
  const outcome = answer?.status === 404 ? "unknown" : outcomeOf(answer);
  model.removed(name, { began, ended: now(), outcome });
  tell({ removed: name, outcome });
}

async function list(model: NamesModel, path: string): Promise<void> {
  const began = now();
  const answer = await ask(admin, `GET ${path}`);
  if (answer === null || answer.status !== 200) return;
  const { items, unavailable = [], stale = [] } = answer.body;
  // An engine that is away shows nothing, and a silent or late one what was last known of it: the answer says so
  if (
    unavailable.length > 0 || stale.length > 0 ||
    items.some(({ stale }: { stale?: boolean }) => stale === true)
  ) return;
  const names = items.map(({ name }: { name: string }) => name).filter((name: string) =>
    name.startsWith("c-")
  );
  if (model !== containers) return model.listed(names, { began, ended: now() });
  // What an engine has not told yet is not lost: only what is shown is checked, and all of it at the end
  const before = model.broken.length;
  model.shown(names, { began, ended: now() });
  for (const one of model.broken.slice(before)) tell({ broken: one, began, answer: answer.body });
}

async function client(number: number): Promise<void> {
  const random = numbers(SEED * 1_000 + number);
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  let made = 0;
  const own = (model: NamesModel) => model.there().filter((name) => name.startsWith(`c-${number}-`));
  while (!ending.signal.aborted) {
    const name = `c-${number}-${made++}`;
    const which = Math.floor(random() * 12);
    if (which < 2) {
      await add(keys, name, () => ask(admin, "POST /api/settings/api-keys", { name, role: "viewer" }));
    } else if (which === 2) {
      const gone = pick(own(keys));
      if (gone !== undefined) {
        await remove(
          keys,
          gone,
          () => ask(admin, `DELETE /api/settings/api-keys/${ids.get(`keys ${gone}`)}`),
        );
      }
    } else if (which === 3) {
      await Deno.mkdir(`${folder}/${name}`);
      await add(
        workspaces,
        name,
        () => ask(admin, "POST /api/workspaces", { path: `${folder}/${name}`, name }),
      );
    } else if (which === 4) {
      const gone = pick(own(workspaces));
      if (gone !== undefined) {
        await remove(
          workspaces,
          gone,
          () => ask(admin, `DELETE /api/workspaces/${ids.get(`workspaces ${gone}`)}`),
        );
      }
    } else if (which === 5) await session();
    else if (which === 6) {
      const began = now();
      containers.tries(name, began);
      const id = await engine.cli("create", "--name", name, "--network", "none", FIXTURE).catch(() => null);
      containers.added(name, { began, ended: now(), outcome: id === null ? "unknown" : "yes" });
      if (id !== null) ids.set(`containers ${name}`, id);
    } else if (which === 7) {
      const one = pick(own(containers));
      const verb = pick(["start", "stop", "restart"]);
      if (one !== undefined) await ask(admin, `POST /api/containers/${ids.get(`containers ${one}`)}/${verb}`);
    } else if (which === 8) {
      const gone = pick(own(containers));
      if (gone !== undefined) {
        const id = ids.get(`containers ${gone}`);
        await remove(containers, gone, () => ask(admin, `DELETE /api/containers/${id}?force=true`));
      }
    } else if (which === 9) await list(keys, "/api/settings/api-keys");
    else if (which === 10) await list(workspaces, "/api/workspaces");
    else await list(containers, "/api/containers");
    await pause(random() * 100);
  }
}

/** Opens a session, refreshes it, ends it: what was acknowledged counts, and what was ended does not. */
async function session(): Promise<void> {
  const opened = await ask(admin, "POST /api/auth/key", { key: admin.credential });
  if (opened?.status !== 200) return;
  const next = await ask(admin, "POST /api/auth/refresh", { refreshToken: opened.body.refreshToken });
  if (next === null || next.status >= 500) return;
  if (next.status !== 200) return void broken.push(`a fresh session was refused its refresh: ${next.text}`);
  const caller = new TestCaller(admin.url, next.body.accessToken);
  const before = await ask(caller, "GET /api/auth/me");
  if (before?.status === 401) broken.push("a token of a session that is open was refused");
  const out = await ask(caller, "POST /api/auth/logout");
  if (outcomeOf(out) !== "yes") return;
  const after = await ask(caller, "GET /api/auth/me");
  if (after?.status === 200) broken.push("a token counts after its session was ended");
}

/** Reads a log from its beginning, and goes on behind the last cursor whenever it is cut off. */
async function follow(container: string): Promise<void> {
  let cursor = "";
  while (!ending.signal.aborted) {
    try {
      const since = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const response = await admin.fetch(
        `GET /api/containers/${container}/logs?follow=true&format=ndjson${since}`,
        undefined,
        { signal: ending.signal },
      );
      if (response.status !== 200) await response.body?.cancel();
      else {
        let rest = "";
        for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
          const records = (rest + text).split("\n");
          rest = records.pop() ?? "";
          for (const record of records.filter((one) => one !== "")) {
            const { line, gap, cursor: place } = JSON.parse(record);
            if (gap !== undefined) {
              counted("gaps told");
              tell({ gap });
              lines.gap();
            } else if (line !== undefined) lines.line(line);
            if (place !== undefined) cursor = place;
          }
        }
      }
    } catch { // cut off
    }
    await pause(100);
  }
}

/** Opens shells and leaves them in every way. */
async function shells(container: string): Promise<void> {
  const random = numbers(SEED + 77);
  const left = new Set<WebSocket>();
  while (!ending.signal.aborted) {
    const { wire, heard, closed } = browse(admin.url, `/containers/${container}/exec`, admin.credential!);
    await pause(random() * 2_000);
    if (heard.texts.some((text) => text.includes(`"ready"`))) counted("shells");
    if (random() < 0.7) wire.close();
    else left.add(wire);
    await Promise.race([closed, pause(1_000)]);
  }
  for (const wire of left) wire.close();
}

const FAULTS: Readonly<Record<string, (random: () => number) => Promise<unknown>>> = {
  "berth is killed": async () => {
    await berth.end("SIGKILL");
    berth = await startBerthProcess(options);
  },
  "berth is stopped": async () => {
    const { code } = await berth.end("SIGTERM");
    if (code !== 0) broken.push(`berth ended with ${code}`);
    berth = await startBerthProcess(options);
  },
  "berth stands still": async (random) => {
    berth.child.kill("SIGSTOP");
    await pause(500 + random() * 3_000);
    berth.child.kill("SIGCONT");
  },
  "the engine is killed": async (random) => {
    await engine.kill();
    await pause(random() * 2_000);
    await engine.start();
  },
  "the engine stands still": async (random) => {
    await engine.pause();
    await pause(500 + random() * 8_000);
    await engine.resume();
  },
  "connections are reset": () => Promise.resolve(proxy.reset()),
  "connections are half open": async (random) => {
    proxy.freeze();
    await pause(random() * 3_000);
  },
  "connections are cut": async (random) => {
    proxy.set({ cutAfter: Math.floor(random() * 20_000) });
    await pause(random() * 4_000);
    proxy.set({});
  },
  "the engine is slow": async (random) => {
    proxy.set({ latencyMs: 20 + random() * 300, slice: 1 + Math.floor(random() * 2_000) });
    await pause(random() * 4_000);
    proxy.set({});
  },
  "the engine is refused": async (random) => {
    proxy.set({ refuse: true });
    proxy.reset();
    await pause(random() * 3_000);
    proxy.set({});
  },
};

async function faults(): Promise<void> {
  const random = numbers(SEED);
  const names = Object.keys(FAULTS);
  while (now() < MINUTES * 60_000) {
    const name = names[Math.floor(random() * names.length)]!;
    tell({ fault: name });
    counted(name);
    await FAULTS[name]!(random);
    await pause(random() * 4_000);
  }
}

async function items(path: string): Promise<{ name: string; id: string; target: string }[]> {
  return (await admin.call(`GET ${path}`)).body.items;
}

const LIFE = "life=$(head -c 8 /dev/urandom | od -An -tx1 | tr -d ' '); n=0; " +
  "while :; do n=$((n+1)); echo $life $n; sleep 0.05; done";
const talker = await engine.cli(
  "run",
  "-d",
  "--restart",
  "always",
  "--network",
  "none",
  FIXTURE,
  "sh",
  "-c",
  LIFE,
);
await eventually("the container is known", async () => {
  return (await admin.call(`GET /api/containers/${talker}`)).status === 200;
});
const sleeper = await engine.cli("run", "-d", "--restart", "always", "--network", "none", FIXTURE);
const working = [...Array.from({ length: CLIENTS }, (_, n) => client(n)), shells(sleeper)];
const following = follow(talker);
let end = "";
try {
  await faults();
  // Nothing is broken from here on: soon all is right
  ending.abort();
  await Promise.all(working);
  await eventually("berth and the engine agree", async () => {
    const shown = (await items("/api/containers")).map(({ id }) => id).sort().join();
    return shown === (await engine.cli("ps", "-aq", "--no-trunc")).split("\n").sort().join();
  }, { timeoutMs: RIGHT_MS });
  keys.listed(
    (await items("/api/settings/api-keys")).map(({ name }) => name).filter((name) => name.startsWith("c-")),
    {
      began: now(),
      ended: now(),
    },
  );
  workspaces.listed((await items("/api/workspaces")).map(({ name }) => name), { began: now(), ended: now() });
  await following.catch(() => {});
  await engine.cli("stop", "-t", "0", talker).catch(() => {});
  const told = new Set<string>();
  for (const line of (await (await admin.fetch("GET /api/system/audit?format=ndjson")).text()).split("\n")) {
    if (line !== "") told.add(JSON.parse(line).target ?? "");
  }
  for (const name of keys.there()) {
    if (!told.has(`/api/settings/api-keys/${ids.get(`keys ${name}`)}`)) {
      broken.push(`audit: key "${name}" is not told`);
    }
  }
  const look =
    'for p in /proc/[0-9]*; do tr "\\0" "\\n" <$p/environ 2>/dev/null | grep -q "^BERTH_EXEC=" && ' +
    'echo "$p $(tr "\\0" " " <$p/cmdline) $(grep State $p/status)"; done; true';
  let left = "";
  await eventually("no shell is left", async () => {
    left = await engine.cli("exec", sleeper, "sh", "-c", look);
    return left === "";
  }, { timeoutMs: RIGHT_MS }).catch((error) => {
    throw new Error(`${error}: ${left}`);
  });
} catch (error) {
  end = `${error}${error instanceof Error && error.cause ? ` (${error.cause})` : ""}`;
  broken.push(end);
} finally {
  ending.abort();
  await berth[Symbol.asyncDispose]();
}
broken.push(...keys.broken, ...workspaces.broken, ...containers.broken, ...lines.broken);
for (const [what, count] of [...counts].sort()) console.log(`${String(count).padStart(8)}  ${what}`);
console.log(`${String(lines.lines.length).padStart(8)}  lines of a log, ${lines.gaps.size} gaps`);
for (const one of [...new Set(broken)].slice(0, 20)) console.log(`BROKEN  ${one}`);
history.close();
if (broken.length === 0) await Deno.remove(folder, { recursive: true });
else console.log(`what happened is in ${folder}/history.jsonl`);
console.log(`${broken.length === 0 ? "held" : "BROKEN"}: ${MINUTES} minutes on ${KIND}, seed ${SEED}`);
if (broken.length > 0) Deno.exitCode = 1;
