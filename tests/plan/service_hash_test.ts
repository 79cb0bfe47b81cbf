/**
 * The hash of a service as Compose's own `config --hash` says it, without an engine. It does not put in what an
 * `env_file` says; the containers of `fields_test.ts` hold that.
 */
import assert from "node:assert/strict";
import { configHash, hashFormOf } from "../../projects/hash/labels.ts";
import { composeOfToday, composeProgram, OTHER_FORMS } from "../support/compose.ts";
import { FILES, FORMS, MORE } from "../apply/exact/forms.ts";
import { indented } from "../apply/exact/taken.ts";
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
  "secrets: [{ source: word, mode: 0o440 }]",
  "develop: { watch: [{ path: ., action: sync+exec, target: /x, ignore: [a], exec: { command: x y, user: a } }] }",
  "environment: { A: 0o10, B: 0b11, C: 1_0.5, F: 0x, G: 08, I: 1.0e+2, K: 0.00001, L: 123456789.123, M: 1e21 }",
  // Every form of the matrix that names no file and no other container
  ...FORMS.map(({ lines }) => lines).filter((lines) =>
    !/env_file|label_file|service:s0|volumes_from/.test(lines)
  ),
];

/** Forms of which berth writes no hash, or another one, and why. */
const AGREED: readonly { readonly why: string; readonly lines: RegExp; readonly version?: string }[] = [
  { why: "a size with an exponent is none to Compose, and blocks a plan of berth", lines: /: '?\d[.\d]*e\d/ },
  { why: "Compose 5 keeps the sign of nothing", lines: /E: -0/, version: "5" },
  { why: "Compose 5 refuses what is beyond all numbers", lines: /\.inf/, version: "5" },
];

const textOf = (services: readonly string[]) =>
  `name: hashed\nservices:\n  s0: { image: x }\n${
    services.map((lines, n) => `  t${n}:\n    image: x\n${indented(lines, 4)}`).join("")
  }${MORE}`;

for (const version of [composeOfToday.version, ...OTHER_FORMS]) {
  const { program, missing } = await composeProgram(version);
  if (missing !== null) console.warn(`SKIPPED: hashes of Compose ${version}: ${missing}`);
  Deno.test({
    name: `Compose ${version} says the hashes that berth writes`,
    ignore: missing !== null,
    async fn() {
      const isAgreed = (lines: string) =>
        AGREED.some((one) => one.lines.test(lines) && version.startsWith(one.version ?? ""));
      const services = SERVICES.filter((lines) => !isAgreed(lines));
      await using folder = await workspaceFolder({ ...FILES, "own/": "", "compose.yaml": textOf(services) });
      const model = await folder.read();
      const { stdout, stderr } = await new Deno.Command(program, {
        args: ["--profile", "*", "config", "--hash", "*"],
        cwd: folder.path,
        clearEnv: true,
        env: { HOME: "/tmp" },
      }).output();
      const said = new Map(
        new TextDecoder().decode(stdout).trim().split("\n").map((line) =>
          line.split(" ") as [string, string]
        ),
      );
      assert.equal(said.size, services.length + 1, new TextDecoder().decode(stderr));
      const wrong = model.units.flatMap((unit) => {
        const of = { model, group: model.groups[0]!, unit, service: unit.service! };
        const hash = configHash(of, hashFormOf(version), () => undefined);
        return hash === said.get(unit.label) ? [] : [`${hash} ${services[Number(unit.label.slice(1))]}`];
      });
      assert.deepEqual(wrong, []);
    },
  });
}
