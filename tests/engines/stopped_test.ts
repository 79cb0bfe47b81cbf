/** A container that somebody stopped is stopped and not broken, in every place that says how it is. */
import assert from "node:assert/strict";
import { conditionOf, type Judged } from "../../core/condition.ts";
import { compose, composeMissing } from "../streams/live_scene.ts";
import { runBerth } from "../support/berth_process.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

const POLICIES = ["no", "on-failure", "always", "unless-stopped"] as const;
const ENDS = {
  zero: `[sh, -c, "exit 0"]`,
  one: `[sh, -c, "exit 1"]`,
  obeys: "[idle]",
  ignores: `[sh, -c, "trap '' TERM; while :; do sleep 1; done"]`,
};
type End = keyof typeof ENDS;
const KEPT: readonly string[] = ["always", "unless-stopped"];

interface Case {
  readonly name: string;
  readonly policy: typeof POLICIES[number];
  readonly end: End;
}

/** Of the same class as another case; they run in `deno task proof` as well. */
const REPEATED = [
  "on-failure-zero",
  "on-failure-obeys",
  "always-zero",
  "unless-stopped-zero",
  "unless-stopped-one",
  "unless-stopped-ignores",
];
const CASES: readonly Case[] = POLICIES.flatMap((policy) =>
  (Object.keys(ENDS) as End[]).map((end) => ({ name: `${policy}-${end}`, policy, end }))
).filter(({ name }) => Deno.env.get("BERTH_PROOF") === "1" || !REPEATED.includes(name));
const isStopped = ({ end }: Case) => end === "obeys" || end === "ignores";

/** Declares a project for each case, and lets Compose start them. */
async function started(engine: TestEngine, berth: TestService): Promise<string> {
  const root = `${berth.folder}/workspaces/cases`;
  for (const { name, policy, end } of CASES) {
    await Deno.mkdir(`${root}/${name}`, { recursive: true });
    await Deno.writeTextFile(
      `${root}/${name}/compose.yaml`,
      `version: "3.8"\nservices:\n  web:\n    image: ${FIXTURE}\n    restart: "${policy}"\n` +
        `    stop_grace_period: 1s\n    command: ${ENDS[end]}\n`,
    );
  }
  const made = await berth.call("POST /api/workspaces", { path: root });
  assert.equal(made.status, 201, made.text);
  const waiting = [...CASES];
  const work = async () => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      assert.equal(await compose(engine, `${root}/${one.name}`, "up", "-d"), "");
    }
  };
  await Promise.all([work(), work()]);
  return made.body.id;
}

const idOf = async (engine: TestEngine, { name }: Case): Promise<string> =>
  (await engine.cli("ps", "-aq", "--no-trunc", "--filter", `label=com.docker.compose.project=${name}`))
    .trim();

/** The ids of containers of which the engine tells that somebody stopped them. */
async function stopsTold(engine: TestEngine): Promise<Set<string>> {
  // Podman 4.3 stops reading before it comes to the end where an end is given.
  const end = engine.kind === "podman" ? "stream=false" : `until=${Math.ceil(Date.now() / 1_000) + 1}`;
  const { body } = await engine.ask(`GET /events?since=1&${end}`);
  const told = body.split(/[\n\x1e]+/).filter((line) => line !== "").map((line) => JSON.parse(line));
  return new Set(
    told.filter(({ Type, Action }) => Type === "container" && Action === "stop").map(({ Actor }) => Actor.ID),
  );
}

/** The reason with which each container would be pruned, also one that files declare, by its id. */
async function wouldPrune(berth: TestService): Promise<Map<string, string>> {
  const asked = { types: ["containers"], filters: { declared: true }, dryRun: true };
  const { status, body, text } = await berth.call("POST /api/system/prune", asked);
  assert.equal(status, 200, text);
  assert.deepEqual(body.unavailable, []);
  return new Map(body.items.map(({ id, why }: { id: string; why: string }) => [id, why]));
}

/** The word that a container has for this verdict of its project. */
const conditionFor = (verdict: string | undefined) => verdict === "broken" ? "failed" : verdict;

/** The verdict that the engine's own words allow. */
function verdictOf({ policy, end }: Case, code: number, isTold: boolean): string {
  if (KEPT.includes(policy)) return end === "obeys" || end === "ignores" ? "stopped" : "broken";
  if (policy === "on-failure" && end === "one") return "broken"; // the engine starts it over and over
  return isTold ? "stopped" : code === 0 ? "completed" : "broken";
}

