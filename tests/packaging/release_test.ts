/** Promises of a release: what is in it, that its parts agree, and that its workflows run what is tried here. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { checkVersions, release } from "../../tools/release.ts";
import { lockedPackages, programFiles } from "../../tools/program.ts";
import { manPage } from "../../docs/man_page.ts";
import { IMAGE } from "../../tools/names.ts";
import { VERSION } from "../../version.ts";

const ROOT = new URL("../../", import.meta.url);
const text = (path: string) => Deno.readTextFile(new URL(path, ROOT));
const BINARY = `berth-${Deno.build.target}`;
const DEBIAN = Deno.build.os === "linux"
  ? `berth_${VERSION}_${Deno.build.arch === "x86_64" ? "amd64" : "arm64"}.deb`
  : null;

/** It compiles the program: half a minute of processor time. */
const dryRun = { ignore: Deno.env.get("BERTH_PROOF") !== "1" };
const whole =
  "a dry run of a release makes the binary, the client, the parts list, the manual and their sums";
Deno.test(whole, dryRun, async (context) => {
  const out = await Deno.makeTempDir({ prefix: "berth-release-" });
  try {
    await release({ tag: null, out, base: Deno.execPath(), tell: () => {} });
    const sums = await new Deno.Command("sha256sum", { args: ["-c", "--strict", "SHA256SUMS"], cwd: out })
      .output();
    assert.ok(sums.success);
    const names = [...Deno.readDirSync(out)].map(({ name }) => name).sort();
    assert.deepEqual(
      names,
      [
        "SHA256SUMS",
        `berth-${VERSION}.spdx.json`,
        BINARY,
        `berth-client-${VERSION}.tgz`,
        `berth-${VERSION}-packaging.tar.gz`,
        ...(DEBIAN === null ? [] : [DEBIAN]),
        "berth.1",
        "berth.container",
        "berth.service",
      ].sort(),
    );

    await context.step("the binary holds what is loaded late, and no test", async () => {
      const bytes = await Deno.readFile(`${out}/${BINARY}`);
      const holds = (words: string) => indexOf(bytes, new TextEncoder().encode(words)) >= 0;
      for (
        const file of [
          "app/app.ts",
          "app/routes.ts",
          "plugins/plugins.ts",
          "commands/doctor.ts",
          "artifacts/yaml/parse_worker.ts",
        ]
      ) {
        assert.ok(holds(`\n// ${file}\n`), file);
      }
      assert.ok(!holds("release_test.ts"), "this file is not in it");
    });

    await context.step("the parts list names every locked package with its digest", async () => {
      const { packages } = JSON.parse(await Deno.readTextFile(`${out}/berth-${VERSION}.spdx.json`));
      for (const { name, version, integrity } of await lockedPackages()) {
        const found = packages.find((one: { name: string }) => one.name === name);
        assert.equal(found?.versionInfo, version);
        const [{ algorithm, checksumValue }] = found.checksums;
        const base64 = btoa(String.fromCharCode(...Uint8Array.fromHex(checksumValue)));
        assert.equal(`${algorithm.toLowerCase()}-${base64}`, integrity);
        assert.notEqual(found.licenseDeclared, "NOASSERTION", name);
      }
    });
  } finally {
    await Deno.remove(out, { recursive: true });
  }
});

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  for (let at = bytes.indexOf(wanted[0]!); at >= 0; at = bytes.indexOf(wanted[0]!, at + 1)) {
    if (wanted.every((byte, offset) => bytes[at + offset] === byte)) return at;
  }
  return -1;
}

Deno.test("a release is refused when its tag is not the version, or the changelog does not tell of it", async () => {
  await checkVersions(null);
  await assert.rejects(checkVersions("v9.9.9"), /The tag is v9\.9\.9 and the version is/);
  const heading = /^## (.*)$/m.exec(await text("CHANGELOG.md"))?.[1];
  if (heading !== VERSION) await assert.rejects(checkVersions(`v${VERSION}`), /The changelog begins with/);
});

Deno.test("packaging/berth.1 is what `deno task docs` writes, and mandoc takes it", async () => {
  assert.equal(await text("packaging/berth.1"), manPage(), "run `deno task docs`");
  const mandoc = new Deno.Command("mandoc", {
    args: ["-Tlint", "-W", "warning", "packaging/berth.1"],
    cwd: ROOT,
  });
  const said = await mandoc.output().catch(() => null);
  if (said === null) console.error("NOT RUN: the check of berth.1, because mandoc is not installed");
  else assert.equal(new TextDecoder().decode(said.stdout), "");
});

