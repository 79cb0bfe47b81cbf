/** The graph of a workspace: artifacts as numbered nodes, references as edges, and what follows from them. */

import type { Card, Group, Model, Place, Reference, Resource, Unit } from "../artifact.ts";
import type { ReferenceKind } from "../kinds.ts";
import { yieldToEventLoop } from "../event_loop.ts";
import { findWritten } from "./names.ts";
import { type Components, components, cycles, type Digraph, digraph, layers } from "./order.ts";

/** The kind of a node; `missing` is one that is named but does not exist. */
export type NodeKind =
  | "group"
  | "unit"
  | "card"
  | "network"
  | "volume"
  | "secret"
  | "config"
  | "model"
  | "missing";

/** A reference's kind, or `shares`: two names for one real network or volume. */
export type EdgeKind = ReferenceKind | "shares";

/** A node, numbered by its place in the list. */
export interface GraphNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  /** The number of its group, or -1. */
  readonly parent: number;
  readonly artifact: Group | Unit | Card | Resource | null;
  readonly at: Place | null;
}

/** An edge between numbered nodes: the source depends on the target. */
export interface GraphEdge {
  readonly source: number;
  readonly target: number;
  readonly kind: EdgeKind;
  /** Null for edges that nobody wrote. */
  readonly reference: Reference | null;
  readonly unresolved: boolean;
}

/** The nodes and edges of a workspace, and the order in which units start. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly numbers: ReadonlyMap<string, number>;
  readonly edges: readonly GraphEdge[];
  /** The order of starts. */
  readonly start: Digraph;
  readonly startComponents: Components;
  /** The layer of every node; only units, and what they wait for, are ever above 0. */
  readonly layers: Uint32Array;
  /** One cycle for each group of units that depend on each other, as numbers; without loops of one node. */
  readonly cycles: readonly (readonly number[])[];
}

/** The kinds whose edges say what starts before what. */
export const START_KINDS: ReadonlySet<EdgeKind> = new Set<EdgeKind>([
  "depends_on",
  "link",
  "namespace",
  "volumes_from",
  "requires",
]);

const graphs = new WeakMap<Model, Graph>();

/** The graph of a model, made once. */
export function graphOf(model: Model): Graph {
  const graph = graphs.get(model);
  if (graph !== undefined) return graph;
  const building = build(model);
  for (;;) {
    const { done, value } = building.next();
    if (done) return keep(model, value);
  }
}

/** The same, with turns for the event loop in between. */
export async function graphInTurns(model: Model): Promise<Graph> {
  const building = build(model);
  for (;;) {
    const known = graphs.get(model);
    if (known !== undefined) return known;
    const { done, value } = building.next();
    if (done) return keep(model, value);
    await yieldToEventLoop();
  }
}

function keep(model: Model, graph: Graph): Graph {
  graphs.set(model, graph);
  return graph;
}

/** The groups that are drawn and checked as a whole. */
export const mainGroups = (model: Model): Group[] =>
  model.groups.filter((group) => group.standing === "main");

/** Nodes or edges that are made between two turns of the event loop. */
const AT_ONCE = 2_000;

function* build(model: Model): Generator<void, Graph> {
  const groups = mainGroups(model);
  const nodes = new Nodes();
  yield* addArtifacts(nodes, model, groups);
  const edges = yield* writtenEdges(nodes, model, groups);
  yield;
  for (const edge of shared(groups, nodes.numbers)) edges.push(edge);
  yield;

  const starting = edges.filter(({ kind }) => START_KINDS.has(kind));
  const start = digraph(
    nodes.list.length,
    starting.map(({ source }) => source),
    starting.map(({ target }) => target),
  );
  yield;
  const startComponents = components(start);
  yield;
  return {
    nodes: nodes.list,
    numbers: nodes.numbers,
    edges,
    start,
    startComponents,
    layers: layers(start, startComponents),
    cycles: cycles(start, startComponents).filter((cycle) => cycle.length > 1),
  };
}

/** Nodes in the order they come; the first of an id stays. */
class Nodes {
  readonly list: GraphNode[] = [];
  readonly numbers = new Map<string, number>();

  add(node: GraphNode): number {
    const known = this.numbers.get(node.id);
    if (known !== undefined) return known;
    this.numbers.set(node.id, this.list.length);
    return this.list.push(node) - 1;
  }
}

