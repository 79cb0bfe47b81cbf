/** Compose projects: those of the registered workspaces and those that run, joined. */
import { z } from "zod";
import { LiveNeeds, LiveState } from "../artifacts/live/live.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import { type ContainerRuntime, SEES_RUNNING, seesRunning } from "../core/runtime.ts";
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
}

export function toolProjects({ registry, runtime }: ToolProjectsOptions): CoreRouter {
  return router().on(list, async ({ principal }) => {
    const made = await import("../artifacts/live/tool_projects.ts");
    const models = await registry.models();
    const engines = runtime();
    if (engines === null || seesRunning(principal)) {
      const items = await made.toolProjects(models, engines);
      return reply(200, { items, total: items.length });
    }
    const items = (await made.toolProjects(models, null)).map((item) => ({
      ...item,
      status: null,
      services: item.services.map(({ name }) => ({ name, containers: null, running: null, health: null })),
    }));
    return reply(200, { items, total: items.length, liveNeeds: SEES_RUNNING });
  });
}
