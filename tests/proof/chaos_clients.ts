/** The callers of chaos: keys, workspaces, containers, sessions, logs and shells, each held against its model. */
import { pause } from "../../core/pause.ts";
import { browse } from "../support/browse.ts";
import { LinesModel, NamesModel } from "./chaos_model.ts";
import { type ChaosWorld, outcomeOf } from "./chaos_world.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { type Answer, TestCaller } from "../support/service.ts";

const KEYS = "/api/settings/api-keys";
const WORKSPACES = "/api/workspaces";

export class ChaosClients {
  readonly keys = new NamesModel("keys");
  readonly workspaces = new NamesModel("workspaces");
  readonly containers = new NamesModel("containers");
  readonly lines = new LinesModel();
  /** Ids by name, as they were acknowledged. */
  readonly #ids = new Map<string, string>();

  constructor(private readonly world: ChaosWorld) {}

  get broken(): string[] {
    return [this.keys, this.workspaces, this.containers, this.lines].flatMap(({ broken }) => broken);
  }

  /** Does this and that by chance, and knows its own names by its number. */
  async client(number: number, random: () => number): Promise<void> {
    const { world, keys, workspaces, containers } = this;
    const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
    const own = (model: NamesModel) => pick(model.there().filter((name) => name.startsWith(`c-${number}-`)));
    // With two replicas, what one acknowledges the other one shows
    const anywhere = () => pick(world.admins)!;
    for (let made = 0; !world.ending.signal.aborted; made++) {
      const name = `c-${number}-${made}`;
      const acts: (() => Promise<unknown>)[] = [
        () => this.#add(keys, name, () => world.ask(anywhere(), `POST ${KEYS}`, { name, role: "viewer" })),
        () => this.#remove(keys, own(keys), (id) => world.ask(anywhere(), `DELETE ${KEYS}/${id}`)),
        async () => {
          const path = `${world.folder}/${name}`;
          await Deno.mkdir(path);
          await this.#add(
            workspaces,
            name,
            () => world.ask(anywhere(), `POST ${WORKSPACES}`, { path, name }),
          );
        },
        () =>
          this.#remove(
            workspaces,
            own(workspaces),
            (id) => world.ask(anywhere(), `DELETE ${WORKSPACES}/${id}`),
          ),
        () => this.#session(anywhere()),
        () => this.#create(name),
        async () => {
          const id = this.#idOf(containers, own(containers));
          const verb = pick(["start", "stop", "restart"]);
          if (id !== undefined) await world.ask(world.admin, `POST /api/containers/${id}/${verb}`);
        },
        () =>
          this.#remove(
            containers,
            own(containers),
            (id) => world.ask(world.admin, `DELETE /api/containers/${id}?force=true`),
          ),
        () => this.#list(keys, KEYS, anywhere()),
        () => this.#list(workspaces, WORKSPACES, anywhere()),
        () => this.#list(containers, "/api/containers", world.admin),
      ];
      await pick(acts)!();
      await pause(random() * 100);
    }
  }

  #idOf(model: NamesModel, name: string | undefined): string | undefined {
    return this.#ids.get(`${model.what} ${name}`);
  }

  async #add(model: NamesModel, name: string, ask: () => Promise<Answer | null>): Promise<void> {
    const { world } = this;
    const began = world.now();
    model.tries(name, began);
    const answer = await ask();
    const outcome = outcomeOf(answer);
    model.added(name, { began, ended: world.now(), outcome });
    if (outcome === "yes") this.#ids.set(`${model.what} ${name}`, answer!.body.id);
    world.tell({ added: name, outcome });
  }

  async #remove(
    model: NamesModel,
    name: string | undefined,
    ask: (id: string) => Promise<Answer | null>,
  ): Promise<void> {
    const { world } = this;
    const id = this.#idOf(model, name);
    if (name === undefined || id === undefined) return;
    const began = world.now();
    model.removed(name, { began, ended: Infinity, outcome: "unknown" });
    const answer = await ask(id);
    // An object that is gone may have gone by a try that was never answered
    const outcome = answer?.status === 404 ? "unknown" : outcomeOf(answer);
    model.removed(name, { began, ended: world.now(), outcome });
    world.tell({ removed: name, outcome });
  }

  async #create(name: string): Promise<void> {
    const { world, containers } = this;
    const began = world.now();
    containers.tries(name, began);
    const made = world.engine.cli("create", "--name", name, "--network", "none", FIXTURE);
    const id = await made.catch(() => null);
    containers.added(name, { began, ended: world.now(), outcome: id === null ? "unknown" : "yes" });
    if (id !== null) this.#ids.set(`containers ${name}`, id);
  }

  async #list(model: NamesModel, path: string, caller: TestCaller): Promise<void> {
    const { world } = this;
    const began = world.now();
    const answer = await world.ask(caller, `GET ${path}`);
    if (answer === null || answer.status !== 200) return;
    const { items, unavailable = [], stale = [] } = answer.body;
    // An engine that is away shows nothing, and a silent or late one what was last known of it: the answer says so
    if (
      unavailable.length > 0 || stale.length > 0 ||
      items.some(({ stale }: { stale?: boolean }) => stale === true)
    ) return;
    const names = ownNames(items);
    if (model !== this.containers) return model.listed(names, { began, ended: world.now() });
    // A row that an engine has not told yet is not lost: shown rows are checked, and all of them at the end
    const before = model.broken.length;
    model.shown(names, { began, ended: world.now() });
    for (const one of model.broken.slice(before)) world.tell({ broken: one, began, answer: answer.body });
  }

  /** Opens a session, refreshes it, ends it: what was acknowledged counts, and what was ended does not. */
  async #session(at: TestCaller): Promise<void> {
    const { world } = this;
    const opened = await world.ask(at, "POST /api/auth/key", { key: at.credential });
    if (opened?.status !== 200) return;
    const next = await world.ask(at, "POST /api/auth/refresh", { refreshToken: opened.body.refreshToken });
    if (next === null || next.status >= 500) return;
    if (next.status !== 200) {
      return void world.broken.push(`a fresh session was refused its refresh: ${next.text}`);
    }
    const caller = new TestCaller(at.url, next.body.accessToken);
    const before = await world.ask(caller, "GET /api/auth/me");
    if (before?.status === 401) world.broken.push("a token of a session that is open was refused");
    const out = await world.ask(caller, "POST /api/auth/logout");
    if (outcomeOf(out) !== "yes") return;
    const after = await world.ask(caller, "GET /api/auth/me");
    if (after?.status === 200) world.broken.push("a token counts after its session was ended");
  }

  /** Reads a log from its beginning to the signal, and goes on behind the last cursor whenever it is cut off. */
  async follow(container: string, signal: AbortSignal): Promise<void> {
    let cursor = "";
    while (!signal.aborted) {
      try {
        const since = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
        const path = `/api/containers/${container}/logs?follow=true&format=ndjson${since}`;
        const response = await this.world.admin.fetch(`GET ${path}`, undefined, { signal });
        if (response.status !== 200) await response.body?.cancel();
        else {
          for await (const { line, gap, cursor: place } of recordsOf(response)) {
            if (gap !== undefined) {
              this.world.counted("gaps told");
              this.world.tell({ gap });
              this.lines.gap();
            } else if (line !== undefined) this.lines.line(line);
            if (place !== undefined) cursor = place;
          }
        }
      } catch { // cut off
      }
      await pause(100, signal);
    }
  }

  /** Opens shells and leaves them in every way. */
  async shells(container: string, random: () => number): Promise<void> {
    const { world } = this;
    const left = new Set<WebSocket>();
    while (!world.ending.signal.aborted) {
      const path = `/containers/${container}/exec`;
      const { wire, heard, closed } = browse(world.admin.url, path, world.admin.credential!);
      await pause(random() * 2_000);
      if (heard.texts.some((text) => text.includes(`"ready"`))) world.counted("shells");
      if (random() < 0.7) wire.close();
      else left.add(wire);
      await Promise.race([closed, pause(1_000)]);
    }
    for (const wire of left) wire.close();
  }

  /** Once all is mended: what was acknowledged is there, at each replica, and the audit log has it. */
  async conclude(): Promise<void> {
    const { world, keys, workspaces } = this;
    for (const admin of world.admins) {
      for (const [model, path] of [[keys, KEYS], [workspaces, WORKSPACES]] as const) {
        await eventually(`${model.what} are listed`, async () => {
          const began = world.now();
          const { status, body } = await admin.call(`GET ${path}`);
          if (status !== 200) return false;
          model.listed(ownNames(body.items), { began, ended: world.now() });
          return true;
        });
      }
    }
    const audit = await (await world.admin.fetch("GET /api/system/audit?format=ndjson")).text();
    const told = new Set(
      audit.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line).target),
    );
    for (const name of keys.there()) {
      if (!told.has(`${KEYS}/${this.#idOf(keys, name)}`)) {
        world.broken.push(`audit: key "${name}" is not told`);
      }
    }
  }
}

const ownNames = (items: readonly { readonly name: string }[]): string[] =>
  items.map(({ name }) => name).filter((name) => name.startsWith("c-"));

/** The records of NDJSON as they come. */
// deno-lint-ignore no-explicit-any -- a test reads what it expects
export async function* recordsOf(response: Response): AsyncGenerator<any> {
  let rest = "";
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const records = (rest + text).split("\n");
    rest = records.pop() ?? "";
    for (const record of records) if (record !== "") yield JSON.parse(record);
  }
}
