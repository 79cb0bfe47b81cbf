/** One Compose document over another merges as Compose merges them. */

import assert from "node:assert/strict";
import type { Mapping, Node } from "../artifact.ts";
import { parseNow } from "../files/parse_file.ts";
import { mergeDocuments, settle } from "./merge.ts";

function document(text: string, path = "compose.yaml"): Mapping {
  const file = parseNow({ path, kind: "compose", text, hash: "" });
  assert.deepEqual(file.findings, []);
  const [node] = file.documents;
  assert.ok(node?.kind === "mapping");
  return node;
}

function plain(node: Node): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plain);
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plain(entry.value)]));
}

function service(key: string, under: string, over: string): unknown {
  const merged = settle(mergeDocuments(
    document(`services: {web: {${key}: ${under}}}`),
    document(`services: {web: {${key}: ${over}}}`, "over.yaml"),
  ));
  // deno-lint-ignore no-explicit-any -- a test reads what it wrote itself
  return (plain(merged) as any).services.web[key];
}

const CASES: [key: string, under: string, over: string, merged: unknown][] = [
  ["image", "a", "b", "b"],
  ["image", "a", "null", "a"],
  ["command", "[a, b]", "[c]", ["c"]],
  ["entrypoint", "a", "[c]", ["c"]],
  ["healthcheck", "{test: [A, b], interval: 1s}", "{test: [C]}", { test: ["C"], interval: "1s" }],
  ["environment", "{A: 1, B: 1}", "[B=2, C=3]", { A: 1, B: "2", C: "3" }],
  ["environment", "[A=1, B]", "{B: 2}", { A: "1", B: 2 }],
  ["labels", "[a=1]", "[a=2]", { a: "2" }],
  ["depends_on", "[a, b]", "{b: {condition: service_healthy}}", {
    a: { condition: "service_started", required: true },
    b: { condition: "service_healthy", required: true },
  }],
  ["networks", "[a]", "[b]", { a: null, b: null }],
  ["ports", "['80:80', '90:90']", "['80:80', '81:80']", ["80:80", "90:90", "81:80"]],
  ["ports", "['80:80']", "[{target: 80, published: '80'}]", [{ target: 80, published: "80" }]],
  ["volumes", "['aa:/x', 'bb:/y']", "['own:/x:ro']", ["own:/x:ro", "bb:/y"]],
  ["volumes", "['aa:/x']", "[{type: bind, source: ., target: /x}]", [{
    type: "bind",
    source: ".",
    target: "/x",
  }]],
  ["secrets", "[a]", "[a, {source: b, target: c}]", ["a", { source: "b", target: "c" }]],
  ["cap_add", "[A, B]", "[B, C]", ["A", "B", "C"]],
  ["dns", "1.1.1.1", "[1.1.1.1, 8.8.8.8]", ["1.1.1.1", "8.8.8.8"]],
  ["env_file", "a.env", "b.env", ["a.env", "b.env"]],
  ["build", "./a", "{dockerfile: D}", { context: "./a", dockerfile: "D" }],
  ["build", "{context: ., args: [A=1]}", "{args: {B: 2}}", { context: ".", args: { A: "1", B: 2 } }],
  ["logging", "{driver: a, options: {x: 1}}", "{driver: b}", { driver: "b" }],
  ["logging", "{driver: a, options: {x: 1}}", "{options: {y: 2}}", { driver: "a", options: { x: 1, y: 2 } }],
  ["depends_on", "{a: {condition: service_healthy, restart: true}}", "[a]", {
    a: { condition: "service_started", restart: true, required: true },
  }],
  ["command", "npm start", "null", null],
  ["environment", "{A: 1, B: 2}", "[A, B=3]", { A: null, B: "3" }],
  ["extra_hosts", "['a:1.1.1.1']", "{b: [1.1.1.2, 1.1.1.3]}", ["a:1.1.1.1", "b=1.1.1.2", "b=1.1.1.3"]],
  ["volumes", "['/x/']", "['../out:/x', '/x/']", ["/x/"]],
  ["ports", "['80:80']", "!reset []", undefined],
  ["ports", "['80:80']", "!override ['81:81']", ["81:81"]],
  ["deploy", "{replicas: 2, labels: [a=1]}", "{replicas: 3, labels: [b=1]}", {
    replicas: 3,
    labels: { a: "1", b: "1" },
  }],
  ["x-own", "[a]", "[b]", ["a", "b"]],
];
for (const [key, under, over, merged] of CASES) {
  Deno.test(`${key}: ${under} under ${over}`, () => assert.deepEqual(service(key, under, over), merged));
}

