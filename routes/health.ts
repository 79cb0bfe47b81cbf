/** Health: says to people and supervisors whether the service can serve. */
import * as z from "../core/schema.ts";
import { EVERYTHING, may } from "../core/access.ts";
import { cachedHealth, type HealthSources } from "../core/health.ts";
import { type CoreRouter, json, raw, reply, route, router } from "../http/declare/router.ts";
import { LIVE, READY, word } from "../http/serve/probe.ts";

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

/** Health with its checks, beside the routes for supervisors. */
export function healthRoutes(sources: HealthSources): CoreRouter {
  const look = cachedHealth(sources);
  return probes(sources)
    .on(health, async (call) => {
      const [report, caller] = await Promise.all([look(), call.recognised().catch(() => null)]);
      const mayKnow = caller !== null && may(caller.principal, "system:read", EVERYTHING);
      const answer = mayKnow ? report : { status: report.status };
      return answer.status === "failed" ? reply(503, answer) : reply(200, answer);
    });
}

/** A route's path as routes declare it. */
function belowApi(path: string): string {
  return path.slice("/api".length);
}
