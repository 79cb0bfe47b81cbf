/** The graph to be drawn: nodes in a fixed order, edges, layers, cycles. The same model gives the same bytes. */

import { ServiceError } from "../../core/error.ts";
import { maskDeclared } from "../../core/secrets.ts";
import type { Group, Model, Unit } from "../artifact.ts";
import { type Graph, type GraphEdge, type GraphNode, graphOf, START_KINDS } from "../graph/graph.ts";
import { components, cycles, digraph, parts } from "../graph/order.ts";
import type { UnitLive } from "../live/live.ts";
import { positionOf } from "../position.ts";
import { problemCounts } from "../rules/check.ts";
import type { Dag, DagEdge, DagNode } from "./dag_shape.ts";

/** Workspaces with more nodes are drawn group by group. */
export const MAX_NODES = 5_000;

/** The parts to draw. */
export interface DagOptions {
  /** Every node, or groups alone; groups where there are too many nodes, unless said. */
  readonly view?: Dag["view"];
  /** The id of the only group to draw, with the direct neighbours of its units. */
  readonly group?: string;
  /** Running units, by the id of a unit or group. */
  readonly live?: ReadonlyMap<string, UnitLive>;
  /** The reason that nothing of that is drawn. */
  readonly liveNeeds?: Dag["liveNeeds"];
}

/** Draws a model. @throws {ServiceError} `invalid_request` when there are too many nodes for one drawing. */
export function dagOf(
  model: Model,
  workspace: string,
  { view, group, live, liveNeeds }: DagOptions = {},
): Dag {
  const graph = graphOf(model);
  const included = chosen(graph, group);
  const isTooMany = included.count > MAX_NODES;
  if (view === "groups" || (view === undefined && group === undefined && isTooMany)) {
    return overviewOf(model, workspace, live, liveNeeds);
  }
  if (isTooMany) {
    throw new ServiceError(
      "invalid_request",
      `Cannot draw ${included.count} nodes at once (at most ${MAX_NODES}): ask for "view=groups" or one group`,
      { errors: [{ path: "query.group", message: "Required for a workspace of this size" }] },
    );
  }
  const circles = graph.cycles.filter((cycle) => cycle.every((number) => included.has(number)));
  const cycleOf = cycleNumbers(graph, included, circles);
  const numbers = [...included.numbers].sort((a, b) => byKind(graph, a, b));
  const { nodes, layers } = nodesOf(
    graph,
    numbers,
    cycleOf,
    problemCounts(model),
    live,
    liveNeeds !== undefined,
  );
  const edges = edgesOf(graph, included, cycleOf);
  return {
    schemaVersion: 1,
    view: "all",
    workspace,
    revision: model.revision,
    acyclic: circles.length === 0 && !edges.some((edge) => edge.inCycle),
    direction: "dependent->dependency",
    nodes,
    edges: edges.map(({ edge }) => edge),
    stats: {
      nodes: nodes.length,
      edges: edges.length,
      layers: layers.length,
      width: Math.max(0, ...layers.map((row) => row.length)),
      components: countParts(numbers, edges),
      cycles: circles.length,
    },
    layers,
    cycles: circles.map((cycle) => cycle.map((number) => graph.nodes[number]!.id)),
    ...(liveNeeds !== undefined && { liveNeeds }),
  };
}

