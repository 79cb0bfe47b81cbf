/** `/api/system/backends`: the engines and their states. */
import { z } from "zod";
import { BackendState } from "../../../core/runtime.ts";
import { json, reply, route, type Router, router } from "../../../http/router.ts";
import type { Backends } from "./backends.ts";

export const BackendReport = z.object({
  name: z.string().describe("The engine's name"),
  kind: z.enum(["docker", "podman"]).describe("Kind of engine"),
  address: z.string().describe("Its address"),
  state: BackendState.describe("True if it answers"),
  version: z.string().nullable().describe("The engine's version"),
  apiVersion: z.string().nullable().describe("The version of its API"),
  os: z.string().nullable().describe("The operating system it runs on"),
  arch: z.string().nullable().describe("The processor it runs on"),
  default: z.boolean().describe(
    "True for the engine that new objects are created on if none is named and it is up",
  ),
  reason: z.string().optional().describe("Why it is not up, or does not list the kinds in `stale`"),
  stale: z.array(z.string()).optional().describe(
    "Kinds of objects that it does not list although it is up, as `networks`: shown as last known. Absent if there are none",
  ),
  since: z.iso.datetime().optional().describe("When it last answered; only where it is `unresponsive`"),
}).meta({ id: "Backend" });

const list = route({
  method: "get",
  path: "/system/backends",
  summary: "List the container engines, those that are away too",
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

export function systemBackends({ backends }: { readonly backends: Backends }): Router {
  return router().on(list, ({ reach }) => {
    const items = backends.report(reach);
    return reply(200, { items, total: items.length });
  });
}
