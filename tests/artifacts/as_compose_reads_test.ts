/** Rough edges of real projects: what Compose takes is not called wrong, and what it refuses is said. */
import assert from "node:assert/strict";
import type { Unit } from "../../artifacts/artifact.ts";
import type { Diagnostic } from "../../artifacts/report/report_shape.ts";
import { diagnosticOf } from "../../artifacts/report/report.ts";
import { check } from "../../artifacts/rules/check.ts";
import { type Files, workspaceFolder } from "../support/workspace_folder.ts";

async function read(files: Files): Promise<{ units: readonly Unit[]; found: Diagnostic[] }> {
  await using folder = await workspaceFolder(files);
  const model = await folder.read();
  return { units: model.units, found: check(model).findings.map(diagnosticOf) };
}

const compose = (text: string, more: Files = {}): Files => ({ "compose.yaml": text, ...more });
const web = (lines: string, more = "") =>
  `services:\n  web:\n    image: nginx:1.27\n${lines.replace(/^(?=.)/gm, "    ")}\n${more}`;
const brief = (found: readonly Diagnostic[], prefix = "") =>
  found.filter(({ code }) => code.startsWith(prefix)).map(({ severity, message }) =>
    `${severity}: ${message}`
  );
const errors = (found: readonly Diagnostic[]) => found.filter(({ severity }) => severity === "error");

Deno.test("!!merge before << makes a merge key, also in quotes", async () => {
  for (const key of ["!!merge <<", '!!merge "<<"']) {
    const { units, found } = await read(compose(`x-base: &base { user: "7" }\n${web(`${key}: *base`)}`));
    assert.deepEqual(errors(found), []);
    const [unit] = units;
    assert.ok(unit?.value.kind === "mapping" && unit.value.entries.has("user"));
  }
});

Deno.test("of mounts with one target the last is kept, with a warning for the others", async () => {
  const { units, found } = await read(compose(web("volumes: ['./a:/x', './b:/x/', '/y', '/x']")));
  assert.deepEqual(units[0]?.service?.mounts.map(({ source, target }) => [source, target]), [
    ["./b", "/x"],
    [null, "/y"],
  ]);
  assert.deepEqual(brief(found, "compose/duplicate-mount-target"), [
    'warning: "/x" is mounted again: Compose keeps the last',
    'warning: "/x" is mounted again: Compose keeps the last',
  ]);
});

Deno.test("a volume and a tmpfs on one target are an error, as is a long form that only differs by a slash", async () => {
  for (
    const lines of [
      "tmpfs: /x\nvolumes: ['./a:/x']",
      "volumes: ['./a:/x', { type: bind, source: ./b, target: /x/ }]",
    ]
  ) {
    const { found } = await read(compose(web(lines)));
    assert.deepEqual(brief(errors(found)), ['error: "/x" is mounted twice, and Compose refuses that']);
  }
});

Deno.test("ports that say the same are one", async () => {
  const { units, found } = await read(
    compose(web("ports: ['80:80', '80:80/tcp', { target: 80, published: 80 }]")),
  );
  assert.equal(units[0]?.service?.ports.length, 1);
  assert.deepEqual(errors(found), []);
  assert.equal(brief(found, "compose/duplicate-port").length, 2);
});

Deno.test("a port taken by two services of one group is an error, whoever else publishes it", async () => {
  const two = "services:\n  a: { image: 'a:1', ports: ['80:80'] }\n  b: { image: 'b:1', ports: ['80:80'] }\n";
  const one = "services:\n  c: { image: 'c:1', ports: ['80:80'] }\n";
  const { found } = await read({ "x/compose.yaml": one, "y/compose.yaml": two, "z/compose.yaml": one });
  assert.deepEqual(brief(found, "port/"), [
    'error: "a" and "b" both publish 0.0.0.0:80/tcp',
    'info: 3 groups publish 80/tcp: "x", "y", "z"',
  ]);
});

Deno.test("names of services and resources are checked by Compose's grammar", async () => {
  const { found } = await read(
    compose(`${web("")}  "a b": { image: "x:1" }\nvolumes:\n  "v+": {}\n  v.1-_A: {}\n`),
  );
  assert.deepEqual(
    brief(found, "schema/"),
    [
      'error: "a b" is not a valid service name: use letters, digits, ".", "_" and "-"',
      'error: "v+" is not a valid volume name: use letters, digits, ".", "_" and "-"',
    ],
  );
});

Deno.test("an unset variable says where Compose refuses the empty text, and only there", async () => {
  const refused = [
    'volumes: ["${NOT}:/movies"]',
    'ports: ["80:${NOT}"]',
    "container_name: ${NOT}",
    'extra_hosts: ["${NOT}:1.2.3.4"]',
    "cpus: ${NOT}",
    "privileged: ${NOT}",
  ];
  for (const line of refused) {
    const { found } = await read(compose(web(line)));
    assert.deepEqual(brief(found, "env/"), [
      "warning: Variable NOT is not set, and Compose refuses the empty text here",
    ], line);
    assert.deepEqual(errors(found), []);
  }
  for (const line of ['ports: ["${NOT}:80"]', "hostname: ${NOT}", "environment: ['A=${NOT}']"]) {
    const { found } = await read(compose(web(line)));
    assert.deepEqual(brief(found, "env/"), ["warning: Variable NOT is not set"], line);
  }
  const image = await read(compose("services:\n  web:\n    image: ${NOT}\n"));
  assert.match(brief(image.found, "env/").join(), /refuses the empty text/);
  const name = await read(compose(`name: \${NOT}\n${web("")}`));
  assert.match(brief(name.found, "env/").join(), /refuses the empty text/);
});

