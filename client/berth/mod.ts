/**
 * A typed constant for every path of berth's API, and the types of what goes over them.
 *
 * @example
 * ```ts
 * import { BearerAuth, Client } from "@berth/client";
 * import { WORKSPACES } from "@berth/client/berth";
 *
 * async function missing(baseUrl: string, key: string): Promise<string[]> {
 *   using client = new Client({ baseUrl, auth: new BearerAuth(key) });
 *   const { items } = (await client.get(WORKSPACES)).json();
 *   return items.filter(({ state }) => state === "missing").map(({ name }) => name);
 * }
 * ```
 *
 * @module
 */
export * from "./adoptions.ts";
export * from "./applies.ts";
export * from "./artifacts.ts";
export * from "./auth.ts";
export * from "./clusters.ts";
export * from "./configs.ts";
export * from "./containers.ts";
export * from "./endings.ts";
export * from "./hooks.ts";
export * from "./images.ts";
export * from "./incidents.ts";
export * from "./live.ts";
export * from "./logs.ts";
export * from "./metrics.ts";
export * from "./models.ts";
export * from "./mutes.ts";
export * from "./networks.ts";
export * from "./nodes.ts";
export * from "./notices.ts";
export * from "./overview.ts";
export * from "./places.ts";
export * from "./plans.ts";
export * from "./projects.ts";
export * from "./registries.ts";
export * from "./secrets.ts";
export * from "./services.ts";
export * from "./settings.ts";
export * from "./stacks.ts";
export * from "./system.ts";
export * from "./tasks.ts";
export * from "./terminal.ts";
export * from "./updates.ts";
export * from "./volumes.ts";
export * from "./workspaces.ts";
