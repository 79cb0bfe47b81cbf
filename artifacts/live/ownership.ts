/** The workspace and unit of each container, for the lists of the runtime. */

import type { Origin, Ownership, StrayedSource } from "../../core/ownership.ts";
import type { HostFolder, RunningContainer } from "../../core/runtime.ts";
import { within } from "../../core/signal.ts";
import type { Group, Model } from "../artifact.ts";
import { join, type RealPath, realPath, type RunningProject } from "./join.ts";
import { mapped, rootOf } from "./mapped_paths.ts";
import { isBelow, pathBelow } from "../files/inside.ts";
import { followed } from "../files/real_folder.ts";
import { isInGroup } from "../graph/own_folder.ts";
import type { RegisteredModel } from "./tool_projects.ts";

type Owner = { readonly id: string; readonly unit: string | null } | null;

interface Known {
  readonly workspace: string;
  readonly group: Group;
  readonly units: ReadonlySet<string>;
}

/** After this time the workspaces are read again, in the background. */
const FRESH_MS = 1_000;
/** Milliseconds that a list waits for the owner of a new project: its folder may be on a disk that hangs. */
const MOMENT_MS = 3_000;
/** Projects remembered; each holds a few names. */
const MOST = 10_000;

/**
 * Answers from the last join, since a list cannot wait for a disk. A new project is joined in the background, and
 * `revision` changes when an owner was found.
 */
export class ContainerOwnership implements Ownership, AsyncDisposable {
  readonly #models: () => Promise<readonly RegisteredModel[]>;
  readonly #real: RealPath;
  readonly #owners = new Map<string, Known | null>();
  /** The workspaces whose files the containers were started from. */
  readonly #started = new Map<string, string>();
  readonly #samples = new Map<string, Origin>();
  #projects = new Map<string, string[]>();
  #revision = 0;
  #refreshed = -Infinity;
  #refreshing: Promise<void> | null = null;
  #isNew = false;
  /** Samples that no refresh has joined yet. */
  #unknown = 0;
  #isOver = false;

  constructor(models: () => Promise<readonly RegisteredModel[]>, real: RealPath = realPath) {
    this.#models = models;
    this.#real = real;
  }

  get revision(): number {
    this.#soon();
    return this.#revision;
  }

  ownerOf(container: RunningContainer): Owner {
    const { compose } = container;
    if (compose === null) return null;
    const key = this.#ask(container);
    if (key === null) return null;
    const known = this.#owners.get(key);
    if (known === undefined || known === null) return null;
    const unit = `${known.group.name}.${compose.service}`;
    return { id: known.workspace, unit: known.units.has(compose.service) ? unit : null };
  }

  groupOf(container: RunningContainer): { readonly workspace: string; readonly group: string } | null {
    const key = container.compose === null ? null : this.#ask(container);
    const known = key === null ? null : this.#owners.get(key) ?? null;
    return known === null ? null : { workspace: known.workspace, group: known.group.name };
  }

  startedFrom(container: Origin): string | null {
    const key = container.compose === null ? null : this.#ask(container);
    return key === null ? null : this.#started.get(key) ?? null;
  }

