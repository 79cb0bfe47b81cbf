/** The service about itself: whether it can serve, where it runs, and which plugins it has. */
import { z } from "zod";
import { cachedHealth, type HealthSources } from "../core/health.ts";
import { type CoreRouter, json, reply, route, router } from "../http/router.ts";

const Check = z.object({
  status: z.enum(["ok", "degraded", "failed"]),
  reason: z.string().optional(),
}).meta({ id: "Check" });

const Health = z.object({
  status: z.enum(["ok", "degraded", "failed"]),
  version: z.string(),
  uptimeMs: z.number(),
  checks: z.record(z.string(), Check).describe(
    "`store`, `log`, `audit`, `plugins`, and `backend:<name>` for every engine",
  ),
}).meta({ id: "Health" });

const SystemInfo = z.object({
  os: z.string(),
  arch: z.string().describe("`amd64`, `arm64`: in the words of the engines"),
  hostname: z.string().nullable(),
  cpus: z.int(),
  memoryBytes: z.int().nullable(),
  version: z.string(),
  denoVersion: z.string(),
  startedAt: z.iso.datetime(),
  containers: z.object({ running: z.int(), paused: z.int(), stopped: z.int(), total: z.int() }).nullable()
    .describe("Null while no engine is up"),
  images: z.int().nullable(),
  backends: z.array(z.object({
    name: z.string(),
    kind: z.enum(["docker", "podman"]),
    state: z.enum(["up", "away", "refused", "unsupported"]),
    version: z.string().nullable(),
  })),
}).meta({ id: "SystemInfo" });

const PluginItem = z.object({
  name: z.string(),
  summary: z.string(),
  version: z.string(),
  enabled: z.boolean().describe("Whether the settings want it"),
  state: z.enum(["running", "disabled", "failed"]),
  reason: z.string().optional(),
  routes: z.array(z.string()).readonly(),
}).meta({ id: "Plugin" });
export type PluginItem = z.infer<typeof PluginItem>;

const PluginList = z.object({ items: z.array(PluginItem).readonly(), total: z.int() }).meta({
  id: "PluginList",
});

const health = route({
  method: "get",
  path: "/health",
  summary: "Whether the service can serve",
  description: "An engine that is down makes it `degraded`; only the loss of its own store makes it 503.",
  permission: "open",
  answers: {
    200: json(Health, "It serves"),
    503: json(Health, "Its own store is gone"),
  },
});

const info = route({
  method: "get",
  path: "/system/info",
  summary: "The machine, the version, and how much runs",
  permission: "system:read",
  answers: { 200: json(SystemInfo, "The system") },
});

const plugins = route({
  method: "get",
  path: "/system/plugins",
  summary: "The plugins, and how they are doing",
  permission: "system:read",
  answers: { 200: json(PluginList, "All plugins, switched off or not") },
});

export interface SystemOptions extends HealthSources {
  readonly startedAt: Date;
  readonly plugins: readonly PluginItem[];
}

export function system(options: SystemOptions): CoreRouter {
  const machine = aboutMachine();
  const look = cachedHealth(options);
  return router()
    .on(health, async () => {
      const answer = await look();
      return answer.status === "failed" ? reply(503, answer) : reply(200, answer);
    })
    .on(info, () => {
      const counts = options.runtime?.counts() ?? null;
      return reply(200, {
        ...machine,
        version: options.version,
        startedAt: options.startedAt.toISOString(),
        containers: counts?.containers ?? null,
        images: counts?.images ?? null,
        backends: (options.runtime?.backends() ?? []).map(({ name, kind, state, version }) => ({
          name,
          kind,
          state,
          version,
        })),
      });
    })
    .on(plugins, () => reply(200, { items: options.plugins, total: options.plugins.length }));
}

/** The engines' words for what Deno calls otherwise. */
const ARCHITECTURES: Readonly<Record<typeof Deno.build.arch, string>> = { x86_64: "amd64", aarch64: "arm64" };

/** Asked once; what the process may not ask for is null. */
function aboutMachine() {
  return {
    os: Deno.build.os,
    arch: ARCHITECTURES[Deno.build.arch],
    hostname: allowed(() => Deno.hostname()),
    cpus: navigator.hardwareConcurrency,
    memoryBytes: allowed(() => Deno.systemMemoryInfo().total),
    denoVersion: Deno.version.deno,
  };
}

function allowed<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null;
  }
}
