/**
 * The layout of a graph: columns are berth's own layers, so units that start first are left; groups are
 * bands.
 */
import type { Dag, DagEdge, DagNode } from "../../client/berth/workspaces.ts";

export const NODE = { width: 184, height: 44 } as const;
const GAP = { x: 56, y: 12 } as const;
/** Room inside a frame, and above its nodes for its name. */
const INSIDE = 12;
const NAME = 24;
const BETWEEN = 20;
/** More nodes of one layer than this stand in several columns. */
const ROWS = 12;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Placed extends Box {
  readonly node: DagNode;
}

export interface Frame extends Box {
  readonly group: DagNode;
}

export interface Line extends Box {
  readonly edge: DagEdge;
  readonly path: string;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Placed[];
  readonly frames: readonly Frame[];
  readonly lines: readonly Line[];
  readonly at: ReadonlyMap<string, Placed>;
}

/** Nodes of one group, by column. */
type Band = Map<number, DagNode[]>;

export function layOut({ nodes, edges, view }: Dag, isShown: (node: DagNode) => boolean): Drawing {
  const isFrame = (node: DagNode) => node.kind === "group" && view === "all";
  const groups = new Map(nodes.filter(isFrame).map((node) => [node.id, node]));
  const bands = new Map<string | null, Band>();
  const widths: number[] = [];
  for (const node of nodes) {
    if (isFrame(node) || !isShown(node)) continue;
    const parent = node.parent !== null && groups.has(node.parent) ? node.parent : null;
    const band = bands.get(parent) ?? new Map<number, DagNode[]>();
    bands.set(parent, band);
    const column = node.layer === null ? 0 : node.layer + 1;
    const cell = band.get(column) ?? [];
    band.set(column, cell);
    cell.push(node);
    widths[column] = Math.max(widths[column] ?? 0, Math.ceil(cell.length / ROWS));
  }
  const starts: number[] = [];
  let right = INSIDE;
  for (let column = 0; column < widths.length; column++) {
    starts[column] = right;
    right += (widths[column] ?? 0) * (NODE.width + GAP.x);
  }
  const placed: Placed[] = [];
  const frames: Frame[] = [];
  let y = 0;
  const place = (band: Band) => {
    let [low, high, rows] = [Infinity, 0, 0];
    for (const [column, cell] of band) {
      cell.sort((a, b) => a.order - b.order);
      const perColumn = Math.ceil(cell.length / Math.ceil(cell.length / ROWS));
      rows = Math.max(rows, perColumn);
      cell.forEach((node, index) => {
        const x = starts[column]! + Math.floor(index / perColumn) * (NODE.width + GAP.x);
        [low, high] = [Math.min(low, x), Math.max(high, x + NODE.width)];
        placed.push({ node, x, y: y + (index % perColumn) * (NODE.height + GAP.y), ...NODE });
      });
    }
    y += rows * (NODE.height + GAP.y) - GAP.y;
    return { low, high };
  };
  /** A group with the groups inside it, each a band below the one before. */
  const frame = (group: DagNode | null): { low: number; high: number } => {
    const top = y;
    if (group !== null) y += NAME;
    let { low, high } = { low: Infinity, high: 0 };
    const own = bands.get(group?.id ?? null);
    if (own !== undefined) {
      ({ low, high } = place(own));
      y += group === null ? BETWEEN : 0;
    }
    const inner = [...groups.values()].filter(({ parent, id }) =>
      id !== group?.id && (parent !== null && groups.has(parent) ? parent : null) === (group?.id ?? null)
    );
    for (const one of inner.filter((one) => holds(one))) {
      if (group !== null && y > top + NAME) y += BETWEEN;
      const reach = frame(one);
      [low, high] = [Math.min(low, reach.low), Math.max(high, reach.high)];
      if (group === null) y += BETWEEN;
    }
    if (group === null) return { low, high };
    y += INSIDE;
    frames.push({ group, x: low - INSIDE, y: top, width: high - low + 2 * INSIDE, height: y - top });
    return { low: low - INSIDE, high: high + INSIDE };
  };
  const holds = (group: DagNode, seen: readonly string[] = []): boolean =>
    bands.has(group.id) ||
    [...groups.values()].some((one) =>
      one.parent === group.id && !seen.includes(one.id) && holds(one, [...seen, group.id])
    );
  frame(null);
  frames.reverse(); // the outer ones first, so that the inner ones are drawn over them

  const at = new Map(placed.map((one) => [one.node.id, one]));
  const lines = edges.flatMap((edge): Line[] => {
    const [from, to] = [at.get(edge.source), at.get(edge.target)];
    return from === undefined || to === undefined || from === to ? [] : [lineOf(edge, from, to)];
  });
  return { width: right, height: Math.max(0, y), nodes: placed, frames, lines, at };
}

/** From what depends to what it depends on; where that is not further left, around the right side. */
function lineOf(edge: DagEdge, from: Placed, to: Placed): Line {
  const isLeft = to.x + to.width < from.x;
  const [x1, y1] = [isLeft ? from.x : from.x + from.width, from.y + from.height / 2];
  const [x2, y2] = [to.x + to.width, to.y + to.height / 2];
  const bend = isLeft ? Math.max(24, (x1 - x2) / 2) : 40;
  const [c1, c2] = isLeft ? [x1 - bend, x2 + bend] : [Math.max(x1, x2) + bend, Math.max(x1, x2) + bend];
  const xs = [x1, x2, c1, c2];
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  return {
    edge,
    path: `M${x1} ${y1}C${c1} ${y1} ${c2} ${y2} ${x2} ${y2}`,
    x: low,
    y: Math.min(y1, y2),
    width: high - low,
    height: Math.abs(y2 - y1),
  };
}

export function meets(one: Box, other: Box): boolean {
  return one.x <= other.x + other.width && one.x + one.width >= other.x &&
    one.y <= other.y + other.height && one.y + one.height >= other.y;
}
