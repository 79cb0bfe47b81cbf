/**
 * berth reads projects as Compose does: verdicts and resolved fields equal those of Compose's own loader, but for what
 * `agreed.ts` explains. `BERTH_TEST_ORACLE_PROJECTS` and `BERTH_TEST_ORACLE_SEED` make other generated projects, or more.
 */
import assert from "node:assert/strict";
import { corpus } from "../../support/corpus.ts";
import { EXAMPLES } from "../rule_examples.ts";
import { type Files, workspaceFolder } from "../../support/workspace_folder.ts";
import { AGREED } from "./agreed.ts";
import { compared, type Difference } from "./compared.ts";
import { composeGo } from "./compose_go.ts";
import { generated } from "./generated.ts";

const PROJECTS = Number(Deno.env.get("BERTH_TEST_ORACLE_PROJECTS") ?? 500);
const SEED = Number(Deno.env.get("BERTH_TEST_ORACLE_SEED") ?? 1);
const PARTS = ["awesome-compose", "compose", "compose-go"] as const;

const program = await composeGo();
const used = new Set<number>();

/** Compares the projects and returns their number; the first differences that nothing explains fail. */
async function agrees(folder: string): Promise<number> {
  const { projects, fields, differences } = await compared(program!, folder);
  const unexplained = differences.filter((difference) => {
    const index = AGREED.findIndex(({ covers }) => covers(difference));
    used.add(index);
    return index === -1;
  });
  console.log(
    `${projects} projects, ${fields} fields, ${differences.length - unexplained.length} agreed differences`,
  );
  assert.equal(unexplained.length, 0, unexplained.slice(0, 20).map(shown).join("\n"));
  return projects;
}

function shown({ project, field, compose, berth, codes }: Difference): string {
  return `${project} ${field}${codes.length > 0 ? ` (${codes.join(", ")})` : ""}
  Compose ${JSON.stringify(compose)}
  berth   ${JSON.stringify(berth)}`;
}

for (const part of PARTS) {
  const folder = corpus(part);
  Deno.test({
    name: `${part}: verdicts and fields are those of Compose's loader`,
    ignore: program === null || folder === null,
    fn: async () => void await agrees(folder!),
  });
}

Deno.test({
  name: "the rules' examples: verdicts and fields are those of Compose's loader",
  ignore: program === null,
  fn: async () => {
    const files: Record<string, string> = {};
    const add = (name: string, example: Files) => {
      for (const [path, text] of Object.entries(example)) files[`${name.replace("/", "_")}/${path}`] = text;
    };
    for (const [code, { good, bad }] of Object.entries(EXAMPLES)) {
      add(`${code}_good`, good);
      add(`${code}_bad`, bad);
    }
    await using folder = await workspaceFolder(files, "examples");
    await agrees(folder.path);
  },
});

/** Words that are keys of Compose somewhere, as names that an author gave. */
const WORDS = ["test", "command", "entrypoint", "environment", "labels", "networks", "depends_on", "build"]
  .concat(["logging", "ports", "volumes", "secrets", "dns", "extra_hosts", "config"]);

Deno.test({
  name: "what is called like a key of Compose, and each section, merges as Compose's loader merges it",
  ignore: program === null,
  fn: async () => {
    const files: Record<string, string> = {};
    for (const word of WORDS) {
      const first = { labels: ["a=1", "b=1"], driver_opts: { x: "1" } };
      const grant = { file: "./a.txt", labels: ["a=1"] };
      const under = {
        services: {
          web: {
            image: "a:1",
            networks: { [word]: { aliases: ["one", "two"], priority: 5 }, out: null },
            ulimits: { nofile: { soft: 1, hard: 2 } },
          },
          [word]: { image: "a:1", healthcheck: { test: ["CMD", "a"] }, labels: ["a=1"] },
        },
        networks: {
          [word]: { ...first, ipam: { config: [{ subnet: "10.9.0.0/24", gateway: "10.9.0.1" }] } },
          out: { external: true, name: "traefik" },
          two: { ipam: { config: [{ subnet: "10.9.1.0/24" }, { subnet: "10.9.2.0/24" }] } },
        },
        volumes: { [word]: first, kept: { external: true } },
        secrets: { [word]: grant },
        configs: { [word]: grant },
      };
      const over = {
        services: {
          web: { networks: { [word]: { aliases: ["two", "three"] } }, ulimits: { nofile: { hard: 3 } } },
          [word]: { image: "a:2", healthcheck: { test: ["CMD", "b"] }, labels: { b: "2" } },
        },
        networks: {
          [word]: {
            labels: { b: "2" },
            ipam: { config: [{ subnet: "10.9.0.0/24", ip_range: "10.9.0.0/25" }] },
          },
          out: null,
          two: { ipam: { config: [{ subnet: "10.9.2.0/24", gateway: "10.9.2.9" }] } },
        },
        volumes: { [word]: { labels: { b: "2", c: null } }, kept: null },
        secrets: { [word]: { labels: { b: "2" } } },
        configs: { [word]: null },
      };
      files[`over-${word}/compose.yaml`] = JSON.stringify(under);
      files[`over-${word}/compose.override.yaml`] = JSON.stringify(over);
      files[`include-${word}/compose.yaml`] = JSON.stringify({ include: ["more/more.yaml"], ...over });
      files[`include-${word}/more/more.yaml`] = JSON.stringify(under);
      for (const path of ["over", "include"]) files[`${path}-${word}/a.txt`] = "a\n";
      files[`include-${word}/more/a.txt`] = "a\n";
    }
    await using folder = await workspaceFolder(files, "words");
    assert.equal(await agrees(folder.path), 2 * WORDS.length);
  },
});

Deno.test({
  name:
    `${PROJECTS} generated projects from seed ${SEED} on: verdicts and fields are those of Compose's loader`,
  ignore: program === null,
  fn: async () => {
    const files: Record<string, string> = {};
    for (let seed = SEED; seed < SEED + PROJECTS; seed++) {
      for (const [path, text] of Object.entries(generated(seed))) files[`seed-${seed}/${path}`] = text;
    }
    await using folder = await workspaceFolder(files, "generated");
    assert.equal(await agrees(folder.path), PROJECTS);
  },
});

Deno.test({
  name: "every agreed difference is still one",
  // Other projects need not bring up all of them.
  ignore: program === null || PARTS.some((part) => corpus(part) === null) || PROJECTS < 500 || SEED !== 1,
  fn: () => {
    assert.deepEqual(AGREED.filter((_, index) => !used.has(index)).map(({ why }) => why), []);
  },
});
