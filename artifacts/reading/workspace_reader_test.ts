/** A folder becomes a model: which files count, what they are called, and what a change touches. */

import assert from "node:assert/strict";
import { plant, type PlantedFolder } from "../../tests/support/planted_folder.ts";
import { eventually } from "../../tests/support/eventually.ts";
import type { Finding, Group, Model } from "../artifact.ts";
import type { Budgets } from "../files/budgets.ts";
import { WorkspaceReader } from "./workspace_reader.ts";

async function read(folder: PlantedFolder, budgets: Partial<Budgets> = {}): Promise<Model> {
  return await new WorkspaceReader(folder.path, budgets).read();
}

function findingsOf(model: Model): readonly Finding[] {
  return [
    ...model.findings,
    ...model.files.flatMap((file) => file.findings),
    ...model.groups.flatMap((group) => group.findings),
  ];
}

function codesOf(model: Model): string[] {
  return findingsOf(model).map((finding) => finding.code).sort();
}

function group(model: Model, name: string): Group {
  const found = model.groups.find((one) => one.name === name);
  assert.ok(found, `no group ${name} among ${model.groups.map((one) => one.name).join(", ")}`);
  return found;
}

function namesOf(model: Model): string[] {
  return model.groups.map((one) => `${one.name} ${one.standing}`).sort();
}

const WEB = "services:\n  web:\n    image: nginx:1\n";

Deno.test("a plain folder with a Compose file needs nothing else", async () => {
  await using folder = await plant({
    "shop/compose.yaml": WEB,
    "shop/README.md": "# The shop\n\nSells *things*.\n\nMore.\n",
  });
  const model = await read(folder);
  assert.deepEqual(namesOf(model), ["shop main"]);
  assert.deepEqual(model.units.map((unit) => unit.id), ["unit:shop.web"]);
  const [card] = model.cards;
  assert.deepEqual([card!.id, card!.title, card!.description], [
    "card:group:shop",
    "The shop",
    "Sells things.",
  ]);
  assert.equal(card!.subject!.target, "group:shop");
  assert.deepEqual(codesOf(model), []);
  assert.match(model.revision, /^sha256:[0-9a-f]{64}$/);
});

Deno.test("the first of the four names is the project's, its override joins, other files are variants", async () => {
  await using folder = await plant({
    "shop/compose.yaml": WEB,
    "shop/docker-compose.yml": WEB,
    "shop/compose.override.yml": "services:\n  web:\n    command: [serve]\n",
    "shop/compose.prod.yaml": WEB,
    "lone/compose-test.yaml": WEB,
  });
  const model = await read(folder);
  assert.deepEqual(namesOf(model), ["lone-test main", "shop main", "shop-prod variant"]);
  const shop = group(model, "shop");
  assert.deepEqual(shop.files.map((file) => file.path), ["shop/compose.yaml", "shop/compose.override.yml"]);
  assert.ok(shop.units[0]!.value.kind === "mapping" && shop.units[0]!.value.entries.has("command"));
  assert.deepEqual(codesOf(model), ["compose/multiple-defaults"]);
  assert.equal(model.units.length, 2);
});

Deno.test(".env names the project, its files and its profiles", async () => {
  await using folder = await plant({
    "a/.env":
      "COMPOSE_FILE=base.yaml:more/extra.yaml\nCOMPOSE_PROJECT_NAME=My.Shop\nCOMPOSE_PROFILES=debug, x\nTAG=3\n",
    "a/base.yaml":
      "services:\n  web:\n    image: nginx:${TAG}\n  tool:\n    image: busybox:1\n    profiles: [debug]\n",
    "a/more/extra.yaml": "services:\n  db:\n    image: postgres:16\n    profiles: [other]\n",
  });
  const model = await read(folder);
  const shop = group(model, "myshop");
  assert.deepEqual(shop.profiles, ["debug", "x"]);
  assert.deepEqual(
    shop.units.map((unit) => [unit.label, unit.service!.image, unit.service!.active]),
    [["web", "nginx:3", true], ["tool", "busybox:1", true], ["db", "postgres:16", false]],
  );
});

