/** The laws of the table of fields, for each row, on real engines and beside a real Compose. */
import assert from "node:assert/strict";
import type { Group, Model, Unit } from "../../artifacts/artifact.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { connectBody, createBody } from "../../plugins/containers/containers/create_body.ts";
import type { EngineView } from "../../projects/fields/engine_view.ts";
import type { Asked, Declared } from "../../projects/fields/field.ts";
import { composeLabels, configHash, declaredLabels, hashFormOf } from "../../projects/hash/labels.ts";
import { resourceLabels } from "../../projects/hash/resource_labels.ts";
import { differencesOf, FIELDS } from "../../projects/fields/table.ts";
import {
  composeOfToday,
  type ComposeProgram,
  composeProgram,
  composeToday,
  OTHER_FORMS,
  runCompose,
} from "../support/compose.ts";
import type { TestEngine } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { FILES, projectOf, type Sample, SAMPLES } from "./field_samples.ts";
import { CONTENTS, DIGEST, Scene } from "./field_scene.ts";
import { type WorkspaceFolder, workspaceFolder } from "../support/workspace_folder.ts";

/** Without its hooks: Podman runs none in a container that was never started, and Compose then stops where it is. */
async function takeDown(
  program: ComposeProgram,
  { socket }: TestEngine,
  folder: WorkspaceFolder,
  samples: readonly Sample[],
): Promise<void> {
  const text = projectOf(samples, ({ row, text }) => row === "preStop" ? "" : text);
  await folder.write({ "compose.yaml": text });
  assert.equal(await runCompose(program, socket, folder.path, "down", "--volumes", "--timeout", "0"), "");
}

function declared(model: Model, label: string): Declared {
  const [group] = model.groups;
  const unit = group!.units.find((one: Unit) => one.label === label)!;
  return { model, group: group!, unit, service: unit.service! };
}

/** Returns the rows in which a container differs, each once. */
function rowsThatDiffer(of: Declared, container: InspectedContainer, view: EngineView): string[] {
  return [...new Set(differencesOf(of, container, view).map(({ row }) => row.key))];
}

const shown = (of: Declared, container: InspectedContainer, view: EngineView) =>
  differencesOf(of, container, view).map(({ field, declared, seen }) => [field, declared, seen]);

/** Networks and volumes carry the labels that we would write. */
async function sameResourceLabels(engine: TestEngine, group: Group, version: string): Promise<void> {
  let seen = 0;
  for (const resource of group.resources) {
    const { kind, name } = resource;
    if (kind !== "network" && kind !== "volume") continue;
    const { status, json } = await engine.ask(`GET /${kind}s/${name}`);
    if (status === 404) continue; // nobody uses it
    assert.deepEqual(resourceLabels(group, { ...resource, kind }, version), json.Labels, `${name}`);
    seen++;
  }
  assert.ok(seen > 3, "those that are used, and the default network");
}

