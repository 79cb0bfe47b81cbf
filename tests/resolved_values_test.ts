/** The values of variables stay where they are: no answer has one, whatever field an author puts it into. */
import assert from "node:assert/strict";
import { dagOf } from "../artifacts/drawing/dag.ts";
import { dotOf } from "../artifacts/drawing/dot.ts";
import { mermaidOf } from "../artifacts/drawing/mermaid.ts";
import { look } from "../artifacts/live/look.ts";
import { WorkspaceReader } from "../artifacts/reading/workspace_reader.ts";
import { cardDetail, groupDetail, unitDetail } from "../artifacts/report/detail.ts";
import { githubOf } from "../artifacts/report/github.ts";
import { diagnosticOf, reportOn } from "../artifacts/report/report.ts";
import { sarifOf } from "../artifacts/report/sarif.ts";
import { summariesOf } from "../artifacts/report/summary.ts";
import { textOf } from "../artifacts/report/text.ts";
import { check } from "../artifacts/rules/check.ts";
import { COMPOSE_FILE, type Shape } from "../artifacts/rules/compose_shape.ts";
import type { Model } from "../artifacts/artifact.ts";
import type { ContainerRuntime, InspectedContainer } from "../core/runtime.ts";
import { startService } from "./service.ts";
import { type Files, workspaceFolder } from "./workspace_folder.ts";

/** Of every kind that a field may take: text, number, port, address, path, name. */
const SECRETS: Readonly<Record<string, string>> = {
  WORDS: "Canary Quill zzz",
  NAME: "canaryquill",
  NUMBER: "48731",
  NEGATIVE: "-48731",
  ADDRESS: "10.48.73.131",
  FOLDER: "/canary/quill",
  BYTES: "48731m",
  RANGE: "48731-48739",
  PAIR: "canaryquill=48731",
};
const LEAK = /canary|quill|48731|48739|10\.48\.73/i;
const ENV = Object.entries(SECRETS).map(([name, value]) => `${name}="${value}"\n`).join("");

/** How a value may stand in a text: alone, and as a part of each short form. */
const FORMS = [
  "@",
  "x @",
  "@:80",
  "80:@",
  "1-65535:@",
  "@=a",
  "a=@",
  "./@",
  "./@:/x",
  "/x:@",
  "service:@",
  "@ ; '",
  "a@a",
];

type Value = string | readonly Value[] | { readonly [key: string]: Value };

/** Every way to put one text into a shape. */
function* placings(shape: Shape): Iterable<(text: string) => Value> {
  if (typeof shape === "string" || "oneOf" in shape) {
    yield (text) => text;
    if (shape !== "anything") return;
    yield (text) => [text];
    yield (text) => ({ a: text });
    yield (
      text,
    ) => [{ action: text, count: text, device_ids: [text], path: text, source: text, subnet: text }];
  } else if ("nullable" in shape) yield* placings(shape.nullable);
  else if ("either" in shape) { for (const one of shape.either) yield* placings(one); }
  else if ("list" in shape || "set" in shape) {
    for (const inner of placings("list" in shape ? shape.list : shape.set)) yield (text) => [inner(text)];
  } else if ("map" in shape) {
    for (const inner of placings(shape.map)) {
      yield (text) => ({ a: inner(text) });
    }
  } else {
    for (const [key, one] of Object.entries(shape.keys)) {
      for (const inner of placings(one)) {
        yield (text) => ({
          ...Object.fromEntries(shape.needed.map((name) => [name, "a"])),
          [key]: inner(text),
        });
      }
    }
  }
}

/** Documents that have each value, in each form, in each field. */
function* documents(): Iterable<string> {
  const { services, ...sections } = (COMPOSE_FILE as { keys: Record<string, Shape> }).keys;
  const service = (services as { map: Shape }).map;
  const texts = Object.keys(SECRETS).flatMap((name) =>
    FORMS.map((form) => form.replaceAll("@", `\${${name}}`))
  );
  const base = { a: { image: "a:1", ports: ["9:9"] } };
  for (const place of placings(service)) {
    const others = texts.map((text, index) => [`s${index}`, { image: "a:1", ...place(text) as object }]);
    yield JSON.stringify({ name: "shop", services: { ...base, ...Object.fromEntries(others) } });
  }
  for (const [section, shape] of Object.entries(sections)) {
    if (section === "name") continue; // a saved name is everybody's to see
    for (const place of placings(shape)) {
      for (const text of texts) {
        const value = place(text);
        yield JSON.stringify({ name: "shop", services: base, [section]: value });
      }
    }
  }
  for (const text of texts) {
    const card = {
      title: text,
      description: text,
      owner: text,
      lifecycle: text,
      tags: [text],
      links: [text],
      runbook: text,
    };
    yield JSON.stringify({ name: "shop", "x-card": card, services: { a: { image: "a", "x-card": card } } });
  }
}

