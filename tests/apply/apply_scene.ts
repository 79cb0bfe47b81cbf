/** The scene of tests of applies: a folder beside an engine, plans that are applied, and what runs afterwards. */
import assert from "node:assert/strict";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import type { Plan } from "../../projects/plan/plan_shape.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { lookAtMade } from "../support/watched_makes.ts";
import { save, workspace } from "../streams/live_scene.ts";
import {
  type Answer,
  serveEngines,
  type ServiceOptions,
  type TestCaller,
  type TestService,
} from "../support/service.ts";

/** A service of the fixture image that stops at once. */
export const service = (name: string, lines = "", command = "[idle]") =>
  `  ${name}:
    image: ${FIXTURE}
    command: ${command}
    stop_grace_period: 1s
${lines.split("\n").filter((line) => line !== "").map((line) => `    ${line}\n`).join("")}`;

export const project = (name: string, services: readonly string[], more = "") =>
  `name: ${name}\nservices:\n${services.join("")}${more}`;

/** An apply takes as long as engines on a busy machine need. Asking more often costs more than it saves. */
const OVER = { timeoutMs: 120_000, everyMs: 100 };

/** A container as the engine itself shows it. */
export interface Seen {
  readonly id: string;
  readonly state: string;
  readonly restart: string;
  readonly volumes: readonly string[];
  readonly env: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

export class ApplyScene {
  constructor(
    readonly engine: TestEngine,
    readonly berth: TestService,
    readonly name: string,
    readonly workspace: string,
    readonly path: string,
  ) {}

  static async on(engine: TestEngine, berth: TestService, name: string, text: string): Promise<ApplyScene> {
    const { id, path } = await workspace(berth, name, text);
    return new ApplyScene(engine, berth, name, id, path);
  }

  /** Writes the Compose file, and returns when berth has read it. */
  async write(text: string): Promise<void> {
    const path = `${this.path}/compose.yaml`;
    if (await Deno.readTextFile(path) !== text) await save(this.berth, this.workspace, path, text);
  }

  async plan(body: unknown = {}, caller: TestCaller = this.berth): Promise<Plan> {
    const answer = await caller.call(
      `POST /api/workspaces/${this.workspace}/artifacts/groups/${this.name}/plan`,
      body,
    );
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  }

  begin(plan: Plan, body: unknown = {}, caller: TestCaller = this.berth): Promise<Answer> {
    return caller.call(`POST /api/plans/${plan.id}/apply`, body);
  }

  /** Plans, applies, and waits for the end. */
  async apply(body: unknown = {}, request: unknown = {}): Promise<Apply> {
    const plan = await this.plan(body);
    assert.deepEqual(plan.blocked, []);
    const begun = await this.begin(plan, request);
    assert.equal(begun.status, 202, begun.text);
    return await this.over(begun.body.id);
  }

  async over(id: string, berth: TestCaller = this.berth): Promise<Apply> {
    let open: unknown;
    const apply = await eventually("the apply is over, or waits", async () => {
      const { body } = await berth.call(`GET /api/applies/${id}`);
      open = body.steps.filter(({ state }: Apply["steps"][number]) => state !== "done");
      return body.state === "running" ? null : body;
    }, OVER).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(open)}`, { cause: error });
    });
    await lookAtMade();
    return apply;
  }

  /** Makes a file in a container, as soon as it runs under the name. */
  async touch(container: string, path: string): Promise<void> {
    await eventually(`${container} runs`, async () => {
      await this.engine.cli("exec", container, "touch", path);
      return true;
    });
  }

  /** All events of an apply, as its NDJSON has them. */
  // deno-lint-ignore no-explicit-any -- a test reads what it expects
  async events(id: string, query = ""): Promise<any[]> {
    const headers = { accept: "application/x-ndjson" };
    const { text } = await this.berth.call(`GET /api/applies/${id}/events${query}`, undefined, { headers });
    return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  }

  /** Every container of the project, by its name, as the engine shows it. */
  async containers(): Promise<Record<string, Seen>> {
    const filters = JSON.stringify({ label: [`com.docker.compose.project=${this.name}`] });
    const { json } = await this.engine.ask(
      `GET /containers/json?all=1&filters=${encodeURIComponent(filters)}`,
    );
    const found = await Promise.all(json.map(async ({ Id }: { Id: string }) => {
      const { json: one } = await this.engine.ask(`GET /containers/${Id}/json`);
      const volumes = one.Mounts.filter(({ Type }: { Type: string }) => Type === "volume");
      const seen: Seen = {
        id: one.Id,
        state: one.State.Status,
        restart: one.HostConfig.RestartPolicy.Name,
        volumes: volumes.map(({ Name, Destination }: Record<string, string>) => `${Destination} ${Name}`)
          .sort(),
        env: one.Config.Env,
        labels: one.Config.Labels,
      };
      return [one.Name.replace(/^\//, ""), seen] as const;
    }));
    return Object.fromEntries(found.sort(([a], [b]) => a < b ? -1 : 1));
  }

  async ids(): Promise<Record<string, string>> {
    return Object.fromEntries(Object.entries(await this.containers()).map(([name, { id }]) => [name, id]));
  }

  /** Takes everything of the project away, whatever state a test left it in. */
  async clear(): Promise<void> {
    const { engine, name } = this;
    for (const { id } of Object.values(await this.containers())) {
      await engine.ask(`DELETE /containers/${id}?force=1&v=1`);
    }
    // Podman keeps those to the last whose namespaces others share.
    for (const { id } of Object.values(await this.containers())) {
      await engine.ask(`DELETE /containers/${id}?force=1&v=1`);
    }
    const filters = encodeURIComponent(JSON.stringify({ label: [`com.docker.compose.project=${name}`] }));
    const { json: networks } = await engine.ask(`GET /networks?filters=${filters}`);
    for (const { Id } of networks) await engine.ask(`DELETE /networks/${Id}`);
    const { json: volumes } = await engine.ask(`GET /volumes?filters=${filters}`);
    for (const { Name } of volumes.Volumes ?? []) await engine.ask(`DELETE /volumes/${Name}?force=1`);
  }
}

/** A scene that is taken away at the end. */
export async function scene(
  engine: TestEngine,
  name: string,
  text: string,
  work: (scene: ApplyScene) => Promise<void>,
  options: ServiceOptions = {},
): Promise<void> {
  await using berth = await serveEngines({ [engine.kind]: engine }, options);
  const made = await ApplyScene.on(engine, berth, name, text);
  try {
    await work(made);
    if (berth.berth.log.path !== null) assert.deepEqual(berth.bugs(), []);
  } finally {
    await made.clear();
  }
}

/** A key that is operator of one project alone. */
export async function scopedOperator({ berth }: ApplyScene, name: string): Promise<TestCaller> {
  const grants = [{ role: "operator", on: [`project:${name}`] }];
  const made = await berth.call("POST /api/settings/api-keys", { name: `operator of ${name}`, grants });
  assert.equal(made.status, 201, made.text);
  return berth.as(made.body.key);
}
