/**
 * Clients do what they like (F69) while berth, its engine, its database and the connections between them are killed, stopped
 * and cut. Every answer is recorded and checked: no acknowledged change is lost, nothing is read that never was, no gap in
 * a log is left untold, and what an apply says is done is done.
 *
 *     BERTH_CHAOS_MINUTES=30 BERTH_CHAOS_ENGINE=podman BERTH_CHAOS_STORE=postgres BERTH_CHAOS_SEED=7 deno task chaos
 */
import { Applier } from "./chaos_applies.ts";
import { ChaosClients } from "./chaos_clients.ts";
import { breakThings } from "./chaos_faults.ts";
import { AppliesModel } from "./chaos_model.ts";
import { type ChaosStore, ChaosWorld } from "./chaos_world.ts";
import { type EngineKind, FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { numbers } from "../support/numbers.ts";
import { TestCaller } from "../support/service.ts";

const MINUTES = Number(Deno.env.get("BERTH_CHAOS_MINUTES") ?? "30");
const KIND = (Deno.env.get("BERTH_CHAOS_ENGINE") ?? "docker") as EngineKind;
const STORE = (Deno.env.get("BERTH_CHAOS_STORE") ?? "sqlite") as ChaosStore;
const SEED = Number(Deno.env.get("BERTH_CHAOS_SEED") ?? `${crypto.getRandomValues(new Uint16Array(1))[0]}`);
const CLIENTS = 6;
const APPLIERS = 2;
/** The time in which all must be right once nothing is broken any more; a busy machine takes longer. */
const RIGHT = { timeoutMs: 60_000 };

const WHAT = `${MINUTES} minutes on ${KIND}${STORE === "postgres" ? " and PostgreSQL" : ""}, seed ${SEED}`;
console.log(`chaos of ${WHAT}`);
await using world = await ChaosWorld.start(KIND, STORE);
const { engine, admins, broken } = world;
const clients = new ChaosClients(world);
const applies = new AppliesModel();

const LIFE = "life=$(head -c 8 /dev/urandom | od -An -tx1 | tr -d ' '); n=0; " +
  "while :; do n=$((n+1)); echo $life $n; sleep 0.05; done";
const RUN = ["run", "-d", "--restart", "always", "--network", "none", FIXTURE];
const talker = await engine.cli(...RUN, "sh", "-c", LIFE);
const sleeper = await engine.cli(...RUN);
const isKnown = async (admin: TestCaller) =>
  (await admin.call(`GET /api/containers/${talker}`)).status === 200;
await eventually(
  "the container is known",
  async () => (await Promise.all(admins.map(isKnown))).every(Boolean),
);

const appliers = await Promise.all(
  Array.from(
    { length: APPLIERS },
    (_, n) => Applier.in(world, applies, `a${n}`, numbers(SEED * 1_000 + 500 + n)),
  ),
);
const read = new AbortController();
const following = clients.follow(talker, read.signal);
const working = [
  ...Array.from({ length: CLIENTS }, (_, n) => clients.client(n, numbers(SEED * 1_000 + n))),
  clients.shells(sleeper, numbers(SEED + 77)),
  ...appliers.map((applier) => applier.work()),
];

/** From here on nothing is broken: soon all is right. */
async function conclude(): Promise<void> {
  await Promise.all(appliers.map((applier) => applier.conclude()));
  const ids = async (admin: TestCaller) =>
    (await admin.call("GET /api/containers")).body.items.map(({ id }: { id: string }) => id).sort().join();
  await eventually("berth and the engine agree", async () => {
    const there = (await engine.cli("ps", "-aq", "--no-trunc")).split("\n").sort().join();
    return (await Promise.all(admins.map(ids))).every((shown) => shown === there);
  }, RIGHT);
  await clients.conclude();
  applies.conclude();
  await engine.cli("stop", "-t", "0", talker);
  const written = (await engine.cli("logs", talker)).split("\n");
  await eventually("the last line is told", () => clients.lines.lines.at(-1) === written.at(-1), RIGHT);
  clients.lines.compare(written);
  const look =
    'for p in /proc/[0-9]*; do tr "\\0" "\\n" <$p/environ 2>/dev/null | grep -q "^BERTH_EXEC=" && ' +
    'echo "$p $(tr "\\0" " " <$p/cmdline) $(grep State $p/status)"; done; true';
  await eventually("no shell is left", async () => {
    const left = await engine.cli("exec", sleeper, "sh", "-c", look);
    if (left !== "") throw new Error(left);
    return true;
  }, RIGHT);
}

try {
  await breakThings(world, numbers(SEED), MINUTES * 60_000);
  world.ending.abort();
  await Promise.all(working);
  await conclude();
} catch (error) {
  broken.push(`${error}${error instanceof Error && error.cause ? ` (${error.cause})` : ""}`);
} finally {
  world.ending.abort();
  read.abort();
  await following;
}
broken.push(...clients.broken, ...applies.broken);
for (const [what, count] of [...world.counts].sort()) console.log(`${String(count).padStart(8)}  ${what}`);
const { lines, gaps } = clients.lines;
console.log(`${String(lines.length).padStart(8)}  lines of a log, ${gaps.size} gaps`);
for (const one of [...new Set(broken)].slice(0, 20)) console.log(`BROKEN  ${one}`);
if (broken.length > 0) console.log(`what happened is in ${world.folder}/history.jsonl`);
console.log(`${broken.length === 0 ? "held" : "BROKEN"}: ${WHAT}`);
if (broken.length > 0) Deno.exitCode = 1;