/** Groups alone, with an edge for each way in which one needs another or shares something with it. */
function overviewOf(
  model: Model,
  workspace: string,
  live: DagOptions["live"],
  liveNeeds: DagOptions["liveNeeds"],
): Dag {
  const graph = graphOf(model);
  const isGroup = (number: number) => graph.nodes[number]?.kind === "group";
  const groups = graph.nodes.map((_, number) => number).filter(isGroup).sort((a, b) => byKind(graph, a, b));
  const groupAt = (number: number) => isGroup(number) ? number : graph.nodes[number]!.parent;
  const lifted = new Map<string, GraphEdge>();
  for (const edge of graph.edges) {
    const [source, target] = [groupAt(edge.source), groupAt(edge.target)];
    if (source === -1 || target === -1 || source === target) continue;
    // Details of one reference among many are not those of the groups.
    const whole = { source, target, kind: edge.kind, reference: null, unresolved: false };
    lifted.set(`${edge.kind} ${source} ${target}`, whole);
  }
  const all = [...lifted.values()];
  const starting = all.filter(({ kind }) => START_KINDS.has(kind));
  const ends = (end: "source" | "target") => starting.map((edge) => edge[end]);
  const order = digraph(graph.nodes.length, ends("source"), ends("target"));
  const found = components(order);
  const circles = cycles(order, found).filter((cycle) => cycle.length > 1);
  const cycleOf = new Map(circles.flatMap((cycle, index) => cycle.map((number) => [number, index] as const)));
  const { nodes } = nodesOf(graph, groups, cycleOf, problemCounts(model), live, liveNeeds !== undefined);
  const drawn = all.map((edge): Drawn => {
    const { source, target, kind } = edge;
    const circle = cycleOf.get(source);
    const inCycle = START_KINDS.has(kind) && circle !== undefined && circle === cycleOf.get(target);
    return { source, target, inCycle, edge: drawEdge(graph, edge, inCycle) };
  }).sort((a, b) => a.edge.id < b.edge.id ? -1 : 1);
  return {
    schemaVersion: 1,
    view: "groups",
    workspace,
    revision: model.revision,
    acyclic: circles.length === 0,
    direction: "dependent->dependency",
    nodes,
    edges: drawn.map(({ edge }) => edge),
    stats: {
      nodes: nodes.length,
      edges: drawn.length,
      layers: 0,
      width: 0,
      components: countParts(groups, drawn),
      cycles: circles.length,
    },
    layers: [],
    cycles: circles.map((cycle) => cycle.map((number) => graph.nodes[number]!.id)),
    ...(liveNeeds !== undefined && { liveNeeds }),
  };
}

/** The index of the cycle that each node is in, for nodes that are in one. */
function cycleNumbers(
  graph: Graph,
  included: Chosen,
  cycles: readonly (readonly number[])[],
): Map<number, number> {
  const cycleOf = new Map<number, number>();
  if (cycles.length === 0) return cycleOf;
  const byComponent = new Map(cycles.map((cycle, index) => [graph.startComponents.of[cycle[0]!]!, index]));
  for (const number of included.numbers) {
    const cycle = byComponent.get(graph.startComponents.of[number]!);
    if (cycle !== undefined) cycleOf.set(number, cycle);
  }
  return cycleOf;
}

function nodesOf(
  graph: Graph,
  numbers: readonly number[],
  cycleOf: ReadonlyMap<number, number>,
  problems: ReadonlyMap<string, DagNode["diagnostics"]>,
  live: DagOptions["live"],
  isHidden: boolean,
): { nodes: DagNode[]; layers: string[][] } {
  const cards = cardsBySubject(graph);
  const layers: string[][] = [];
  const nodes = numbers.map((number): DagNode => {
    const node = graph.nodes[number]!;
    const layer = starts(node) ? graph.layers[number]! : null;
    const order = layer === null ? 0 : (layers[layer] ??= []).push(node.id) - 1;
    const running = live?.get(node.id);
    return {
      id: node.id,
      kind: node.kind,
      label: maskDeclared(node.label),
      parent: node.parent === -1 ? null : graph.nodes[node.parent]!.id,
      layer,
      order,
      cycle: cycleOf.get(number) ?? null,
      data: dataOf(node, cards.get(number) ?? null),
      ...(running !== undefined && { live: running }),
      ...(isHidden && (node.kind === "unit" || node.kind === "group") && { live: null }),
      diagnostics: problems.get(node.id) ?? { error: 0, warning: 0 },
      source: sourceOf(node),
    };
  });
  // A drawing of one group may leave layers empty that others fill.
  return { nodes, layers: Array.from(layers, (row) => row ?? []) };
}

/** Returns true if a node has its place in the order of starts. */
const starts = ({ kind, id }: GraphNode): boolean =>
  kind === "unit" || (kind === "missing" && id.startsWith("unit:"));

function countParts(numbers: readonly number[], edges: readonly Drawn[]): number {
  const index = new Map(numbers.map((number, i) => [number, i]));
  const ends = (end: "source" | "target") => edges.map((edge) => index.get(edge[end])!); // both ends are drawn
  return parts(numbers.length, ends("source"), ends("target"));
}

interface Chosen {
  readonly numbers: readonly number[];
  readonly count: number;
  has(number: number): boolean;
}

