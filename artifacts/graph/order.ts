/**
 * Graph algorithms on integers: components, layers and cycles in time proportional to nodes and edges, without
 * recursion.
 */

/**
 * Adjacency as two typed arrays: the targets of `node` are `targets[offsets[node] .. offsets[node + 1]]`, ascending.
 */
export interface Digraph {
  readonly size: number;
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

/** Sorts edges by source, then target, with two counting passes. Parallel edges are kept once. */
export function digraph(size: number, sources: ArrayLike<number>, targets: ArrayLike<number>): Digraph {
  const count = sources.length;
  const byTarget = order(size, targets, null, count);
  const bySource = order(size, sources, byTarget, count);
  const offsets = new Uint32Array(size + 1);
  const kept = new Uint32Array(count);
  let length = 0;
  let last = -1;
  let lastTarget = -1;
  for (let i = 0; i < count; i++) {
    const edge = bySource[i]!;
    const source = sources[edge]!;
    const target = targets[edge]!;
    if (source === last && target === lastTarget) continue;
    while (last < source) offsets[++last] = length;
    kept[length++] = target;
    lastTarget = target;
  }
  while (last < size) offsets[++last] = length;
  return { size, offsets, targets: kept.subarray(0, length) };
}

/** A stable counting sort of edge numbers by `keys`, beginning with the order `previous`. */
function order(size: number, keys: ArrayLike<number>, previous: Uint32Array | null, count: number) {
  const starts = new Uint32Array(size + 1);
  for (let i = 0; i < count; i++) starts[keys[i]! + 1]!++;
  for (let i = 0; i < size; i++) starts[i + 1]! += starts[i]!;
  const sorted = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const edge = previous === null ? i : previous[i]!;
    sorted[starts[keys[edge]!]!++] = edge;
  }
  return sorted;
}

/** Strongly connected components, numbered so that an edge never leads to a higher number. */
export interface Components {
  readonly count: number;
  readonly of: Uint32Array;
}

/** Tarjan's algorithm with its own stack. */
export function components({ size, offsets, targets }: Digraph): Components {
  const of = new Uint32Array(size);
  const index = new Uint32Array(size); // 0: not visited
  const low = new Uint32Array(size);
  const onStack = new Uint8Array(size);
  const stack = new Uint32Array(size);
  const path = new Uint32Array(size);
  const next = new Uint32Array(size);
  let visited = 0;
  let count = 0;
  let height = 0;
  for (let root = 0; root < size; root++) {
    if (index[root] !== 0) continue;
    let depth = 0;
    path[0] = root;
    index[root] = low[root] = ++visited;
    next[root] = offsets[root]!;
    stack[height++] = root;
    onStack[root] = 1;
    while (depth >= 0) {
      const node = path[depth]!;
      if (next[node]! < offsets[node + 1]!) {
        const target = targets[next[node]!++]!;
        if (index[target] === 0) {
          index[target] = low[target] = ++visited;
          next[target] = offsets[target]!;
          stack[height++] = target;
          onStack[target] = 1;
          path[++depth] = target;
        } else if (onStack[target] === 1 && index[target]! < low[node]!) {
          low[node] = index[target]!;
        }
        continue;
      }
      if (low[node] === index[node]) {
        let member: number;
        do {
          member = stack[--height]!;
          onStack[member] = 0;
          of[member] = count;
        } while (member !== node);
        count++;
      }
      depth--;
      if (depth >= 0) {
        const parent = path[depth]!;
        if (low[node]! < low[parent]!) low[parent] = low[node]!;
      }
    }
  }
  return { count, of };
}

/**
 * The layer of every node: 0 for what depends on nothing, else one more than the highest it depends on. Members of a
 * cycle share one.
 */
export function layers(graph: Digraph, { count, of }: Components): Uint32Array {
  const { size, offsets, targets } = graph;
  const members = order(count, of, null, size);
  const layerOf = new Uint32Array(count);
  for (const node of members) {
    const own = of[node]!;
    for (let i = offsets[node]!; i < offsets[node + 1]!; i++) {
      const other = of[targets[i]!]!;
      if (other !== own && layerOf[other]! >= layerOf[own]!) layerOf[own] = layerOf[other]! + 1;
    }
  }
  const result = new Uint32Array(size);
  for (let node = 0; node < size; node++) result[node] = layerOf[of[node]!]!;
  return result;
}

