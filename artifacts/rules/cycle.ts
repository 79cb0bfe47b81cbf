/** Rules about the start order: cycles, redundant dependencies, isolated units. */

import type { Model, Place, Unit } from "../artifact.ts";
import { edgesFrom, type Graph, graphOf, START_KINDS } from "../graph/graph.ts";
import { components, cycles, digraph, redundant } from "../graph/order.ts";
import type { Say } from "./say.ts";
import { enabledTogether } from "./together.ts";

/** Cycles over the whole workspace. `wants` tells whether a rule that costs time is on. */
export function checkGraph(
  model: Model,
  wants: (code: "graph/redundant-edge" | "graph/isolated") => boolean,
  say: Say,
): void {
  const graph = graphOf(model);
  checkLoops(graph, say);
  const byNumber = edgesFrom(graph);
  for (const cycle of graph.cycles) sayCycle(graph, byNumber, cycle, "Dependency cycle", START_KINDS, say);
  checkBuildCycles(graph, byNumber, say);
  checkGroupCycles(graph, say);
  if (wants("graph/redundant-edge")) checkRedundant(graph, byNumber, say);
  if (wants("graph/isolated")) checkIsolated(graph, say);
}

type EdgesOf = ReturnType<typeof edgesFrom>;

function checkLoops(graph: Graph, say: Say): void {
  for (const { source, target, kind, reference } of graph.edges) {
    if (source !== target || reference === null || (!START_KINDS.has(kind) && kind !== "build_context")) {
      continue;
    }
    const { id, label } = graph.nodes[source]!;
    say("graph/self-dependency", reference.at, `"${label}" depends on itself`, { subject: id });
  }
}

function sayCycle(
  graph: Graph,
  edgesOf: EdgesOf,
  cycle: readonly number[],
  what: string,
  kinds: ReadonlySet<string>,
  say: Say,
): void {
  const nodes = cycle.map((number) => graph.nodes[number]!);
  const oneGroup = nodes.every((node) => node.parent === nodes[0]!.parent);
  const names = [...nodes, nodes[0]!].map((node) =>
    oneGroup ? node.label : node.id.slice(node.id.indexOf(":") + 1)
  );
  const places = cycle.map((number, i) => {
    const next = cycle[(i + 1) % cycle.length]!;
    return edgesOf(number).find((edge) => edge.target === next && kinds.has(edge.kind))?.reference?.at ??
      null;
  });
  const units = nodes.flatMap((node) => node.artifact?.kind === "unit" ? [node.artifact as Unit] : []);
  say("graph/cycle", places[0] ?? nodes[0]!.at, `${what}: ${names.join(" -> ")}`, {
    subject: nodes[0]!.id,
    data: { cycle: nodes.map((node) => node.id) },
    related: places.slice(1).flatMap((at, i) =>
      at === null ? [] : [{ message: `"${names[i + 1]}" depends on "${names[i + 2]}"`, at }]
    ),
    ...(!enabledTogether(units) && { severity: "warning" as const }),
  });
}

function checkBuildCycles(graph: Graph, edgesOf: EdgesOf, say: Say): void {
  const builds = graph.edges.filter((edge) => edge.kind === "build_context" && edge.source !== edge.target);
  if (builds.length < 2) return;
  const order = digraph(
    graph.nodes.length,
    builds.map((edge) => edge.source),
    builds.map((edge) => edge.target),
  );
  for (const cycle of cycles(order, components(order))) {
    sayCycle(graph, edgesOf, cycle, "Build cycle", new Set(["build_context"]), say);
  }
}

/** Cycles between groups: every unit could start, but no order of `docker compose up` works. */
function checkGroupCycles(graph: Graph, say: Say): void {
  const sources: number[] = [];
  const targets: number[] = [];
  const places = new Map<string, Place>();
  const groupAt = (number: number) =>
    graph.nodes[number]!.kind === "group" ? number : graph.nodes[number]!.parent;
  for (const { source, target, kind, reference } of graph.edges) {
    if (!START_KINDS.has(kind) || reference === null) continue;
    const [from, to] = [groupAt(source), groupAt(target)];
    if (from === -1 || to === -1 || from === to) continue;
    sources.push(from);
    targets.push(to);
    const key = `${from} ${to}`;
    if (!places.has(key)) places.set(key, reference.at);
  }
  if (sources.length === 0) return;
  const known = new Set(graph.cycles.map((cycle) => cycle.map(groupAt).sort().join(" ")));
  const order = digraph(graph.nodes.length, sources, targets);
  for (const cycle of cycles(order, components(order))) {
    if (known.has([...cycle].sort().join(" "))) continue;
    const names = [...cycle, cycle[0]!].map((number) => graph.nodes[number]!.label);
    const steps = cycle.map((number, i) => places.get(`${number} ${cycle[(i + 1) % cycle.length]}`)!);
    say("graph/group-cycle", steps[0]!, `Group dependency cycle: ${names.join(" -> ")}`, {
      subject: graph.nodes[cycle[0]!]!.id,
      data: { cycle: cycle.map((number) => graph.nodes[number]!.id) },
      related: steps.slice(1).map((at, i) => ({
        message: `"${names[i + 1]}" depends on "${names[i + 2]}"`,
        at,
      })),
    });
  }
}

function checkRedundant(graph: Graph, edgesOf: EdgesOf, say: Say): void {
  if (graph.cycles.length > 0) return;
  for (const [source, target] of redundant(graph.start, graph.layers)) {
    const edge = edgesOf(source).find((edge) => edge.target === target && edge.kind === "depends_on");
    if (edge?.reference === null || edge === undefined || edge.reference.implicit) continue;
    const condition = edge.reference.condition ?? "service_started";
    if (condition !== "service_started") continue;
    say(
      "graph/redundant-edge",
      edge.reference.at,
      `Another dependency already implies "${graph.nodes[target]!.label}"`,
      {
        subject: graph.nodes[source]!.id,
      },
    );
  }
}

function checkIsolated(graph: Graph, say: Say): void {
  const touched = new Uint8Array(graph.nodes.length);
  for (const { source, target } of graph.edges) touched[source] = touched[target] = 1;
  graph.nodes.forEach((node, number) => {
    if (node.kind !== "unit" || touched[number] === 1) return;
    say("graph/isolated", node.at, `"${node.label}" is connected to nothing`, { subject: node.id });
  });
}
