/** Every key of a service that the published schema has stands in the matrix of `exact_matrix_test.ts`, or a reason does. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { SERVICE, type Shape } from "../../artifacts/rules/compose_shape.ts";
import { uncovered } from "../../projects/fields/coverage.ts";
import { composeOfToday } from "../support/compose.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";
import { ABSENT, FORMS } from "./exact/forms.ts";

/** Returns every path of keys in a shape, as `ports.*.target`; `*` is any item. */
function pathsOf(shape: Shape, path = ""): string[] {
  const below = (key: string) => path === "" ? key : `${path}.${key}`;
  if (typeof shape === "string") return [path];
  if ("keys" in shape) {
    return [path, ...Object.entries(shape.keys).flatMap(([key, one]) => pathsOf(one, below(key)))];
  }
  if ("list" in shape) return [path, ...pathsOf(shape.list, below("*"))];
  if ("map" in shape) return [path, ...pathsOf(shape.map, below("*"))];
  if ("nullable" in shape) return pathsOf(shape.nullable, path);
  if ("either" in shape) return shape.either.flatMap((one) => pathsOf(one, path));
  return [path];
}

/** Returns every path of keys that a form writes. Names that an author chose may stand for `*`. */
function writtenIn(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  const below = (key: string) => path === "" ? key : `${path}.${key}`;
  if (Array.isArray(value)) return [path, ...value.flatMap((one) => writtenIn(one, below("*")))];
  return [
    path,
    ...Object.entries(value).flatMap(([key, one]) => [
      ...writtenIn(one, below(key)),
      ...writtenIn(one, below("*")),
    ]),
  ];
}

/** A reason for a key stands for all below it. */
const hasReason = (path: string) =>
  ABSENT.some(({ keys }) => keys.some((key) => path === key || path.startsWith(`${key}.`)));

Deno.test("Every key of the Compose schema is in the matrix of containers, or a reason says why not", () => {
  const written = new Set(FORMS.flatMap(({ lines }) => writtenIn(parse(lines))));
  const paths = new Set(pathsOf(SERVICE).filter((path) => path !== ""));
  const missing = [...paths].filter((path) => !path.endsWith("*") && !written.has(path) && !hasReason(path));
  assert.deepEqual(missing, []);
});

Deno.test("A key of which a reason says that it is not in the matrix is a key, and is not there", () => {
  const written = new Set(FORMS.flatMap(({ lines }) => writtenIn(parse(lines))));
  const paths = new Set(pathsOf(SERVICE));
  const wrong = ABSENT.flatMap(({ keys }) => keys).filter((key) => !paths.has(key) || written.has(key));
  assert.deepEqual(wrong, []);
});

Deno.test("A key that is not in the matrix because berth refuses it blocks a plan", async () => {
  const lines = [
    "cpu_count: 1",
    "cpu_percent: 10",
    "credential_spec: { file: a.json }",
    "deploy: { resources: { reservations: { generic_resources: [{ discrete_resource_spec: { kind: a, value: 1 } }] } } }",
    "models: [a]",
    "pre_start: [{ image: x }]",
    "provider: { type: x }",
    "pull_refresh_after: 1h",
    "use_api_socket: true",
    "networks: { default: { use_service_name_alias: true } }",
    "volumes: [{ type: volume, source: v, target: /v, volume: { labels: { a: b } } }]",
  ];
  const services = lines.map((line, n) => `  s${n}:\n    image: x\n    ${line}\n`);
  await using folder = await workspaceFolder({ "compose.yaml": `services:\n${services.join("")}` });
  const { units } = await folder.read();
  const passed = units.filter((unit) => uncovered(unit).length === 0).map(({ label }) => label);
  assert.equal(units.length, lines.length);
  assert.deepEqual(passed, []);
});

/** The schema of the Compose beside which tests run, out of Go's own store of modules. */
const SCHEMA = "github.com/compose-spec/compose-go/v2@v2.9.1";

/** Returns the published schema, or why it cannot be read. */
async function publishedKeys(): Promise<readonly string[] | { readonly missing: string }> {
  const { missing } = composeOfToday;
  if (missing !== null) return { missing };
  try {
    const { stdout } = await new Deno.Command("go", { args: ["mod", "download", "-json", SCHEMA] }).output();
    const { Dir } = JSON.parse(new TextDecoder().decode(stdout));
    const schema = JSON.parse(await Deno.readTextFile(`${Dir}/schema/compose-spec.json`));
    return Object.keys((schema.definitions ?? schema.$defs).service.properties);
  } catch (error) {
    return { missing: `the schema of ${SCHEMA} cannot be read: ${error}` };
  }
}

const published = await publishedKeys();
if ("missing" in published) {
  console.error(`NOT RUN: the keys of the published schema, because ${published.missing}`);
}

Deno.test({
  name: "The keys of a service are those of the schema that Compose publishes",
  ignore: "missing" in published,
  fn() {
    assert.ok(!("missing" in published) && "keys" in (SERVICE as object));
    const own = Object.keys((SERVICE as Extract<Shape, { keys: unknown }>).keys);
    assert.deepEqual((published as readonly string[]).filter((key) => !own.includes(key)), []);
  },
});