const SECTIONS: [section: string, under: string, over: string, merged: unknown][] = [
  ["networks", "{test: {external: true, name: lan}}", "{test: null}", {
    test: { external: true, name: "lan" },
  }],
  ["volumes", "{command: {driver: a}}", "{command: {name: b}}", { command: { driver: "a", name: "b" } }],
  ["networks", "{a: {labels: [a=1, b=1]}}", "{a: {labels: {b: '2'}}}", { a: { labels: { a: "1", b: "2" } } }],
  [
    "networks",
    "{a: {ipam: {config: [{subnet: 10.9.0.0/24, gateway: 10.9.0.1}]}}}",
    "{a: {ipam: {config: [{subnet: 10.9.0.0/24, ip_range: 10.9.0.0/25}]}}}",
    { a: { ipam: { config: [{ subnet: "10.9.0.0/24", gateway: "10.9.0.1", ip_range: "10.9.0.0/25" }] } } },
  ],
  [
    "networks",
    "{a: {ipam: {config: [{subnet: 10.9.0.0/24, gateway: 10.9.0.1}]}}}",
    "{a: {ipam: {config: [{subnet: 10.9.1.0/24}]}}}",
    { a: { ipam: { config: [{ subnet: "10.9.1.0/24" }] } } },
  ],
  ["services", "{web: {networks: {test: {aliases: [a]}}}}", "{web: {networks: {test: {priority: 2}}}}", {
    web: { networks: { test: { aliases: ["a"], priority: 2 } } },
  }],
  ["services", "{web: {volumes_from: [a, b]}}", "{web: {volumes_from: [b, c]}}", {
    web: { volumes_from: ["a", "b", "c"] },
  }],
];
for (const [section, under, over, merged] of SECTIONS) {
  Deno.test(`${section}: ${under} under ${over}`, () => {
    const found = mergeDocuments(
      document(`${section}: ${under}`),
      document(`${section}: ${over}`, "over.yaml"),
    );
    assert.deepEqual(plain(settle(found)), { [section]: merged });
  });
}

Deno.test("a value keeps the place of the one that won, a service that of its first definition", () => {
  const merged = mergeDocuments(
    document("services: {web: {image: a, user: x}}"),
    document("services: {web: {image: b}}", "over.yaml"),
  );
  const services = merged.entries.get("services")!.value;
  assert.ok(services.kind === "mapping");
  const { key, value } = services.entries.get("web")!;
  assert.equal(key.file.path, "compose.yaml");
  assert.ok(value.kind === "mapping");
  assert.deepEqual(
    ["image", "user"].map((name) => value.entries.get(name)!.value.file.path),
    ["over.yaml", "compose.yaml"],
  );
});

Deno.test("merging changes neither of the two", () => {
  const under = document("services: {web: {ports: ['80:80'], environment: [A=1]}}");
  const over = document("services: {web: {ports: !reset [], environment: {A: 2}}}", "over.yaml");
  const before = JSON.stringify([plain(under), plain(over)]);
  mergeDocuments(under, over);
  assert.equal(JSON.stringify([plain(under), plain(over)]), before);
});

Deno.test("!reset in a file alone removes the value, and other tags leave no trace", () => {
  const settled = settle(document("services: {web: {image: a, ports: !reset [], user: !override b}}"));
  assert.deepEqual(plain(settled), { services: { web: { image: "a", user: "b" } } });
});