function chosen(graph: Graph, group: string | undefined): Chosen {
  if (group === undefined) {
    const numbers = graph.nodes.map((_, number) => number);
    return { numbers, count: numbers.length, has: () => true };
  }
  const own = graph.numbers.get(group);
  const inside = new Set<number>();
  graph.nodes.forEach((node, number) => {
    if (number === own || (own !== undefined && node.parent === own)) inside.add(number);
  });
  const all = new Set(inside);
  for (const { source, target } of graph.edges) {
    if (inside.has(source)) all.add(target);
    if (inside.has(target)) all.add(source);
  }
  // The groups of neighbours are drawn, too: a node needs its parent.
  for (const number of [...all]) {
    const parent = graph.nodes[number]!.parent;
    if (parent !== -1) all.add(parent);
  }
  return { numbers: [...all], count: all.size, has: (number) => all.has(number) };
}

/** Groups first, then what starts by its layer, then the rest; always by id in the end. */
function byKind(graph: Graph, a: number, b: number): number {
  const rank = (number: number) => {
    const node = graph.nodes[number]!;
    return node.kind === "group" ? -1 : starts(node) ? graph.layers[number]! : Infinity;
  };
  const [one, two] = [rank(a), rank(b)];
  if (one !== two) return one < two ? -1 : 1;
  const [left, right] = [graph.nodes[a]!.id, graph.nodes[b]!.id];
  return left < right ? -1 : left > right ? 1 : 0;
}

function dataOf({ kind, artifact }: GraphNode, card: string | null): DagNode["data"] {
  if (kind === "group") return { card, profiles: [...(artifact as Group).profiles] }; // a group node holds a group
  if (kind !== "unit") return {};
  const { service } = artifact as Unit; // a unit node holds a unit
  if (service === null) return { card };
  return {
    image: service.writtenImage === null ? null : maskDeclared(service.writtenImage),
    ports: service.ports.map((port) => maskDeclared(port.written)),
    profiles: [...service.writtenProfiles],
    active: service.active,
    card,
  };
}

function sourceOf({ at }: GraphNode): DagNode["source"] {
  if (at === null) return null;
  const { line, column } = positionOf(at.file, at.start);
  return { file: at.file.path, line, column };
}

function cardsBySubject(graph: Graph): Map<number, string> {
  const cards = new Map<number, string>();
  for (const { kind, source, target, unresolved } of graph.edges) {
    if (kind === "describes" && !unresolved && !cards.has(target)) cards.set(target, graph.nodes[source]!.id);
  }
  return cards;
}

interface Drawn {
  readonly source: number;
  readonly target: number;
  readonly inCycle: boolean;
  readonly edge: DagEdge;
}

function edgesOf(graph: Graph, included: Chosen, cycleOf: ReadonlyMap<number, number>): Drawn[] {
  const taken = new Map<string, number>();
  const drawn: Drawn[] = [];
  for (const edge of graph.edges) {
    const { source, target } = edge;
    if (!included.has(source) || !included.has(target)) continue;
    const loop = source === target;
    const circle = cycleOf.get(source);
    const inCycle = START_KINDS.has(edge.kind) &&
      (loop || (circle !== undefined && circle === cycleOf.get(target)));
    drawn.push({ source, target, inCycle, edge: drawEdge(graph, edge, inCycle) });
  }
  drawn.sort((a, b) => a.edge.id < b.edge.id ? -1 : a.edge.id > b.edge.id ? 1 : 0);
  // One service may mount a volume twice: ids stay unique.
  for (const { edge } of drawn) {
    const count = (taken.get(edge.id) ?? 0) + 1;
    taken.set(edge.id, count);
    if (count > 1) edge.id += `#${count}`;
  }
  return drawn;
}

function drawEdge(
  graph: Graph,
  { source, target, kind, reference, unresolved }: GraphEdge,
  inCycle: boolean,
): DagEdge {
  const [from, to] = [graph.nodes[source]!.id, graph.nodes[target]!.id];
  return {
    id: `${kind}:${from}->${to}`,
    source: from,
    target: to,
    kind,
    ...(reference?.condition !== undefined && { condition: reference.condition }),
    ...(reference?.required !== undefined && { required: reference.required }),
    ...(reference?.restart !== undefined && { restart: reference.restart }),
    ...(reference?.access !== undefined && { access: reference.access }),
    implicit: reference?.implicit ?? true,
    inCycle,
    unresolved,
  };
}
