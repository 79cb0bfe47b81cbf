/**
 * The counters and measurements for Prometheus: for callers who may read the system, or on a port of its own.
 */
import { EVERYTHING, may } from "../core/access.ts";
import type { AccessLine } from "../core/log.ts";
import type { Metrics } from "../core/metrics.ts";
import { type CoreRouter, raw, route, router } from "../http/declare/router.ts";

const CONTENT = { 200: raw("The text format of Prometheus", { "text/plain": null }) };

const all = route({
  method: "get",
  path: "/metrics",
  summary: "The counters and measurements of the service, in the text format of Prometheus",
  description:
    "For Prometheus, with an API key as bearer token. `metrics.port` in config.yaml opens a second port that " +
    "needs no key.",
  permission: "system:read",
  subject: "everything",
  answers: CONTENT,
});

const onPort = route({
  method: "get",
  path: "/metrics",
  summary: "The same on the port for metrics: without a credential, and then without the names of engines",
  permission: "open",
  answers: CONTENT,
});

export function metricsRoutes(metrics: Metrics): CoreRouter {
  return router().on(all, async () => answer(await metrics.text({ engines: true })));
}

/** For a port that nobody reaches but a collector. */
export function openMetricsRoutes(metrics: Metrics): CoreRouter {
  return router().on(onPort, async (call) => {
    const caller = await call.recognised().catch(() => null);
    const mayKnow = caller !== null && may(caller.principal, "system:read", EVERYTHING);
    return answer(await metrics.text({ engines: mayKnow }));
  });
}

/** Counts requests by the declared route that answered, never by what a caller wrote. */
export function countTraffic(metrics: Metrics): (access: AccessLine, route: string | null) => void {
  const requests = metrics.counter({
    name: "berth_http_requests_total",
    help: "Requests that were answered, by route and status.",
  });
  const seconds = metrics.timer({
    name: "berth_http_request_seconds",
    help: "Time until an answer began.",
  });
  const known = new Map<string | null, Map<number, () => void>>();
  return ({ status, ms }, route) => {
    let ofRoute = known.get(route);
    if (ofRoute === undefined) known.set(route, ofRoute = new Map());
    let add = ofRoute.get(status);
    if (add === undefined) {
      add = requests.of({ route: route ?? "none", status: String(status) });
      ofRoute.set(status, add);
    }
    add();
    seconds.took(ms);
  };
}

function answer(text: string): Response {
  return new Response(text, {
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
  });
}