Deno.test("what lies beside the files that COMPOSE_FILE names is a variant, as it is beside a canonical file", async () => {
  await using folder = await plant({
    "shop/.env": "COMPOSE_FILE=docker-compose.yml\n",
    "shop/docker-compose.yml": WEB,
    "shop/docker-compose.prod.yml": "services:\n  web:\n    command: [serve]\n",
    "dev/.env": "COMPOSE_FILE=compose.base.yaml:compose.dev.yaml\n",
    "dev/compose.base.yaml": WEB,
    "dev/compose.dev.yaml": WEB,
    "dev/compose.live.yaml": "services:\n  web:\n    command: [serve]\n",
  });

  const model = await read(folder);

  assert.deepEqual(namesOf(model), ["dev main", "dev-live variant", "shop main", "shop-prod variant"]);
  assert.deepEqual(model.units.map(({ name }) => name).sort(), ["dev.web", "shop.web"]);
});

Deno.test("berth's own environment never gets into a file", async () => {
  await using folder = await plant({ "a/compose.yaml": "services:\n  web:\n    image: x:${PATH}\n" });
  const model = await read(folder);
  assert.deepEqual(codesOf(model), ["env/unset-variable"]);
  assert.equal(group(model, "a").units[0]!.service!.image, null);
});

Deno.test("an unset variable is found once a group, with its other places", async () => {
  await using folder = await plant({
    "a/compose.yaml":
      "services:\n  a:\n    image: x:${TAG}\n  b:\n    image: y:$TAG\n    command: ${NEED:?say it}\n",
  });
  const model = await read(folder);
  assert.deepEqual(codesOf(model), ["env/required-variable-missing", "env/unset-variable"]);
  const unset = findingsOf(model).find((finding) => finding.code === "env/unset-variable")!;
  const text = group(model, "a").files[0]!.text;
  assert.equal(text.slice(unset.at!.start, unset.at!.end), "${TAG}");
  assert.equal(text.slice(unset.related![0]!.at.start, unset.related![0]!.at.end), "$TAG");
});

Deno.test("include brings services along, and the included folder stays listed", async () => {
  await using folder = await plant({
    "app/compose.yaml":
      "include:\n  - ../lib/compose.yaml\nservices:\n  web:\n    image: x:1\n    depends_on: [db]\n",
    "lib/compose.yaml": "services:\n  db:\n    image: postgres:${VERSION}\n    volumes: [./data:/data]\n",
    "lib/.env": "VERSION=16\n",
    "lib/data/": "",
  });
  const model = await read(folder);
  assert.deepEqual(namesOf(model), ["app main", "lib included"]);
  assert.deepEqual(group(model, "lib").includedBy, ["group:app"]);
  const app = group(model, "app");
  assert.deepEqual(app.units.map((unit) => unit.id).sort(), ["unit:app.db", "unit:app.web"]);
  assert.deepEqual(model.units.length, 2);
  const db = app.units.find((unit) => unit.label === "db")!;
  assert.equal(db.service!.image, "postgres:16");
  assert.deepEqual(db.paths.map((use) => [use.path, use.found]), [["lib/data", "folder"]]);
  assert.deepEqual(app.references.map((reference) => [reference.kind, reference.target]), [[
    "include",
    "group:lib",
  ]]);
  assert.deepEqual(codesOf(model), []);
});

Deno.test("a variant that includes its canonical file leaves that drawn", async () => {
  await using folder = await plant({
    "a/compose.yaml": WEB,
    "a/compose.prod.yaml": "include: [compose.yaml]\nservices:\n  more: {image: x:1}\n",
  });
  const model = await read(folder);
  assert.deepEqual(namesOf(model), ["a main", "a-prod variant"]);
  assert.deepEqual(model.units.map((unit) => unit.id), ["unit:a.web"]);
});

Deno.test("of two services with one name the includer's own stays, and a finding says so", async () => {
  await using folder = await plant({
    "compose.yaml": "name: top\ninclude: [a.yaml]\nservices:\n  web:\n    image: own:1\n",
    "a.yaml": "services:\n  web:\n    image: other:1\n    command: [x]\n",
  });
  const model = await read(folder);
  assert.equal(group(model, "top").units[0]!.service!.image, "own:1");
  assert.deepEqual(codesOf(model), ["compose/include-conflict"]);
});

