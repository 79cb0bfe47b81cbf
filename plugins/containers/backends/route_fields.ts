/** Fields and answers that several route groups declare. */
import * as z from "../../../core/schema.ts";
import type { Subject } from "../../../core/access.ts";
import { Unavailable } from "../../../engines/links/unavailable.ts";

/** An engine's name in a query. */
export const BackendName = z.string().min(1).max(128).describe("The name of one engine");

/** The parameter with which a route names a volume or a network. */
export const byName = z.object({ name: z.string().min(1).max(255).describe("Its name") });
export const onBackend = z.object({ backend: BackendName.optional() });

/** A name as the engines accept it. */
export const Name = z.string().regex(
  /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,254}$/,
  "Expected letters, digits, _, . and -, beginning with a letter or digit",
);

/** Options and labels. */
export const TextMap = z.record(z.string().min(1).max(256), z.string().max(4096))
  .refine((map) => Object.keys(map).length <= 128, "Expected at most 128 entries")
  .meta({ maxProperties: 128 });

/** A volume or a network as grants are asked about it: without labels, it belongs to its engine alone. */
export function subjectOfListed(
  { backend, labels }: { readonly backend: string; readonly labels: Readonly<Record<string, string>> },
): Subject {
  return { engine: backend, project: labels["com.docker.compose.project"] ?? null, labels };
}

/** The engines of which a list does not show the latest changes. */
export const StaleEngines = z.array(z.string()).optional().describe(
  "Engines whose latest changes are not in the list yet, because too much happens on them, or they hang or do not list it",
);

/** A list over all engines. */
export function listAnswer<Item extends z.ZodType>(item: Item, id: string) {
  return z.object({
    items: z.array(item).describe("The items found"),
    total: z.int().describe("Number of all items"),
    unavailable: z.array(Unavailable).describe("The engines that could not be asked"),
    stale: StaleEngines,
  }).meta({ id });
}
