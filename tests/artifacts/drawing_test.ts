/** Drawings of one workspace that has everything: the same input gives the same bytes, and nothing in a name breaks out. */
import assert from "node:assert/strict";
import { dagOf } from "../../artifacts/drawing/dag.ts";
import { Dag } from "../../artifacts/drawing/dag_shape.ts";
import { dotOf } from "../../artifacts/drawing/dot.ts";
import { MERMAID_LIMITS, mermaidOf } from "../../artifacts/drawing/mermaid.ts";
import { ServiceError } from "../../core/error.ts";
import { type Files, workspaceFolder } from "../support/workspace_folder.ts";

const SHOP: Files = {
  "shop/compose.yaml": `name: shop
services:
  web:
    image: nginx:1.27
    depends_on: { api: { condition: service_healthy } }
    networks: [front]
    ports: ["8080:80"]
  api:
    image: api:1
    depends_on: [db, nothing]
    networks: [front]
    healthcheck: { test: "true" }
  db:
    image: postgres:17
    volumes: ["data:/var/lib/postgresql/data"]
networks:
  front:
volumes:
  data: { name: shared }
`,
  "other/compose.yaml": `name: other
services:
  a: { image: "a:1", depends_on: [b] }
  b: { image: "b:1", depends_on: [a], volumes: ["data:/data"] }
volumes:
  data: { name: shared }
`,
  "cards/web.card.yaml":
    `apiVersion: berth/v1\nkind: Card\nmetadata: { name: web-card, title: 'The "shop" <front> & [end]' }\nspec: { subject: unit:shop.web }\n`,
};

async function drawn(files: Files = SHOP, options: Parameters<typeof dagOf>[2] = {}) {
  await using folder = await workspaceFolder(files, "work");
  return dagOf(await folder.read(), "work", options);
}

Deno.test("a drawing keeps its shape, draws what is missing as a ghost, and names cycles", async () => {
  const dag = await drawn();
  assert.deepEqual(Dag.parse(dag), dag);
  assert.deepEqual(
    dag.layers,
    [["unit:shop.db", "unit:shop.nothing"].sort(), ["unit:shop.api"], ["unit:shop.web"]].map(
      (row, layer) => layer === 0 ? [...row, "unit:other.a", "unit:other.b"].sort() : row,
    ),
  );
  assert.deepEqual(dag.cycles, [["unit:other.a", "unit:other.b"]]);
  assert.equal(dag.acyclic, false);
  const ghost = dag.nodes.find(({ id }) => id === "unit:shop.nothing");
  assert.deepEqual([ghost?.kind, ghost?.parent, ghost?.source], ["missing", "group:shop", null]);
  assert.deepEqual(dag.edges.find(({ target }) => target === "unit:shop.nothing")?.unresolved, true);
  assert.deepEqual(dag.nodes.filter(({ cycle }) => cycle === 0).map(({ id }) => id), [
    "unit:other.a",
    "unit:other.b",
  ]);
  assert.deepEqual(
    dag.edges.filter(({ kind }) => kind === "shares").map(({ source, target }) => [source, target]),
    [[
      "volume:shop.data",
      "volume:other.data",
    ]],
  );
  const web = dag.nodes.find(({ id }) => id === "unit:shop.web");
  assert.deepEqual(web?.data, {
    image: "nginx:1.27",
    ports: ["8080:80"],
    profiles: [],
    active: true,
    card: "card:web-card",
  });
  assert.deepEqual(web?.source, { file: "shop/compose.yaml", line: 3, column: 3 });
  assert.deepEqual(dag.nodes.map(({ kind }) => kind).slice(0, 2), ["group", "group"]);
});

Deno.test("the same files give the same bytes", async () => {
  const [one, other] = [await drawn(), await drawn()];
  assert.equal(JSON.stringify(one), JSON.stringify(other));
});

Deno.test("a drawing of one group holds its neighbours and nobody else", async () => {
  const dag = await drawn(SHOP, { group: "group:shop" });
  const ids = dag.nodes.map(({ id }) => id);
  assert.ok(ids.includes("volume:other.data") && ids.includes("card:web-card"));
  assert.ok(!ids.includes("unit:other.a"));
  assert.ok(dag.nodes.every(({ parent }) => parent === null || ids.includes(parent)));
  assert.ok(dag.edges.every(({ source, target }) => ids.includes(source) && ids.includes(target)));
});

