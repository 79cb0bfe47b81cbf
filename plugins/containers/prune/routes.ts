/** `/api/system/prune`: lists what nobody uses, with reasons and bytes, and removes exactly that list. */
import * as z from "../../../core/schema.ts";
import { ServiceError } from "../../../core/error.ts";
import type { OfferStore } from "../../../core/store.ts";
import type { Principal, Reach } from "../../../core/access.ts";
import { asServiceError } from "../../../http/declare/problem.ts";
import { json, particularsOf, reply, route, type Router, router } from "../../../http/declare/router.ts";
import type { Backends } from "../../../engines/links/backends.ts";
import type { Meter } from "../disk_usage/meter.ts";
import { type NamedByServices, namedByServices } from "../backends/named_by_services.ts";
import type { Engines } from "../backends/seen.ts";
import { keptByServices } from "../backends/swarm_services.ts";
import { BackendName } from "../backends/route_fields.ts";
import { Unavailable } from "../../../engines/links/unavailable.ts";
import { type Declarations, declarations } from "./declared.ts";
import { carryOut, PruneResult, shown } from "./carry_out.ts";
import { PruneFilters } from "./filters.ts";
import { planFor, type Planned, PRUNE_TYPES, PruneType } from "./plan.ts";
import { Plans } from "./plans.ts";
import { problems } from "../backends/problems.ts";

const Selection = z.strictObject({
  types: z.array(PruneType).min(1).max(PRUNE_TYPES.length).describe("Nothing else is touched"),
  filters: PruneFilters.optional().describe("The kinds of unused objects to remove"),
  backend: BackendName.optional(),
  dryRun: z.boolean().optional().describe("Only list what would go, and keep the list as a plan"),
});
const PruneRequest = z.union([
  Selection,
  z.strictObject({ plan: z.uuid().describe("Remove exactly what this plan listed") }),
], { error: 'Expected either "types", with what narrows them, or "plan" alone, and nothing unknown' }).meta({
  id: "PruneRequest",
  examples: [
    { types: ["containers", "images"], filters: { until: "24h" }, dryRun: true },
    { plan: "0b8f3c1a-5e9b-4d7d-8a52-6b1f0c9d3e47" },
  ],
});

const PruneReport = z.object({
  dryRun: z.boolean().describe("True if nothing was removed"),
  plan: z.string().nullable().describe("Post it to remove what is listed"),
  expiresAt: z.string().nullable().describe("Until when the plan may be carried out"),
  items: z.array(PruneResult).describe("Objects that are or would be removed"),
  size: z.int().describe("Bytes of all that is listed; layers that images share may free less"),
  reclaimed: z.int().describe("Bytes of what was removed"),
  left: z.object({
    count: z.int().describe("Number of objects"),
    size: z.int().describe("Their bytes"),
    unclear: z.int().describe(
      "Number of folders and projects that could not be read whole: what they may declare is left, too",
    ),
  }).meta({ id: "PruneLeft" }).describe(
    "Nobody uses it, and files of registered folders declare it: it goes only with the filter `declared`",
  ),
  unavailable: z.array(Unavailable).describe("The engines that could not be asked"),
}).meta({ id: "PruneReport" });

const prune = route({
  method: "post",
  path: "/system/prune",
  summary: "Remove what nobody uses",
  description:
    "With `dryRun: true` berth lists what it would remove and keeps the list as a plan for a while. " +
    "Post `plan` to remove exactly that list. Without `dryRun` berth removes at once.",
  permission: "system:prune",
  subject: "listed",
  body: PruneRequest,
  particulars: ({ body }) => particularsOf(body),
  answers: {
    200: json(PruneReport, "Objects of one kind that would be or were removed"),
    ...problems("plan_not_found", "backend_not_found", "runtime_unavailable", "no_engine"),
  },
});

export const ROUTES = [prune];

interface PruningOptions extends Declarations {
  readonly swarms: Pick<Engines, "services" | "swarmsRead">;
  readonly backends: Backends;
  readonly meter: Meter;
  readonly offers: OfferStore;
}

