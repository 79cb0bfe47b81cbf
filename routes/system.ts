/** The service about itself: where it runs, and which plugins it has. */
import * as z from "../core/schema.ts";
import { BackendState, type ContainerRuntime, reachOfRunning, SEES_RUNNING } from "../core/runtime.ts";
import type { Sights } from "../core/sight.ts";
import { type CoreRouter, json, reply, route, router } from "../http/declare/router.ts";

const SystemInfo = z.object({
  os: z.string().describe("The operating system"),
  arch: z.string().describe("`amd64`, `arm64`: in the words of the engines"),
  hostname: z.string().nullable().describe("The machine's name"),
  cpus: z.int().describe("Number of processors"),
  memoryBytes: z.int().nullable().describe("The machine's memory"),
  version: z.string().describe("The version of berth"),
  denoVersion: z.string().describe("The version of Deno"),
  startedAt: z.iso.datetime().describe("When berth started"),
  containers: z.object({
    running: z.int().describe("Number of running containers"),
    paused: z.int().describe("Number of paused containers"),
    stopped: z.int().describe("Number of stopped containers"),
    total: z.int().describe("Number of objects"),
  }).nullable()
    .describe("Null while no engine is up, and without `containers:read`"),
  images: z.int().nullable().describe(
    "Null while no engine is up, and without the permission in `liveNeeds`",
  ),
  liveNeeds: z.literal(SEES_RUNNING).optional().describe(
    "The permission that the caller lacks to see what runs",
  ),
  backends: z.array(z.object({
    name: z.string().describe("The engine's name"),
    kind: z.enum(["docker", "podman"]).describe("Kind of engine"),
    state: BackendState.describe("The state of its connection"),
    version: z.string().nullable().describe("The engine's version"),
  })).describe("The engines"),
}).meta({ id: "SystemInfo" });

const PluginItem = z.object({
  name: z.string().describe("The plugin's name"),
  summary: z.string().describe("A sentence about the plugin"),
  version: z.string().describe("The plugin's version"),
  enabled: z.boolean().describe("True if the settings enable it"),
  state: z.enum(["running", "disabled", "failed"]).describe("True if it runs"),
  reason: z.string().optional().describe("The reason that it does not run"),
  routes: z.array(z.string()).readonly().describe("The routes it answers"),
}).meta({ id: "Plugin" });
type PluginItem = z.infer<typeof PluginItem>;

const PluginList = z.object({
  items: z.array(PluginItem).readonly().describe("The plugins"),
  total: z.int().describe("Number of all items"),
}).meta({
  id: "PluginList",
});

const info = route({
  method: "get",
  path: "/system/info",
  summary: "The machine, the version, and how much runs",
  description:
    "Describes the machine that berth runs on, and counts the containers and images that the caller may " +
    "see. Counts are null while no engine answers.",
  permission: "system:read",
  subject: "listed",
  answers: { 200: json(SystemInfo, "The system") },
});

const plugins = route({
  method: "get",
  path: "/system/plugins",
  summary: "The plugins, and how they are doing",
  description:
    "Also lists plugins that are switched off, and those that failed to start, with the reason. The " +
    "rest of berth serves without them.",
  permission: "system:read",
  subject: "everything",
  answers: { 200: json(PluginList, "All plugins, switched off or not") },
});

interface SystemOptions {
  readonly version: string;
  readonly startedAt: Date;
  readonly runtime: ContainerRuntime | null;
  readonly plugins: readonly PluginItem[];
  readonly sights: Sights;
}

export function system(options: SystemOptions): CoreRouter {
  const machine = aboutMachine();
  return router()
    .on(info, async ({ principal, reach }) => {
      const running = options.sights.of(reachOfRunning(principal));
      const { runtime } = options;
      const count = () =>
        running.reach.everywhere ? runtime?.counts() : runtime?.counts({
          container: (one) => running.sees(one),
          imagesOf: (engine) => running.reach.has({ engine }),
        });
      let counts = count() ?? null;
      if (await running.settle()) counts = count() ?? null;
      return reply(200, {
        ...machine,
        version: options.version,
        startedAt: options.startedAt.toISOString(),
        containers: running.reach.nowhere ? null : counts?.containers ?? null,
        images: running.reach.nowhere ? null : counts?.images ?? null,
        ...(running.reach.nowhere && options.runtime !== null && { liveNeeds: SEES_RUNNING }),
        backends: (options.runtime?.backends() ?? []).filter(({ name }) => reach.has({ engine: name })).map((
          { name, kind, state, version },
        ) => ({
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
