/** Each row of the table settled in the file: what a real Compose made is brought into a text that says something else. */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import { otherChange, settle } from "../../projects/adopt/settle.ts";
import type { Surroundings } from "../../projects/adopt/writing.ts";
import type { EngineKind } from "../../projects/fields/field.ts";
import { differencesOf } from "../../projects/fields/table.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { proofEngine } from "../support/shared_engine.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";
import { FILES, projectOf, SAMPLES } from "./field_samples.ts";
import { Scene } from "./field_scene.ts";
import { defaultsOf } from "./written_project.ts";

/**
 * The rows that are refused: where a secret is mounted, a list of devices, and two keys that stand in each other. Podman
 * also tells memory at a path in one form, and the file says it in the other.
 */
const REFUSED: Readonly<Record<EngineKind, readonly string[]>> = {
  docker: ["mounts", "mounts", "limits.blockIo", "dependsOn"],
  podman: ["mounts", "mounts", "mounts", "dependsOn"],
};

for (const kind of ["docker", "podman"] as const) {
  const { test } = await proofEngine(kind);
  const samples = SAMPLES.filter(({ only, refused }) =>
    (only === undefined || only === kind) && refused === undefined
  );

  test(
    "settling each row leaves no difference, changes no other service, and keeps all bytes around the node",
    async (engine) => {
      await using scene = new Scene(engine);
      await using folder = await workspaceFolder({
        ...FILES,
        "compose.yaml": projectOf(samples, ({ text, row }) => row === "preStop" ? "" : text),
      });
      assert.equal(await composeToday(engine.socket, folder.path, "create"), "");
      try {
        const containers = await scene.containers();
        const view = scene.view(containers);
        const text = projectOf(samples, ({ other }) => other);
        await folder.write({ "compose.yaml": text });
        const before = await folder.read();
        const wrong: unknown[] = [];
        const refused: string[] = [];
        let settled = 0;
        for (const [n, { row }] of samples.entries()) {
          const label = `s${n}`;
          const container = containers.get(label)!; // Compose made one of each
          const group = before.groups[0]!; // one file was written
          const unit = group.units.find((one) => one.label === label)!; // as was written
          const of = (model: typeof before) => {
            const group = model.groups[0]!; // as above
            const unit = group.units.find((one) => one.label === label)!; // as above
            return { model, group, unit, service: unit.service! };
          };
          const differences = differencesOf(of(before), container, view).filter(({ isRemark }) => !isRemark);
          if (differences.length === 0) continue; // no engine tells it
          const keyOf = (kind: "network" | "volume") => (name: string) =>
            group.resources.find((one) => one.kind === kind && one.name === name)?.key ?? name;
          const around: Surroundings = {
            kind,
            defaults: await defaultsOf(engine),
            project: group.project,
            service: label,
            neighbour: (id) => {
              const found = [...containers].find(([, one]) => one.id === id || one.name === id);
              return found && { service: found[0], name: found[1].name };
            },
            hasService: (one) => group.units.some(({ label }) => label === one),
            networkKey: keyOf("network"),
            volumeKey: keyOf("volume"),
          };
          try {
            const { text: now, splices } = settle(unit, differences, container, around);
            const [start, end] = [
              Math.min(...splices.map((one) => one.start)),
              Math.max(...splices.map((one) => one.end)),
            ];
            if (!now.startsWith(text.slice(0, start)) || !now.endsWith(text.slice(end))) {
              wrong.push([row, "bytes"]);
            }
            await folder.write({ "compose.yaml": now });
            const after = await folder.read();
            const left = differencesOf(of(after), container, view).filter(({ isRemark }) => !isRemark);
            const other = otherChange(before, after, unit);
            if (other !== null) wrong.push([row, other]);
            // The route refuses what would still differ.
            if (left.length > 0) refused.push(`${row}: ${left.map(({ field }) => field)}`);
            else settled += 1;
          } catch (error) {
            if (!(error instanceof ServiceError)) throw error;
            refused.push(`${row}: ${error.message}`);
          }
        }
        console.log(`${settled} of ${samples.length} settled, ${refused.length} refused`);
        assert.deepEqual(wrong, []);
        assert.deepEqual(refused.map((one) => one.split(":")[0]), REFUSED[kind], refused.join("\n"));
      } finally {
        await folder.write({
          "compose.yaml": projectOf(samples, ({ text, row }) => row === "preStop" ? "" : text),
        });
        await composeToday(engine.socket, folder.path, "down", "--volumes", "--timeout", "0");
      }
    },
    composeOfToday.missing,
  );
}