export function pruning(options: PruningOptions): Router {
  const { backends, meter, offers } = options;
  const plans = new Plans(offers);
  return router().on(prune, async ({ body, principal, stopping, left, reach }) => {
    const owner = ownerOf(principal);
    if ("plan" in body) {
      const listed = await plans.take(owner, body.plan);
      const items = listed.filter(({ backend }) => reach.has({ engine: backend }));
      return reply(200, await executed(items, { left: NOTHING_LEFT, unavailable: [] }));
    }
    const { items, ...beside } = await planned(options, reach, body, left);
    if (body.dryRun !== true) return reply(200, await executed(items, beside));
    const { id, expiresAt } = await plans.store(owner, items);
    return reply(200, {
      dryRun: true,
      plan: id,
      expiresAt,
      items: items.map((item) => ({ ...shown(item), result: "planned" as const })),
      size: sum(items),
      reclaimed: 0,
      ...beside,
    });

    async function executed(items: readonly Planned[], beside: Beside) {
      const rows = backends.links.flatMap(({ mirror }) => [...mirror.containers.rows.values()]);
      const { isDeclared } = await declarations(options, rows);
      const results = await carryOut(
        backends,
        { items, isNamed: namedOn(options, stopping), isDeclared },
        stopping,
      )
        .finally(() => backends.links.forEach((link) => meter.forget(link)));
      return {
        dryRun: false,
        plan: null,
        expiresAt: null,
        items: results,
        size: sum(items),
        reclaimed: sum(results.filter(({ result }) => result === "removed")),
        ...beside,
      };
    }
  });
}

/** Returns whether a service names a planned object by now. Asks each engine once. */
function namedOn(
  { backends, swarms }: PruningOptions,
  signal: AbortSignal,
): (planned: Planned) => Promise<boolean> {
  const asked = new Map<string, Promise<NamedByServices>>();
  return async ({ type, backend, name, tags, id }) => {
    if (type !== "volumes" && type !== "images") return false;
    const link = backends.named(backend);
    const found = asked.get(backend) ?? namedByServices(link, swarms, signal);
    asked.set(backend, found);
    if (type === "volumes") return (await found).volume(name);
    return (await found).image([...tags, ...link.mirror.images.rows.get(id)?.digests ?? []]);
  };
}

const LISTS = ["containers", "networks", "volumes", "images"] as const;

type Beside = Pick<z.infer<typeof PruneReport>, "left" | "unavailable">;

const NOTHING_LEFT: Beside["left"] = { count: 0, size: 0, unclear: 0 };

async function planned(
  options: PruningOptions,
  reach: Reach,
  { types, filters = {}, backend }: z.infer<typeof Selection>,
  signal: AbortSignal,
): Promise<{ items: Planned[] } & Beside> {
  const { backends, meter } = options;
  const links = backends.pick(backend, reach);
  await Promise.all(links.map((link) => link.settle()));
  if (!links.some(({ state }) => state === "up")) backends.target(backend, reach); // throws, and says why
  const items: Planned[] = [];
  const left: Planned[] = [];
  let unclear = 0;
  const unavailable: Unavailable[] = [];
  for (const link of links) {
    if (link.state !== "up") {
      unavailable.push({ backend: link.name, reason: link.reason });
      continue;
    }
    try {
      const measurement = await meter.anew(link, signal);
      const { mirror } = link;
      // Containers use what is of the other kinds; a list that nobody asked for holds nothing up.
      await Promise.all(
        LISTS.filter((list) => list === "containers" || types.includes(list))
          .map((list) => mirror[list].resync()),
      );
      const isKept = await keptByServices(link, mirror.containers.rows.values(), signal);
      const named = await namedByServices(link, options.swarms, signal);
      const files = await declarations(options, mirror.containers.rows.values());
      const { isDeclared } = files;
      const about = { ...measurement, isKept, named, isDeclared };
      const plan = planFor(link, about, new Set(types), filters, new Date());
      items.push(...plan.items);
      left.push(...plan.left);
      unclear = files.unclear;
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      if (!(thrown instanceof ServiceError)) throw thrown;
      const stale = [...link.mirror.behind.keys()];
      unavailable.push({
        backend: link.name,
        reason: asServiceError(thrown).discreet,
        ...(stale.length > 0 && { stale }),
      });
    }
  }
  return { items, left: { count: left.length, size: sum(left), unclear }, unavailable };
}

function ownerOf({ kind, id }: Principal): string {
  return `${kind}:${id}`;
}

function sum(items: readonly { readonly size: number }[]): number {
  return items.reduce((total, { size }) => total + size, 0);
}
