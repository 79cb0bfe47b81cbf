/** The scene of tests about declared and running things: a service beside an engine, Compose, and a workspace. */
import assert from "node:assert/strict";
import type { Drift } from "../../artifacts/live/live.ts";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { onPath } from "../support/on_path.ts";
import type { TestService } from "../support/service.ts";

/** The reason that there is no Compose here, or null. Fifty files ask, and starting it would take half a second of each. */
export const composeMissing: string | null = await onPath("docker-compose")
  ? null
  : "there is no docker-compose on this machine";

/** Runs Compose. Returns its complaint; an empty text when it did what it was asked. */
export async function compose(engine: TestEngine, folder: string, ...args: string[]): Promise<string> {
  const env = { DOCKER_HOST: `unix://${engine.socket}`, COMPOSE_HTTP_TIMEOUT: "120" };
  const { success, stderr } = await new Deno.Command("docker-compose", { args, cwd: folder, env }).output();
  return success ? "" : new TextDecoder().decode(stderr);
}

/** A registered workspace of one Compose file. */
export async function workspace(
  berth: TestService,
  name: string,
  text: string,
  root = `${berth.folder}/workspaces`,
): Promise<{ id: string; path: string }> {
  const path = `${root}/${name}`;
  await Deno.mkdir(path);
  await Deno.writeTextFile(`${path}/compose.yaml`, text);
  const made = await berth.call("POST /api/workspaces", { path });
  assert.equal(made.status, 201, made.text);
  return { id: made.body.id, path };
}

/** Saves a file of a workspace in one step, as editors do, and returns when it has been read. */
export async function save(berth: TestService, id: string, path: string, text: string): Promise<void> {
  const revision = async () => (await berth.call(`GET /api/workspaces/${id}`)).body.revision;
  await Deno.writeTextFile(`${path}.new`, text);
  const old = await revision();
  await Deno.rename(`${path}.new`, path);
  await eventually(`${path} is read`, async () => await revision() !== old);
}

export async function driftOf(
  berth: TestService,
  id: string,
  name: string,
): Promise<Record<string, [string, string]>> {
  const { body } = await berth.call(`GET /api/workspaces/${id}/artifacts/units/${name}`);
  return Object.fromEntries(
    body.live.drift.map(({ field, declared, actual }: Drift) => [field, [declared, actual]]),
  );
}
