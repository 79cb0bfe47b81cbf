/** Somebody who edits a project and applies it, again and again, in chaos: what an apply says is done is done. */
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { pause } from "../../core/pause.ts";
import { project, service } from "../apply/apply_scene.ts";
import { recordsOf } from "./chaos_clients.ts";
import type { AppliesModel, ShownApply } from "./chaos_model.ts";
import type { ChaosWorld } from "./chaos_world.ts";
import { eventually } from "../support/eventually.ts";
import type { TestCaller } from "../support/service.ts";

const OVER = ["done", "failed", "cancelled"];
/** An engine that is away is waited for, and a busy machine is slow. */
const SETTLED = { timeoutMs: 240_000, everyMs: 500 };

/** A container of the project, as the engine itself has it. */
interface Seen {
  readonly name: string;
  readonly version: number;
  readonly state: string;
  readonly volume: string | undefined;
}

export class Applier {
  readonly #following: Promise<void>[] = [];
  #version = 0;
  /** The least that runs, once an apply was done. */
  #done = 0;
  /** The data of the container with data: the same through all replacements. */
  #volume: string | undefined;

  private constructor(
    private readonly world: ChaosWorld,
    private readonly model: AppliesModel,
    private readonly random: () => number,
    readonly name: string,
    private readonly workspace: string,
  ) {}

  /** Registers its workspace, before anything is broken. */
  static async in(
    world: ChaosWorld,
    model: AppliesModel,
    name: string,
    random: () => number,
  ): Promise<Applier> {
    const path = `${world.folder}/${name}`;
    await Deno.mkdir(path);
    await Deno.writeTextFile(`${path}/compose.yaml`, textOf(name, 0));
    const { body, text } = await world.admin.call("POST /api/workspaces", { path, name });
    if (body.id === undefined) throw new Error(`The workspace of applies is not registered: ${text}`);
    return new Applier(world, model, random, name, body.id);
  }

  async work(): Promise<void> {
    const { world, random } = this;
    const { signal } = world.ending;
    while (!signal.aborted) {
      await this.#edit();
      const action = random() < 0.85 ? "up" : random() < 0.5 ? "down" : "restart";
      const id = await this.#begin(this.#anyone(), { action });
      if (id !== null) await this.#watch(id, action, signal);
      await pause(random() * 1_000, signal);
    }
  }