for (const kind of ["docker", "podman"] as const) {
  (await lawEngine(kind)).test(
    `${CASES.length} containers that end or are stopped get one verdict in list, overview, container, prune and berth status`,
    async (engine) => {
      await using berth = await serveEngines({ [kind]: engine });
      const workspace = await started(engine, berth);
      for (const one of CASES.filter(isStopped)) {
        await engine.cli("stop", "-t", "1", await idOf(engine, one));
      }
      const told = await stopsTold(engine);
      const expected = new Map<string, string>();
      for (const one of CASES) {
        const id = await idOf(engine, one);
        const { json } = await engine.ask(`GET /containers/${id}/json`);
        expected.set(one.name, verdictOf(one, json.State.ExitCode, told.has(id)));
      }
      const rows = async () => {
        const { items } = (await berth.call("GET /api/projects?limit=100")).body;
        // deno-lint-ignore no-explicit-any -- a test looks into what was answered
        return new Map<string, any>(items.map((row: any) => [row.name, row]));
      };
      // Those that their engine starts again and again are between two states, and never stopped.
      const settled = new Set(
        CASES.filter((one) => isStopped(one) || one.policy === "no" || expected.get(one.name) === "completed")
          .map(({ name }) => name),
      );
      let list = await rows();
      const shown = () => Object.fromEntries([...settled].map((name) => [name, list.get(name)?.verdict]));
      await eventually(`the list says ${JSON.stringify(Object.fromEntries(expected))}`, async () => {
        list = await rows();
        return [...settled].every((name) => list.get(name)?.verdict === expected.get(name));
      }, { timeoutMs: 30_000 }).catch((error) => {
        throw new Error(`${error}: ${JSON.stringify(shown())}`);
      });
      const { units } = (await berth.call("GET /api/overview?limit=100")).body;
      const pruned = await wouldPrune(berth);
      for (const one of CASES) {
        const verdict = expected.get(one.name);
        const row = list.get(one.name);
        assert.equal(row.verdict === "stopped", verdict === "stopped", `${one.name} is ${row.verdict}`);
        const unit = units.find(({ name }: { name: string }) => name === `${one.name}.web`);
        assert.equal(unit.verdict === "stopped", verdict === "stopped", one.name);
        const why = pruned.get(await idOf(engine, one));
        assert.equal(why === "it does not run (stopped)", verdict === "stopped", `${one.name}: ${why}`);
        if (!settled.has(one.name)) continue;
        assert.equal(unit.verdict, verdict, one.name);
        assert.equal(why, `it does not run (${conditionFor(verdict)})`, one.name);
        const id = await idOf(engine, one);
        const container = (await berth.call(`GET /api/containers/${id}`)).body;
        assert.equal(container.condition, conditionFor(verdict), one.name);
        const known = verdict === "stopped" ? { since: container.finishedAt, byHand: told.has(id) } : null;
        assert.deepEqual([container.stopped, row.reason?.stopped ?? null], [known, known], one.name);
      }
      const status = (...args: string[]) =>
        runBerth(["status", ...args], { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });
      const lines = new Map(
        (await status()).stdout.split("\n").map((line) => line.split(/ {2,}/)).map(([verdict, id, ...rest]) =>
          [id, [verdict, rest.at(-1)]] as const
        ),
      );
      for (const name of settled) {
        const [verdict, reason] = lines.get(`${name}@${workspace}`)!;
        assert.equal(verdict, expected.get(name), name);
        const byHand = list.get(name).reason?.stopped?.byHand;
        if (verdict === "stopped") {
          assert.match(reason!, byHand ? /stopped by hand since / : /stopped since /);
        }
      }
      assert.equal((await status(`always-obeys@${workspace}`)).code, 2);
    },
    composeMissing,
  );
}

Deno.test("Only an end without an error, for ten seconds or told by the engine, is a stop, and lost memory never is", () => {
  const now = Date.now();
  const of = (ending: Partial<Judged["ending"]>, rest: Partial<Judged> = {}) =>
    conditionOf({
      state: "exited",
      health: null,
      exitCode: 137,
      reason: null,
      restartCount: 0,
      startedAt: new Date(now - 60_000).toISOString(),
      finishedAt: new Date(now - 11_000).toISOString(),
      ending: { keepsRunning: true, oomKilled: false, byHand: false, ...ending },
      ...rest,
    }, now);
  const recent = { finishedAt: new Date(now - 9_000).toISOString() };
  assert.deepEqual([
    of({}),
    of({}, { health: "unhealthy" }), // as Docker says of everything with a health check that does not run
    of({}, recent),
    of({ byHand: true }, recent),
    of({}, { reason: "no such file" }),
    of({ oomKilled: true, byHand: true }),
    of({ oomKilled: true, keepsRunning: false }, { exitCode: 0 }),
    of({ keepsRunning: false }),
    of({ keepsRunning: false }, { exitCode: 0 }),
    of({ keepsRunning: false, byHand: true }, { exitCode: 0 }),
  ], [
    "stopped",
    "stopped",
    "failed",
    "stopped",
    "failed",
    "failed",
    "failed",
    "failed",
    "completed",
    "stopped",
  ]);
});
