/** The values of variables stay where they are: no answer has one, whatever field an author puts it into. */
import assert from "node:assert/strict";
import { dagOf } from "../../artifacts/drawing/dag.ts";
import { dotOf } from "../../artifacts/drawing/dot.ts";
import { mermaidOf } from "../../artifacts/drawing/mermaid.ts";
import { look } from "../../projects/drift/look.ts";
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";
import { cardDetail, groupDetail, unitDetail } from "../../artifacts/report/detail.ts";
import { githubOf } from "../../artifacts/report/github.ts";
import { diagnosticOf, reportOn } from "../../artifacts/report/report.ts";
import { sarifOf } from "../../artifacts/report/sarif.ts";
import { summariesOf } from "../../artifacts/report/summary.ts";
import { textOf } from "../../artifacts/report/text.ts";
import { check } from "../../artifacts/rules/check.ts";
import { COMPOSE_FILE, type Shape } from "../../artifacts/rules/compose_shape.ts";
import type { Model } from "../../artifacts/artifact.ts";
import type { ContainerRuntime, InspectedContainer } from "../../core/runtime.ts";
import { startService } from "../support/service.ts";
import { UNASKED } from "../proof/unasked.ts";
import { type Files, workspaceFolder } from "../support/workspace_folder.ts";

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
  UNUSED: "Canary Quill zzz",
};
const LEAK = /canary|quill|48731|48739|10\.48\.73/i;
const ENV = Object.entries(SECRETS).map(([name, value]) => `${name}="${value}"\n`).join("");

/** The forms of a value in a text: alone, and as a part of each short form. */
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

const TEXTS = Object.keys(SECRETS).filter((name) => name !== "UNUSED").flatMap((name) =>
  FORMS.map((form) => form.replaceAll("@", `\${${name}}`))
);
/** Enough to see where a value goes that was merged on its way. */
const SOME = ["${WORDS}", "${NAME}=a", "${NUMBER}", "${NUMBER}:80", "./${NAME}:/x", "/x:${FOLDER}"];

/** One entry for each text. */
const each = (texts: readonly string[], place: (text: string) => Value, more: object = {}) =>
  Object.fromEntries(texts.map((text, index) => [`s${index}`, { ...more, ...place(text) as object }]));

/** `BERTH_PROOF=1`: every field, not each third, with every text, laid over itself and extended, too. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";

/** Documents that have each value, in each form, in each field, and how they become a project. */
function* documents(): Iterable<readonly [way: "alone" | "merged" | "extended", text: string]> {
  const { services, include, name: _, ...sections } = (COMPOSE_FILE as { keys: Record<string, Shape> }).keys;
  const base = { a: { image: "a:1", ports: ["9:9"] } };
  const written = (more: object) => JSON.stringify({ name: "shop", services: base, ...more });
  for (const [index, place] of [...placings((services as { map: Shape }).map)].entries()) {
    if (!isProof && index % 3 !== 0) continue;
    const made = (texts: readonly string[]) =>
      written({ services: { ...base, ...each(texts, place, { image: "a:1" }) } });
    yield ["alone", made(isProof || index % 30 === 0 ? TEXTS : SOME)];
    if (!isProof && index % 40 !== 0) continue;
    yield ["merged", made(SOME)];
    yield ["extended", made(SOME)];
  }
  for (const [section, shape] of Object.entries(sections)) {
    if (typeof shape === "object" && "map" in shape) {
      for (const [index, place] of [...placings(shape.map)].entries()) {
        const texts = isProof || index % 5 === 0 ? TEXTS : SOME;
        yield ["alone", written({ [section]: each(texts, place) })];
      }
    } else {
      for (const place of placings(shape)) {
        for (const text of SOME) yield ["alone", written({ [section]: place(text) })];
      }
    }
  }
  for (const place of placings(include!)) { // Compose has it
    for (const text of SOME) yield ["alone", written({ include: place(text) })];
  }
  for (const text of TEXTS) {
    const card = {
      title: text,
      description: text,
      owner: text,
      lifecycle: text,
      tags: [text],
      links: [text],
      runbook: text,
    };
    yield ["alone", written({ "x-card": card, services: { a: { image: "a", "x-card": card } } })];
  }
}