Deno.test("every action is pinned by its commit, every job has a time limit and names its permissions", async () => {
  let actions = 0;
  for await (const { name } of Deno.readDir(new URL(".github/workflows", ROOT))) {
    const workflow = parse(await text(`.github/workflows/${name}`));
    assert.deepEqual(workflow.permissions, {}, name);
    // deno-lint-ignore no-explicit-any -- what a workflow holds
    for (const [job, { permissions, steps, ...rest }] of Object.entries<any>(workflow.jobs)) {
      const most = name === "nightly.yml" || job === "proof" ? 240 : 60;
      assert.ok(permissions !== undefined && rest["timeout-minutes"] <= most, `${name}: ${job}`);
      for (const { uses } of steps) {
        if (uses === undefined) continue;
        actions++;
        assert.match(uses, /^actions\/[\w-]+@[0-9a-f]{40}$/, `${name}: ${job}`);
      }
    }
  }
  assert.ok(actions > 5);
});

Deno.test("the commands in the unit's head make the user and the group that it runs with", async () => {
  const unit = await text("packaging/berth.service");
  const [head, body] = [unit.slice(0, unit.indexOf("[Unit]")), unit.slice(unit.indexOf("[Unit]"))];
  const user = /^User=(\S+)$/m.exec(body)![1]!;
  const group = /^SupplementaryGroups=(\S+)$/m.exec(body)![1]!;

  assert.match(head, new RegExp(`^# {3}getent group ${group} \\|\\| groupadd --system ${group}\\b`, "m"));
  assert.match(head, new RegExp(`^# {3}useradd --system .* ${user}$`, "m"));
});

Deno.test("every Compose file of packaging/ runs berth as the user and with the data that its head names", async () => {
  for (const name of ["berth", "berth-caddy", "berth-postgres"]) {
    const file = await text(`packaging/${name}/compose.yaml`);
    const { services } = parse(file, { merge: true });
    const replicas = Object.values<{ image: string; user?: string; volumes: string[] }>(services)
      .filter(({ image }) => image.includes("berth"));
    assert.equal(replicas.length, name === "berth-postgres" ? 2 : 1);
    for (const { user, volumes } of replicas) {
      assert.equal(user, "${BERTH_USER:-65532:65532}", name);
      const variable = /^\$\{(BERTH_DATA_VOLUME\w*):-/.exec(volumes.find((one) => one.endsWith(":/data"))!)
        ?.[1];
      assert.ok(variable !== undefined && /^#.*BERTH_USER/m.test(file), name);
      assert.match(file, new RegExp(`^#.*\\b${variable}\\b`, "m"), name);
    }
  }
});

Deno.test("every file that names the image names the one that is published, with this version", async () => {
  const named = new Map<string, string>();
  for (
    const path of [
      ...["berth", "berth-caddy", "berth-postgres"].map((name) => `packaging/${name}/compose.yaml`),
      ...["packaging/podman/berth.container", "Dockerfile", "docs/operations.md", "README.md"],
    ]
  ) {
    for (const [name] of (await text(path)).matchAll(/(?:ghcr\.io|docker\.io)\/[\w./-]+(?::[\w.-]+)?/g)) {
      const [image, tag] = name.split(":");
      assert.equal(image, IMAGE, path);
      if (tag !== undefined) assert.ok([VERSION, `${VERSION}-ssh`].includes(tag), `${path}: ${name}`);
      named.set(path, name);
    }
  }
  assert.ok(named.size >= 5, [...named.keys()].join(" "));
  const workflow = await text(".github/workflows/release.yml");
  assert.ok(workflow.includes("tools/release.ts --names"), "the workflow asks for the name");
});

Deno.test("every script that a workflow runs is there, with the options that it is given", async () => {
  const release = await text(".github/workflows/release.yml");
  for (const [, path, option] of release.matchAll(/(tools\/\w+\.ts)(?: (--\w+))?/g)) {
    assert.ok((await text(path!)).includes(option ?? ""), `${path} ${option}`);
  }
});

Deno.test("what leaves this repository is built with a runtime whose bytes are pinned", async () => {
  const { deno } = JSON.parse(await text(".ci/versions.json"));
  const { packages } = JSON.parse(await text(".ci/toolchain/package-lock.json"));
  const { "": root, ...locked } = packages;
  assert.deepEqual(root.dependencies, { deno });
  assert.ok(Object.keys(locked).length > 5);
  for (const [name, { integrity, version }] of Object.entries<Record<string, string>>(locked)) {
    assert.match(integrity ?? "", /^sha512-/, name);
    if (/deno/.test(name)) assert.equal(version, deno, name);
  }
  for (const path of [".github/workflows/release.yml", ".github/workflows/publish.yml", "Dockerfile"]) {
    const file = await text(path);
    assert.match(file, /npm ci --prefix \.ci\/toolchain --ignore-scripts/, path);
    assert.doesNotMatch(file, /deno@|setup-deno/, path);
  }
});

Deno.test("the files of a release are the program's, without tests and tools (R6)", async () => {
  const files = await programFiles();

  for (
    const file of [
      ...["main.ts", "commands/doctor.ts", "routes/docs/page.html", "client/mod.ts", "deno.lock"],
      ...["page/built/index.html", "page/built/main.js"],
    ]
  ) {
    assert.ok(files.includes(file), file);
  }
  assert.deepEqual(
    files.filter((file) => /_test\.ts$|^(?:tests|tools|bench|docs|dist|page\/(?!built\/))\//.test(file)),
    [],
  );
});
