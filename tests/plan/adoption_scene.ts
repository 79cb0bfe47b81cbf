/** The scene of tests of adoptions: a berth whose workspace may be written to, beside containers that nobody declared. */
import assert from "node:assert/strict";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import {
  type Answer,
  serveEngines,
  type ServiceOptions,
  type TestCaller,
  type TestService,
} from "../support/service.ts";
import { workspace } from "../streams/live_scene.ts";

interface Ref {
  readonly backend: string;
  readonly id: string;
}

export class AdoptionScene implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();

  private constructor(
    readonly engine: TestEngine,
    readonly berth: TestService,
    /** The folder of the workspace. */
    readonly folder: string,
  ) {
  }

  static async on(engine: TestEngine, options: ServiceOptions = {}): Promise<AdoptionScene> {
    const berth = await serveEngines({ [engine.kind]: engine }, options);
    const root = options.roots?.[0] ?? `${berth.folder}/workspaces`;
    const scene = new AdoptionScene(engine, berth, `${root}/home`);
    scene.#stack.use(berth);
    await workspace(berth, "home", "name: declared\nservices:\n  web:\n    image: none\n", root);
    assert.equal((await berth.call("PUT /api/workspaces/home", { editable: true })).status, 200);
    return scene;
  }

  /** The same beside another berth, which the caller stops. */
  at(berth: TestService): AdoptionScene {
    return new AdoptionScene(this.engine, berth, this.folder);
  }

  /** Starts a container as `docker run` does; it is removed in the end, under whatever id it is then. */
  async run(name: string, ...args: string[]): Promise<Ref> {
    const id = await this.engine.cli(
      "run",
      "--detach",
      "--stop-timeout",
      "1",
      "--name",
      name,
      ...args,
      FIXTURE,
      "idle",
    );
    this.#stack.defer(async () => void await this.engine.ask(`DELETE /containers/${name}?force=1&v=1`));
    return { backend: this.engine.kind, id: id.trim() };
  }

  /** Asks until the mirror knows every container. */
  async draft(containers: readonly Ref[], name?: string, caller: TestCaller = this.berth): Promise<Answer> {
    return await eventually("the containers are known", async () => {
      const body = { containers, ...(name !== undefined && { name }) };
      const answer = await caller.call("POST /api/workspaces/home/adoptions/draft", body);
      return answer.status === 404 ? null : answer;
    });
  }

  /** Writes the containers down and saves the one project. */
  async adopt(containers: readonly Ref[], name: string, over: object = {}, caller: TestCaller = this.berth) {
    const draft = await this.draft(containers, name, caller);
    assert.equal(draft.status, 200, draft.text);
    return await this.accept(draft.body.id, { name, folder: name, containers, ...over }, caller);
  }

  accept(id: string, project: object, caller: TestCaller = this.berth): Promise<Answer> {
    return caller.call(`POST /api/adoptions/drafts/${id}/accept`, { projects: [project] });
  }

  async plan(group: string): Promise<Answer> {
    return await this.berth.call(`POST /api/workspaces/home/artifacts/groups/${group}/plan`, {});
  }

  async apply(group: string): Promise<void> {
    const plan = await this.plan(group);
    assert.deepEqual(plan.body.blocked, [], plan.text);
    const begun = await this.berth.call(`POST /api/plans/${plan.body.id}/apply`, {});
    assert.equal(begun.status, 202, begun.text);
    const over = await eventually("the apply is over", async () => {
      const { body } = await this.berth.call(`GET /api/applies/${begun.body.id}`);
      return body.state === "running" ? null : body;
    }, { timeoutMs: 120_000 });
    assert.equal(over.state, "done", JSON.stringify(over));
  }

  async container(name: string): Promise<Answer["body"]> {
    return (await this.berth.call(`GET /api/containers/${name}`)).body;
  }

  /** Every path below the workspace. */
  paths(folder = this.folder, under = ""): string[] {
    return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
      isDirectory ? this.paths(`${folder}/${name}`, `${under}${name}/`) : [`${under}${name}`]
    ).sort();
  }

  defer(work: () => Promise<unknown>): void {
    this.#stack.defer(async () => void await work());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