Deno.test("what is included keeps its definition where the including file only names it", async () => {
  await using folder = await plant({
    "compose.yaml":
      "include: [a.yaml]\nservices: {web: {image: a}}\nnetworks: {proxy: }\nvolumes: {data: }\n",
    "a.yaml": "networks: {proxy: {external: true, name: traefik}}\nvolumes: {data: {external: true}}\n",
  });
  const { groups: [found] } = await read(folder);
  const resources = found!.resources.filter(({ implicit }) => !implicit);
  assert.deepEqual(resources.map(({ name, external }) => [name, external]).sort(), [["data", true], [
    "traefik",
    true,
  ]]);
});

Deno.test("extends takes over from the same and from other files, with the paths of that file", async () => {
  await using folder = await plant({
    "app/compose.yaml": [
      "services:",
      "  base:",
      "    image: base:1",
      "    environment: {A: 1, B: 1}",
      "  web:",
      "    extends: base",
      "    environment: [B=2]",
      "  far:",
      "    extends: {file: ../common/base.yaml, service: thing}",
      "    command: [go]",
    ].join("\n"),
    "common/base.yaml":
      "services:\n  thing:\n    image: far:1\n    env_file: thing.env\n  other: {image: x}\n",
    "common/thing.env": "A=1\n",
  });
  const model = await read(folder);
  const [, web, far] = group(model, "app").units;
  assert.equal(web!.service!.image, "base:1");
  assert.deepEqual([...web!.service!.environment].map(([key, { value }]) => `${key}=${value}`), [
    "A=1",
    "B=2",
  ]);
  assert.deepEqual(web!.references.filter((one) => one.kind === "extends").map((one) => one.target), [
    "unit:app.base",
  ]);
  assert.equal(far!.service!.image, "far:1");
  assert.deepEqual(far!.paths.map((use) => [use.kind, use.path, use.found]), [[
    "env_file",
    "common/thing.env",
    "file",
  ]]);
  assert.deepEqual(codesOf(model), []);
});

Deno.test("circles of extends and include end, and are named", async () => {
  await using folder = await plant({
    "e/compose.yaml": "services:\n  a: {extends: b}\n  b: {extends: a}\n  c: {extends: c}\n",
    "i/compose.yaml": "include: [../j/compose.yaml]\n",
    "j/compose.yaml": "include: [../i/compose.yaml]\nservices:\n  web: {image: x:1}\n",
  });
  const model = await read(folder);
  const codes = codesOf(model);
  assert.ok(codes.includes("graph/extends-cycle") && codes.includes("graph/include-cycle"), codes.join());
});

Deno.test("lattices and ladders of includes and extends are walked once (F79)", async () => {
  const files: Record<string, string> = {};
  for (let i = 0; i < 60; i++) {
    const next = [1, 2, 3].map((step) => `../p${Math.min(59, i + step)}/compose.yaml`);
    files[`p${i}/compose.yaml`] = `include: [${
      i < 59 ? next.join(", ") : ""
    }]\nservices:\n  s${i}: {image: "x:1"}\n`;
  }
  const ladder = Array.from({ length: 90 }, (_, i) => `  s${i}: {extends: s${i + 1}}`);
  files["e/compose.yaml"] = `services:\n${ladder.join("\n")}\n  s90: {image: "y:1"}\n`;
  await using folder = await plant(files);
  const model = await read(folder);
  assert.equal(group(model, "e").units[0]!.service!.image, "y:1");
  assert.ok(model.groups.every((one) => one.units.length > 0));
});