function* addArtifacts(nodes: Nodes, model: Model, groups: readonly Group[]): Generator<void> {
  for (const group of groups) {
    const { id, name: label, source: at } = group;
    nodes.add({ id, kind: "group", label, parent: -1, artifact: group, at });
  }
  for (const [index, unit] of model.units.entries()) {
    if (index % AT_ONCE === 0) yield;
    const parent = unit.group === null ? -1 : nodes.numbers.get(unit.group) ?? -1;
    nodes.add({ id: unit.id, kind: "unit", label: unit.label, parent, artifact: unit, at: unit.source });
  }
  for (const card of model.cards) {
    const { id, title, name, source: at } = card;
    nodes.add({ id, kind: "card", label: title ?? name, parent: -1, artifact: card, at });
  }
  for (const group of groups) {
    yield;
    const parent = nodes.numbers.get(group.id)!; // added above
    for (const resource of group.resources) {
      if (resource.implicit) continue;
      const { id, kind, key: label, at, external } = resource;
      nodes.add({ id, kind, label, parent: external ? -1 : parent, artifact: resource, at });
    }
  }
}

/** An edge for each reference; a target that does not exist becomes a `missing` node. */
function* writtenEdges(
  nodes: Nodes,
  model: Model,
  groups: readonly Group[],
): Generator<void, GraphEdge[]> {
  const edges: GraphEdge[] = [];
  const join = (reference: Reference, own: string | null) => {
    const { kind, written } = reference;
    const source = nodes.numbers.get(reference.from);
    if (source === undefined || reference.byDefault === true) return;
    const id = targetOf(model, reference, own);
    const known = id === null ? undefined : nodes.numbers.get(id);
    if (known === undefined && (kind === "extends" || kind === "include")) return;
    const target = known ?? nodes.add({
      id: id ?? `missing:${written}`,
      kind: "missing",
      label: written,
      parent: nodes.numbers.get(own ?? "") ?? -1,
      artifact: null,
      at: null,
    });
    edges.push({ source, target, kind, reference, unresolved: known === undefined });
  };
  for (const group of groups) for (const reference of group.references) join(reference, group.id);
  for (const [index, unit] of model.units.entries()) {
    if (index % AT_ONCE === 0) yield;
    for (const reference of unit.references) join(reference, unit.group);
  }
  for (const card of model.cards) if (card.subject !== null) join(card.subject, null);
  return edges;
}

/** The id that a reference means; null where its name means nothing or could mean several things. */
export function targetOf(model: Model, reference: Reference, own: string | null): string | null {
  if (reference.target !== null) return reference.target;
  const found = findWritten(model, reference.written, own);
  return "id" in found ? found.id : null;
}

/** Edges between resources that are the same network or volume for the engine. */
function shared(groups: readonly Group[], numbers: ReadonlyMap<string, number>): GraphEdge[] {
  const first = new Map<string, number>();
  const edges: GraphEdge[] = [];
  for (const group of groups) {
    for (const { kind, name, id, implicit } of group.resources) {
      if (implicit || name === null || (kind !== "network" && kind !== "volume")) continue;
      const number = numbers.get(id);
      if (number === undefined) continue;
      const real = `${kind}:${name}`;
      const other = first.get(real);
      if (other === undefined) first.set(real, number);
      else if (other !== number) {
        edges.push({ source: number, target: other, kind: "shares", reference: null, unresolved: false });
      }
    }
  }
  return edges;
}

/** The edges that touch a node: those it has, and those that lead to it. */
export function edgesAt(graph: Graph, id: string): { out: GraphEdge[]; into: GraphEdge[] } {
  const number = graph.numbers.get(id);
  const out: GraphEdge[] = [];
  const into: GraphEdge[] = [];
  if (number === undefined) return { out, into };
  for (const edge of graph.edges) {
    if (edge.source === number) out.push(edge);
    if (edge.target === number) into.push(edge);
  }
  return { out, into };
}

/** The edges by their source, worked out once. */
export function edgesFrom(graph: Graph): (number: number) => readonly GraphEdge[] {
  const known = bySource.get(graph);
  if (known !== undefined) return known;
  let lists: Map<number, GraphEdge[]> | null = null;
  const from = (number: number) => {
    if (lists === null) {
      lists = new Map();
      for (const edge of graph.edges) {
        const same = lists.get(edge.source);
        if (same) same.push(edge);
        else lists.set(edge.source, [edge]);
      }
    }
    return lists.get(number) ?? [];
  };
  bySource.set(graph, from);
  return from;
}

const bySource = new WeakMap<Graph, (number: number) => readonly GraphEdge[]>();
