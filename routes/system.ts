/** The service about itself: whether it can serve, where it runs, and which plugins it has. */
import { z } from "zod";
import { EVERYTHING, may } from "../core/access.ts";
import { cachedHealth, type HealthSources } from "../core/health.ts";
import { BackendState, reachOfRunning, SEES_RUNNING } from "../core/runtime.ts";
import type { Sights } from "../core/sight.ts";
import { LIVE, READY, word } from "../http/serve/probe.ts";
import { type CoreRouter, json, raw, reply, route, router } from "../http/declare/router.ts";

const Check = z.object({
  status: z.enum(["ok", "degraded", "failed"]).describe("Its state"),
  reason: z.string().optional().describe("The reason that it is not healthy"),
}).meta({ id: "Check" });

const Health = z.object({
  status: z.enum(["starting", "ok", "degraded", "failed"]).describe("State of the whole service"),
  version: z.string().optional().describe("The version that runs"),
  uptimeMs: z.number().optional().describe("Uptime in milliseconds"),
  checks: z.record(z.string(), Check).optional().describe(
    "`store`, `log`, `audit`, `plugins`, and `backend:<name>` for every engine",
  ),
}).meta({ id: "Health" });

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

const health = route({
  method: "get",
  path: "/health",
  summary: "Report whether the service can serve",
  description:
    "An engine that is down makes it `degraded`; only the loss of its own store makes it 503. Until " +
    "everything has started, it is 503 and `starting`. " +
    "Strangers are told `status` alone; the rest needs a credential with `system:read`.",
  permission: "open",
  answers: {
    200: json(Health, "It serves"),
    503: json(Health, "It is starting, or its own store is gone"),
  },
});

const live = route({
  method: "get",
  path: belowApi(LIVE),
  summary: "Report whether the process is alive",
  description: "For supervisors: asks nothing of the store, and is answered whatever the host name.",
  permission: "open",
  answers: { 200: raw("The word `live`", { "text/plain": null }) },
});

const ready = route({
  method: "get",
  path: belowApi(READY),
  summary: "Report whether the service can serve",
  description:
    "For supervisors: the store can be read, every engine was read once or is known to be away, and it " +
    "is not stopping. Answered whatever the host name.",
  permission: "open",
  answers: {
    200: raw("The word `ready`", { "text/plain": null }),
    503: raw("One of the words `starting`, `stopping`, `store`", { "text/plain": null }),
  },
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

interface SystemOptions extends HealthSources {
  readonly startedAt: Date;
  readonly plugins: readonly PluginItem[];
  readonly sights: Sights;
}

/** The routes for supervisors. */
export function probes(sources: HealthSources): CoreRouter {
  const look = cachedHealth(sources);
  let isRead = sources.runtime === null;
  sources.runtime?.settle().then(() => isRead = true);
  return router()
    .on(live, () => word(200, "live"))
    .on(ready, async ({ stopping }) => {
      if (stopping.aborted) return word(503, "stopping");
      if (!isRead) return word(503, "starting");
      return (await look()).status === "failed" ? word(503, "store") : word(200, "ready");
    });
}

export function system(options: SystemOptions): CoreRouter {
  const machine = aboutMachine();
  const look = cachedHealth(options);
  return router()
    .add(probes(options))
    .on(health, async (call) => {
      const [report, principal] = await Promise.all([look(), call.recognised()]);
      const mayKnow = principal !== null && may(principal, "system:read", EVERYTHING);
      const answer = mayKnow ? report : { status: report.status };
      return answer.status === "failed" ? reply(503, answer) : reply(200, answer);
    })
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

/** A route's path as routes declare it. */
function belowApi(path: string): string {
  return path.slice("/api".length);
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
