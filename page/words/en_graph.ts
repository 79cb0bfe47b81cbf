/** The words for graphs. */
import { count, number } from "./en_counts.ts";

export const graph = {
  word: "Graph",
  label: "What needs what; arrows walk along it",
  outline: "The graph as a list",
  empty: "No file of this folder declares a service.",
  size: (nodes: number, edges: number) =>
    `${count(nodes, "node", "nodes")}, ${count(edges, "connection", "connections")}`,
  resources: (amount: number) => `Networks, volumes and others (${number.format(amount)})`,
  onlyGroups: "There are too many nodes for one drawing: these are the groups. Open one to see into it.",
  allGroups: (group: string) => `Only ${group}; show all`,
  cycle: "A cycle:",
  inCycle: "in a cycle",
  needs: (names: string) => `needs ${names}`,
  neededBy: (names: string) => `needed by ${names}`,
  zoom: (factor: number) => `${Math.round(factor * 100)} %`,
  larger: "Larger",
  smaller: "Smaller",
  errors: (amount: number) => `✕ ${number.format(amount)}`,
  warnings: (amount: number) => `! ${number.format(amount)}`,
  kind: {
    unit: "unit",
    group: "group",
    card: "card",
    network: "network",
    volume: "volume",
    secret: "secret",
    config: "config",
    model: "model",
    missing: "is not there",
  },
};