Deno.test("variables cannot make a project grow without end", async () => {
  const doubling = Array.from({ length: 40 }, (_, i) => `V${i + 1}=\${V${i}}\${V${i}}`);
  const services = Array.from({ length: 200 }, (_, i) => `  s${i}: {image: "\${V40}\${V39}\${V38}"}`);
  await using folder = await plant({
    "a/.env": `V0=xxxxxxxx\n${doubling.join("\n")}\n`,
    "a/compose.yaml": `services:\n${services.join("\n")}\n`,
  });
  const model = await read(folder);
  const images = group(model, "a").units.map((unit) => unit.service!.image?.length ?? 0);
  assert.ok(images.reduce((sum, length) => sum + length, 0) < 8 * 1024 * 1024);
  assert.deepEqual(codesOf(model), ["fs/limit-reached"]);
});

Deno.test("a file that include, extends or .env names is never read outside the folder (F54, R43)", async () => {
  await using outside = await plant({ "secret.yaml": "services:\n  secret:\n    image: secret:1\n" });
  await using folder = await plant({
    "a/compose.yaml": [
      "include:",
      `  - ${outside.path}/secret.yaml`,
      "  - ../../x.yaml",
      "  - https://example.org/compose.yaml",
      "  - link.yaml",
      "services:",
      "  web:",
      "    image: x:1",
      `    extends: {file: ${outside.path}/secret.yaml, service: secret}`,
    ].join("\n"),
    "b/.env": "COMPOSE_FILE=/etc/passwd\n",
  });
  await Deno.symlink(`${outside.path}/secret.yaml`, `${folder.path}/a/link.yaml`);
  const model = await read(folder);
  assert.deepEqual(codesOf(model).filter((code) => code !== "fs/unreadable"), [
    "fs/path-escape",
    "fs/path-escape",
    "fs/path-escape",
    "fs/path-escape",
    "fs/symlink-escape",
    "fs/symlink-escape",
    "ref/remote-not-loaded",
  ]);
  assert.equal(group(model, "a").incomplete, true);
  assert.deepEqual(model.units.map((unit) => unit.id), ["unit:a.web"]);
  assert.ok(!JSON.stringify(model.files.map((file) => file.text)).includes("image: secret"));
});

Deno.test("what cannot be read is a finding each, and hides nothing else", async () => {
  await using folder = await plant({
    "good/compose.yaml": WEB,
    "broken/compose.yaml": "services:\n  web: [\n",
    "big/compose.yaml": `# ${"x".repeat(1024 * 1024)}\n`,
    "latin/compose.yaml": new Uint8Array([0x61, 0x3a, 0xe9]),
    "pipe/other.txt": "",
    "helm/templates/deploy.yaml": "apiVersion: v1\nkind: {{ .Kind }}\n  x: [\n",
  });
  assert.ok(
    (await new Deno.Command("mkfifo", { args: [`${folder.path}/pipe/compose.yaml`] }).output()).success,
  );
  const model = await read(folder);
  assert.deepEqual(codesOf(model).filter((code) => code !== "yaml/syntax"), [
    "fs/not-utf8",
    "fs/too-large",
    "fs/unreadable",
  ]);
  assert.ok(codesOf(model).includes("yaml/syntax"));
  assert.equal(group(model, "good").incomplete, false);
  assert.equal(group(model, "broken").incomplete, true);
  for (const finding of findingsOf(model)) assert.ok(!finding.message.includes(folder.path), finding.message);
});

Deno.test("folders of tools, ignored ones and linked ones are not walked", async () => {
  await using folder = await plant({
    "shop/compose.yaml": WEB,
    "node_modules/x/compose.yaml": WEB,
    ".git/compose.yaml": WEB,
    "old/compose.yaml": WEB,
    "older/compose.yaml": WEB,
    ".berthignore": "old/\n",
    "berth.yaml": "ignore: [older]\n",
  });
  await Deno.symlink(`${folder.path}/shop`, `${folder.path}/again`);
  assert.deepEqual(namesOf(await read(folder)), ["shop main"]);
});

for (
  const [what, budgets] of Object.entries({
    depth: { depth: 2 },
    entries: { entries: 1 },
    files: { files: 2 },
  })
) {
  Deno.test(`reaching the limit of ${what} is told, and ends the walk`, async () => {
    await using folder = await plant({
      "a/compose.yaml": WEB,
      "b/compose.yaml": WEB,
      "c/d/e/f/compose.yaml": WEB,
    });
    const model = await read(folder, budgets);
    assert.equal(model.complete, false);
    assert.deepEqual(codesOf(model), ["fs/limit-reached"]);
  });
}