Deno.test("a well-kept collection is quiet: restart: no, volumes of unset mounts, names of folders", async () => {
  const { found } = await read({
    "My.Shop/compose.yaml": web(
      "restart: no\nvolumes: ['data:${TARGET}', './here:/there']",
      "volumes:\n  data:\n",
    ),
  });
  assert.deepEqual(found.map(({ code }) => code).sort(), ["env/unset-variable", "file/bind-dir-missing"]);
  assert.match(found.find(({ code }) => code.startsWith("file/"))!.message, /Compose creates the folder/);
});

Deno.test("a name alone in `environment` takes the value of the project's variable", async () => {
  const { units } = await read(
    compose(web("environment: [A, B, COMPOSE_PROJECT_NAME]"), { ".env": "A=1\n" }),
  );
  const values = Object.fromEntries(
    [...units[0]!.service!.environment].map(([name, { value }]) => [name, value]),
  );
  assert.deepEqual(values, { A: "1", B: null, COMPOSE_PROJECT_NAME: "shop" });
});

Deno.test("env_file and label_file are in the environment and the labels, and what the service says wins", async () => {
  const { units } = await read(compose(
    web(
      "env_file: [a.env, { path: b.env, format: raw }]\nlabel_file: l.env\nenvironment: [OWN=own]\nlabels: [x=1]",
    ),
    {
      ".env": "P=project\n",
      "a.env": "A=${P}/${OWN}\nOWN=file\nB=a\n",
      "b.env": "B='${P}'\n",
      "l.env": "x=2\ny=3\n",
    },
  ));
  const service = units[0]!.service!;
  const values = (map: typeof service.labels) =>
    Object.fromEntries([...map].map(([name, { value, at }]) => [name, `${value} of ${at.file.path}`]));
  assert.deepEqual(values(service.environment), {
    A: "project/own of a.env",
    OWN: "own of compose.yaml",
    B: "'${P}' of b.env",
  });
  assert.deepEqual(values(service.labels), { x: "1 of compose.yaml", y: "3 of l.env" });
});

Deno.test("a variable of an env_file that Compose refuses is not known, and one with a default is", async () => {
  const { units } = await read(compose(
    web("env_file: a.env"),
    { "a.env": "OPEN=${A\nNEEDED=${A:?say it}\nEMPTY=${A}\nFILLED=${A:-b}\nQUOTED='${A'\n" },
  ));
  const unknown = [...units[0]!.service!.environment].map(([name, one]) => [name, one.unknown]);
  assert.deepEqual(Object.fromEntries(unknown), {
    OPEN: true,
    NEEDED: true,
    EMPTY: false,
    FILLED: false,
    QUOTED: false,
  });
});

Deno.test("what stands empty where Compose wants something is said, unless another file fills it in", async () => {
  assert.deepEqual(brief((await read(compose(web("hostname:")))).found, "schema/"), [
    'error: "services.web.hostname" is empty, expected text',
  ]);
  const filled = await read(
    compose(web("hostname: a"), { "compose.override.yaml": "services: { web: { hostname: } }\n" }),
  );
  assert.deepEqual(errors(filled.found), []);
});

Deno.test("a link beside a dependency that may be absent makes it no less optional", async () => {
  const { found } = await read(compose(web(
    "depends_on: { db: { condition: service_started, required: false } }\nlinks: [db]",
    "  db: { image: 'db:1', profiles: [x] }\n",
  )));
  assert.deepEqual(errors(found), []);
});

Deno.test("what a base overrides in its own file, it does not override where it is extended", async () => {
  const { units } = await read({
    "compose.yaml": web("volumes: [/own]"),
    "compose.override.yaml": "services: { web: { extends: { file: base.yaml, service: base } } }\n",
    "base.yaml": "services: { base: { image: 'b:1', volumes: !override [/base] } }\n",
  });
  assert.deepEqual(units[0]?.service?.mounts.map(({ target }) => target), ["/own", "/base"]);
});

Deno.test("what a service resets or overrides beside `extends`, it does so in the files before", async () => {
  const { units } = await read({
    "compose.yaml": web("ports: ['80:80']\nvolumes: [/own]"),
    "compose.override.yaml":
      "services: { web: { extends: { file: base.yaml, service: base }, ports: !reset [], volumes: !override [/a] } }\n",
    "base.yaml": "services: { base: { image: 'b:1', ports: ['90:90'], volumes: [/base] } }\n",
  });
  const service = units[0]!.service!;
  assert.deepEqual([service.ports.length, service.mounts.map(({ target }) => target)], [0, ["/a"]]);
});

Deno.test("a number where Compose wants a word is said with what to write", async () => {
  assert.deepEqual(brief((await read(compose(web("user: 1000")))).found, "schema/"), [
    'error: "services.web.user" is a number, expected text: write it as "1000", with the quotes',
  ]);
});

Deno.test("numbers become texts as Compose writes them", async () => {
  const { units } = await read(
    compose(web("environment: { A: 3.10, B: 010, C: 1_000, D: 0x1F, E: 1e6, F: True, G: .5 }")),
  );
  const values = [...units[0]!.service!.environment.values()].map(({ value }) => value);
  assert.deepEqual(values, ["3.1", "8", "1000", "31", "1e+06", "true", "0.5"]);
});
