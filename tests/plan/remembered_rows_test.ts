/** Rows that berth remembers are those that a berth without any memory makes, whatever changed. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { numbers } from "../support/numbers.ts";
import { inspected, scriptedId, ScriptedWorld, type World } from "../support/scripted_world.ts";
import { serveEngines, type TestCaller } from "../support/service.ts";

const CHANGES = Number(Deno.env.get("BERTH_TEST_CHANGES") ?? 20);
const SEED = Number(Deno.env.get("BERTH_TEST_SEED") ?? Date.now() % 100_000);
/** Changes between two comparisons. */
const AT_ONCE = 10;
const PROJECTS = 8;
const SERVICES = ["web", "db", "job"] as const;
/** Memories that are older are looked at again anyway. */
const WITHIN_MS = 20_000;

interface Running {
  readonly project: string;
  readonly service: string;
  memory: number;
  image: string;
  status: string;
  exitCode: number;
  network: string;
}

const nameOf = (project: number) => `p${project}`;

/** Files and an engine that change by themselves, as a seed says. */
class ChangingWorld {
  readonly world: World = { containers: new Map() };
  readonly folder: string;
  readonly engine: ScriptedWorld;
  readonly #running = new Map<string, Running>();
  readonly #images = new Map([["scripted:1", 1], ["scripted:2", 2]]);
  readonly #random: () => number;
  #made = 0;

  constructor(readonly home: string, seed: number) {
    this.folder = `${home}/workspaces/many`;
    this.#random = numbers(seed);
    this.world.override = (_request, path) =>
      path === "/images/json"
        ? Response.json([...this.#images].map(([tag, id]) => ({ Id: imageId(id), RepoTags: [tag], Size: 1 })))
        : undefined;
    this.engine = new ScriptedWorld(this.world);
  }

  async begin(): Promise<void> {
    for (let project = 0; project < PROJECTS; project++) {
      await Deno.mkdir(`${this.folder}/${nameOf(project)}`, { recursive: true });
      await Deno.mkdir(`${this.home}/data/${nameOf(project)}`, { recursive: true });
      await Deno.mkdir(`${this.home}/links`, { recursive: true });
      await this.#link(project, project);
      await this.#write(project);
      for (const service of SERVICES) this.#add(nameOf(project), service);
    }
    for (let stranger = 0; stranger < 3; stranger++) this.#add(`stranger${stranger}`, "web");
  }

  /** Makes one change, and says which. */
  async change(): Promise<string> {
    const kinds = [
      () => this.#touch("update", (one) => one.memory = this.#below(4) << 20),
      () => this.#touch("die", (one) => Object.assign(one, { status: "exited", exitCode: this.#below(2) })),
      () => this.#touch("start", (one) => Object.assign(one, { status: "running", exitCode: 0 })),
      () => this.#touch("pause", (one) => one.status = "paused"),
      () => this.#touch("update", (one) => one.image = `scripted:${1 + this.#below(2)}`),
      () => this.#remove(),
      () => this.#add(nameOf(this.#below(PROJECTS)), SERVICES[this.#below(3)]!),
      () => this.#touch("update", (one) => one.network = this.#pick()?.[0] ?? ""),
      () => this.#tag(),
      () => this.#write(this.#below(PROJECTS)),
      () => this.#secret(),
      () => this.#link(this.#below(PROJECTS), this.#below(PROJECTS)),
    ];
    return await kinds[this.#below(kinds.length)]!();
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most);
  }

  #pick(): [string, Running] | undefined {
    return [...this.#running][this.#below(this.#running.size)];
  }

  #touch(action: string, change: (one: Running) => void): string {
    const picked = this.#pick();
    if (picked === undefined) return "nothing runs";
    const [id, one] = picked;
    change(one);
    this.#tell(id, one, action);
    return `${action} ${one.project}.${one.service}: ${JSON.stringify(one)}`;
  }

  #add(project: string, service: string): string {
    const id = scriptedId(++this.#made);
    const one: Running = {
      project,
      service,
      memory: 0,
      image: "scripted:1",
      status: "running",
      exitCode: 0,
      network: "",
    };
    this.#running.set(id, one);
    this.#tell(id, one, "create");
    return `add ${project}.${service}`;
  }

  #remove(): string {
    const picked = this.#pick();
    if (picked === undefined) return "nothing runs";
    const [id, one] = picked;
    this.#running.delete(id);
    this.world.containers!.delete(id);
    this.#event("container", "destroy", id, one);
    return `remove ${one.project}.${one.service}`;
  }