Deno.test("two groups of one name are both kept", async () => {
  await using folder = await plant({
    "a/compose.yaml": `name: shop\n${WEB}`,
    "b/compose.yaml": `name: shop\n${WEB}`,
  });
  const model = await read(folder);
  assert.deepEqual(model.groups.map((one) => one.project), ["shop", "shop"]);
  assert.match(model.groups.map((one) => one.name).join(" "), /^shop shop~[0-9a-f]{8}$/);
  assert.equal(new Set(model.units.map((unit) => unit.id)).size, 2);
});

Deno.test("native documents add groups, units and cards", async () => {
  await using folder = await plant({
    "shop/compose.yaml": "services:\n  db: {image: postgres:16}\n",
    "shop/compose.prod.yaml": "services:\n  web: {image: nginx:1}\n",
    "shop/berth.group.yaml": [
      "apiVersion: berth/v1",
      "kind: Group",
      "metadata: {name: webshop, title: Web shop}",
      "spec: {compose: [compose.yaml, compose.prod.yaml], dependsOn: [group:platform]}",
      "---",
      "apiVersion: berth/v1",
      "kind: Unit",
      "metadata: {name: backup}",
      "spec: {group: webshop, type: cron, dependsOn: [db], runtime: {container: backup-1}}",
      "---",
      "apiVersion: berth/v1",
      "kind: Unit",
      "metadata: {name: web, title: Front}",
      "spec: {group: webshop, dependsOn: [backup]}",
      "---",
      "apiVersion: berth/v1",
      "kind: Card",
      "metadata: {name: shop-card, description: Sells, tags: [a], links: [{url: 'https://x.org', title: X}]}",
      "spec: {subject: group:webshop, owner: team-a, runbook: ./RUNBOOK.md}",
    ].join("\n"),
    "shop/RUNBOOK.md": "x",
    "shop/README.md": "# Not needed\n",
    "shop/catalog-info.yaml":
      "apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata: {name: DB}\nspec: {owner: b, lifecycle: production}\n",
  });
  const model = await read(folder);
  assert.deepEqual(namesOf(model), ["webshop main"]);
  const shop = group(model, "webshop");
  assert.deepEqual([shop.title, shop.project], ["Web shop", "shop"]);
  assert.deepEqual(shop.references.map((one) => [one.kind, one.written]), [["requires", "group:platform"]]);
  const units = Object.fromEntries(shop.units.map((unit) => [unit.label, unit]));
  assert.deepEqual([units.backup!.type, units.backup!.container, units.backup!.service], [
    "cron",
    "backup-1",
    null,
  ]);
  assert.deepEqual([units.web!.title, units.web!.service!.image], ["Front", "nginx:1"]);
  assert.deepEqual(
    model.cards.map((card) => [card.id, card.subject?.target, card.owner, card.runbook?.found ?? null]),
    [["card:DB", "unit:webshop.db", "b", null], ["card:shop-card", "group:webshop", "team-a", true]],
  );
  assert.deepEqual(codesOf(model), []);
});

for (
  const [code, document] of [
    ["schema/missing-name", "apiVersion: berth/v1\nkind: Card\nspec: {}\n"],
    ["schema/unknown-kind", "apiVersion: berth/v1\nkind: Pod\nmetadata: {name: x}\n"],
    ["schema/invalid-name", "apiVersion: berth/v1\nkind: Group\nmetadata: {name: My Shop}\n"],
    [
      "schema/unknown-property",
      "apiVersion: berth/v1\nkind: Group\nmetadata: {name: x}\nspec: {composed: []}\n",
    ],
    ["schema/invalid", "- apiVersion: berth/v1\n"],
    ["ref/unknown-group", "apiVersion: berth/v1\nkind: Unit\nmetadata: {name: x}\nspec: {group: nowhere}\n"],
    [
      "ref/include-missing",
      "apiVersion: berth/v1\nkind: Group\nmetadata: {name: x}\nspec: {compose: [no.yaml]}\n",
    ],
  ]
) {
  Deno.test(`${code} is found in native documents`, async () => {
    await using folder = await plant({ "x.card.yaml": document! });
    assert.deepEqual(codesOf(await read(folder)).filter((one) => one !== "workspace/empty"), [code]);
  });
}