  /** Once all is mended: what is in hand comes to its end, and one more apply leaves exactly what the file says. */
  async conclude(): Promise<void> {
    const { world, model } = this;
    await eventually(`the applies of ${this.name} are over`, async () => {
      const open = (await this.#list()).filter(({ state }) => !OVER.includes(state));
      for (const { id, state } of open) {
        // One whose files were edited since does not go on
        if (state === "paused") await world.ask(world.admin, `POST /api/applies/${id}/abandon`);
      }
      return open.length === 0;
    }, SETTLED);
    await this.#edit();
    await eventually(`${this.name} runs as it is written`, async () => {
      const id = await this.#begin(world.admin, { action: "up" });
      if (id !== null) await this.#watch(id, "up", new AbortController().signal);
      const seen = await this.#seen();
      return seen.length === 2 &&
        seen.every(({ version, state }) => version === this.#version && state === "running");
    }, SETTLED);
    await Promise.all(this.#following);
    for (const { id } of await this.#list()) model.compare(id, await this.#journal(id, new Map()));
  }

  async #edit(): Promise<void> {
    this.#version++;
    const path = `${this.world.folder}/${this.name}/compose.yaml`;
    await Deno.writeTextFile(`${path}.new`, textOf(this.name, this.#version));
    await Deno.rename(`${path}.new`, path);
  }

  #anyone(): TestCaller {
    const { admins } = this.world;
    return admins[Math.floor(this.random() * admins.length)]!; // at least one
  }

  /** The id of an apply that has begun, of one that may have, or of one that is in the way. */
  async #begin(caller: TestCaller, request: unknown): Promise<string | null> {
    const { world, model, workspace, name } = this;
    const plan = await world.ask(
      caller,
      `POST /api/workspaces/${workspace}/artifacts/groups/${name}/plan`,
      request,
    );
    if (plan?.status !== 201 || plan.body.steps.length === 0 || plan.body.blocked.length > 0) {
      if (plan?.status === 201) world.tell({ plan: name, blocked: plan.body.blocked });
      return null;
    }
    // However it ends, and whether or not it was answered, it may take the data without a name along
    if (plan.body.action === "down") this.#volume = undefined;
    const began = world.now();
    const begun = await world.ask(caller, `POST /api/plans/${plan.body.id}/apply`, {});
    const times = { began, ended: world.now() };
    if (begun?.status === 202) {
      model.acknowledged(begun.body.id, times.ended);
      model.shown(begun.body, times);
      world.counted("applies");
      return this.#followed(begun.body.id);
    }
    if (begun?.body?.code === "apply_running") {
      const other = /apply ([0-9a-f-]{36})/.exec(begun.body.title)?.[1];
      if (other === undefined) return null;
      model.inTheWay(other, times);
      return other;
    }
    if (begun !== null && begun.status < 500) return null;
    const [latest] = await this.#list().catch(() => []); // the answer was lost, and perhaps nothing else
    return latest !== undefined && !OVER.includes(latest.state) ? this.#followed(latest.id) : null;
  }

  #followed(id: string): string {
    this.#following.push(this.#follow(id));
    return id;
  }

  /** Until it is over, with a word to it now and then. */
  async #watch(id: string, action: string, signal: AbortSignal): Promise<void> {
    const { world, model, random } = this;
    let word = random() < 0.15 && !signal.aborted ? "cancel" : null;
    while (!signal.aborted) {
      const began = world.now();
      const answer = await world.ask(this.#anyone(), `GET /api/applies/${id}`);
      if (answer?.status === 404) return model.absent(id);
      if (answer?.status === 200) {
        const apply: Apply = answer.body;
        model.shown(apply, { began, ended: world.now() });
        if (OVER.includes(apply.state)) {
          world.counted(`applies ${apply.state}`);
          world.tell({ apply: id, state: apply.state, reason: apply.reason });
          if (apply.state === "done" && action !== "restart") await this.#check(action);
          return;
        }
        if (apply.state === "paused") word = random() < 0.7 ? "resume" : "abandon";
        if (word !== null) await world.ask(this.#anyone(), `POST /api/applies/${id}/${word}`);
        word = null;
      }
      await pause(200 + random() * 300, signal);
    }
  }

  /**
   * Asserts that what was done is there, and nothing else: one container a number, of what was written, with the same
   * data.
   */
  async #check(action: string): Promise<void> {
    const { world, name } = this;
    const seen = await this.#seen().catch(() => null);
    if (seen === null) return; // the engine is away
    const told = JSON.stringify(seen);
    const names = seen.map((one) => one.name).sort().join();
    const wanted = action === "down" ? "" : `${name}-db-1,${name}-web-1`;
    if (names !== wanted) {
      world.broken.push(`${name}: after "${action}" there is ${told}`);
      return world.tell({ broken: name, seen });
    }
    if (action === "down") return;
    const [version = NaN, ...others] = new Set(seen.map((one) => one.version));
    if (others.length > 0 || version < this.#done || version > this.#version) {
      world.broken.push(`${name}: between the versions ${this.#done} and ${this.#version} runs ${told}`);
    }
    this.#done = version;
    const volume = seen.find((one) => one.name.includes("-db-"))?.volume;
    if (this.#volume !== undefined && volume !== this.#volume) {
      world.broken.push(`${name}: its data were in ${this.#volume}, and are in ${volume}`);
    }
    this.#volume = volume;
  }

  async #seen(): Promise<Seen[]> {
    const { engine } = this.world;
    const filters = JSON.stringify({ label: [`com.docker.compose.project=${this.name}`] });
    const { status, json } = await engine.ask(
      `GET /containers/json?all=1&filters=${encodeURIComponent(filters)}`,
    );
    if (status !== 200) throw new Error(`The engine answered ${status}`);
    // deno-lint-ignore no-explicit-any -- an engine's answer is compared, not trusted
    return json.map(({ Names, Labels, State, Mounts }: any): Seen => ({
      name: Names[0].replace(/^\//, ""),
      version: Number(Labels["version"]),
      state: State,
      volume: Mounts.find(({ Destination }: Record<string, string>) => Destination === "/data")?.Name,
    }));
  }

  /** All of them, page by page, and whether none is lost. Throws where the list could not be had whole. */
  async #list(): Promise<ShownApply[]> {
    const { world, model } = this;
    const caller = this.#anyone();
    const began = world.now();
    const all: ShownApply[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await world.ask(caller, `GET /api/applies?limit=200${more}`);
      if (answer?.status !== 200) throw new Error("The list of applies was not to be had");
      all.push(...answer.body.items);
      cursor = answer.body.next;
    }
    model.listed(all, { began, ended: world.now() });
    return all.filter(({ project }) => project === this.name);
  }

  /** Reads a journal as it grows, at any replica, to the end of its apply. */
  async #follow(id: string): Promise<void> {
    const journal = new Map<number, unknown>();
    for (;;) {
      const isOver = await this.#read(id, journal).catch(() => false);
      if (isOver) return;
      await pause(200);
    }
  }

  /** Reads the events. Returns true if the end was told. */
  async #read(id: string, journal: Map<number, unknown>): Promise<boolean> {
    let place = Math.max(0, ...journal.keys());
    const headers = { accept: "application/x-ndjson" };
    const response = await this.#anyone().fetch(
      `GET /api/applies/${id}/events?after=${place}`,
      undefined,
      { headers, signal: AbortSignal.timeout(60_000) },
    );
    if (response.status !== 200) {
      await response.body?.cancel();
      return false;
    }
    for await (const event of recordsOf(response)) {
      if (event.kind === "end") return true;
      if (event.id === undefined) continue;
      place = this.model.line(id, place, event);
      journal.set(place, event);
    }
    return false;
  }

  async #journal(id: string, journal: Map<number, unknown>): Promise<{ readonly id: number }[]> {
    await eventually(`the journal of ${id} is read`, () => this.#read(id, journal));
    return [...journal.values()] as { id: number }[];
  }
}

/** Two containers of one version, of which one has data and is waited for. */
function textOf(name: string, version: number): string {
  const lines = `labels: { version: '${version}' }\nhealthcheck: { test: [CMD, 'true'], interval: 200ms }`;
  return project(name, [
    service("db", `${lines}\nvolumes: ['/data']\nrestart: unless-stopped`),
    service("web", `${lines}\ndepends_on: { db: { condition: service_healthy } }`),
  ]);
}
