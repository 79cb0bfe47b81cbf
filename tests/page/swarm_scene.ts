/** A swarm with unkind data for photographs: long names and values, 30 differences, failed tasks, and no quorum. */
import { workspace } from "../streams/live_scene.ts";
import { eventually } from "../support/eventually.ts";
import { ScriptedManager, type ScriptedSwarm } from "../support/scripted_swarm.ts";
import { serveEngines, type TestService } from "../support/service.ts";

const LONG =
  "https://payments.internal.example.com:8443/v2/providers/europe-central/callbacks?retry=exponential";
const NAMES = Array.from({ length: 26 }, (_, at) => `SETTING_${String(at + 1).padStart(2, "0")}`);
const DIGEST = `sha256:${"5b0d".repeat(16)}`;

/** The file says one thing of each, the swarm another. */
const env = (of: string) => [
  ...NAMES.map((name, at) => `${name}=${of}-${at}`),
  `CALLBACK_ADDRESS_OF_THE_PROVIDER_FOR_REFUNDS=${LONG}&from=${of}`,
];

const FILE = `x-berth: { target: swarm }
services:
  web:
    image: registry.example.com/shop/storefront-with-a-rather-long-name:2026.11.29
    command: [serve, --workers, "8"]
    stop_grace_period: 30s
    ports: ["8080:80"]
    environment:
${env("file").map((one) => `      - ${one}\n`).join("")}    deploy: { replicas: 3 }
  worker:
    image: worker:1
    deploy: { replicas: 4 }
  db:
    image: postgres:17
`;

const ERROR =
  'starting container failed: failed to create task for container: exec: "/srv/worker": stat /srv/worker: ' +
  "no such file or directory: unknown";

const SWARM: ScriptedSwarm = {
  nodes: [
    { name: "node1" },
    { name: "node2-in-the-cellar-behind-the-heating", availability: "drain" },
    { name: "node3", state: "down", reachability: "unreachable" },
    { name: "node4", role: "worker" },
  ],
  services: [
    {
      stack: "shop",
      unit: "web",
      image: `registry.example.com/shop/storefront-with-a-rather-long-name:2026.11.28@${DIGEST}`,
      replicas: 2,
      ports: [{ published: 8080, target: 80 }],
      container: { Args: ["serve", "--workers", "4"], StopGracePeriod: 10_000_000_000, Env: env("swarm") },
      slots: [[{ node: "node1" }], [
        { node: "node4" },
        { node: "node3", state: "failed", desired: "shutdown", error: ERROR, exitCode: 137 },
      ]],
    },
    {
      stack: "shop",
      unit: "worker",
      image: `worker:1@${DIGEST}`,
      replicas: 4,
      update: { State: "paused", StartedAt: "2026-01-02T03:04:05Z", Message: `update paused: ${ERROR}` },
      slots: [
        [{ node: "node1" }],
        [{ node: "node3" }],
        [{ node: "", state: "pending", error: "no suitable node (insufficient memory on 3 nodes)" }],
        [{ node: "node4", state: "failed", error: ERROR, exitCode: 127 }],
      ],
    },
    {
      stack: "shop",
      unit: "db",
      image: `postgres:17@${DIGEST}`,
      replicas: 1,
      slots: [[{ node: "node1" }]],
    },
    {
      stack: "metrics-of-the-whole-house",
      unit: "collector-with-a-name-that-somebody-made-long",
      image: "prom/prometheus:v3",
      replicas: 1,
      slots: [[{ node: "node4" }]],
    },
  ],
};

/** A project of an engine beside the stack. */
export const besideStack = (berth: TestService) =>
  workspace(berth, "blog", "services:\n  web:\n    image: blog:1\n");

/** Pictures by name, each of a screen, on which some projects are chosen; those without a quorum are taken last. */
export const SWARM_SCREENS: readonly (readonly [name: string, path: string, chosen?: readonly string[]])[] = [
  ["swarm-nodes", "/swarm"],
  ["swarm-services", "/services"],
  ["swarm-service", "/services/shop_web"],
  ["swarm-service-worker", "/services/shop_worker"],
  ["swarm-service-as-written", "/services/shop_db"],
  [
    "swarm-service-undeclared",
    "/services/metrics-of-the-whole-house_collector-with-a-name-that-somebody-made-long",
  ],
  ["swarm-chosen", "/", ["shop", "blog"]],
];
export const NO_QUORUM_SCREENS: typeof SWARM_SCREENS = SWARM_SCREENS.slice(0, 3).map((
  [name, path],
) => [`${name}-no-quorum`, path]);

interface SwarmScene extends AsyncDisposable {
  readonly berth: TestService;
  /** Resolves once berth knows that there is none. */
  loseQuorum(): Promise<void>;
}

export async function startSwarmScene(): Promise<SwarmScene> {
  await using stack = new AsyncDisposableStack();
  const manager = stack.use(new ScriptedManager(SWARM));
  const berth = stack.use(await serveEngines({ node1: manager }));
  await workspace(berth, "shop", FILE);
  await eventually("the unit is compared with its service", async () => {
    const { units } = (await berth.call("GET /api/projects/shop")).body;
    return units?.[0]?.differences >= 30;
  });
  const owned = stack.move();
  return {
    berth,
    loseQuorum: async () => {
      manager.hasQuorum = false;
      await eventually("berth knows that there is no quorum", async () => {
        const { items } = (await berth.call("GET /api/clusters")).body;
        return items[0].state === "noQuorum";
      });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