Deno.test("x-card describes its group or its service", async () => {
  await using folder = await plant({
    "a/compose.yaml":
      "x-card: {title: All, owner: me}\nservices:\n  web:\n    image: x:1\n    x-card: {title: One}\n",
  });
  const model = await read(folder);
  assert.deepEqual(model.cards.map((card) => [card.id, card.title, card.subject!.target]), [
    ["card:group:a", "All", "group:a"],
    ["card:unit:a.web", "One", "unit:a.web"],
  ]);
});

Deno.test("an empty folder is said to be one", async () => {
  await using folder = await plant({ "notes.txt": "nothing" });
  assert.deepEqual(codesOf(await read(folder)), ["workspace/empty"]);
});

Deno.test("berth.yaml sets rules, paths, projects and stacks, and its mistakes are found", async () => {
  await using folder = await plant({
    "a/compose.yaml": WEB,
    "berth.yaml": [
      "rules: {image/latest: off, image/no-tag: error, x: loud}",
      "paths: [{from: /host, to: /ws}]",
      "projects: {shop: a}",
      "stacks: {shop-live: a/}",
      "colour: red",
    ].join("\n"),
  });
  const { settings, ...model } = await read(folder);
  assert.deepEqual([...settings.rules], [["image/latest", "off"], ["image/no-tag", "error"]]);
  assert.deepEqual(settings.paths, [{ from: "/host", to: "/ws" }]);
  assert.deepEqual([...settings.projects], [["shop", "a"]]);
  assert.deepEqual([...settings.stacks], [["shop-live", "a/"]]);
  assert.deepEqual(codesOf({ settings, ...model }), ["schema/invalid", "schema/unknown-property"]);
});

Deno.test("after a change only what it touches is read again", async () => {
  await using folder = await plant({
    "a/compose.yaml": WEB,
    "b/compose.yaml": "services:\n  web:\n    image: x:1\n    env_file: late.env\n",
    "c/compose.yaml": WEB,
  });
  const reader = new WorkspaceReader(folder.path);
  const before = await reader.read();
  assert.equal((await reader.update(new Set(["a/compose.yaml"]))).revision, before.revision);

  await folder.write("a/compose.yaml", WEB.replace("nginx:1", "nginx:2"));
  const after = await reader.update(new Set(["a/compose.yaml"]));
  assert.notEqual(after.revision, before.revision);
  assert.equal(group(after, "a").units[0]!.service!.image, "nginx:2");
  assert.equal(group(after, "c"), group(before, "c"));
  assert.equal(group(after, "b"), group(before, "b"));

  assert.equal(group(after, "b").units[0]!.paths[0]!.found, "missing");
  await folder.write("b/late.env", "A=1\n");
  const found = await reader.update(new Set(["b/late.env"]));
  assert.equal(group(found, "b").units[0]!.paths[0]!.found, "file");
  assert.notEqual(found.revision, after.revision);
  assert.equal(group(found, "c"), group(before, "c"));
});

Deno.test("files and folders that come and go are seen", async () => {
  await using folder = await plant({ "a/compose.yaml": WEB });
  const reader = new WorkspaceReader(folder.path);
  await reader.read();
  await folder.write("b/c/compose.yaml", WEB);
  assert.deepEqual(namesOf(await reader.update(new Set(["b"]))), ["a main", "c main"]);
  await folder.write("a/compose.override.yaml", "services:\n  more: {image: x:1}\n");
  assert.equal((await reader.update(new Set(["a/compose.override.yaml"]))).units.length, 3);
  await folder.remove("a/compose.override.yaml");
  assert.equal((await reader.update(new Set(["a/compose.override.yaml"]))).units.length, 2);
  await folder.remove("b");
  assert.deepEqual(namesOf(await reader.update(new Set(["b"]))), ["a main"]);
});