Deno.test("every row of the table has a sample, and every sample a row", () => {
  const rows = FIELDS.map(({ key }) => key);
  assert.deepEqual(rows.filter((key, index) => rows.indexOf(key) !== index), []);
  assert.deepEqual([...new Set(SAMPLES.map(({ row }) => row))].sort(), rows.sort());
});

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  const samples = SAMPLES.filter(({ only, refused }) =>
    (only === undefined || only === kind) && refused === undefined
  );

  test(
    "what Compose made differs in nothing, and each edit differs in its own row alone",
    async (engine) => {
      await using scene = new Scene(engine);
      await using folder = await workspaceFolder({
        ...FILES,
        "compose.yaml": projectOf(samples, ({ text }) => text),
      });
      assert.equal(await composeToday(engine.socket, folder.path, "create"), "");
      try {
        const containers = await scene.containers();
        const view = scene.view(containers);
        const before = await folder.read();
        await folder.write({ "compose.yaml": projectOf(samples, ({ other }) => other) });
        const edited = await folder.read();
        await folder.write({ "compose.yaml": projectOf(samples, () => "") });
        const emptied = await folder.read();
        const wrong: unknown[] = [];
        for (const [index, { row, text, isKeptWhenGone, isUntold, along = [] }] of samples.entries()) {
          const container = containers.get(`s${index}`)!; // Compose made one of each
          const at = (model: Model) => declared(model, `s${index}`);
          const same = shown(at(before), container, view);
          if (same.length > 0) wrong.push({ law: "peer", text, same });
          const labels = composeLabels({
            of: at(before),
            number: 1,
            imageId: container.imageId,
            version: container.labels["com.docker.compose.version"]!, // Compose made it
            containerOf: (service) => containers.get(service)?.id,
          });
          for (const [label, expected] of Object.entries(labels)) {
            if (container.labels[label] !== expected) {
              wrong.push({ law: "canon", text, label, expected, found: container.labels[label] });
            }
          }
          if (/^0*$/.test(labels["com.docker.compose.config-hash"] ?? "")) wrong.push({ law: "canon", text });
          const differs = (law: string, model: Model, hasTo: boolean) => {
            const rows = rowsThatDiffer(at(model), container, view);
            const others = rows.filter((one) => one !== row && !along.includes(one));
            if (others.length === 0 && (!hasTo || rows.includes(row))) return;
            wrong.push({ law, text, row, found: shown(at(model), container, view) });
          };
          differs("sensitivity", edited, isUntold !== true);
          differs("removal", emptied, text !== "" && !isKeptWhenGone && isUntold !== true);
        }
        assert.deepEqual(wrong, []);
        await sameResourceLabels(engine, before.groups[0]!, composeOfToday.version);
      } finally {
        await takeDown(composeOfToday, engine, folder, samples);
      }
    },
    composeOfToday.missing,
  );

  for (const version of kind === "docker" ? OTHER_FORMS : []) {
    const program = await composeProgram(version);
    test(
      `Compose ${version} hashes each service as we do`,
      async (engine) => {
        await using scene = new Scene(engine);
        const text = projectOf(samples, ({ text }) => text);
        await using folder = await workspaceFolder({ ...FILES, "compose.yaml": text });
        const model = await folder.read();
        assert.equal(await runCompose(program, engine.socket, folder.path, "create"), "");
        try {
          const containers = await scene.containers();
          const idOf = (service: string) => containers.get(service)?.id;
          const wrong = samples.flatMap(({ text }, index) => {
            const { labels } = containers.get(`s${index}`)!; // Compose made one of each
            const hash = configHash(declared(model, `s${index}`), hashFormOf(version), idOf);
            return hash === labels["com.docker.compose.config-hash"] ? [] : [text];
          });
          assert.deepEqual(wrong, []);
          await sameResourceLabels(engine, model.groups[0]!, version);
        } finally {
          await takeDown(program, engine, folder, samples);
        }
      },
      program.missing,
    );
  }

  test("what an engine is asked for by the table differs in nothing, and an edit is seen though no engine tells", async (engine) => {
    await using scene = new Scene(engine);
    const samples = SAMPLES.filter(({ only, isLabelled, refused }) =>
      (isLabelled || only === undefined || only === kind) && refused === undefined
    );
    const text = projectOf(samples, ({ text }) => text);
    await using folder = await workspaceFolder({ ...FILES, "compose.yaml": text });
    const model = await folder.read();
    await folder.write({ "compose.yaml": projectOf(samples, ({ other }) => other) });
    const edited = await folder.read();
    const made = new Map<string, InspectedContainer>();
    const networks = ["laws_default", "laws_back", "laws_fixed"];
    for (const network of networks) {
      const config = network === "laws_fixed" ? { IPAM: { Config: [{ Subnet: "10.77.0.0/24" }] } } : {};
      const answer = await engine.ask("POST /networks/create", {
        Name: network,
        Driver: "bridge",
        ...config,
      });
      assert.equal(answer.status, 201, answer.body);
    }
    const wrong: unknown[] = [];
    try {
      for (const label of ["plain", "second", ...samples.map((_, index) => `s${index}`)]) {
        const of = declared(model, label);
        const asked: Asked = {};
        const name = of.service.containerName ?? `laws-${label}-1`;
        const asking = {
          name,
          containerOf: (service: string) => made.get(service)?.id,
          nameOf: (service: string) => made.get(service)?.id,
        };
        for (const row of FIELDS) row.ask(asked, of, asking);
        const { containerOf } = asking;
        const labelled = { of, number: 1, imageId: "", version: "5.7.0", containerOf };
        const own = declaredLabels(of, DIGEST, CONTENTS);
        asked.labels = { ...asked.labels, ...composeLabels(labelled), ...own };
        const { files = [], platform, ...carried } = asked;
        const query = new URLSearchParams({ name, ...(platform !== undefined && { platform }) });
        const answer = await engine.ask(`POST /containers/create?${query}`, createBody(carried));
        if (answer.status !== 201) {
          wrong.push({ label, asked, answer: answer.body });
          continue;
        }
        for (const network of asked.networks?.slice(1) ?? []) {
          const body = connectBody(answer.json.Id, network);
          await engine.ask(`POST /networks/${network.name}/connect`, body);
        }
        await scene.copy(answer.json.Id, files);
        for (const { path, content, mode } of files) {
          const { body } = await engine.ask(`GET /containers/${answer.json.Id}/archive?path=${path}`);
          if (!body.includes(content) || !body.includes(`${mode.toString(8)}\0`)) {
            wrong.push({ label, path, body });
          }
        }
        made.set(label, await scene.inspect(answer.json.Id));
      }
      const view = scene.view(made);
      for (const [label, container] of made) {
        const found = shown(declared(model, label), container, view);
        const sample = samples[Number(label.slice(1))];
        if (found.length > 0) wrong.push({ label, text: sample?.text, found });
        const rows = rowsThatDiffer(declared(edited, label), container, view);
        if (sample !== undefined && !rows.includes(sample.row)) {
          wrong.push({ label, text: sample.other, rows });
        }
      }
      const other = { ...view, contents: new Map([...CONTENTS, ["secret:laws.key", "3"]]) };
      const users = samples.flatMap(({ text }, index) => text.includes("secrets:") ? [`s${index}`] : []);
      assert.ok(users.length > 0);
      for (const [label, container] of made) {
        const found = shown(declared(model, label), container, other).map(([field]) => field);
        assert.deepEqual(found, users.includes(label) ? ["contents.secret:laws.key"] : [], label);
      }
      assert.deepEqual(wrong, []);
    } finally {
      for (const { id } of made.values()) await engine.ask(`DELETE /containers/${id}?force=1&v=1`);
      for (const network of networks) await engine.ask(`DELETE /networks/${network}`);
    }
  });
  test("what an engine cannot do with its disk is asked of it all the same, and it says so", async (engine) => {
    await using scene = new Scene(engine);
    const samples = SAMPLES.filter(({ refused }) => refused !== undefined);
    const text = projectOf(samples, ({ text }) => text);
    await using folder = await workspaceFolder({ ...FILES, "compose.yaml": text });
    const model = await folder.read();
    await folder.write({ "compose.yaml": projectOf(samples, ({ other }) => other) });
    const edited = await folder.read();
    await folder.write({ "compose.yaml": text });
    for (const [index, { row, refused }] of samples.entries()) {
      const of = declared(model, `s${index}`);
      const asked: Asked = { labels: declaredLabels(of, DIGEST, CONTENTS) };
      const asking = { name: "laws-disk", containerOf: () => undefined, nameOf: () => undefined };
      for (const one of FIELDS) if (one.key !== "networks") one.ask(asked, of, asking);
      const { files: _, platform: __, ...carried } = asked;
      const answer = await engine.ask("POST /containers/create?name=laws-disk", createBody(carried));
      if (answer.status === 201) {
        const container = await scene.inspect(answer.json.Id);
        const view = scene.view(new Map());
        const differs = (model: Model) =>
          rowsThatDiffer(declared(model, `s${index}`), container, view).includes(row);
        assert.deepEqual([differs(model), differs(edited)], [false, true]);
        await engine.ask(`DELETE /containers/${answer.json.Id}`);
      } else {
        assert.match(answer.body, refused!); // it was filtered by it
        console.warn(`SKIPPED: the loop law of ${row}: ${answer.body.trim()}`);
      }
      if (composeOfToday.missing !== null) continue;
      const args = ["config", "--hash", `s${index}`];
      const hashed = await new Deno.Command(composeOfToday.program, { args, cwd: folder.path }).output();
      const hash = configHash(of, hashFormOf(composeOfToday.version), () => undefined);
      assert.equal(new TextDecoder().decode(hashed.stdout).trim(), `s${index} ${hash}`);
    }
  });
}
