/** Which workspace a running container belongs to, and so who may see it. */
import type { Subject } from "./access.ts";
import type { HostFolder, RunningContainer } from "./runtime.ts";

/** A source in a workspace that links lead out of the folder of its project. */
export interface StrayedSource {
  readonly source: string;
  readonly workspace: string;
  /** True if it leads to another place of the same workspace. */
  readonly isInside: boolean;
}

/** Says where a container was started from, also of one that is gone. */
export type Origin = Pick<RunningContainer, "backend" | "compose">;

/** Which workspace and unit a container belongs to; asked by the runtime for every row it shows. */
export interface Ownership {
  ownerOf(container: RunningContainer): { readonly id: string; readonly unit: string | null } | null;
  /** The declared project that a container belongs to: its group and the workspace's id. */
  groupOf(container: RunningContainer): { readonly workspace: string; readonly group: string } | null;
  /**
   * The workspace whose scope reaches the container. What files say of themselves, as a project's name or where paths
   * lead to, gives no rights: it must have been started from files that lie in the workspace.
   */
  startedFrom(container: Origin): string | null;
  /** The folders of all workspaces that can be read, by their ids. */
  roots(): Promise<readonly { readonly id: string; readonly folder: HostFolder }[]>;
  /** Returns those of a container's sources that lie in a workspace and that links lead out of its project's folder. */
  strayed(container: RunningContainer, sources: readonly string[]): Promise<readonly StrayedSource[]>;
  /** Changes whenever an answer of the two might. */
  readonly revision: number;
  /**
   * Waits, a moment at most, until what was asked about for the first time is known, and what changed is seen; false
   * at once where there is nothing to wait for.
   */
  settle(): boolean | Promise<boolean>;
  /** Joins anew; resolves when the answers are as of now. */
  refresh(): Promise<void>;
  /** The Compose projects and working folders of a workspace; null when there is no such workspace. */
  projectsOf(workspace: string): readonly string[] | null;
}

const PROJECT = "com.docker.compose.project";
const ENGINE = "engine:";
const SWARM = "swarm:";
const STACK = "com.docker.stack.namespace";

/**
 * Returns true if the container belongs to the project that an id or a name means: `<group>@<workspace>`,
 * `<project>@engine:<name>` for one that no file declares, `<stack>@swarm:<name>`, or every project that engines know by
 * the name. `clusterOf` names the swarm that a container is in.
 */
export function isOfProject(
  container: RunningContainer,
  asked: string,
  ownership: Pick<Ownership, "groupOf">,
  clusterOf: (container: RunningContainer) => string | null,
): boolean {
  const { labels, backend, compose } = container;
  const project = compose?.project ?? labels[PROJECT]; // an adopted one has no such label, or that of a lost folder
  const at = asked.lastIndexOf("@"); // no name has one
  if (at < 1) return project === asked;
  const [name, where] = [asked.slice(0, at), asked.slice(at + 1)];
  if (where.startsWith(SWARM)) {
    return labels[STACK] === name && clusterOf(container) === where.slice(SWARM.length);
  }
  const owner = ownership.groupOf(container);
  if (!where.startsWith(ENGINE)) return owner?.workspace === where && owner.group === name;
  return owner === null && project === name && backend === where.slice(ENGINE.length);
}

/** Returns true if a container with this label of a project, of which no more is known, may belong to it. */
export function mayBeOfProject(label: string | undefined, asked: string): boolean {
  if (label === undefined) return false;
  const at = asked.lastIndexOf("@");
  if (at < 1) return label === asked;
  return !asked.startsWith(ENGINE, at + 1) || label === asked.slice(0, at);
}

/** A container as grants are asked about it. One that only has the name of an adopted one is in no project. */
export function subjectOf(container: RunningContainer, ownership: Ownership): Subject {
  const { compose } = container;
  return {
    engine: container.backend,
    project: scopedProject(compose),
    workspace: ownership.startedFrom(container),
    labels: container.labels,
  };
}

/** Returns the project whose scope reaches a container. The name of an adopted one that is gone proves nothing. */
export const scopedProject = (compose: RunningContainer["compose"]): string | null =>
  compose === null || compose.claim === "likely" ? null : compose.project;
