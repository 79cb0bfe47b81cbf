/**
 * The hash of a service as Compose's own `config --hash` says it, without an engine. It does not put in what an
 * `env_file` says; the containers of `fields_test.ts` hold that.
 */
import assert from "node:assert/strict";
import { configHash, hashFormOf } from "../../projects/hash/labels.ts";
import { composeOfToday, composeProgram, OTHER_FORMS } from "../support/compose.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";

const SERVICES = [
  "deploy: { labels: { a: b, c: 1 } }",
  "deploy: { endpoint_mode: vip, labels: [a=b, c] }",
  "deploy: { labels: {}, placement: {} }",
  "deploy: { update_config: { order: start-first } }",
  "deploy: { update_config: { parallelism: 0, delay: 10s, failure_action: pause, monitor: 1m30s } }",
  "deploy: { update_config: { delay: 0s, monitor: 0s, max_failure_ratio: 0.1 } }",
  "deploy: { update_config: {} }",
  "deploy: { rollback_config: { parallelism: 2, max_failure_ratio: 0 } }",
  "deploy: { rollback_config: {} }",
  "deploy: { placement: { constraints: [node.role==manager, 'node.labels.a<b'] } }",
  "deploy: { placement: { preferences: [{ spread: node.labels.z }], max_replicas_per_node: 2 } }",
  "environment: [UNTOLD, A=1]",
  "environment: { UNTOLD: , A: '' }",
  "secrets: [{ source: word, mode: '0400' }]",
  "secrets: [{ source: word, mode: 0400 }]",
  'configs: [{ source: page, mode: "0440" }]',
  "configs: [{ source: page, mode: 0o440 }]",
];

const TEXT = `name: hashed\nservices:\n${
  SERVICES.map((lines, n) => `  s${n}:\n    image: x\n    ${lines}\n`).join("")
}secrets: { word: { environment: HOME } }\nconfigs: { page: { content: a } }\n`;

for (const version of [composeOfToday.version, ...OTHER_FORMS]) {
  const { program, missing } = await composeProgram(version);
  if (missing !== null) console.warn(`SKIPPED: hashes of Compose ${version}: ${missing}`);
  Deno.test({
    name: `Compose ${version} says the hashes that berth writes`,
    ignore: missing !== null,
    async fn() {
      await using folder = await workspaceFolder({ "compose.yaml": TEXT });
      const model = await folder.read();
      const { stdout, stderr } = await new Deno.Command(program, {
        args: ["config", "--hash", "*"],
        cwd: folder.path,
        clearEnv: true,
        env: { HOME: "/tmp" },
      }).output();
      const said = new Map(
        new TextDecoder().decode(stdout).trim().split("\n").map((line) =>
          line.split(" ") as [string, string]
        ),
      );
      assert.equal(said.size, SERVICES.length, new TextDecoder().decode(stderr));
      const wrong = model.units.flatMap((unit) => {
        const of = { model, group: model.groups[0]!, unit, service: unit.service! };
        const hash = configHash(of, hashFormOf(version), () => undefined);
        return hash === said.get(unit.label) ? [] : [`${hash} ${SERVICES[Number(unit.label.slice(1))]}`];
      });
      assert.deepEqual(wrong, []);
    },
  });
}
