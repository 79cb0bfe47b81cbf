/** Compose projects: those of the registered workspaces and those that run, joined. */
import { z } from "zod";
import { LiveState } from "../artifacts/live/live.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import type { ContainerRuntime } from "../core/runtime.ts";
import { type CoreRouter, json, reply, route, router } from "../http/router.ts";

const ToolProject = z.object({
  workspace: z.object({ id: z.string(), name: z.string() }).nullable().describe(
    "Null for one that only runs",
  ),
  group: z.string().nullable().describe("The name of its group in that workspace"),
  project: z.string(),
  status: LiveState,
  services: z.array(z.object({
    name: z.string(),
    containers: z.int(),
    running: z.int(),
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
    200: json(z.object({ items: z.array(ToolProject), total: z.int() }), "All of them"),
  },
});

export interface ToolProjectsOptions {
  readonly registry: Pick<Registry, "models">;
  /** Null while no plugin has a container runtime: asked for each call. */
  readonly runtime: () => ContainerRuntime | null;
}

export function toolProjects({ registry, runtime }: ToolProjectsOptions): CoreRouter {
  return router().on(list, async () => {
    const made = await import("../artifacts/live/tool_projects.ts");
    const items = await made.toolProjects(await registry.models(), runtime());
    return reply(200, { items, total: items.length });
  });
}
