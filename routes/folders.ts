/** The folders that may become workspaces. */
import { z } from "zod";
import type { Registry } from "../artifacts/registry/registry.ts";
import { suggestFolders } from "../artifacts/registry/suggestions.ts";
import { type ContainerRuntime, reachOfRunning } from "../core/runtime.ts";
import type { Sights } from "../core/sight.ts";
import { type CoreRouter, json, reply, route, router } from "../http/declare/router.ts";

const list = route({
  method: "get",
  path: "/system/folders",
  summary: "List the folders that may become workspaces",
  description:
    "Names the allowed folders of `BERTH_ROOTS`, and suggests folders that are not registered yet: `/opt/stacks`, " +
    "`/srv` and `/mnt` where they hold a folder, and the folders that containers on engines of this machine were " +
    "started from. A suggestion outside the allowed folders says which setting allows it.",
  permission: "workspaces:write",
  subject: "everything",
  answers: {
    200: json(
      z.object({
        roots: z.array(z.string()).describe("The folders under which workspaces may be registered"),
        suggestions: z.array(z.object({
          path: z.string().describe("A folder that is not registered yet"),
          setting: z.string().nullable().describe(
            "The setting that would allow it, as `BERTH_ROOTS=/home/ada:/srv`; null where it is allowed",
          ),
        })).describe("Folders to register, 50 at most"),
      }).meta({ id: "Folders" }),
      "The allowed and the suggested folders, by path",
    ),
  },
});

interface FoldersOptions {
  readonly registry: Pick<Registry, "list">;
  /** The folders under which workspaces may be registered. */
  readonly roots: readonly string[];
  /** Folders that never become workspaces. */
  readonly hidden: readonly string[];
  /** Null while no plugin has a container runtime: asked for each call. */
  readonly runtime: () => ContainerRuntime | null;
  readonly sights: Sights;
}

export function folders({ registry, roots, hidden, runtime, sights }: FoldersOptions): CoreRouter {
  return router().on(list, async ({ principal }) => {
    const sight = sights.of(reachOfRunning(principal));
    const engines = runtime();
    // A path on another host says nothing about this one.
    const local = new Set(
      engines?.backends().filter(({ address }) => address.startsWith("unix:")).map(({ name }) => name),
    );
    const running = (await engines?.containers() ?? [])
      .filter((container) => local.has(container.backend) && sight.sees(container))
      .flatMap(({ compose }) => compose?.workingDir ?? []);
    const registered = (await registry.list()).map(({ path }) => path);
    const suggestions = await suggestFolders({ roots, hidden, registered, running });
    return reply(200, { roots: [...roots], suggestions });
  });
}
