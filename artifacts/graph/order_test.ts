/** The order among integers keeps its promises, against slow and obvious ways to compute the same. */

import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { components, cycles, type Digraph, digraph, layers, parts, redundant } from "./order.ts";

const edges = fc.integer({ min: 1, max: 12 }).chain((size) =>
  fc.tuple(
    fc.constant(size),
    fc.array(fc.tuple(fc.nat({ max: size - 1 }), fc.nat({ max: size - 1 })), { maxLength: 30 }),
  )
);

const graphOf = (size: number, pairs: readonly (readonly [number, number])[]): Digraph =>
  digraph(size, pairs.map((p) => p[0]), pairs.map((p) => p[1]));

const row = (graph: Digraph, node: number) => [
  ...graph.targets.subarray(graph.offsets[node], graph.offsets[node + 1]),
];

/** Warshall's closure: what can be reached from what. */
function reach(size: number, pairs: readonly (readonly [number, number])[]): boolean[][] {
  const to = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  for (const [a, b] of pairs) to[a]![b] = true;
  for (let k = 0; k < size; k++) {
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) if (to[i]![k] && to[k]![j]) to[i]![j] = true;
    }
  }
  return to;
}

Deno.test("digraph keeps every edge once, sorted by source and target", () => {
  fc.assert(fc.property(edges, ([size, pairs]) => {
    const graph = graphOf(size, pairs);
    for (let node = 0; node < size; node++) {
      const expected = [...new Set(pairs.filter((p) => p[0] === node).map((p) => p[1]))].sort((a, b) =>
        a - b
      );
      assert.deepEqual(row(graph, node), expected);
    }
  }));
});

Deno.test("components joins exactly the nodes that reach each other, and numbers targets first", () => {
  fc.assert(fc.property(edges, ([size, pairs]) => {
    const graph = graphOf(size, pairs);
    const { of } = components(graph);
    const to = reach(size, pairs);
    for (let a = 0; a < size; a++) {
      for (let b = 0; b < size; b++) {
        assert.equal(of[a] === of[b], a === b || (to[a]![b]! && to[b]![a]!));
      }
    }
    for (const [a, b] of pairs) assert.ok(of[b]! <= of[a]!);
  }));
});

Deno.test("layers puts every node one above the highest it depends on, and the members of a cycle together", () => {
  fc.assert(fc.property(edges, ([size, pairs]) => {
    const graph = graphOf(size, pairs);
    const found = components(graph);
    const layer = layers(graph, found);
    for (let node = 0; node < size; node++) {
      const members = Array.from({ length: size }, (_, i) => i).filter((i) => found.of[i] === found.of[node]);
      const below = pairs.filter(([a, b]) => members.includes(a) && !members.includes(b)).map(([, b]) =>
        layer[b]!
      );
      assert.equal(layer[node], below.length === 0 ? 0 : Math.max(...below) + 1);
    }
  }));
});

Deno.test("cycles gives every circular component one cycle whose edges exist, smallest node first", () => {
  fc.assert(fc.property(edges, ([size, pairs]) => {
    const graph = graphOf(size, pairs);
    const found = components(graph);
    const to = reach(size, pairs);
    const circular = new Set(
      Array.from({ length: size }, (_, i) => i).filter((i) => to[i]![i]).map((i) => found.of[i]),
    );
    const all = cycles(graph, found);
    assert.deepEqual(new Set(all.map((cycle) => found.of[cycle[0]!])), circular);
    assert.equal(all.length, circular.size);
    for (const cycle of all) {
      assert.equal(cycle[0], Math.min(...cycle));
      assert.equal(new Set(cycle).size, cycle.length);
      cycle.forEach((node, i) => assert.ok(row(graph, node).includes(cycle[(i + 1) % cycle.length]!)));
    }
  }));
});

Deno.test("parts counts what hangs together whatever the direction", () => {
  assert.equal(parts(6, [0, 2, 3], [1, 3, 4]), 3);
  assert.equal(parts(3, [], []), 3);
});

Deno.test("redundant names exactly the edges of a graph without cycles that a longer path implies", () => {
  fc.assert(fc.property(edges, ([size, pairs]) => {
    const falling = pairs.filter(([a, b]) => a > b);
    const graph = graphOf(size, falling);
    const to = reach(size, falling);
    const found = redundant(graph, layers(graph, components(graph))).map(String);
    const expected = new Set(
      falling.filter(([a, b]) => falling.some(([c, d]) => c === a && d !== b && to[d]![b])).map(String),
    );
    assert.deepEqual(new Set(found), expected);
    assert.equal(found.length, expected.size);
  }));
});

Deno.test("a chain of 100,000 nodes and a circle of 100,000 need no recursion", () => {
  const size = 100_000;
  const from = Array.from({ length: size - 1 }, (_, i) => i + 1);
  const chain = digraph(size, from, from.map((i) => i - 1));
  assert.equal(layers(chain, components(chain))[size - 1], size - 1);
  const circle = digraph(size, [...from, 0], [...from.map((i) => i - 1), size - 1]);
  const found = components(circle);
  assert.equal(found.count, 1);
  assert.equal(cycles(circle, found)[0]!.length, size);
});
