/** Compose projects: those of the registered workspaces and those that run, joined. */
import * as z from "../core/schema.ts";
import { LiveNeeds, LiveState } from "../artifacts/live/live.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import { type ContainerRuntime, reachOfRunning, SEES_RUNNING } from "../core/runtime.ts";
import { runtimeSeen, type Sights } from "../core/sight.ts";
import { type CoreRouter, json, reply, route, router } from "../http/declare/router.ts";
import { WorkspaceRef } from "../core/workspace.ts";

const ToolProject = z.object({
  workspace: WorkspaceRef.nullable().describe(
    "Null for one that only runs",
  ),
  group: z.string().nullable().describe("The name of its group in that workspace"),
  project: z.string().describe("The project's name"),
  status: LiveState.nullable().describe("Its verdict; null without an engine"),
  services: z.array(z.object({
    name: z.string().describe("The service's name"),
    containers: z.int().nullable().describe("Number of its containers"),
    running: z.int().nullable().describe("Number of its running containers"),
    health: z.enum(["healthy", "unhealthy", "starting"]).nullable().describe("The worst of its containers"),
  })).describe("Its services"),
  workingDir: z.string().nullable().describe("The folder that it was started in"),
  configFiles: z.array(z.string()).describe("The files that it was started from"),
  backend: z.string().nullable().describe("Null for one that does not run"),
}).meta({ id: "ToolProject" });

const list = route({
  method: "get",
  path: "/system/tool-projects",
  summary: "Compose projects: declared in a workspace, running, or both",
  description:
    "Compares the Compose projects of all workspaces with the project labels of running containers.",
  permission: "system:read",
  subject: "listed",
  answers: {
    200: json(
      z.object({
        items: z.array(ToolProject).describe("The projects"),
        total: z.int().describe("Number of all projects"),
        liveNeeds: LiveNeeds.optional().describe(
          "Permissions that the caller needs to see running containers",
        ),
      }),
      "All projects. A caller who may not see running containers gets the declared ones, with null for live fields",
    ),
  },
});

interface ToolProjectsOptions {
  readonly registry: Pick<Registry, "models">;
  /** Null while no plugin has a container runtime: asked for each call. */
  readonly runtime: () => ContainerRuntime | null;
  readonly sights: Sights;
}

export function toolProjects({ registry, runtime, sights }: ToolProjectsOptions): CoreRouter {
  return router().on(list, async ({ principal, reach }) => {
    const made = await import("../artifacts/live/tool_projects.ts");
    const models = await registry.models();
    const engines = runtime();
    const running = sights.of(reachOfRunning(principal));
    const isShown = (workspace: string, { project }: { readonly project: string }) =>
      reach.has({ workspace, project });
    if (engines === null || !running.reach.nowhere) {
      const seen = engines && runtimeSeen(runtimeSeen(engines, running), sights.of(reach));
      const items = await made.toolProjects(models, seen, { isShown });
      return reply(200, { items, total: items.length });
    }
    const items = (await made.toolProjects(models, null, { isShown })).map((item) => ({
      ...item,
      status: null,
      services: item.services.map(({ name }) => ({ name, containers: null, running: null, health: null })),
    }));
    return reply(200, { items, total: items.length, liveNeeds: SEES_RUNNING });
  });
}
