/** `berth swarm`: the nodes and services of the swarms that the engines are in, and acts on one of them. */
import { CLUSTERS, type SwarmCluster } from "../client/berth/clusters.ts";
import { NODES, type SwarmNode } from "../client/berth/nodes.ts";
import { SERVICES, type SwarmService } from "../client/berth/services.ts";
import type { Line } from "./command.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT, worstOf } from "./exit_code.ts";
import { type Cell, table, writeOut } from "./output.ts";
import { act } from "./swarm_act.ts";
import { visible } from "../log/line.ts";

export async function run(line: Line): Promise<number> {
  try {
    using client = await openClient();
    if (line.args.length > 0) return await act(client, line);
    const clusters = (await client.get(CLUSTERS)).json().items;
    const nodes = (await client.get(NODES)).json().items;
    const services = (await client.get(SERVICES)).json().items;
    if (line.option("--json") !== undefined) {
      writeOut(`${JSON.stringify({ clusters, nodes, services }, null, 2)}\n`);
    } else writeOut(textOf(clusters, nodes, services));
    return worstOf([
      ...clusters.map(({ state }) => CODES[state]),
      ...services.map((one) => isWhole(one) ? EXIT.FINE : EXIT.TO_DO),
    ]);
  } catch (error) {
    return failCall(error);
  }
}

const CODES: Readonly<Record<SwarmCluster["state"], number>> = {
  up: EXIT.FINE,
  noQuorum: EXIT.TO_DO,
  away: EXIT.INCOMPLETE,
};

const isWhole = ({ desired, running }: SwarmService): boolean => desired === null || running >= desired;

function textOf(
  clusters: readonly SwarmCluster[],
  nodes: readonly SwarmNode[],
  services: readonly SwarmService[],
): string {
  if (clusters.length === 0 && services.length === 0) return "No engine is a node of a swarm.\n";
  const parts = clusters.map(({ name, state, reason, reachable, managers, spare }) => {
    const quorum = `${reachable} of ${managers} managers can be reached, ${spare} may be lost`;
    const said = state === "up" ? [quorum, ...(reason === null ? [] : [reason])] : [reason ?? state];
    return `Swarm ${visible(name)}: ${visible(said.join(". "))}\n`;
  });
  if (nodes.length > 0) parts.push(table(["NODE", "ROLE", "STATE", "TASKS", "ENGINE"], nodes.map(nodeCells)));
  if (services.length > 0) {
    parts.push(table(["SERVICE", "RUNNING", "STACK", "IMAGE", "REASON"], services.map(serviceCells)));
  }
  return parts.join("\n");
}

const nodeCells = ({ name, role, leader, state, availability, tasks, backend }: SwarmNode): Cell[] => [
  { text: name },
  { text: leader ? `${role}, leads` : role },
  { text: availability === "active" ? state : `${state}, ${availability}` },
  { text: String(tasks) },
  { text: backend ?? "not known" },
];

function serviceCells(service: SwarmService): Cell[] {
  const { name, running, desired, stack, image, tasks, update } = service;
  const failed = tasks.find((one) => one.desired && one.reason !== null);
  const reason = failed === undefined ? null : `${failed.name}: ${failed.reason}`;
  return [
    { text: name },
    { text: `${running}/${desired ?? "?"}`, ...(!isWhole(service) && { colour: "red" as const }) },
    { text: stack ?? "–" },
    { text: image },
    { text: reason ?? (update?.state.includes("paused") ? update.message : "–") },
  ];
}