/**
 * One cycle for every component that has one: a shortest through its smallest node, which comes first.
 * Self-loops are cycles of one node. Ordered by that node.
 */
export function cycles(graph: Digraph, { count, of }: Components, limit = 100): number[][] {
  const { size, offsets, targets } = graph;
  const sizes = new Uint32Array(count);
  for (let node = 0; node < size; node++) sizes[of[node]!]!++;
  const done = new Uint8Array(count);
  const cameFrom = new Uint32Array(size);
  const seen = new Uint8Array(size);
  const found: number[][] = [];
  for (let start = 0; start < size && found.length < limit; start++) {
    const own = of[start]!;
    if (done[own] === 1) continue;
    if (sizes[own] === 1) {
      for (let i = offsets[start]!; i < offsets[start + 1]!; i++) {
        if (targets[i] === start) found.push([start]);
      }
      continue;
    }
    done[own] = 1;
    found.push(cycleThrough(graph, of, start, cameFrom, seen));
  }
  return found;
}

/** Breadth first from `start` inside its component, back to `start`. */
function cycleThrough(
  { offsets, targets }: Digraph,
  of: Uint32Array,
  start: number,
  cameFrom: Uint32Array,
  seen: Uint8Array,
): number[] {
  const own = of[start]!;
  const queue = [start];
  for (let head = 0; head < queue.length; head++) {
    const node = queue[head]!;
    for (let i = offsets[node]!; i < offsets[node + 1]!; i++) {
      const target = targets[i]!;
      if (of[target] !== own) continue;
      if (target === start && node !== start) {
        const cycle = [node];
        for (let at = node; at !== start;) cycle.push(at = cameFrom[at]!);
        return cycle.reverse();
      }
      if (seen[target] === 1 || target === start) continue;
      seen[target] = 1;
      cameFrom[target] = node;
      queue.push(target);
    }
  }
  return [start];
}

/** Counts the connected parts of the graph, without directions. */
export function parts(size: number, sources: ArrayLike<number>, targets: ArrayLike<number>): number {
  const parent = new Uint32Array(size);
  for (let node = 0; node < size; node++) parent[node] = node;
  const rootOf = (node: number): number => {
    while (parent[node] !== node) node = parent[node] = parent[parent[node]!]!;
    return node;
  };
  let count = size;
  for (let i = 0; i < sources.length; i++) {
    const a = rootOf(sources[i]!);
    const b = rootOf(targets[i]!);
    if (a === b) continue;
    parent[Math.max(a, b)] = Math.min(a, b);
    count--;
  }
  return count;
}

/**
 * The edges that a longer path implies, as `[source, target]`. Only for graphs without cycles; stops after
 * `budget` steps, since in the worst case the work is the product of nodes and edges.
 */
export function redundant(graph: Digraph, layerOf: Uint32Array, budget = 5_000_000): [number, number][] {
  const { size, offsets, targets } = graph;
  const mark = new Uint32Array(size);
  const found: [number, number][] = [];
  const queue = new Uint32Array(size);
  let steps = 0;
  for (let source = 0; source < size; source++) {
    const from = offsets[source]!;
    const to = offsets[source + 1]!;
    if (to - from < 2) continue;
    let lowest = Infinity;
    for (let i = from; i < to; i++) lowest = Math.min(lowest, layerOf[targets[i]!]!);
    let length = 0;
    const visit = (node: number) => {
      for (let i = offsets[node]!; i < offsets[node + 1]!; i++) {
        const target = targets[i]!;
        steps++;
        if (mark[target] === source + 1 || layerOf[target]! < lowest) continue;
        mark[target] = source + 1;
        queue[length++] = target;
      }
    };
    for (let i = from; i < to; i++) visit(targets[i]!);
    for (let head = 0; head < length; head++) visit(queue[head]!);
    for (let i = from; i < to; i++) {
      if (mark[targets[i]!] === source + 1) found.push([source, targets[i]!]);
    }
    if (steps > budget) break;
  }
  return found;
}
