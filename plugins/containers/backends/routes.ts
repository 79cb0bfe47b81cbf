/** `/api/system/backends`: the engines and their states. */
import * as z from "../../../core/schema.ts";
import { type Backend, BackendState, HostSight } from "../../../core/runtime.ts";
import { json, reply, route, type Router, router } from "../../../http/declare/router.ts";
import { type Principal, reachOf } from "../../../core/access.ts";
import type { Engines } from "./seen.ts";

export const BackendReport = z.object({
  name: z.string().describe("The engine's name"),
  kind: z.enum(["docker", "podman"]).describe("Kind of engine"),
  address: z.string().describe("Its address"),
  state: BackendState.describe("The state of its connection"),
  version: z.string().nullable().describe("The engine's version"),
  apiVersion: z.string().nullable().describe("The version of its API"),
  os: z.string().nullable().describe("The operating system it runs on"),
  arch: z.string().nullable().describe("The processor it runs on"),
  default: z.boolean().describe(
    "True for the engine that new objects are created on if none is named and it is up",
  ),
  reason: z.string().optional().describe(
    "The reason that it is not up, or does not list the kinds in `stale`",
  ),
  stale: z.array(z.string()).optional().describe(
    "Kinds of objects that it does not list although it is up, as `networks`: shown as last known. Absent if there are none",
  ),
  sees: z.array(z.object({
    workspace: z.string().describe("The workspace's id"),
    sight: HostSight.describe(
      "The folder that the engine has under the path of the workspace's folder: the same folder, another one, or none",
    ),
  })).describe("Workspaces that the caller sees whole; empty while the engine is not up"),
  since: z.iso.datetime().optional().describe(
    "When it last answered, or was lost; absent where it is up, or was away from the start",
  ),
}).meta({ id: "Backend" });

const list = route({
  method: "get",
  path: "/system/backends",
  summary: "List the container engines, those that are away too",
  description:
    "Lists each engine with its address, version and state, why it does not answer, and whether it sees " +
    "the folders of the workspaces.",
  permission: "system:read",
  subject: "listed",
  answers: {
    200: json(
      z.object({
        items: z.array(BackendReport).describe("The engines"),
        total: z.int().describe("Number of all engines"),
      }).meta({ id: "BackendList" }),
      "The engines",
    ),
  },
});

export const ROUTES = [list];

export function systemBackends({ backends, sights }: Engines): Router {
  /** Asks each engine once for each folder. */
  const seenBy = async ({ name, state }: Backend, principal: Principal) => {
    if (state !== "up") return [];
    const reach = reachOf<string>(principal, "artifacts:read");
    const roots = (await sights.ownership.roots()).filter(({ id }) => reach.has({ workspace: id }));
    const link = backends.named(name);
    return await Promise.all(
      roots.map(async ({ id, folder }) => ({ workspace: id, sight: await link.sightOf(folder) })),
    );
  };
  return router().on(list, async ({ reach, principal }) => {
    const items = await Promise.all(
      backends.report(reach).map(async (one) => ({ ...one, sees: await seenBy(one, principal) })),
    );
    return reply(200, { items, total: items.length });
  });
}