Deno.test("a file that stops parsing keeps its last good model until it parses again", async () => {
  await using folder = await plant({ "a/compose.yaml": WEB });
  const reader = new WorkspaceReader(folder.path);
  await reader.read();
  await folder.write("a/compose.yaml", "services:\n  web: {image: [\n");
  const broken = await reader.update(new Set(["a/compose.yaml"]));
  assert.deepEqual(broken.units.map((unit) => unit.service!.image), ["nginx:1"]);
  assert.deepEqual(broken.files.map((file) => file.stale), [true]);
  assert.ok(codesOf(broken).includes("yaml/syntax"));
  assert.equal(group(broken, "a").incomplete, true);
  await folder.write("a/compose.yaml", WEB);
  const mended = await reader.update(new Set(["a/compose.yaml"]));
  assert.deepEqual(mended.files.map((file) => file.stale), [false]);
  assert.deepEqual(codesOf(mended), []);
});

Deno.test("unsaved texts are laid over the folder, and leave no trace", async () => {
  await using folder = await plant({ "a/compose.yaml": WEB, "b/compose.yaml": WEB });
  const reader = new WorkspaceReader(folder.path);
  const before = await reader.read();
  const laid = await reader.overlaid(
    new Map([
      ["a/compose.yaml", "services:\n  web: {image: edited:1}\n  more: {image: y:1}\n"],
      ["new/compose.yaml", WEB],
      ["b/extra.env", "A=1\n"],
    ]),
  );
  assert.deepEqual(namesOf(laid), ["a main", "b main", "new main"]);
  assert.equal(group(laid, "a").units[0]!.service!.image, "edited:1");
  assert.equal(group(laid, "b"), group(before, "b"));
  const after = await reader.update(new Set());
  assert.equal(after.revision, before.revision);
  assert.deepEqual(namesOf(after), ["a main", "b main"]);
  assert.equal(group(after, "a"), group(before, "a"));
});

Deno.test("unsaved texts reach nothing outside the folder either (F54)", async () => {
  await using outside = await plant({ "secret.yaml": "services: {secret: {image: x:1}}\n" });
  await using folder = await plant({ "a/compose.yaml": WEB });
  const reader = new WorkspaceReader(folder.path);
  await reader.read();
  const laid = await reader.overlaid(
    new Map([["a/compose.yaml", `include: ["${outside.path}/secret.yaml", ../../../etc/passwd]\n`]]),
  );
  assert.deepEqual(codesOf(laid), ["fs/path-escape", "fs/path-escape"]);
  assert.deepEqual(laid.units, []);
});

Deno.test("outdated tells what changed by looking", async () => {
  await using folder = await plant({ "a/compose.yaml": WEB });
  const reader = new WorkspaceReader(folder.path);
  // A file that was just written is read once more: a second write in the same tick leaves the same time.
  await eventually("the file is old enough to be compared by its time", async () => {
    await reader.read();
    return (await reader.outdated())?.size === 0;
  });
  await folder.write("a/compose.yaml", `${WEB}# more\n`);
  assert.deepEqual(await reader.outdated(), new Set(["a/compose.yaml"]));
  await folder.write("b/compose.yaml", WEB);
  assert.equal(await reader.outdated(), null);
});

Deno.test({
  name: "a name that is not UTF-8 is told, and all others are read (F51)",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using folder = await plant({ "shop/compose.yaml": WEB, "shop/caf\ufffd.yaml": "a: 1\n" });
    const made = await new Deno.Command("sh", {
      args: [
        "-c",
        `folder=$(printf 'caf\\351') && mkdir "$folder" && touch "$folder/compose.yaml" "$(printf 'bar\\351.yaml')"`,
      ],
      cwd: folder.path,
    }).output();
    assert.ok(made.success);

    const model = await read(folder);

    assert.deepEqual(namesOf(model), ["shop main"]);
    assert.deepEqual(model.findings.map(({ code, severity, message }) => [code, severity, message]), [
      ["fs/unreadable", "warning", 'Cannot read "bar\ufffd.yaml": its name is not UTF-8; rename it'],
      ["fs/unreadable", "info", 'Cannot read "caf\ufffd": its name is not UTF-8; rename it'],
    ]);
  },
});

