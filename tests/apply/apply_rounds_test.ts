/**
 * Rounds of two random faults: berth is killed at some act of an apply, and something that the apply needs is changed
 * before berth starts again. `BERTH_TEST_ROUNDS=200` rounds on Docker are 50 on Podman; `BERTH_TEST_SEED` repeats one run.
 */
import assert from "node:assert/strict";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { type Kill, mortal } from "./apply_mortal.ts";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { numbers } from "../support/numbers.ts";
import { CHANGES, draw, type Drawn, servicesOf, textOf, UNPLANNED } from "./round_project.ts";
import { serveEngines, TestCaller, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

const ROUNDS = Number(Deno.env.get("BERTH_TEST_ROUNDS") ?? "1");
const PODMAN_SHARE = 1 / 4;
const SEED = Number(Deno.env.get("BERTH_TEST_SEED") ?? `${crypto.getRandomValues(new Uint16Array(1))[0]}`);
/** Also how long files may be away, after which a person is waited for. */
const LEASE = { applyTimes: { leaseMs: 1_000, awayMs: 2_000 } };
/** Some rounds kill berth a second time, in the middle of its recovery. */
const AGAIN = 0.25;
const MOST_ACTS = 14;
const PLANNED = "blue";
const BEFORE = "red";
const NAME = "rounds";
const KEY = "applier";
/** An apply takes as long as engines on a busy machine need. */
const OVER = { timeoutMs: 120_000 };

/** A container as the engine's own list and inspection show it. */
interface Found {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly restart: string;
  readonly colour: string;
  readonly mark: string;
  /** `container:<id>` of one whose network it has. */
  readonly network: string;
}

async function containersOn(engine: TestEngine): Promise<readonly Found[]> {
  const { json } = await engine.ask("GET /containers/json?all=1");
  return await Promise.all(json.map(async ({ Id }: { Id: string }): Promise<Found> => {
    const { json: one } = await engine.ask(`GET /containers/${Id}/json`);
    return {
      id: one.Id,
      name: one.Name.replace(/^\//, ""),
      state: one.State.Status,
      restart: one.HostConfig.RestartPolicy.Name || "no",
      colour: /^C=(.*)$/m.exec(one.Config.Env.join("\n"))?.[1] ?? "",
      mark: one.Config.Labels["dev.berth.apply"] ?? "",
      network: one.HostConfig.NetworkMode,
    };
  }));
}

class Rounds {
  readonly counts = new Map<string, number>();
  readonly #path: string;
  #drawn: Drawn;

  constructor(
    private readonly engine: TestEngine,
    private readonly folder: string,
    private readonly random: () => number,
  ) {
    this.#path = `${folder}/workspaces/${NAME}`;
    this.#drawn = draw(random);
  }

  async run(rounds: number): Promise<void> {
    await Deno.mkdir(this.#path, { recursive: true });
    let admin: string;
    {
      await using berth = await this.#berth();
      admin = berth.admin!;
      await this.#makeBase(berth);
    }
    for (let round = 1; round <= rounds; round++) await this.#round(round, admin);
  }

  async #round(round: number, admin: string): Promise<void> {
    const before = await containersOn(this.engine);
    const changes = Object.keys(CHANGES);
    const change = changes[Math.floor(this.random() * changes.length)]!;
    const kills = [this.#kill(), ...(this.random() < AGAIN ? [this.#kill()] : [])];
    const told = `round ${round}: killed ${kills.map((kill) => kill.join(" ")).join(", then ")}; ${change}; ${
      JSON.stringify(this.#drawn)
    }`;
    try {
      await Deno.writeTextFile(`${this.#path}/compose.yaml`, this.#text(PLANNED, true));
      await this.#dieInApply(admin, kills[0]!);
      const { name, drawn, folder } = { name: NAME, drawn: this.#drawn, folder: this.folder };
      const reached = { name, path: this.#path, drawn, data: `${folder}/data`, key: KEY };
      const later = await CHANGES[change]!(reached);
      if (kills[1] !== undefined) await this.#dieInRecovery(admin, kills[1]);
      await using berth = await this.#berth(admin);
      await later?.();
      const apply = await this.#over(berth);
      this.#count(`ended ${apply.state}`);
      await this.#judge(berth, apply, before);
      await this.#mend(berth, apply);
    } catch (error) {
      throw new Error(`Seed ${SEED}, ${told}`, { cause: error });
    }
  }

  #kill(): Kill {
    return [this.random() < 0.5 ? "before" : "after", "any", 1 + Math.floor(this.random() * MOST_ACTS)];
  }

  #text(colour: string, isNext: boolean): string {
    return textOf(NAME, colour, this.#drawn, isNext);
  }

  #berth(admin = ""): Promise<TestService> {
    return serveEngines({ [this.engine.kind]: this.engine }, { ...LEASE, folder: this.folder, admin });
  }

  async #dieInApply(admin: string, kill: Kill): Promise<void> {
    const { child, url } = await mortal({ folder: this.folder, admin }, this.engine, kill);
    const caller = new TestCaller(url, admin);
    await eventually("it is ready", async () => (await caller.call("GET /api/health/ready")).status === 200);
    const made = await caller.call("POST /api/settings/api-keys", { name: KEY, role: "operator" });
    assert.equal(made.status, 201, made.text);
    const applier = new TestCaller(url, made.body.key);
    const id = (await caller.call("GET /api/workspaces")).body.items[0].id;
    const plan = await applier.call(`POST /api/workspaces/${id}/artifacts/groups/${NAME}/plan`, {});
    assert.deepEqual([plan.status, plan.body.blocked], [201, []], plan.text);
    const begun = await applier.call(`POST /api/plans/${plan.body.id}/apply`, {}).catch(() => null);
    await this.#death(child, async () => {
      if (begun === null) return false;
      const { body } = await caller.call(`GET /api/applies/${begun.body.id}`);
      return body.state !== "running";
    });
  }

  async #dieInRecovery(admin: string, kill: Kill): Promise<void> {
    const { child, url } = await mortal({ folder: this.folder, admin }, this.engine, kill);
    const caller = new TestCaller(url, admin);
    await this.#death(child, async () => {
      const { body } = await caller.call("GET /api/applies");
      return body.items?.every(({ state }: Apply) => state !== "running") === true;
    });
  }

  /** Waits until a berth has killed itself, and kills it where its apply is over before that act. */
  async #death(child: Deno.ChildProcess, isOver: () => Promise<boolean>): Promise<void> {
    let isDead = false;
    const died = child.status.then(() => isDead = true);
    await eventually("berth is killed", async () => isDead || await isOver().catch(() => false), OVER);
    this.#count(isDead ? "killed in the middle" : "killed afterwards");
    if (!isDead) child.kill("SIGKILL");
    await died;
  }

  async #over(berth: TestService): Promise<Apply> {
    const { items } = (await berth.call("GET /api/applies")).body;
    return await eventually("the apply is over, or waits", async () => {
      const { body } = await berth.call(`GET /api/applies/${items[0].id}`);
      return body.state === "running" ? null : body;
    }, OVER);
  }

  /** Compares the engine's own list with the two versions that a plan has shown. */
  async #judge(
    berth: TestService,
    { id, state, reason, steps }: Apply,
    before: readonly Found[],
  ): Promise<void> {
    const found = await containersOn(this.engine);
    const known = new Set(before.map((one) => one.id));
    const seen = JSON.stringify({ state, reason, found, steps: steps.filter((one) => one.state !== "done") });
    for (const one of found) {
      assert.notEqual(one.colour, UNPLANNED, `no plan showed it: ${seen}`);
      if (known.has(one.id)) continue;
      assert.ok(one.mark.startsWith(`${id}:`), `nobody's apply made it: ${seen}`);
      assert.equal(one.colour, PLANNED, `no plan showed it: ${seen}`);
    }
    const { checks } = (await berth.call("GET /api/health")).body;
    const names = servicesOf(this.#drawn).map((one) => `${NAME}-${one}-1`);
    const isUp = names.every((name) =>
      found.some((one) => one.name === name && one.state === "running" && one.restart === this.#drawn.restart)
    );
    if (checks.applies.status !== "ok") {
      this.#count(isUp ? "up, and named in health" : "down, and named in health");
      assert.ok(checks.applies.reason.includes(`"${NAME}"`), checks.applies.reason);
      const isAsked = steps.some((one) => one.state === "unknown" && one.hook);
      assert.ok(isAsked || this.#drawn.hasSharer, `it could be completed or undone: ${seen}`);
      return;
    }
    assert.ok(isUp, `a service is down: ${seen}`);
    this.#count("up");
    // Podman keeps one for as long as another one shares its namespaces; the next plan shows it.
    const isLeft = ({ id, name, state }: Found) =>
      this.engine.kind === "podman" && name.includes(".old-") && state === "exited" &&
      found.some(({ network }) => network === `container:${id}`);
    assert.deepEqual(found.filter((one) => !isLeft(one)).map((one) => one.name).sort(), names, seen);
    const { sick } = this.#drawn;
    const serving = found.find((one) => one.name === `${NAME}-${sick}-1`);
    assert.notEqual(serving?.colour ?? "", sick === null ? null : PLANNED, `a sick version serves: ${seen}`);
  }

  /** Gives back what was changed, ends the apply, and brings the next project up. */
  async #mend(berth: TestService, { id, state }: Apply): Promise<void> {
    await Deno.rename(`${this.#path}.away`, this.#path).catch(() => {});
    if (state === "paused") {
      const ended = await berth.call(`POST /api/applies/${id}/abandon`);
      assert.deepEqual([ended.status, ended.body.state], [200, "cancelled"], ended.text);
    }
    for (const { id, name } of (await berth.call("GET /api/settings/api-keys")).body.items) {
      if (name === KEY) await berth.call(`DELETE /api/settings/api-keys/${id}`);
    }
    assert.deepEqual(berth.bugs(), []);
    this.#drawn = draw(this.random);
    await this.#makeBase(berth);
  }

  async #makeBase(berth: TestService): Promise<void> {
    await Deno.writeTextFile(`${this.#path}/compose.yaml`, this.#text(BEFORE, false));
    const known = (await berth.call("GET /api/workspaces")).body.items;
    if (known.length === 0) {
      const made = await berth.call("POST /api/workspaces", { path: this.#path });
      assert.equal(made.status, 201, made.text);
    }
    const id = (await berth.call("GET /api/workspaces")).body.items[0].id;
    const names = servicesOf(this.#drawn).map((one) => `${NAME}-${one}-1`);
    await eventually("the next project runs", async () => {
      const route = `POST /api/workspaces/${id}/artifacts/groups/${NAME}/plan`;
      const plan = await berth.call(route, { orphans: "remove" });
      assert.deepEqual([plan.status, plan.body.blocked], [201, []], plan.text);
      if (plan.body.steps.length > 0) {
        const begun = await berth.call(`POST /api/plans/${plan.body.id}/apply`, {});
        assert.equal(begun.status, 202, begun.text);
        const { state, reason } = await this.#over(berth);
        assert.deepEqual([state, reason], ["done", null]);
      }
      const found = await containersOn(this.engine);
      assert.deepEqual(
        found.map(({ name, state, colour }) => [name, state, colour]).sort(),
        names.map(
          (name) => [name, "running", BEFORE],
        ),
      );
      return true;
    }, OVER);
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}

for (const kind of ["docker", "podman"] as const) {
  const rounds = kind === "docker" ? ROUNDS : Math.ceil(ROUNDS * PODMAN_SHARE);
  const { test } = await lawEngine(kind);
  test(`After a kill and a change every service is up or named in health, ${rounds} times (F122)`, async (engine) => {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-rounds-" }));
    const all = new Rounds(engine, folder, numbers(SEED));
    try {
      await all.run(rounds);
    } finally {
      console.log(`seed ${SEED}: ${JSON.stringify(Object.fromEntries(all.counts))}`);
      await Deno.remove(folder, { recursive: true });
    }
  });
}
