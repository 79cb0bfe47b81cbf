/** A project that Docker runs and of which a plan has much to say: an orphan, a job that ended, a paused container. */
import assert from "node:assert/strict";
import type { Remedy } from "../../core/remedy.ts";
import { save, workspace } from "../streams/live_scene.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import type { TestService } from "../support/service.ts";

/** The warnings of the project, each with its remedy and what a terminal says of it. */
export const MESSY: readonly { readonly code: string; readonly remedy: Remedy; readonly flag: string }[] = [
  { code: "project/completed", remedy: { kind: "plan", field: "rerun", value: "job" }, flag: "--rerun job" },
  {
    code: "project/mount-changed",
    remedy: { kind: "plan", field: "action", value: "restart" },
    flag: "--action restart",
  },
  {
    code: "project/orphan",
    remedy: { kind: "plan", field: "orphans", value: "remove" },
    flag: "--orphans remove",
  },
  {
    code: "project/paused",
    remedy: { kind: "act", act: "unpause", engine: "docker", container: "messy-still-1" },
    flag: "docker unpause messy-still-1",
  },
];

export interface MessyProject extends AsyncDisposable {
  readonly id: string;
  readonly path: string;
  /** Declares an image that the engine does not have. */
  never(): Promise<void>;
  write(text: string): Promise<void>;
}

const file = (name: string, isWhole: boolean, image = FIXTURE) =>
  `name: ${name}
services:
  web:
    image: ${image}
    command: [idle]
    stop_grace_period: 1s
    volumes: ['./page.txt:/page.txt:ro', 'data:/data']
  still: { image: ${FIXTURE}, command: [idle], stop_grace_period: 1s }
  job: { image: ${FIXTURE}, command: ['true'] }
${
    isWhole
      ? `  ghost: { image: ${FIXTURE}, command: [idle], stop_grace_period: 1s }\n`
      : ""
  }volumes: { data: {} }
`;

/** Brings it up, and makes a mess of it. */
export async function messy(
  engine: TestEngine,
  berth: TestService,
  name: string,
  { isStarted = true }: { readonly isStarted?: boolean } = {},
): Promise<MessyProject> {
  const { id, path } = await workspace(berth, name, file(name, isStarted));
  const write = (text: string) => save(berth, id, `${path}/compose.yaml`, text);
  await save(berth, id, `${path}/page.txt`, "one\n");
  if (isStarted) {
    await bringUp(berth, name);
    await engine.cli("wait", `${name}-job-1`);
    await engine.cli("pause", `${name}-still-1`);
    await new Promise((done) => setTimeout(done, 1_100)); // modified in a later second than the start
    await Deno.writeTextFile(`${path}/page.txt`, "two\n");
    await write(file(name, false));
  }
  return {
    id,
    path,
    write,
    never: () => write(file(name, false, "berth.invalid/absent:1")),
    [Symbol.asyncDispose]: async () => {
      await engine.cli("unpause", `${name}-still-1`).catch(() => {});
      const containers = ["web", "still", "job", "ghost"].map((one) => `${name}-${one}-1`);
      await engine.cli("rm", "--force", ...containers).catch(() => {});
      await engine.cli("network", "rm", `${name}_default`).catch(() => {});
      await engine.cli("volume", "rm", `${name}_data`).catch(() => {});
    },
  };
}

async function bringUp(berth: TestService, name: string): Promise<void> {
  const plan = await berth.call(`POST /api/projects/${name}/plan`, { backend: "docker" });
  assert.equal(plan.status, 201, plan.text);
  const apply = await berth.call(`POST /api/plans/${plan.body.id}/apply`, {});
  assert.equal(apply.status, 202, apply.text);
  await eventually(
    `${name} is up`,
    async () => (await berth.call(`GET /api/applies/${apply.body.id}`)).body.state === "done",
  );
}
