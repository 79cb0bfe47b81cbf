/** Every Compose project, declared or running, joined where both are the same. */

import type { ContainerRuntime, RunningContainer } from "../../core/runtime.ts";
import type { Group, Model } from "../artifact.ts";
import { stacksNamed } from "../compose/swarm_target.ts";
import { mainGroups } from "../graph/graph.ts";
import {
  below,
  join,
  projectOf,
  type RealPath,
  realPath,
  type RunningProject,
  runningProjects,
} from "./join.ts";
import type { LiveState } from "./live.ts";
import { ofStack } from "./stacks.ts";
import { desiredOf, groupStateOf, stateOf } from "./state.ts";

/** One project. */
export interface ToolProject {
  workspace: { id: string; name: string } | null;
  /** The name of the group, where there is one. */
  group: string | null;
  project: string;
  status: LiveState;
  services: {
    name: string;
    containers: number;
    running: number;
    health: "healthy" | "unhealthy" | "starting" | null;
  }[];
  workingDir: string | null;
  configFiles: string[];
  backend: string | null;
}

/** A registered workspace with its model. */
export interface RegisteredModel {
  readonly workspace: { readonly id: string; readonly name: string };
  readonly model: Model;
}

export interface ToolProjectsOptions {
  readonly real?: RealPath;
  /** The groups that count. */
  readonly isShown?: (workspace: string, group: Group) => boolean;
}

/** Declared projects first, by workspace, then those that run and belong to none. */
export async function toolProjects(
  registered: readonly RegisteredModel[],
  runtime: ContainerRuntime | null,
  { real = realPath, isShown = () => true }: ToolProjectsOptions = {},
): Promise<ToolProject[]> {
  const isUp = runtime !== null && runtime.counts() !== null;
  const containers = isUp ? await runtime.containers() : [];
  const services = runtime?.services?.();
  const running = runningProjects(containers);
  const partnered = new Set<RunningContainer>();
  const items: ToolProject[] = [];
  for (const { workspace, model } of registered) {
    const { joined } = await join(model, running, real);
    const { id, name } = workspace;
    for (const group of mainGroups(model)) {
      if (group.value === null || !isShown(workspace.id, group)) continue;
      const own = joined.filter((one) => one.group === group);
      for (const one of own) {
        for (const container of one.running.containers) partnered.add(container);
        items.push(declared({ id, name }, model, group, one.running));
      }
      if (own.length === 0) {
        const names = [group.project, ...stacksNamed(model.settings, group)];
        const stack = ofStack(group, containers, services, names);
        const isAbsent = isUp && stack.containers.length === 0 && stack.services.length === 0;
        items.push(declared({ id, name }, model, group, null, isAbsent ? "absent" : "unknown"));
      }
    }
  }
  for (const { containers } of running) {
    const rest = containers.filter((one) => !partnered.has(one));
    if (rest.length > 0) items.push(stranger(projectOf(rest)));
  }
  return items;
}

function declared(
  workspace: { id: string; name: string },
  model: Model,
  group: Group,
  running: RunningProject | null,
  otherwise: LiveState = "absent",
): ToolProject {
  const byService = Map.groupBy(running?.containers ?? [], ({ compose }) => compose!.service); // labelled ones only
  const states = group.units.map((unit) => ({
    state: stateOf(unit, byService.get(unit.label) ?? []),
    desired: desiredOf(unit),
  }));
  const names = new Set([...group.units.map(({ label }) => label), ...byService.keys()]);
  return {
    workspace,
    group: group.name,
    project: running?.project ?? group.project,
    status: running === null ? otherwise : groupStateOf(states),
    services: [...names].map((name) => serviceOf(name, byService.get(name) ?? [])),
    workingDir: running?.workingDir ?? below(model.root, group.folder),
    configFiles: running !== null && running.configFiles.length > 0
      ? [...running.configFiles]
      : group.files.map((file) => below(model.root, file.path)),
    backend: running?.backend ?? null,
  };
}

function stranger(running: RunningProject): ToolProject {
  const byService = Map.groupBy(running.containers, ({ compose }) => compose!.service); // labelled ones only
  const services = [...byService].map(([name, containers]) => serviceOf(name, containers));
  const states = new Set(running.containers.map(({ state }) => state));
  const status = states.size > 1
    ? "degraded"
    : states.has("running")
    ? "running"
    : states.has("paused")
    ? "paused"
    : running.containers.every(({ exitCode }) => exitCode === 0)
    ? "completed"
    : "exited";
  return {
    workspace: null,
    group: null,
    project: running.project,
    status,
    services,
    workingDir: running.workingDir,
    configFiles: [...running.configFiles],
    backend: running.backend,
  };
}

function serviceOf(name: string, containers: RunningProject["containers"]): ToolProject["services"][number] {
  const healths = new Set(containers.map(({ health }) => health));
  return {
    name,
    containers: containers.length,
    running: containers.filter(({ state }) => state === "running").length,
    health: (["unhealthy", "starting", "healthy"] as const).find((health) => healths.has(health)) ?? null,
  };
}
