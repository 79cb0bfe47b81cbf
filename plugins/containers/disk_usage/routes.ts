/** `/api/system/disk-usage`: what images, containers, volumes and build caches take, and how much could be freed. */
import * as z from "../../../core/schema.ts";
import { reachOfRunning, SEES_RUNNING } from "../../../core/runtime.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { problems } from "../backends/problems.ts";
import { asServiceError } from "../../../http/declare/problem.ts";
import { flag } from "../../../http/declare/query.ts";
import { json, reply, route, type Router, router } from "../../../http/declare/router.ts";
import type { Backends } from "../../../engines/links/backends.ts";
import { type Measurement, USAGE_TYPES, UsageItem, type UsageType } from "./measurement.ts";
import type { Meter } from "./meter.ts";
import { BackendName } from "../backends/route_fields.ts";
import { Unavailable } from "../../../engines/links/unavailable.ts";

const UsageTotal = z.object({
  count: z.int().describe("Number of objects"),
  active: z.int().describe("Number of objects in use"),
  size: z.int().describe("Bytes; layers that images share count once"),
  reclaimable: z.int().describe("Bytes of those that are not in use"),
  items: z.array(UsageItem).optional().describe("With `type` only"),
}).meta({ id: "Usage" });

const DiskUsage = z.object({
  images: UsageTotal.optional().describe("Disk usage of images"),
  containers: UsageTotal.optional().describe("Needs `containers:read`, too"),
  volumes: UsageTotal.optional().describe("Disk usage of volumes"),
  buildCache: UsageTotal.optional().describe("Disk usage of build caches"),
  measuredAt: z.string().nullable().describe("The oldest measurement in it; null without any"),
  unavailable: z.array(Unavailable).describe("The engines that could not be asked"),
}).meta({ id: "DiskUsage" });
type DiskUsage = z.infer<typeof DiskUsage>;

const read = route({
  method: "get",
  path: "/system/disk-usage",
  summary: "Disk usage of the engines' objects",
  description: "Measured at most once in 30 s, and by one measurement at a time however many ask.",
  permission: "system:read",
  subject: "listed",
  query: z.object({
    type: z.enum(USAGE_TYPES).optional().describe("Only this type, with its items"),
    backend: BackendName.optional(),
    fresh: flag.optional().describe("Measure now"),
  }),
  answers: { 200: json(DiskUsage, "The usage, by type"), ...problems("backend_not_found") },
});

export const ROUTES = [read];

export function diskUsage(
  { backends, meter }: { readonly backends: Backends; readonly meter: Meter },
): Router {
  return router().on(read, async ({ query, ending, principal, reach }) => {
    const running = reachOfRunning(principal);
    if (query.type === "containers" && running.nowhere) {
      throw engineError(
        "forbidden",
        `Cannot measure containers: this needs the permission "${SEES_RUNNING}"`,
      );
    }
    const links = backends.pick(query.backend, reach);
    await Promise.all(links.map((link) => link.settle()));
    const measured: Measurement[] = [];
    const unavailable: Unavailable[] = [];
    await Promise.all(links.map(async (link) => {
      if (link.state !== "up") return void unavailable.push({ backend: link.name, reason: link.reason });
      try {
        const one = await (query.fresh === true ? meter.anew(link, ending) : meter.read(link, ending));
        measured.push(running.has({ engine: link.name }) ? one : withoutContainers(one));
      } catch (thrown) {
        if (ending.aborted) throw thrown;
        unavailable.push({ backend: link.name, reason: asServiceError(thrown).discreet });
      }
    }));
    const usage = joined(measured, unavailable, query.type);
    if (running.nowhere) delete usage.containers;
    return reply(200, usage);
  });
}

function withoutContainers({ usage, measuredAt }: Measurement): Measurement {
  return { measuredAt, usage: { ...usage, containers: { items: [], size: 0, reclaimable: 0 } } };
}

/** The measurements of several engines as one answer. Exported for its test. */
function joined(
  measured: readonly Measurement[],
  unavailable: readonly Unavailable[],
  only: UsageType | undefined,
): DiskUsage {
  const answer: DiskUsage = {
    measuredAt: measured.map(({ measuredAt }) => measuredAt).sort()[0] ?? null,
    unavailable: [...unavailable],
  };
  for (const type of only === undefined ? USAGE_TYPES : [only]) {
    const parts = measured.map(({ usage }) => usage[type]);
    const items = parts.flatMap((part) => part.items);
    answer[type] = {
      count: items.length,
      active: items.filter(({ active }) => active).length,
      size: parts.reduce((sum, part) => sum + part.size, 0),
      reclaimable: parts.reduce((sum, part) => sum + part.reclaimable, 0),
      ...(only === undefined ? {} : { items }),
    };
  }
  return answer;
}