/** Everything that is said of a model, as texts; positions and digests are no words. */
async function said(model: Model): Promise<string> {
  const view = await look(model, runtimeOf(model), { answers: () => Promise.resolve(true) });
  const { live } = view;
  const findings = await view.findings();
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
    restartCount: 0,
    reason: null,
    condition: "running",
    exitCode: 1,
    createdAt: "2026-01-01T00:00:00Z",
    startedAt: null,
    finishedAt: null,
    ending: { keepsRunning: false, oomKilled: false, byHand: false },
    stopped: null,
    healthOutput: null,
    ...UNASKED,
    imageDefaults: null,
    pid: null,
    isSystem: false,
    inherited: [],
    askedMacAddress: null,
    undeclarable: [],
    compose: { project: "shop", service: label, workingDir: model.root, configFiles: [] },
    backend: "docker",
    command: ["other"],
    entrypoint: ["other"],
    user: "other",
    workingDir: "/other",
    hostname: "other",
    domainname: "other",
    stopSignal: "SIGHUP",
    dns: ["other"],
    restart: { name: "on-failure", maximumRetries: 7 },
    networkMode: "other",
    capAdd: ["OTHER"],
    capDrop: ["OTHER"],
    memoryLimitBytes: 7,
    cpus: 7,
    pidsLimit: 7,
    healthcheck: ["CMD", "other"],
    healthTimes: { interval: 7, timeout: 7, startPeriod: 7, startInterval: 0, retries: 7 },
  }));
  return {
    revision: 1,
    stamp: "",
    settle: () => Promise.resolve(),
    backends: () => [],
    counts: () => ({ containers: { running: 0, paused: 0, stopped: 0, total: all.length }, images: 0 }),
    containers: () => Promise.resolve(all),
    unheard: () => new Map(),
    sightOf: () => Promise.resolve("same" as const),
    inspect: (id) => Promise.resolve(all.find((container) => container.id === id)!),
    relist: () => Promise.resolve(),
    engineDefaults: () => Promise.resolve({ logDriver: null, runtime: null, cgroupMode: null, bare: null }),
    imageTaggedAt: () => Promise.resolve(null),
    isImageFor: () => Promise.resolve(null),
    images: () => Promise.resolve([]),
    permissionFor: () => "test:act",
    deaths: () => [],
    holdings: () => Promise.resolve({ ports: [], networks: [], volumes: [], boundPaths: [], images: [] }),
  };
}

/** One text as a project: alone, laid over itself, or as what another one extends. */
function filesOf(way: "alone" | "merged" | "extended", text: string): Map<string, string> {
  if (way === "alone") return new Map([["compose.yaml", text]]);
  if (way === "merged") return new Map([["compose.yaml", text], ["compose.override.yaml", text]]);
  const { services, name } = JSON.parse(text);
  const extending = Object.keys(services).map((service) => [
    service,
    { extends: { file: "base.yaml", service } },
  ]);
  return new Map([
    ["compose.yaml", JSON.stringify({ name, services: Object.fromEntries(extending) })],
    ["base.yaml", text],
  ]);
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

Deno.test("no answer has the value of a variable, whatever field of Compose it is put into (F54, R45)", async () => {
  await using folder = await workspaceFolder(SAVED, "folder");
  const reader = new WorkspaceReader(folder.path);
  await reader.read();
  const leaks: string[] = [];
  let count = 0;
  for (const [way, text] of documents()) {
    count++;
    const found = LEAK.exec(await said(await reader.overlaid(filesOf(way, text))));
    if (found !== null) {
      leaks.push(`${text.slice(60, 260)}: ...${found.input.slice(found.index - 150, found.index + 40)}`);
    }
    if (leaks.length > 20) break;
  }
  assert.deepEqual(leaks, []);
  assert.ok(count > 300, `${count} documents`);
});

Deno.test("an unsaved text makes berth read nothing that the saved ones do not, and no key of another file is told", async () => {
  await using berth = await startService();
  const path = `${berth.folder}/workspaces/work`;
  await Deno.mkdir(path);
  for (const [file, text] of Object.entries(SAVED)) await Deno.writeTextFile(`${path}/${file}`, text);
  const { body: { id } } = await berth.call("POST /api/workspaces", { path });
  const viewer = await berth.key("viewer");
  const validate = async (text: unknown, query = "") => {
    const body = { files: { "compose.yaml": JSON.stringify(text) } };
    const answer = await viewer.call(`POST /api/workspaces/${id}/artifacts/validate${query}`, body);
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };

  for (const file of ["hidden.yaml", "token.yaml", "app.env", ".env"]) {
    for (
      const text of [
        { include: [file] },
        { include: [{ path: file, env_file: file }] },
        { services: { a: { extends: { file, service: "canary_key" } } } },
        { services: { a: { image: "a:1", env_file: [{ path: file, format: "raw" }], label_file: file } } },
        { name: "${NAME}", services: { a: { image: "a:1" } } },
      ]
    ) {
      for (const query of ["", "?format=sarif", "?live=true"]) {
        const { text: said } = await validate(text, query);
        assert.doesNotMatch(said.replaceAll('canary_key\\" does not exist', ""), LEAK, said);
      }
    }
  }
  const refused = (await validate({ services: { a: { image: "a:1" } }, include: ["hidden.yaml"] })).body;
  assert.deepEqual(
    refused.diagnostics.filter(({ code }: { code: string }) => code === "fs/unreadable").map((
      { severity, message }: { severity: string; message: string },
    ) => [severity, message]),
    [[
      "info",
      'Cannot read "hidden.yaml": only an unsaved text names it; save that text, or send this file with it',
    ]],
  );
  const laid = { "compose.yaml": "include: [new.yaml]", "new.yaml": "services: { b: { image: 'b:1' } }" };
  const own = await viewer.call(`POST /api/workspaces/${id}/artifacts/validate`, { files: laid });
  assert.deepEqual(
    [own.body.valid, own.body.summary.units],
    [true, 1],
    "what it lays over itself it may name",
  );
});