  #tag(): string {
    const tag = `scripted:${1 + this.#below(2)}`;
    this.#images.set(tag, 1 + this.#below(3));
    this.#event("image", "tag", tag, { name: tag });
    return `tag ${tag} ${this.#images.get(tag)}`;
  }

  async #write(project: number): Promise<string> {
    const folder = `${this.folder}/${nameOf(project)}`;
    const services = {
      web: {
        image: "scripted:${TAG}",
        mem_limit: `${this.#below(3)}m`,
        volumes: [`${this.home}/links/${nameOf(project)}:/data`],
        ...(this.#below(2) === 0 && { network_mode: "service:db" }),
      },
      db: { image: `scripted:${1 + this.#below(2)}`, restart: "no", secrets: ["key"] },
      ...(this.#below(3) > 0 && { job: { image: "scripted:1", deploy: { replicas: 1 + this.#below(2) } } }),
    };
    const text = JSON.stringify({ name: nameOf(project), services, secrets: { key: { file: "./key" } } });
    await Deno.writeTextFile(`${folder}/key`, String(this.#below(5)));
    await Deno.writeTextFile(`${folder}/.env`, `TAG=${1 + this.#below(2)}\n`);
    await Deno.writeTextFile(`${folder}/compose.yaml`, text);
    return `write ${project}: ${text}`;
  }

  async #secret(): Promise<string> {
    const project = nameOf(this.#below(PROJECTS));
    await Deno.writeTextFile(`${this.folder}/${project}/key`, String(this.#below(5)));
    return `secret of ${project}`;
  }

  /** What a file names leads to another folder, of which nothing tells. */
  async #link(project: number, to: number): Promise<string> {
    const path = `${this.home}/links/${nameOf(project)}`;
    await Deno.remove(path).catch(() => {}); // there is none at first
    await Deno.symlink(`${this.home}/data/${nameOf(to)}`, path);
    return `link of ${project} to ${to}`;
  }

  #tell(id: string, one: Running, action: string): void {
    this.world.containers!.set(id, this.#answer(id, one));
    this.#event("container", action, id, one);
  }

  #answer(id: string, one: Running): unknown {
    const { project, service, memory, image, status, exitCode, network } = one;
    const plain = inspected(id, `${project}-${service}-${id.slice(-3)}`, status);
    const home = project.startsWith("stranger") ? `/elsewhere/${project}` : `${this.folder}/${project}`;
    const labels = {
      "com.docker.compose.project": project,
      "com.docker.compose.service": service,
      "com.docker.compose.project.config_files": `${home}/compose.yaml`,
      "com.docker.compose.project.working_dir": home,
    };
    return {
      ...plain,
      Image: imageId(1),
      State: { ...plain["State"] as Record<string, unknown>, ExitCode: exitCode },
      Config: { ...plain["Config"] as Record<string, unknown>, Image: image, Labels: labels },
      HostConfig: { Memory: memory, NetworkMode: network === "" ? "default" : `container:${network}` },
      Mounts: service === "web"
        ? [{ Type: "bind", Source: `${this.home}/data/${project}`, Destination: "/data", RW: true }]
        : [],
    };
  }

  #event(
    Type: string,
    Action: string,
    ID: string,
    about: Partial<Running> & { readonly name?: string },
  ): void {
    this.engine.tell({
      Type,
      Action,
      Actor: { ID, Attributes: { name: about.name ?? `${about.project}-${about.service}` } },
      timeNano: Date.now() * 1e6,
    });
  }
}

const imageId = (number: number) => `sha256:${String(number).repeat(64)}`;

const byId = (one: { id: string }, other: { id: string }) => one.id < other.id ? -1 : 1;

/** Everything that lists say, but for the revisions of rows and the order of containers without a file. */
async function said(caller: TestCaller): Promise<unknown> {
  const [rows, overview] = await Promise.all([
    caller.call("GET /api/projects?limit=5000"),
    caller.call("GET /api/overview?limit=5000"),
  ]);
  assert.deepEqual([rows.status, overview.status], [200, 200]);
  const items = rows.body.items.map(({ revision: _, ...row }: { revision: string }) => row);
  const undeclared = overview.body.undeclared.toSorted(byId);
  return { ...rows.body, items, overview: { ...overview.body, undeclared } };
}

Deno.test("After random changes remembered rows equal rows of a berth that has never seen any, for every caller", async () => {
  await using stack = new AsyncDisposableStack();
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-test-" }));
  stack.defer(() => Deno.remove(home, { recursive: true }));
  const roots = [`${home}/workspaces`];
  const world = new ChangingWorld(home, SEED);
  stack.use(world.engine);
  await world.begin();
  const watchTimes = { beginMs: 3_600_000 };
  const started = async (over: AsyncDisposableStack) => {
    const berth = over.use(await serveEngines({ one: world.engine }, { roots, watchTimes }));
    const made = await berth.call("POST /api/workspaces", { path: world.folder });
    assert.equal(made.status, 201, made.text);
    const grants = [{ role: "viewer", on: ["project:p1", "project:stranger1"] }];
    const key = await berth.call("POST /api/settings/api-keys", { name: "scoped", grants });
    assert.equal(key.status, 201, key.text);
    return [berth, berth.as(key.body.key)];
  };
  const long = await started(stack);
  for (let done = 0; done < CHANGES; done += AT_ONCE) {
    const recent: string[] = [];
    for (let one = 0; one < AT_ONCE; one++) {
      recent.push(await world.change());
      if (one % 3 === 0) await Promise.all(long.map(said)); // also states in between are remembered
    }
    await using fresh = new AsyncDisposableStack();
    const anew = await started(fresh);
    for (const [at, caller] of long.entries()) {
      const what = `seed ${SEED}, after ${done + AT_ONCE} changes, the last:\n${recent.join("\n")}`;
      await eventually(what, async () => {
        assert.deepEqual(await said(caller), await said(anew[at]!));
        return true;
      }, { timeoutMs: WITHIN_MS });
    }
  }
});
