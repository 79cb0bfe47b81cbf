/** Compose projects: those of the registered workspaces and those that run, joined. */
import { z } from "zod";
import { LiveNeeds, LiveState } from "../artifacts/live/live.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import { type ContainerRuntime, reachOfRunning, SEES_RUNNING } from "../core/runtime.ts";
import { runtimeSeen, type Sights } from "../core/sight.ts";
import { type CoreRouter, json, reply, route, router } from "../http/router.ts";

const ToolProject = z.object({
  workspace: z.object({ id: z.string(), name: z.string() }).nullable().describe(
    "Null for one that only runs",
  ),
  group: z.string().nullable().describe("The name of its group in that workspace"),
  project: z.string(),
  status: LiveState.nullable(),
  services: z.array(z.object({
    name: z.string(),
    containers: z.int().nullable(),
    running: z.int().nullable(),
    health: z.enum(["healthy", "unhealthy", "starting"]).nullable().describe("The worst of its containers"),
  })),
  workingDir: z.string().nullable(),
  configFiles: z.array(z.string()),
  backend: z.string().nullable().describe("Null for one that does not run"),
}).meta({ id: "ToolProject" });

const list = route({
  method: "get",
  path: "/system/tool-projects",
  summary: "Compose projects: declared in a workspace, running, or both",
  permission: "system:read",
  subject: "listed",
  answers: {
    200: json(
      z.object({ items: z.array(ToolProject), total: z.int(), liveNeeds: LiveNeeds.optional() }),
      "All of them; for who may not see what runs those that are declared, with null for what is live",
    ),
  },
});

export interface ToolProjectsOptions {
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
