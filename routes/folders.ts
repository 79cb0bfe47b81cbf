/** The folders that may become workspaces. */
import * as z from "../core/schema.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import { placesOf } from "../artifacts/registry/places.ts";
import type { Principal } from "../core/access.ts";
import { type ContainerRuntime, reachOfRunning } from "../core/runtime.ts";
import type { Sights } from "../core/sight.ts";
import { type CoreRouter, json, reply, route, router } from "../http/declare/router.ts";

const places = route({
  method: "get",
  path: "/places",
  summary: "List the folders that may become workspaces",
  description:
    "Names the allowed folders of `BERTH_ROOTS`, and the folders that labels of running containers name and that are " +
    "not registered yet, with their projects: only of containers on engines of this machine that the caller may see. " +
    "Folders side by side are one place. `/opt/stacks`, `/srv` and `/mnt` are places without projects where they hold " +
    "a folder; outside of the allowed folders nothing else is looked for on the disk.",
  permission: "workspaces:write",
  subject: "everything",
  answers: {
    200: json(
      z.object({
        roots: z.array(z.string()).describe("The folders under which workspaces may be registered"),
        containers: z.int().describe("Number of containers whose labels were read"),
        places: z.array(z.object({
          path: z.string().describe("A folder that is not registered yet"),
          projects: z.array(z.string()).describe(
            "The first ten projects that run from it, by name; none of a place that only is usual",
          ),
          total: z.int().describe("Number of projects that run from it"),
          allowed: z.boolean().describe("True if it may be registered"),
          setting: z.string().nullable().describe(
            "The setting that would allow it, as `BERTH_ROOTS=/home/ada:/srv`; null where it is allowed",
          ),
        })).describe("The allowed ones first, then by the number of projects, 50 at most"),
      }).meta({ id: "Places" }),
      "The allowed folders, and the places",
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
  /** Returns the containers in scope on engines of this machine: a path on another host says nothing about this one. */
  const localContainers = async (principal: Principal) => {
    const sight = sights.of(reachOfRunning(principal));
    const engines = runtime();
    const local = new Set(
      engines?.backends().filter(({ address }) => address.startsWith("unix:")).map(({ name }) => name),
    );
    return (await engines?.containers() ?? [])
      .filter((container) => local.has(container.backend) && sight.sees(container));
  };
  return router().on(places, async ({ principal }) => {
    const running = (await localContainers(principal)).flatMap(({ backend: engine, compose }) =>
      compose?.workingDir ? [{ engine, project: compose.project, folder: compose.workingDir }] : []
    );
    const registered = (await registry.list()).map(({ path }) => path);
    const found = await placesOf({ roots, hidden, registered, running });
    return reply(200, {
      roots: [...roots],
      containers: running.length,
      places: found.map((one) => ({ ...one, projects: [...one.projects] })),
    });
  });
}
