/** The rules of swarms: silent for other groups, and of one mind with `docker stack` about what it refuses. */
import assert from "node:assert/strict";
import { mainGroups } from "../../artifacts/graph/graph.ts";
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";
import { diagnosticOf } from "../../artifacts/report/report.ts";
import { check } from "../../artifacts/rules/check.ts";
import { checkForClient } from "../../artifacts/rules/swarm_client.ts";
import { corpus } from "../support/corpus.ts";
import { type Files, workspaceFolder } from "../support/workspace_folder.ts";
import { EXAMPLES } from "./rule_examples.ts";

const TARGET = /^x-berth:(?: \{ target: swarm \}|\n {2}target: swarm)\n/m;

/** The findings of rules of swarms as `code file:line:column`. */
async function found(files: Files): Promise<string[]> {
  await using folder = await workspaceFolder(files);
  return check(await folder.read()).findings.map(diagnosticOf).flatMap(({ code, location }) => {
    const { line, column } = location?.range.start ?? {};
    return code.startsWith("swarm/") ? [`${code} ${location?.file}:${line}:${column}`] : [];
  }).sort();
}

const rules = Object.entries(EXAMPLES).filter(([code]) => code.startsWith("swarm/"));

Deno.test("rules of swarms say nothing of a group that is not meant for one", async () => {
  assert.equal(rules.length, 12);
  for (const [code, { bad }] of rules) {
    const text = (bad["compose.yaml"] ?? "").replace(TARGET, "");
    assert.notEqual(text, bad["compose.yaml"], code);
    assert.deepEqual(await found({ ...bad, "compose.yaml": text }), [], code);
  }
});

Deno.test("`stacks` in berth.yaml makes a group one of a swarm, by its name or its folder", async () => {
  const text = 'services:\n  web:\n    image: nginx:1.27\n    restart: "no"\n';
  const of = (stacks: string) =>
    found({ "infra/shop/compose.yaml": text, "compose.yaml": text, "berth.yaml": `stacks: ${stacks}\n` });
  const inShop = ["swarm/restart-no infra/shop/compose.yaml:4:14"];
  assert.deepEqual(await of("{ live: infra/shop }"), inShop);
  assert.deepEqual(await of("{ live: ./infra/shop/ }"), inShop);
  assert.deepEqual(await of("{ live: shop }"), ["swarm/restart-no compose.yaml:4:14"]); // the folder around them
  assert.deepEqual(await of("{ live: . }"), ["swarm/restart-no compose.yaml:4:14"]);
  assert.deepEqual(await of("{ live: infra }"), []);
});

Deno.test("several tasks of a swarm may have one container_name, and a target that is misspelt is found", async () => {
  const codes = async (target: string) => {
    const text = `x-berth: { target: ${target} }\nservices:\n  web:\n    image: nginx:1.27\n` +
      "    container_name: web\n    scale: 2\n";
    await using folder = await workspaceFolder({ "compose.yaml": text });
    return check(await folder.read()).findings.map(({ code, severity }) => `${code} ${severity}`).sort();
  };
  assert.deepEqual(await codes("swarm"), ["swarm/cli-refuses info", "swarm/container-name warning"]);
  assert.deepEqual(await codes("swarn"), [
    "compose/container-name-with-scale error",
    "schema/invalid warning",
  ]);
});

/** Returns true if the client on this machine reads a file; null where it stops at something that is no form. */
async function isRead(path: string): Promise<boolean | null> {
  const args = ["stack", "config", "--skip-interpolation", "--compose-file", path];
  const { success, stderr } = await new Deno.Command("docker", { args, cwd: "/" }).output();
  const said = new TextDecoder().decode(stderr);
  if (success) return true;
  return /not allowed|must be|forbidden|is required/.test(said) ? false : null;
}

async function hasClient(): Promise<boolean> {
  try {
    const { stdout } = await new Deno.Command("docker", { args: ["--version"] }).output();
    return /^Docker version (?:2[89]|[3-9]\d)\./.test(new TextDecoder().decode(stdout));
  } catch {
    return false;
  }
}

