/** Swarms of Docker engines: clusters, nodes, services and tasks, over the engines that other plugins lend. */
import { plugin } from "../plugin.ts";
import { ACT_ROUTES, actRoutes } from "./act_routes.ts";
import { CODES, PERMISSIONS } from "./errors.ts";
import { serviceFeeds } from "./live.ts";
import { ROUTES, swarmRoutes } from "./routes.ts";
import { Swarms } from "./swarms.ts";

export const swarm = plugin({
  name: "docker-swarm",
  summary: "Services, nodes and stacks of the swarms that Docker engines are in",
  version: "0.1.0",
  permissions: PERMISSIONS,
  errors: CODES,
  uses: ["engines"],
  routes: [...ROUTES, ...ACT_ROUTES],
  tags: {
    clusters: "Swarms that the engines are in",
    nodes: "The machines of swarms",
    services: "Services of swarms, and their tasks",
    stacks: "Stacks of swarms",
    configs: "Configs of swarms, by name",
    secrets: "Secrets of swarms, by name",
  },
  start(host) {
    const swarms = new Swarms(host);
    const live = serviceFeeds(swarms);
    return Promise.resolve({
      feeds: live.feeds,
      routes: swarmRoutes(swarms).add(actRoutes(swarms)),
      services: () => swarms.services,
      stacks: swarms.stacks,
      [Symbol.asyncDispose]: async () => {
        live[Symbol.dispose]();
        await swarms[Symbol.asyncDispose]();
      },
    });
  },
});
