/**
 * A folder is exchanged for a link out of the workspace while a plan with it is judged, created and started. The
 * container itself is the oracle: it writes what it reads from the mount into a folder that outlives it.
 */
import assert from "node:assert/strict";
import { pause } from "../../core/pause.ts";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { type ApplyScene, project, scene, scopedOperator, service } from "../apply/apply_scene.ts";
import { startFlipper } from "../artifacts/link_flipper.ts";
import { type EngineKind, FIXTURE, type TestEngine } from "../support/engine.ts";
import { slowness } from "../proof/slowness.ts";
import { eventually } from "../support/eventually.ts";
import { lawEngine } from "../support/shared_engine.ts";
import type { TestCaller } from "../support/service.ts";

const OWN = "the project's";
const FOREIGN = "the host's";
const IS_PROOF = Deno.env.get("BERTH_PROOF") === "1";
/** The longest life of a container that the engine gave another folder than berth saw: Podman takes its time. */
const GONE_MS = { docker: 1_000, podman: 3_000 };
/** Projects that are raced at the same time. A process that exchanges without a pause takes a core by itself. */
const LANES = { process: 1, sibling: 3 };
/** Rounds of each of the two races. `BERTH_RACE_ROUNDS` sets another number for both engines. */
const ROUNDS = { docker: IS_PROOF ? 500 : 3, podman: IS_PROOF ? 60 : 3 };
const rounds = (kind: EngineKind): number => Number(Deno.env.get("BERTH_RACE_ROUNDS") ?? ROUNDS[kind]);

class Race {
  /** The longest life of a container with a foreign mount. */
  longest = 0;
  /** The time of the last apply that began, so that exchanges begin at any moment of one. */
  #took = 500;

  private constructor(
    readonly scene: ApplyScene,
    readonly operator: TestCaller,
    readonly outside: string,
  ) {}

  static async on(scene: ApplyScene): Promise<Race> {
    const outside = await Deno.makeTempDir({ prefix: "berth-canary-" });
    await Deno.writeTextFile(`${outside}/whose`, `${FOREIGN}\n`);
    await Deno.mkdir(`${scene.path}/seen`);
    return new Race(scene, await scopedOperator(scene, scene.name), outside);
  }

  get moment(): number {
    return Math.random() * this.#took;
  }

  /** Puts a folder, a link beside it and an empty log back. */
  async reset(): Promise<void> {
    const { scene: { path }, outside } = this;
    for (const name of ["data", "other", "kept"]) {
      await Deno.remove(`${path}/${name}`, { recursive: true }).catch(() => {});
    }
    await Deno.mkdir(`${path}/data`);
    await Deno.writeTextFile(`${path}/data/whose`, `${OWN}\n`);
    await Deno.symlink(outside, `${path}/other`);
    for (const name of ["log", "alive"]) await Deno.writeTextFile(`${path}/seen/${name}`, "");
  }

  /** Plans and applies as the operator. Returns the end of the apply, or where it was refused. */
  async apply(
    onBegin: () => void = () => {},
  ): Promise<Apply | "refused when planned" | "refused at the start"> {
    const { scene, operator } = this;
    const path = `/api/workspaces/${scene.workspace}/artifacts/groups/${scene.name}/plan`;
    const planned = await operator.call(`POST ${path}`, {});
    if (planned.status !== 201) return "refused when planned";
    const isRefused = planned.body.missing.length > 0 || planned.body.blocked.length > 0;
    const began = performance.now();
    onBegin();
    const { status, body } = await scene.begin(planned.body, {}, operator);
    // An apply that still waits would refuse all rounds after it, and they would race nothing.
    assert.notEqual(body.code, "apply_running");
    if (status !== 202) return isRefused ? "refused when planned" : "refused at the start";
    assert.equal(isRefused, false, "A plan that was refused must not begin");
    const apply = await eventually("the apply ends", async () => {
      const { body: apply } = await scene.berth.call(`GET /api/applies/${body.id}`);
      return apply.state === "running" ? null : apply as Apply;
    }, { timeoutMs: 120_000 });
    this.#took = performance.now() - began;
    if (apply.state === "paused") {
      await scene.berth.call(`POST /api/applies/${body.id}/abandon`);
      await scene.over(body.id);
    }
    return apply;
  }