const GOLDEN: Files = {
  "compose.yaml": `name: shop
services:
  web: { image: "nginx:1.27", depends_on: { db: { condition: service_healthy } } }
  db: { image: "postgres:17", healthcheck: { test: "true" }, volumes: ["data:/data"] }
volumes:
  data:
`,
};

Deno.test("mermaidOf draws the golden workspace", async () => {
  assert.equal(
    mermaidOf(await drawn(GOLDEN)),
    `flowchart LR
  subgraph n0["shop"]
    n1["db"]
    n2["web"]
    n3[("data")]
  end
  n2 -->|healthy| n1
  n1 -.->|uses| n3
`,
  );
});

Deno.test("dotOf draws the golden workspace", async () => {
  assert.equal(
    dotOf(await drawn(GOLDEN)),
    `digraph "work" {
  rankdir=LR;
  compound=true;
  node [fontname="sans-serif"];
  subgraph "cluster_0" {
    label="shop";
    "group:shop" [shape=point, style=invis];
    "unit:shop.db" [label="db", shape=box];
    "unit:shop.web" [label="web", shape=box];
    "volume:shop.data" [label="data", shape=cylinder];
  }
  "unit:shop.web" -> "unit:shop.db";
  "unit:shop.db" -> "volume:shop.data" [style=dashed, label="uses"];
}
`,
  );
});

Deno.test("no name breaks out of a drawing", async () => {
  const hostile = await drawn({
    "compose.yaml": `services:\n  end: { image: "a:1" }\n`,
    "c.card.yaml":
      `apiVersion: berth/v1\nkind: Card\nmetadata: { name: c, title: "a\\"]; click n0 javascript:x <script> #quot; \\\\" }\nspec: { subject: end }\n`,
  });
  const mermaid = mermaidOf(hostile);
  assert.ok(!/<script|javascript:x <|"\];/.test(mermaid), mermaid);
  assert.match(mermaid, /n\d+\["end"\]/);
  const dot = dotOf(hostile);
  assert.ok(dot.includes(String.raw`label="a\"]; click n0 javascript:x <script> #quot; \\"`), dot);
});

Deno.test("a drawing too large for Mermaid is collapsed to groups", async () => {
  const services = Array.from(
    { length: 700 },
    (_, i) => `  s${i}: { image: "a:1", depends_on: [s${i + 1}] }`,
  );
  const text = `name: big\nservices:\n${services.join("\n")}\n  s700: { image: "a:1" }\n`;
  const mermaid = mermaidOf(await drawn({ "compose.yaml": text }));
  assert.equal(mermaid, `flowchart LR\n  n0["big (701)"]\n`);
  assert.ok(mermaid.length < MERMAID_LIMITS.characters);
});

Deno.test("a workspace of more than 5,000 nodes is drawn as its groups, and each of them by itself", async () => {
  const files = Object.fromEntries(Array.from({ length: 6 }, (_, g) => [
    `g${g}/compose.yaml`,
    `services:\n${Array.from({ length: 1_000 }, (_, i) => `  s${i}: { image: "a:1" }`).join("\n")}\n` +
    (g > 0 ? "" : "networks: { net: { name: shared } }\n"),
  ]));
  files["g1/extra.group.yaml"] =
    "apiVersion: berth/v1\nkind: Unit\nmetadata: { name: after }\nspec: { group: g1, dependsOn: ['unit:g0.s1', 'unit:g0.s2'] }\n";
  await using folder = await workspaceFolder(files, "work");
  const model = await folder.read();
  const overview = dagOf(model, "work");
  assert.deepEqual([overview.view, overview.acyclic], ["groups", true]);
  assert.deepEqual(overview.nodes.map(({ id }) => id), [0, 1, 2, 3, 4, 5].map((g) => `group:g${g}`));
  assert.deepEqual(overview.edges.map(({ id }) => id), ["requires:group:g1->group:g0"]);
  assert.throws(
    () => dagOf(model, "work", { view: "all" }),
    (error) => error instanceof ServiceError && error.code === "invalid_request",
  );
  assert.equal(dagOf(model, "work", { group: "group:g3" }).stats.nodes, 1_001);
});