Deno.test("a refreshed reading ignores what is ignored now", async () => {
  await using folder = await plant({ "a/compose.yaml": WEB, "old/compose.yaml": WEB, ".berthignore": "x\n" });
  const reader = new WorkspaceReader(folder.path);
  assert.deepEqual(namesOf(await reader.read()), ["a main", "old main"]);
  await folder.write(".berthignore", "old\n");
  assert.deepEqual(namesOf(await reader.refresh()), ["a main"]);
  await folder.write(".berthignore", "x\n");
  await folder.write("berth.yaml", "ignore: [a/]\n");
  assert.deepEqual(namesOf(await reader.refresh()), ["old main"]);
  await folder.write("berth.yaml", "ignore: [b/]\n");
  assert.deepEqual(namesOf(await reader.refresh()), ["a main", "old main"]);
});

/** One of the ways in which people and programs change a folder of five projects. */
async function changeAtRandom(root: string, n: number, random: (below: number) => number): Promise<void> {
  const folder = `${root}/p${random(5)}`;
  const file = `${folder}/${
    ["compose.yaml", ".env", "compose.prod.yaml", "web.unit.yaml", "README.md"][random(5)]
  }`;
  const ways: (() => Promise<unknown>)[] = [
    () => Deno.writeTextFile(file, file.endsWith(".env") ? `TAG=${n}\n` : `${WEB}# ${n}\n`),
    () => Deno.remove(file),
    () => Deno.rename(file, `${root}/p${random(5)}/compose.yaml`),
    () => Deno.mkdir(`${folder}/below`).then(() => Deno.writeTextFile(`${folder}/below/compose.yaml`, WEB)),
    () => Deno.remove(`${folder}/below`, { recursive: true }),
    () => Deno.symlink(`${root}/p0/compose.yaml`, file),
    () => Deno.rename(folder, `${folder}-away`).then(() => Deno.rename(`${folder}-away`, folder)),
    // As a copy that keeps times leaves it.
    () => Deno.writeTextFile(file, WEB).then(() => Deno.utime(folder, 1, 1)),
  ];
  await ways[random(ways.length)]!().catch(() => {}); // some have nothing to work on
}

const imagesOf = ({ groups }: Model): string[] =>
  groups.filter(({ folder, standing }) => standing === "main" && /^p\d$/.test(folder))
    .map(({ folder, units }) => `${folder} ${units.find(({ label }) => label === "web")?.service?.image}`)
    .sort();

/** Returns the image of each project, as the shell's words say it: the variable of `.env`, or 1. */
async function imagesOnDisk(root: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(root)) {
    const text = await Deno.readTextFile(`${root}/${name}/compose.yaml`).catch(() => null);
    if (text === null) continue;
    const tag = /^TAG=(.*)$/m.exec(await Deno.readTextFile(`${root}/${name}/.env`).catch(() => ""))?.[1];
    found.push(`${name} nginx:${text.includes("${TAG:-1}") ? tag || "1" : "1"}`);
  }
  return found.sort();
}

Deno.test("a refreshed reading is what a new reader reads, whatever has changed since", async () => {
  const web = "services:\n  web:\n    image: nginx:${TAG:-1}\n";
  await using folder = await plant(
    Object.fromEntries([0, 1, 2, 3, 4].map((n) => [`p${n}/compose.yaml`, web])),
  );
  const reader = new WorkspaceReader(folder.path);
  await reader.read();
  let state = 7;
  const random = (below: number) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
  for (let n = 0; n < 60; n++) {
    // Only folders that have been calm for a while are not listed again.
    if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 2_100));
    await changeAtRandom(folder.path, n, random);
    const [refreshed, fresh] = [await reader.refresh(), await read(folder)];
    assert.equal(refreshed.revision, fresh.revision, `after change ${n}`);
    assert.deepEqual([namesOf(refreshed), codesOf(refreshed)], [namesOf(fresh), codesOf(fresh)]);
    assert.deepEqual(imagesOf(refreshed), await imagesOnDisk(folder.path), `after change ${n}`);
  }
});
