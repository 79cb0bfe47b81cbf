/** Rules, graph and drawings over workspaces of 1,000 to 100,000 units: whether the work grows with the input alone. */

import type { Model } from "../artifacts/artifact.ts";
import { dagOf } from "../artifacts/drawing/dag.ts";
import { components, digraph, layers } from "../artifacts/graph/order.ts";
import { WorkspaceReader } from "../artifacts/reading/workspace_reader.ts";
import { reportOn } from "../artifacts/report/report.ts";
import { composeFile, composeFolders } from "./compose_folders.ts";
import { rounds } from "./rounds.ts";

const UNITS_A_FILE = 500;

/** Services that each need two others, as deep as they are many. */
function chained(file: number, units: number): string {
  const lines = [`name: group-${file}`, "services:"];
  for (let unit = 0; unit < units; unit++) {
    const needs = [unit - 1, unit >> 1].filter((other) => other >= 0 && other !== unit);
    lines.push(`  s${unit}:`, `    image: registry.example.org/s${unit}:1.${file}`);
    if (needs.length > 0) {
      lines.push(`    depends_on: [${[...new Set(needs)].map((other) => `s${other}`).join(", ")}]`);
    }
  }
  return lines.join("\n") + "\n";
}

async function modelOf(units: number): Promise<Model> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-bench-" }));
  try {
    const files = Math.ceil(units / UNITS_A_FILE);
    for (let file = 0; file < files; file++) {
      await Deno.mkdir(`${folder}/g${file}`);
      await Deno.writeTextFile(
        `${folder}/g${file}/compose.yaml`,
        chained(file, Math.min(units, UNITS_A_FILE)),
      );
    }
    return await new WorkspaceReader(folder).read();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The same model as if it had just been read: nothing is kept for it yet. */
const anew = (model: Model): Model => ({ ...model, groups: model.groups.map((group) => ({ ...group })) });

const models = new Map<number, Model>();
for (const units of [1_000, 10_000, 100_000]) models.set(units, await modelOf(units));

await rounds(
  "graph-growth",
  [...models].map(([units, model]) => ({
    name: `${units.toLocaleString("en")} units`,
    run() {
      const fresh = anew(model);
      const before = performance.now();
      reportOn(fresh, "bench");
      return (performance.now() - before) * 1_000 / units;
    },
  })),
  {
    unit: "ms for 1,000 units",
    warmUps: 3,
    about: "a full report after parsing, two references a unit: flat is linear",
  },
);

const large = models.get(100_000)!;
await rounds("graph-report", [
  {
    name: "a full report on 100,000 units",
    run() {
      const fresh = anew(large);
      const before = performance.now();
      const { summary } = reportOn(fresh, "bench");
      const took = performance.now() - before;
      if (summary.units !== 100_000 || summary.edges < 190_000) {
        throw new Error(`Not what was asked for: ${summary.edges}`);
      }
      return took;
    },
  },
  {
    name: "JSON.parse of its units and references",
    run: (() => {
      const text = JSON.stringify(
        large.units.map(({ id, label, references }) => ({
          id,
          label,
          needs: references.map(({ target }) => target),
        })),
      );
      return () => void JSON.parse(text);
    })(),
  },
], { warmUps: 2, about: "rules, graph, order and report; the target is under a second" });

/** The same order with what everybody writes first: names in maps and sets. */
function layersByName(
  edges: readonly (readonly [string, string])[],
  names: readonly string[],
): Map<string, number> {
  const needs = new Map(names.map((name) => [name, new Set<string>()]));
  const neededBy = new Map(names.map((name) => [name, new Set<string>()]));
  for (const [from, to] of edges) {
    needs.get(from)!.add(to);
    neededBy.get(to)!.add(from);
  }
  const layer = new Map<string, number>();
  let ready = names.filter((name) => needs.get(name)!.size === 0);
  for (let depth = 0; ready.length > 0; depth++) {
    const next: string[] = [];
    for (const name of ready) {
      layer.set(name, depth);
      for (const other of neededBy.get(name)!) {
        needs.get(other)!.delete(name);
        if (needs.get(other)!.size === 0) next.push(other);
      }
    }
    ready = next;
  }
  return layer;
}

const size = 100_000;
const sources = new Uint32Array(2 * size);
const targets = new Uint32Array(2 * size);
for (let edge = 0; edge < 2 * size; edge++) {
  sources[edge] = 1 + (edge >> 1) % (size - 1);
  targets[edge] = Math.floor(sources[edge]! / (2 + edge % 3));
}
const names = Array.from({ length: size }, (_, node) => `unit:group-${node >> 9}.s${node}`);
const pairs = Array.from(sources, (source, edge) => [names[source]!, names[targets[edge]!]!] as const);
await rounds("graph-order", [
  {
    name: "berth: typed arrays, cycles found on the way",
    run() {
      const graph = digraph(size, sources, targets);
      layers(graph, components(graph));
    },
  },
  { name: "maps and sets of names, no cycles found", run: () => void layersByName(pairs, names) },
], { warmUps: 2, rounds: 7, about: "layers of 100,000 nodes and 200,000 edges" });

const small = models.get(1_000)!;
reportOn(small, "bench");
await rounds("graph-dag", [
  { name: "a drawing of 1,000 units as JSON", run: () => void JSON.stringify(dagOf(small, "bench")) },
  {
    name: "JSON.stringify of the drawing alone",
    run: ((drawn) => () => void JSON.stringify(drawn))(dagOf(small, "bench")),
  },
], {
  warmUps: 5,
  rounds: 11,
  about: "made anew each time; the route keeps it until the files change: under 10 ms warm",
});

await using folder = await composeFolders(500);
const reader = new WorkspaceReader(folder.path);
reportOn(await reader.read(), "bench");
let turn = 0;
await rounds("graph-revalidate", [
  {
    name: "one of 500 files changed",
    async run() {
      const path = `project-${turn % 500}/compose.yaml`;
      await Deno.writeTextFile(
        `${folder.path}/${path}`,
        composeFile(turn).replace("LOG_LEVEL", `LEVEL_${turn++}`),
      );
      const before = performance.now();
      reportOn(await reader.update(new Set([path])), "bench");
      return performance.now() - before;
    },
  },
  {
    name: "all 500 read and validated anew",
    run: async () => void reportOn(await new WorkspaceReader(folder.path).read(), "bench"),
  },
], { warmUps: 3, rounds: 9, about: "from the changed text to the report; the target is under 25 ms" });
