/** The processes that serve from the same store. */
import * as z from "../core/schema.ts";
import type { Replicas } from "../core/replicas.ts";
import { type CoreRouter, json, problems, reply, route, router } from "../http/declare/router.ts";

const Replica = z.object({
  name: z.string().describe("Its name, as in its log"),
  version: z.string().describe("The version of berth that it runs"),
  startedAt: z.iso.datetime().describe("When it started"),
  seenAt: z.iso.datetime().describe("When it last said that it lives; each does so every 5 seconds"),
  self: z.boolean().describe("True for the replica that answers"),
}).meta({ id: "Replica" });

const list = route({
  method: "get",
  path: "/system/replicas",
  summary: "The replicas that share the store",
  description:
    "One that said nothing for 20 seconds is gone from the list. Where the store is a file, there is one.",
  permission: "system:read",
  subject: "everything",
  answers: {
    200: json(
      z.object({
        items: z.array(Replica).readonly().describe("The replicas, the oldest first"),
        total: z.int().describe("Number of all replicas"),
      }).meta({ id: "ReplicaList" }),
      "All that live",
    ),
    ...problems("store_unavailable"),
  },
});

export function replicaRoutes({ replicas }: { readonly replicas: Replicas }): CoreRouter {
  return router().on(list, async () => {
    const items = (await replicas.list()).map(({ id, name, version, startedAt, seenAt }) => ({
      name,
      version,
      startedAt: new Date(startedAt).toISOString(),
      seenAt: new Date(seenAt).toISOString(),
      self: id === replicas.self.id,
    }));
    return reply(200, { items, total: items.length });
  });
}
