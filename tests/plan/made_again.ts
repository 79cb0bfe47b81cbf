/** All containers of an engine written down, removed, and made again by Compose from what was written. */
import assert from "node:assert/strict";
import type { LeftOut } from "../../projects/adopt/left_out.ts";
import { differencesOf } from "../../projects/fields/table.ts";
import { composeToday } from "../support/compose.ts";
import type { TestEngine } from "../support/engine.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";
import type { Scene } from "./field_scene.ts";
import { rawDifferences, rawOf } from "./raw_container.ts";
import { written } from "./written_project.ts";

/** The engine's own names of settings, and the fields under which a draft names them as left out. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  Env: ["environment."],
  AutoRemove: ["removesItself"],
  PublishAllPorts: ["publishesAll"],
  Ports: ["publishesAll"],
  VolumesFrom: ["volumesFrom"],
  Mounts: ["volumesFrom"],
};

interface Again {
  readonly files: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOut[];
  /** Differences that berth sees in the text, and those that the engine shows and nothing names. */
  readonly wrong: readonly unknown[];
}

export async function madeAgain(engine: TestEngine, scene: Scene, project: string): Promise<Again> {
  const containers = await scene.all();
  const bare = engine.kind === "docker" ? null : await scene.bare();
  const { files, services, refused, leftOut } = await written(engine, project, containers, bare);
  await using adopted = await workspaceFolder(Object.fromEntries(files), "adopted");
  const model = await adopted.read();
  const group = model.groups[0]!; // one file was written
  const view = scene.view(new Map(containers.map((one) => [services.get(one.id) ?? one.name, one])));
  const wrong: unknown[] = [...refused];
  for (const container of containers) {
    const unit = group.units.find(({ label }) => label === services.get(container.id))!; // it was written
    const of = { model, group, unit, service: unit.service! };
    const found = differencesOf(of, container, view);
    wrong.push(...found.map(({ field, declared, seen }) => [container.name, field, declared, seen]));
  }
  return { files, leftOut, wrong: [...wrong, ...await recreated(engine, scene, adopted.path, leftOut)] };
}

/**
 * Removes all containers, has Compose make them of a folder, and returns what the engine shows and nothing names. Of
 * `tried` somebody has tried to start each, if that was more than those that ran.
 */
export async function recreated(
  engine: TestEngine,
  scene: Scene,
  path: string,
  leftOut: readonly Pick<LeftOut, "containers" | "field">[],
  tried?: readonly string[],
): Promise<unknown[]> {
  const compose = (...args: string[]) => composeToday(engine.socket, path, ...args);
  const raw = await rawOfAll(engine, scene);
  const ran = tried ??
    (await scene.all()).flatMap(({ name, startedAt }) => startedAt === null ? [] : [name]);
  for (const { id } of await scene.all()) await engine.ask(`DELETE /containers/${id}?force=1`);
  try {
    const complaint = await compose("create", "--pull", "never", "--no-build");
    if (complaint !== "") return [complaint];
    await started(engine, ran);
    const made = await rawOfAll(engine, scene);
    assert.deepEqual([...made.keys()].sort(), [...raw.keys()].sort(), "each container has its name again");
    const wrong: unknown[] = [];
    for (const [container, one] of raw) {
      const other = made.get(container)!; // as was looked at
      const isLeftOut = (setting: string) =>
        (LEFT_OUT[setting] ?? []).some((field) =>
          leftOut.some((one) => one.containers.includes(container) && one.field.startsWith(field))
        );
      for (const setting of rawDifferences(one, other)) {
        if (!isLeftOut(setting)) wrong.push([container, setting, one[setting], other[setting]]);
      }
    }
    return wrong;
  } finally {
    await compose("down", "--volumes", "--timeout", "0");
  }
}

/**
 * Starts containers again, one after the other as they were started before, for Podman tells more variables of one that
 * has run, or should have. One may need the network of a later one.
 */
async function started(engine: TestEngine, names: readonly string[]): Promise<void> {
  let left = names;
  while (left.length > 0) {
    const answers: { readonly name: string; readonly status: number }[] = [];
    for (const name of left) {
      answers.push({ name, status: (await engine.ask(`POST /containers/${name}/start`)).status });
    }
    const again = answers.filter(({ status }) => status >= 400).map(({ name }) => name);
    if (again.length === left.length) return; // what cannot run tells it by its difference
    left = again;
  }
}

async function rawOfAll(engine: TestEngine, scene: Scene) {
  const containers = await scene.all();
  const names = new Map(containers.map(({ id, name }) => [id, name]));
  return new Map(
    await Promise.all(
      containers.map(async ({ id, name }) => [name, await rawOf(engine, id, names)] as const),
    ),
  );
}