/** Everything that is said of a model, as texts; positions and digests are no words. */
async function said(model: Model): Promise<string> {
  const { findings, live } = await look(model, runtimeOf(model), {
    drift: true,
    answers: () => Promise.resolve(true),
  });
  const dag = dagOf(model, "work", { live });
  const report = reportOn(model, "work", findings);
  const answers: unknown[] = [
    [...check(model).findings, ...findings].map(diagnosticOf),
    sarifOf(report, "1"),
    dag,
    summariesOf(model),
    model.groups.map((one) => groupDetail(model, one, { live: findings })),
    model.units.map((one) => unitDetail(model, one, { live: findings })),
    model.cards.map((one) => cardDetail(model, one)),
    [...live],
  ];
  const texts = [mermaidOf(dag), dotOf(dag), githubOf(report), textOf(report, model)];
  return [...answers.map((one) => JSON.stringify(one, withoutNumbers)), ...texts].join("\n");
}

const withoutNumbers = (key: string, value: unknown): unknown =>
  typeof value === "number" && key !== "port" ? 0 : /fingerprint|revision|berth\/v1/i.test(key) ? "" : value;

/** An engine on which each service has one container that is nothing like it. */
function runtimeOf(model: Model): ContainerRuntime {
  const all = model.units.map(({ label }, index): InspectedContainer => ({
    id: `c${index}`,
    name: `shop-${label}-1`,
    image: "other:1",
    imageId: "sha256:0",
    state: index % 2 === 0 ? "running" : "exited",
    health: null,
    exitCode: 1,
    createdAt: "2026-01-01T00:00:00Z",
    startedAt: null,
    labels: {},
    compose: { project: "shop", service: label, workingDir: model.root, configFiles: [] },
    backend: "docker",
    command: ["other"],
    entrypoint: ["other"],
    env: {},
    imageDefaults: null,
    user: "other",
    workingDir: "/other",
    hostname: "other",
    restart: { name: "on-failure", maximumRetries: 7 },
    ports: [],
    mounts: [],
    tmpfs: [],
    networks: [],
    networkMode: "other",
    privileged: false,
    readOnlyRoot: false,
    capAdd: ["OTHER"],
    capDrop: ["OTHER"],
    memoryLimitBytes: 7,
    cpus: 7,
    pidsLimit: 7,
    healthcheck: ["CMD", "other"],
    healthTimes: { interval: 7, timeout: 7, startPeriod: 7, retries: 7 },
  }));
  return {
    revision: 1,
    backends: () => [],
    counts: () => ({ containers: { running: 0, paused: 0, stopped: 0, total: all.length }, images: 0 }),
    containers: () => Promise.resolve(all),
    inspect: (id) => Promise.resolve(all.find((container) => container.id === id)!),
    holdings: () => Promise.resolve({ ports: [], networks: [], volumes: [], images: [] }),
  };
}

const SAVED: Files = {
  ".env": ENV,
  "app.env": ENV,
  "hidden.yaml": "canary_key:\n  quill: 48731\n",
  "token.yaml": "canary_key:\n  quill: 48731\n",
  "compose.yaml": JSON.stringify({
    name: "shop",
    services: { a: { image: "a:1", env_file: ["app.env"], label_file: ["app.env"] } },
    secrets: { t: { file: "./token.yaml" } },
  }),
};

Deno.test("no answer has the value of a variable, whatever field of Compose it is put into", async () => {
  await using folder = await workspaceFolder(SAVED, "folder");
  const reader = new WorkspaceReader(folder.path);
  await reader.read();
  const leaks: string[] = [];
  let count = 0;
  for (const text of documents()) {
    count++;
    const model = await reader.overlaid(new Map([["compose.yaml", text]]));
    const found = LEAK.exec(await said(model));
    if (found !== null) {
      leaks.push(`${text.slice(60, 260)}: ...${found.input.slice(found.index - 150, found.index + 40)}`);
    }
    if (leaks.length > 20) break;
  }
  assert.deepEqual(leaks, []);
  assert.ok(count > 1_000, `${count} documents`);
});
