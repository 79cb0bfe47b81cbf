/** The places of a graph's nodes. */
import assert from "node:assert/strict";
import type { Dag, DagNode } from "../../client/berth/workspaces.ts";
import { layOut, meets } from "../../page/parts/graph_layout.ts";

Deno.test("no two nodes stand on each other, frames hold their own, and what starts first is left", () => {
  const node = (
    id: string,
    kind: DagNode["kind"],
    parent: string | null,
    layer: number | null,
    order: number,
  ) =>
    ({
      id,
      kind,
      label: id,
      parent,
      layer,
      order,
      cycle: null,
      data: {},
      diagnostics: {},
      source: null,
    }) as unknown as DagNode;
  const nodes = [
    ...["a", "b", "c"].map((id) => node(id, "group", id === "c" ? "b" : null, null, 0)),
    ...Array.from(
      { length: 120 },
      (_, index) => node(`n${index}`, "unit", ["a", "b", "c", null][index % 4]!, index % 3, index),
    ),
    node("v", "volume", "a", null, 0),
  ];
  const edges = [{ id: "e", source: "n2", target: "n1", kind: "depends_on", inCycle: false }];
  const drawing = layOut({ nodes, edges, view: "all" } as unknown as Dag, () => true);
  assert.equal(drawing.nodes.length, 121);
  for (const one of drawing.nodes) {
    for (const other of drawing.nodes) {
      if (one !== other) assert.ok(!meets(one, other), `${one.node.id} ${other.node.id}`);
    }
    for (const frame of drawing.frames) {
      const isIn = one.node.parent === frame.group.id ||
        (one.node.parent === "c" && frame.group.id === "b");
      assert.equal(meets(frame, one), isIn, `${one.node.id} and the frame of ${frame.group.id}`);
    }
    assert.ok(one.x >= 0 && one.x + one.width <= drawing.width && one.y + one.height <= drawing.height);
  }
  const x = (id: string) => drawing.at.get(id)!.x;
  assert.ok(x("v") < x("n0") && x("n0") < x("n1") && x("n1") < x("n2"));
  assert.deepEqual(drawing.frames.map(({ group }) => group.id).sort(), ["a", "b", "c"]);
  const [line] = drawing.lines;
  assert.ok(line!.x <= x("n2") && line!.path.startsWith(`M${x("n2")} `));
});