const client = await hasClient();
if (!client) {
  console.warn("SKIPPED: what `docker stack` refuses, because there is no client of version 28 or later");
}

/** Each a service's lines; the client takes the first list, and refuses the second. */
const TAKEN = [
  "build: { context: ., ssh: [default], platforms: [linux/amd64] }",
  "ulimits: { nofile: { soft: 1, hard: 2 }, nproc: 5 }",
  "volumes: [{ type: bind, source: /a, target: /b, bind: { create_host_path: true } }]",
  "deploy: { resources: { reservations: { generic_resources: [{ discrete_resource_spec: { kind: a, value: 2 } }] } } }",
  "x-own: 1",
];
const REFUSED = [
  "scale: 2",
  "profiles: [a]",
  "platform: linux/amd64",
  "depends_on: { web: { condition: service_started } }",
  'ports: [{ target: 80, published: "80" }]',
  "ports: [{ target: 80, host_ip: 127.0.0.1 }]",
  "deploy: { resources: { limits: { cpus: 0.5 } } }",
  "env_file: [{ path: a.env }]",
  "extends: { service: web }",
  "mem_limit: 64m",
  "cap_add: [A, A]",
  "environment: { A: true }",
  "networks: { default: { priority: 1 } }",
  'secrets: [{ source: a, mode: "0400" }]',
  "healthcheck: { x-own: 1 }",
  "volumes: [{ type: tmpfs, target: /a, tmpfs: { size: 64m } }]",
];
const REFUSED_FILES = ["name: a", "include: [b.yaml]", "configs: { a: { content: b } }", "secrets: { a: }"];

Deno.test({
  name: "`docker stack` takes and refuses the same forms as the rule says",
  ignore: !client,
  async fn() {
    const file = (lines: string, more = "") =>
      `services:\n  web:\n    image: nginx:1.27\n    ${lines}\n${more}\n`;
    const forms = [
      ...TAKEN.map((lines) => [file(lines), true] as const),
      ...REFUSED.map((lines) => [file(lines), false] as const),
      ...REFUSED_FILES.map((more) => [file("tty: true", more), false] as const),
    ];
    for (const [text, isTaken] of forms) {
      await using folder = await workspaceFolder({ "compose.yaml": `x-berth: { target: swarm }\n${text}` });
      const refused = check(await folder.read()).findings.filter(({ code }) => code === "swarm/cli-refuses");
      assert.equal(refused.length === 0, isTaken, text);
      assert.equal(await isRead(`${folder.path}/compose.yaml`), isTaken, text);
    }
  },
});

const isProof = Deno.env.get("BERTH_PROOF") === "1";
if (!isProof) console.warn("SKIPPED: what `docker stack` refuses of the corpus; BERTH_PROOF=1 asks it");

Deno.test({
  name: "`docker stack` refuses the same files of the corpus as the rule",
  ignore: !client || !isProof,
  async fn() {
    let refused = 0;
    for (const part of ["awesome-compose", "compose", "compose-go"] as const) {
      const folder = corpus(part);
      if (folder === null) return;
      const model = await new WorkspaceReader(folder).read();
      for (const file of new Set(mainGroups(model).flatMap(({ files }) => files))) {
        if (!file.sound || file.documents.length !== 1) continue;
        const found: string[] = [];
        const [group] = mainGroups(model) as [typeof model.groups[number]]; // the corpus has some
        checkForClient(
          { ...group, sources: [file], bases: [] },
          (_code, _at, message) => found.push(message),
        );
        const isTaken = await isRead(`${folder}/${file.path}`);
        if (isTaken !== null) assert.equal(found.length === 0, isTaken, `${file.path}: ${found}`);
        if (isTaken === false) refused += 1;
      }
    }
    assert.ok(refused > 90, `only ${refused} were refused`);
  },
});
