/** A real swarm of a test's own: several engines in namespaces, joined by a bridge, all of them managers. */
import { FIXTURE, startEngine, type TestEngine } from "./engine.ts";
import { eventually } from "./eventually.ts";
import { Sandbox } from "./sandbox.ts";

/** An image that each node has. Nothing answers at its registry, so that no agent waits for one. */
export const SWARM_IMAGE = "127.0.0.1:1/fixture:1";

export interface TestSwarm extends AsyncDisposable {
  /** Named `node1` and so on; the first one made the swarm. */
  readonly nodes: readonly TestEngine[];
  /** The engines as `serveEngines` takes them. */
  readonly engines: Readonly<Record<string, TestEngine>>;
  /** Joins and unlock keys, which berth must never know. */
  readonly tokens: readonly string[];
  /** Cuts or mends the link of a node. */
  link(node: number, state: "down" | "up"): Promise<void>;
}

/** Starts a swarm. Throws `NoEngine` where the machine cannot have one. */
export async function startSwarm(count = 3): Promise<TestSwarm> {
  await using stack = new AsyncDisposableStack();
  const first = stack.use(await startEngine("docker"));
  const nodes = [first];
  for (let number = 2; number <= count; number += 1) nodes.push(stack.use(await startEngine("docker")));
  const bridge = stack.use(new Sandbox({}));
  await bridge.run("ip link add br0 type bridge && ip link set br0 up");
  await Promise.all(nodes.map((node, index) => plug(bridge, node, index + 1)));
  await first.cli("swarm", "init", "--advertise-addr", address(1), "--listen-addr", address(1));
  const tokenOf = async (role: string) => (await first.cli("swarm", "join-token", "-q", role)).trim();
  const tokens = [await tokenOf("manager"), await tokenOf("worker")];
  for (const [index, node] of nodes.entries()) {
    if (index > 0) {
      const own = ["--advertise-addr", address(index + 1), "--listen-addr", address(index + 1)];
      await node.cli("swarm", "join", ...own, "--token", tokens[0]!, `${address(1)}:2377`); // two were read
    }
    await node.cli("tag", FIXTURE, SWARM_IMAGE);
  }
  await eventually("every manager is ready", async () => {
    const { json } = await first.ask("GET /nodes");
    return json.every((one: { Status: { State: string } }) => one.Status.State === "ready") &&
      json.length === count;
  });
  const owned = stack.move();
  return {
    nodes,
    engines: Object.fromEntries(nodes.map((node, index) => [`node${index + 1}`, node])),
    tokens,
    link: async (node, state) => void await bridge.run(`ip link set n${node} ${state}`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const address = (node: number): string => `10.88.0.${node}`;

/** Joins a node's network to the bridge, and names the node. */
async function plug(bridge: Sandbox, { sandbox }: TestEngine, number: number): Promise<void> {
  if (sandbox === null) throw new Error("A borrowed engine is in no network of ours");
  const args = `link add n${number} netns ${bridge.pid} type veth peer name eth0 netns ${sandbox.pid}`;
  const { success, stderr } = await new Deno.Command("ip", { args: args.split(" ") }).output();
  if (!success) throw new Error(`Cannot join a node to the bridge: ${new TextDecoder().decode(stderr)}`);
  await bridge.run(`ip link set n${number} master br0 up`);
  await sandbox.run(`ip addr add ${address(number)}/24 dev eth0 && ip link set eth0 up`);
  await sandbox.run(`hostname node${number}`);
}
