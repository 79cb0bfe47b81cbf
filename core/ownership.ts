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

/** Which workspace and unit a container belongs to; asked by the runtime for every row it shows. */
export interface Ownership {
  ownerOf(container: RunningContainer): { readonly id: string; readonly unit: string | null } | null;
  /**
   * The workspace whose scope reaches the container. What files say of themselves, as a project's name or where paths
   * lead to, gives no rights: it must have been started from files that lie in the workspace.
   */
  startedFrom(container: RunningContainer): string | null;
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

/** A container as grants are asked about it. */
export function subjectOf(container: RunningContainer, ownership: Ownership): Subject {
  return {
    engine: container.backend,
    project: container.compose?.project ?? null,
    workspace: ownership.startedFrom(container),
    labels: container.labels,
  };
}