  /** Says how the round ended, after comparing it with what the container read. */
  async outcome(apply: Awaited<ReturnType<Race["apply"]>>): Promise<string> {
    const read = await this.#read();
    if (typeof apply === "string") {
      assert.deepEqual(read, [], apply);
      return apply;
    }
    const text = JSON.stringify(apply.steps);
    const isNoticed = text.includes("was exchanged while it started");
    if (isNoticed) {
      assert.deepEqual(await this.#running(), [], "The container with the foreign mount is gone");
      const { lived, since } = await this.#lived();
      assert.ok(
        lived <= GONE_MS[this.scene.engine.kind] * slowness(since),
        `A foreign mount lived ${lived} ms`,
      );
      this.longest = Math.max(this.longest, lived);
      return read.includes(FOREIGN) ? "FOREIGN, ended after its first read" : "foreign, ended before it read";
    }
    assert.ok(!read.includes(FOREIGN), `The container read ${FOREIGN}, and nobody noticed: ${text}`);
    if (apply.state === "done") {
      await eventually("the container has read its mount", async () => (await this.#read()).length > 0);
      assert.deepEqual(await this.#read(), [OWN]);
      return "mounted its own";
    }
    if (/needs the permission/.test(text)) return "refused at a step";
    return "the engine refused";
  }

  async #read(): Promise<string[]> {
    return (await Deno.readTextFile(`${this.scene.path}/seen/log`)).split("\n").filter((line) => line !== "");
  }

  /** Returns how long the container lived after its first read: it touches a file twenty times a second. */
  async #lived(): Promise<{ readonly lived: number; readonly since: number }> {
    const at = async (name: string) => (await Deno.stat(`${this.scene.path}/seen/${name}`)).mtime?.getTime();
    const since = await at("log") ?? 0;
    return { lived: Math.max(since, await at("alive") ?? 0) - since, since };
  }

  async #running(): Promise<string[]> {
    return Object.entries(await this.scene.containers()).flatMap(([name, { state }]) =>
      state === "running" ? [name] : []
    );
  }

  /** Starts a container past berth, with the link in place: the oracle has to say that it is foreign. */
  async control(): Promise<void> {
    const { scene: { engine, path, name } } = this;
    await this.reset();
    const volumes = ["--volume", `${path}/other:/data:ro`, "--volume", `${path}/seen:/seen`];
    await engine.cli(
      "run",
      "--rm",
      "--network=none",
      "--name",
      `${name}-control`,
      ...volumes,
      FIXTURE,
      "sh",
      "-c",
      "cat /data/whose >> /seen/log",
    );
    assert.deepEqual(await this.#read(), [FOREIGN]);
  }

  async containersGone(): Promise<void> {
    for (const { id } of Object.values(await this.scene.containers())) {
      await this.scene.engine.ask(`DELETE /containers/${id}?force=1&v=1`);
    }
  }
}

/** Something that exchanges the folder from some moment on, until it is stopped. */
interface Exchanger {
  start(): Promise<unknown>;
  stop(): Promise<unknown>;
}

/** Exchanges all the time in one of three rounds, and from some moment of the apply in the others. */
async function round(race: Race, n: number, by: Exchanger): Promise<string> {
  const isThere = n % 3 === 0;
  let starting = isThere ? by.start() : null;
  if (isThere) await starting;
  try {
    const apply = await race.apply(() => {
      starting ??= pause(race.moment, new AbortController().signal).then(() => by.start());
    });
    await starting;
    return await race.outcome(apply);
  } finally {
    await starting;
    await by.stop();
  }
}

/** Races the rounds in several projects at a time, and prints how many ended in which way. */
async function raced(
  engine: TestEngine,
  kind: keyof typeof LANES,
  work: (race: Race, n: number) => Promise<string>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const all = rounds(engine.kind);
  let left = all;
  let longest = 0;
  const command = "[sh, -c, 'cat /data/whose >> /seen/log; while :; do : > /seen/alive; sleep 0.05; done']";
  const lines = "network_mode: none\nvolumes: ['./data:/data:ro', './seen:/seen']";
  await Promise.all(Array.from({ length: LANES[kind] }, async (_, lane) => {
    const name = `raced${kind}${lane}`;
    await scene(engine, name, project(name, [service("web", lines, command)]), async (scene) => {
      const race = await Race.on(scene);
      await race.control();
      while (left-- > 0) {
        await race.reset();
        const outcome = await work(race, left);
        counts[outcome] = (counts[outcome] ?? 0) + 1;
        if (left > 0 && left % 25 === 0) console.log(`${left} rounds to go: ${JSON.stringify(counts)}`);
        await race.containersGone();
      }
      await Deno.remove(race.outside, { recursive: true });
      longest = Math.max(longest, race.longest);
    });
  }));
  if (longest > 0) {
    console.log(`A container with a foreign mount lived for ${Math.round(longest)} ms at most`);
  }
  console.log(`${all} rounds on ${engine.kind}, ${kind}: ${JSON.stringify(counts)}`);
  assert.equal(Object.values(counts).reduce((sum, count) => sum + count, 0), all);
  return counts;
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("A folder that another process exchanges by a link is mounted as planned or not at all", async (engine) => {
    const counts = await raced(engine, "process", async (race, n) => {
      const { path } = race.scene;
      let flipper: Awaited<ReturnType<typeof startFlipper>>;
      return await round(race, n, {
        start: async () => flipper = await startFlipper(`${path}/data`, `${path}/other`),
        stop: async () => {
          if (typeof flipper === "string") console.warn(`SKIPPED: ${flipper}`);
          else await flipper?.[Symbol.asyncDispose]();
        },
      });
    });
    if (IS_PROOF) assert.ok((counts["mounted its own"] ?? 0) > 0, "Some round must get as far as a start");
  });

  test("A folder that a sibling container exchanges by a link is mounted as planned or not at all", async (engine) => {
    const counts = await raced(engine, "sibling", async (race, n) => {
      const sibling = await siblingOf(race);
      const act = async (what: string) =>
        assert.ok((await engine.ask(`POST /containers/${sibling}/${what}`)).status < 400);
      const outcome = await round(race, n, { start: () => act("start"), stop: () => act("stop?t=0") });
      const when = n % 3 === 0 ? "there already" : "started meanwhile";
      await engine.ask(`DELETE /containers/${sibling}?force=1`);
      return `${when}: ${outcome}`;
    });
    // It was made before the plan, so the plan sees that it may write to the folder.
    const ways = Object.keys(counts).filter((way) => !way.endsWith(": refused when planned"));
    assert.deepEqual(ways, []);
  });
}

/** Makes a container of somebody else that may write to the project's folder and exchanges what lies in it. */
async function siblingOf({ scene: { berth, engine, path, name }, outside }: Race): Promise<string> {
  const flips = `cd /w; while :; do mv data kept; ln -s ${outside} data; rm data; mv kept data; done`;
  const { status, json, body } = await engine.ask(`POST /containers/create?name=${name}-sibling`, {
    Image: FIXTURE,
    Cmd: ["sh", "-c", flips],
    HostConfig: { Binds: [`${path}:/w`], NetworkMode: "none" },
  });
  assert.equal(status, 201, body);
  // A plan of the same moment may not know of it yet, and is refused at the start.
  await eventually(
    "berth knows of it",
    async () => (await berth.call(`GET /api/containers/${json.Id}`)).status === 200,
  );
  return json.Id;
}