  /** Has it joined, if that was not done before; null where too many are known. */
  #ask(container: Origin): string | null {
    const key = keyOf(container);
    if (this.#samples.has(key)) return key;
    if (this.#samples.size >= MOST) return null;
    this.#samples.set(key, container);
    this.#isNew = true;
    this.#unknown++;
    this.#soon();
    return key;
  }

  async roots(): Promise<readonly { readonly id: string; readonly folder: HostFolder }[]> {
    return (await this.#models()).map(({ workspace, model }) => ({
      id: workspace.id,
      folder: rootOf(model),
    }));
  }

  async strayed(
    container: RunningContainer,
    sources: readonly string[],
  ): Promise<readonly StrayedSource[]> {
    const key = container.compose === null ? null : this.#ask(container);
    await this.settle();
    const owner = key === null ? undefined : this.#owners.get(key);
    const isOwn = ({ workspace }: RegisteredModel) => workspace.id === owner?.workspace;
    // Of nested workspaces, that of its project judges.
    const models = (await this.#models()).toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
    const found: StrayedSource[] = [];
    for (const source of sources) {
      const home = models.find(({ model }) => isBelow(mapped(model, source), model.root));
      if (home === undefined) continue;
      const { model, workspace } = home;
      const here = mapped(model, source);
      const target = await followed(here);
      if (target === here) continue;
      const below = target === null ? null : pathBelow(model.root, target);
      const staysInProject = below !== null && isOwn(home) && isInGroup(model, owner!.group, below); // isOwn asks for one
      if (!staysInProject) found.push({ source, workspace: workspace.id, isInside: below !== null });
    }
    return found;
  }

  projectsOf(workspace: string): readonly string[] | null {
    this.#soon();
    return this.#projects.get(workspace) ?? null;
  }

  settle(): boolean | Promise<boolean> {
    if (this.#isOver || this.#unknown === 0) return false;
    return this.#refreshedWithin(MOMENT_MS);
  }

  async #refreshedWithin(ms: number): Promise<boolean> {
    return await within(this.refresh().then(() => true, () => false), ms, false);
  }

  async refresh(): Promise<void> {
    await this.#refreshing?.catch(() => {}); // it may have begun before what the caller wants to see
    this.#refreshing ??= this.#refresh().finally(() => this.#refreshing = null);
    await this.#refreshing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#refreshing?.catch(() => {}); // nobody asks any more
  }

  #soon(): void {
    if (this.#isOver) return;
    if (this.#refreshing !== null || (!this.#isNew && performance.now() - this.#refreshed < FRESH_MS)) return;
    // A folder or store that is away now is looked at again later; until then the last answers hold.
    this.refresh().catch(() => {});
  }

  async #refresh(): Promise<void> {
    this.#isNew = false;
    this.#refreshed = performance.now();
    const registered = await this.#models();
    const asked = [...this.#samples.keys()]; // whoever is added from here on is for the next time
    const running = [...this.#samples.values()].map(sampled);
    const projects = new Map<string, string[]>();
    const owners = new Map<string, Known>();
    const started = new Map<string, string>();
    for (const { workspace, model } of registered) {
      const names = new Set(
        model.groups.filter(({ standing }) => standing === "main").map(({ project }) => project),
      );
      const { joined } = await join(model, running, this.#real);
      for (const { running, group } of joined) {
        names.add(running.project);
        const key = keyOf(running.containers[0]!); // made from one sample
        const units = new Set(group.units.map(({ label }) => label));
        if (!owners.has(key)) owners.set(key, { workspace: workspace.id, group, units });
      }
      projects.set(workspace.id, [...names].sort());
      const written = asWritten(model);
      const ofFiles = written === model ? joined : (await join(written, running, this.#real)).joined;
      for (const one of ofFiles) {
        const key = keyOf(one.running.containers[0]!); // made from one sample
        // Another container under a claimed name is a likely one, and a likely one gives no rights.
        const isSure = one.match.by !== "project" && one.running.claim !== "likely";
        if (isSure && !started.has(key)) started.set(key, workspace.id);
      }
    }
    let changed = !sameProjects(projects, this.#projects);
    for (const key of asked) {
      const now = owners.get(key) ?? null;
      const before = this.#owners.get(key) ?? null;
      if (now?.workspace !== before?.workspace || now?.group !== before?.group) changed = true;
      const from = started.get(key);
      if (from !== this.#started.get(key)) changed = true;
      if (from === undefined) this.#started.delete(key);
      else this.#started.set(key, from);
      if (!this.#owners.has(key)) this.#unknown--;
      this.#owners.set(key, now);
    }
    this.#projects = projects;
    if (changed) this.#revision++;
  }
}

/** Without what its settings say of running projects and paths: those are files, too. */
function asWritten(model: Model): Model {
  const { settings } = model;
  if (settings.paths.length === 0 && settings.projects.size === 0 && settings.stacks.size === 0) return model;
  return { ...model, settings: { ...settings, paths: [], projects: new Map(), stacks: new Map() } };
}

/** By container: every list asks for the key of each. */
const keys = new WeakMap<Origin, string>();

/** Containers with the same project and paths have the same owner. */
function keyOf(container: Origin): string {
  let key = keys.get(container);
  if (key === undefined) {
    const { project, claim, workingDir, configFiles } = container.compose!; // labelled ones only
    key = [container.backend, project, claim ?? "", workingDir ?? "", ...configFiles].join("\0");
    keys.set(container, key);
  }
  return key;
}

/** Joining reads no more of a container than where it is from. */
function sampled(container: Origin): RunningProject {
  const { project, workingDir, configFiles, claim } = container.compose!; // labelled ones only
  return {
    project,
    backend: container.backend,
    workingDir,
    configFiles,
    claim,
    containers: [container as RunningContainer],
  };
}

function sameProjects(a: ReadonlyMap<string, string[]>, b: ReadonlyMap<string, string[]>): boolean {
  if (a.size !== b.size) return false;
  for (const [id, names] of a) if (names.join("\0") !== b.get(id)?.join("\0")) return false;
  return true;
}
