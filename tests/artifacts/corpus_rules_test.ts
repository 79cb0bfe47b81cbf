/** The rules on real files: nothing that is right is called wrong, and everything that is broken on purpose is caught. */
import assert from "node:assert/strict";
import type { Model } from "../../artifacts/artifact.ts";
import type { Diagnostic } from "../../artifacts/report/report_shape.ts";
import { dagOf } from "../../artifacts/drawing/dag.ts";
import { mainGroups } from "../../artifacts/graph/graph.ts";
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";
import { diagnosticOf } from "../../artifacts/report/report.ts";
import { check } from "../../artifacts/rules/check.ts";
import { corpus } from "../support/corpus.ts";

async function read(part: Parameters<typeof corpus>[0]): Promise<{ model: Model; all: Diagnostic[] } | null> {
  const folder = corpus(part);
  if (folder === null) return null;
  const model = await new WorkspaceReader(folder).read();
  return { model, all: check(model).findings.map(diagnosticOf) };
}

const errors = (all: readonly Diagnostic[]) =>
  all.filter(({ severity }) => severity === "error").map(({ code, location }) =>
    `${location?.file}:${location?.range.start.line}:${location?.range.start.column} ${code}`
  ).sort();

function counts(all: readonly Diagnostic[], severity: string, ignored: readonly string[] = []) {
  const found: Record<string, number> = {};
  for (const { code, severity: own } of all) {
    if (own === severity && !ignored.includes(code)) found[code] = (found[code] ?? 0) + 1;
  }
  return found;
}

Deno.test("39 real projects have no error, and only the warnings and infos that are known", async () => {
  const read_ = await read("awesome-compose");
  if (read_ === null) return;
  const { model, all } = read_;
  assert.deepEqual(errors(all), []);
  assert.equal(mainGroups(model).length, 39);
  assert.equal(model.units.length, 81);
  assert.deepEqual(counts(all, "warning"), {
    "compose/version-obsolete": 2,
    "file/bind-file-missing": 2,
    "image/no-tag": 15,
  });
  assert.deepEqual(counts(all, "info"), {
    "image/latest": 5,
    // One for each port that several of them publish.
    "port/conflict-across-groups": 6,
    "sec/docker-socket": 2,
    "sec/host-namespace": 1,
  });
});

Deno.test("39 real projects have the known start edges, layers and no cycle", async () => {
  const read_ = await read("awesome-compose");
  if (read_ === null) return;
  const { model } = read_;
  const dags = mainGroups(model).map((group) => dagOf(model, "corpus", { group: group.id }));
  const byLayers = [0, 0, 0, 0];
  for (const { stats } of dags) byLayers[stats.layers]!++;
  assert.deepEqual(byLayers.slice(1), [23, 8, 8]);
  const whole = dagOf(model, "corpus");
  assert.equal(whole.acyclic, true);
  assert.equal(whole.edges.filter(({ kind }) => kind === "depends_on").length, 26);
  const golang = dagOf(model, "corpus", { group: "group:nginx-golang-mysql" });
  assert.deepEqual(golang.layers.map((row) => row.map((id) => id.split(".")[1])), [["db"], ["backend"], [
    "proxy",
  ]]);
});

Deno.test("every deliberately broken file of Compose's own tests is caught where it is broken, and nothing else", async () => {
  const read_ = await read("compose");
  if (read_ === null) return;
  assert.deepEqual(errors(read_.all), [
    "pkg/e2e/fixtures/build-test/platforms/compose-service-platform-not-in-build-platforms.yaml:4:15 compose/platform-not-built",
    "pkg/e2e/fixtures/wrong-composefile/compose.yaml:4:5 schema/unknown-property",
    "pkg/e2e/testdata/TestLocalComposeConfigNoConsistency/compose.yaml:2:3 compose/no-image-or-build",
    "pkg/e2e/testdata/TestLocalComposeConfigNoConsistency/compose.yaml:9:3 compose/no-image-or-build",
    "pkg/e2e/testdata/TestStartInterval/compose.yaml:18:7 compose/start-interval-without-period",
    "pkg/e2e/testdata/TestUpImageID/compose.yaml:3:12 env/required-variable-missing",
  ]);
  assert.equal(counts(read_.all, "warning")["graph/healthy-without-healthcheck"], 3);
  const escapes = read_.all.filter(({ code }) => code === "fs/path-escape").map(({ location }) =>
    location?.file
  );
  assert.deepEqual(escapes, ["pkg/e2e/fixtures/env_file/compose.yaml"]);
});

Deno.test("every deliberately broken file of compose-go's tests is caught, and each other error has its reason", async () => {
  const read_ = await read("compose-go");
  if (read_ === null) return;
  assert.deepEqual(errors(read_.all), [
    // No Dockerfile in the context: missing for real, though not the point of these fixtures.
    "loader/testdata/combined/dir/extended.yaml:3:12 file/dockerfile-missing",
    // The same bytes twice: no profiles, so a cycle despite its name.
    "loader/testdata/compose-depends-on-cycle.yaml:6:9 graph/cycle",
    "loader/testdata/compose-depends-on-profile-no-cycle.yaml:6:9 graph/cycle",
    "loader/testdata/compose-depends-on-self.yaml:6:9 graph/self-dependency",
    "loader/testdata/compose-include-cycle.yaml:2:5 graph/include-cycle",
    // The build context is the Dockerfile itself.
    "loader/testdata/compose-test-with-version.yaml:13:12 file/build-context-missing",
    // Read alone its files are missing; they are there from the folder of a file that nobody discovers.
    "loader/testdata/include/dir/compose.yaml:12:9 file/env-file-missing",
    "loader/testdata/include/included.yaml:3:12 file/dockerfile-missing",
  ]);
  const cycle = read_.all.find(({ code }) => code === "graph/cycle");
  assert.match(cycle?.message ?? "", /^Dependency cycle: service1 -> service2 -> service3 -> service1$/);
  assert.equal(cycle?.related.length, 2);
  assert.equal(counts(read_.all, "info")["ref/remote-not-loaded"], 3);
});
