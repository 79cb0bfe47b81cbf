/** The remedy for a project that no file of a registered folder declares: registering the folder that it was started from. */
import { folderToRegister } from "../artifacts/registry/places.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import type { Remedy } from "../core/remedy.ts";
import type { ContainerRuntime, RunningContainer } from "../core/runtime.ts";

/** Returns the remedy for the containers of one project; none where its folder may not be registered. */
export type RegisterRemedy = (containers: readonly RunningContainer[]) => Promise<readonly Remedy[]>;

interface RegisterOptions {
  readonly registry: Pick<Registry, "list">;
  /** The folders under which workspaces may be registered. */
  readonly roots: readonly string[];
  /** Folders that never become workspaces. */
  readonly hidden: readonly string[];
  readonly runtime: () => Pick<ContainerRuntime, "backends"> | null;
}

export function registerRemedy({ registry, roots, hidden, runtime }: RegisterOptions): RegisterRemedy {
  return async (containers) => {
    // A path on another host says nothing about this one.
    const local = new Set(
      runtime()?.backends().filter(({ address }) => address.startsWith("unix:")).map(({ name }) => name),
    );
    const [folder] = containers.flatMap(({ backend, compose }) =>
      local.has(backend) && compose?.workingDir ? [compose.workingDir] : []
    );
    if (folder === undefined) return [];
    const registered = (await registry.list()).map(({ path }) => path);
    const path = await folderToRegister(folder, { roots, hidden, registered });
    return path === null ? [] : [{ kind: "register", path }];
  };
}
