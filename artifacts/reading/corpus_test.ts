/** Real Compose files are read completely and without a false word. */

import assert from "node:assert/strict";
import { corpus } from "../../tests/support/corpus.ts";
import type { Finding, Model } from "../artifact.ts";
import { parseNow } from "../files/parse_file.ts";
import { WorkspaceReader } from "./workspace_reader.ts";

const PARTS = ["awesome-compose", "compose", "compose-go"] as const;
const AWESOME = corpus("awesome-compose");
const COMPOSE = corpus("compose");
const COMPOSE_GO = corpus("compose-go");

function findingsOf(model: Model): Finding[] {
  return [
    ...model.findings,
    ...model.files.flatMap((file) => file.findings),
    ...model.groups.flatMap((group) => group.findings),
  ];
}

/** Codes with their files, but for what is taste or off unless asked for. */
function remarks(model: Model): string[] {
  return findingsOf(model).filter(({ code }) => !["yaml/boolean-word", "yaml/unused-anchor"].includes(code))
    .map(({ code, at, path }) => `${code} ${at?.file.path ?? path}`).sort();
}

function standings(model: Model): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { standing } of model.groups) counts[standing] = (counts[standing] ?? 0) + 1;
  return counts;
}

const START = ["depends_on", "link", "namespace", "volumes_from"];

function startEdges(model: Model): number {
  return model.units.flatMap((unit) => unit.references).filter(({ kind }) => START.includes(kind)).length;
}

async function read(path: string): Promise<Model> {
  return await new WorkspaceReader(path).read();
}

Deno.test({
  name: "each of the corpus' 303 YAML files parses without an error or a warning (F53)",
  ignore: AWESOME === null,
  fn: async () => {
    let files = 0;
    for (const part of PARTS) {
      for await (const path of yamlFiles(corpus(part)!)) {
        const text = await Deno.readTextFile(path);
        const { findings, sound } = parseNow({ path, kind: "compose", text, hash: "" });
        const codes = findings.map((finding) => finding.code).filter((code) =>
          !["yaml/boolean-word", "yaml/unused-anchor"].includes(code)
        );
        assert.deepEqual([path, codes, sound], [path, [], true]);
        files++;
      }
    }
    assert.equal(files, 303);
  },
});

async function* yamlFiles(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* yamlFiles(path);
    else if (entry.isFile && /\.ya?ml$/.test(entry.name)) yield path;
  }
}

Deno.test({
  name: "awesome-compose has 39 groups, 81 units, 26 start edges and nothing to remark",
  ignore: AWESOME === null,
  fn: async () => {
    const model = await read(AWESOME!);
    assert.deepEqual(standings(model), { main: 39 });
    assert.deepEqual([model.units.length, startEdges(model), model.complete], [81, 26, true]);
    assert.deepEqual(remarks(model), []);
    const missing = model.units.flatMap((unit) => unit.paths).filter((use) => use.found === "missing");
    // The two files that the corpus leaves out for their size.
    assert.deepEqual(missing.map((use) => use.written), [
      "./logstash/nginx.log",
      "./backend/package-lock.json",
    ]);
    const withStart = new Set(
      model.units.filter((unit) => unit.references.some(({ kind }) => START.includes(kind))).map((unit) =>
        unit.group
      ),
    );
    assert.equal(withStart.size, 16);
  },
});

Deno.test({
  name: "every reference to a service or resource of the corpus is defined where it is used",
  ignore: AWESOME === null,
  fn: async () => {
    for (const part of PARTS) {
      const model = await read(corpus(part)!);
      for (const group of model.groups) {
        const ids = new Set([...group.units, ...group.resources].map((one) => one.id));
        const broken = group.units.flatMap((unit) => unit.references).filter(({ target }) =>
          target !== null && !ids.has(target)
        );
        assert.deepEqual(broken.map(({ from, target }) => `${from} ${target}`), []);
      }
    }
  },
});

Deno.test({
  name:
    "docker/compose's fixtures are read with the one required variable that is missing and the one path outside",
  ignore: COMPOSE === null,
  fn: async () => {
    const model = await read(COMPOSE!);
    assert.deepEqual(standings(model), { main: 191, included: 2, variant: 9 });
    assert.deepEqual(remarks(model).filter((one) => !one.startsWith("env/unset-variable")), [
      "env/required-variable-missing pkg/e2e/testdata/TestUpImageID/compose.yaml",
      "fs/path-escape pkg/e2e/fixtures/env_file/compose.yaml",
    ]);
    const nested = model.groups.find((group) =>
      group.files.some((file) => file.path.includes("dotenv/development"))
    );
    assert.equal(nested!.folder, "pkg/e2e/fixtures/dotenv");
  },
});

Deno.test({
  name: "compose-go's fixtures are read with their circle and their remote files",
  ignore: COMPOSE_GO === null,
  fn: async () => {
    const model = await read(COMPOSE_GO!);
    assert.deepEqual(remarks(model).filter((one) => !one.startsWith("env/unset-variable")), [
      "graph/include-cycle loader/testdata/compose-include-cycle.yaml",
      "ref/remote-not-loaded loader/testdata/remote/cycle/compose-cycle.yaml",
      "ref/remote-not-loaded loader/testdata/remote/cycle/compose.yaml",
      "ref/remote-not-loaded loader/testdata/remote/nested/compose.yaml",
    ]);
    assert.equal(model.groups.filter((group) => group.project === "depends-on-cycle").length, 3);
  },
});

Deno.test({
  name: "the broken env file of compose-go is found at line 7, its others are fine",
  ignore: COMPOSE_GO === null,
  fn: async () => {
    const folder = `${COMPOSE_GO}/dotenv/fixtures`;
    const broken: string[] = [];
    for await (const entry of Deno.readDir(folder)) {
      const text = await Deno.readTextFile(`${folder}/${entry.name}`);
      const { findings } = parseNow({ path: entry.name, kind: "env", text, hash: "" });
      for (const { at } of findings) {
        broken.push(`${entry.name}:${text.slice(0, at!.start).split("\n").length}`);
      }
    }
    assert.deepEqual(broken, ["invalid1.env:7"]);
  },
});
