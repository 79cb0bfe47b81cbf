/**
 * The release workflow, run step by step as its file says, in a clone with an empty home and empty caches: the jobs of the
 * platform that this machine is. Three things stand in for what a test cannot have: the binary is made by a dry run, because
 * its base comes from a server that no test may ask; a registry in the engine's network takes the place of the real one;
 * and `gh` notes what it is told.
 */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { IMAGE } from "../../tools/names.ts";
import { VERSION } from "../../version.ts";
import { noRegistry } from "../support/npm_registry.ts";
import { startRegistry } from "../support/registry.ts";
import { quoted } from "../support/sandbox.ts";
import { proofEngine } from "../support/shared_engine.ts";

const { engine: shared, test } = await proofEngine("docker");
const ROOT = new URL("../../", import.meta.url).pathname;
const HOST = "127.0.0.1:5000";
const PUBLISHED = IMAGE.replace("ghcr.io", HOST);
const ARCH = Deno.build.arch === "x86_64" ? "amd64" : "arm64";
const MATRIX: Readonly<Record<string, string>> = {
  runner: ARCH === "amd64" ? "ubuntu-24.04" : "ubuntu-24.04-arm",
  arch: ARCH,
};

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}

/** A run of the workflow: its jobs' folders, what they handed on, and what the last one attested. */
class Run {
  readonly attested: string[] = [];
  readonly #outputs = new Map<string, string>();

  constructor(
    readonly folder: string,
    readonly shell: (line: string) => Promise<number>,
    readonly variables: Readonly<Record<string, string>>,
  ) {}

  /** Runs the steps of a job in a folder of its own; `shell` is the place for those that need the engine's network. */
  async job(name: string, steps: readonly Step[], isInside = false): Promise<void> {
    const place = `${this.folder}/${name}`;
    await Deno.mkdir(place, { recursive: true });
    for (const step of steps) {
      if (step.run !== undefined) await this.#run(place, step, isInside);
      else await this.#use(place, step);
    }
  }

  async #run(place: string, step: Step, isInside: boolean): Promise<void> {
    const said = `${place}.said`;
    const outputs = `${place}.outputs`;
    await Deno.writeTextFile(outputs, "");
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, this.#fill(String(value))]);
    const env = { ...this.variables, GITHUB_OUTPUT: outputs, ...Object.fromEntries(own) };
    await Deno.writeTextFile(`${place}.sh`, this.#fill(step.run!));
    const words = ["env", "-i", "-C", place, ...Object.entries(env).map(([key, value]) => `${key}=${value}`)];
    words.push("bash", "-eo", "pipefail", `${place}.sh`);
    const line = `timeout 300 ${words.map(quoted).join(" ")} >${quoted(said)} 2>&1 </dev/null`;
    const code = isInside ? await this.shell(line) : await onHost(line);
    assert.equal(code, 0, `${step.run}\n${await Deno.readTextFile(said)}`);
    for (const [, key, value] of (await Deno.readTextFile(outputs)).matchAll(/^(\S+?)=(.*)$/gm)) {
      this.#outputs.set(`steps.${step.id}.outputs.${key}`, value!.replace("ghcr.io", HOST));
    }
  }

  /** Does what the action does, as far as a job needs it. */
  async #use(place: string, { uses = "", with: given = {} }: Step): Promise<void> {
    const action = /^actions\/([\w-]+)@/.exec(uses)?.[1];
    const [name, path] = [given["name"] ?? given["pattern"] ?? "", given["path"] ?? ""].map((text) =>
      this.#fill(String(text))
    );
    const store = `${this.folder}/artifacts`;
    switch (action) {
      case "checkout":
        assert.equal(
          await onHost(
            `git clone -q ${this.folder}/origin ${place}/clone && cp -a ${place}/clone/. ${place}`,
          ),
          0,
        );
        return;
      case "setup-node":
        return;
      case "upload-artifact":
        assert.equal(
          await onHost(`mkdir -p ${store}/${name} && cp -r ${place}/${path} ${store}/${name}/`),
          0,
          path,
        );
        return;
      case "download-artifact":
        assert.equal(
          await onHost(`mkdir -p ${place}/${path} && cp -r ${store}/${name}/* ${place}/${path}/`),
          0,
          name,
        );
        return;
      case "attest-build-provenance":
        this.attested.push(
          this.#fill(given["subject-path"] ?? `${given["subject-name"]}@${given["subject-digest"]}`),
        );
        return;
    }
    assert.fail(`this test does not know the action ${uses}`);
  }

  #fill(text: string): string {
    return text.replaceAll(/\$\{\{ (\S+) \}\}/g, (_, name: string) => {
      const value = name.startsWith("matrix.") ? MATRIX[name.slice(7)] : this.#outputs.get(name);
      return value ?? (name === "github.token" ? "token" : assert.fail(`nothing is known of ${name}`));
    });
  }
}

async function onHost(line: string): Promise<number> {
  return (await new Deno.Command("bash", { args: ["-c", line], stdin: "null" }).output()).code;
}

const reason = shared === null ? null : await noRegistry();

test(
  "the release workflow goes from a tag to files, manifests and images in a registry, step by step",
  async (engine) => {
    const folder = await Deno.makeTempDir({ prefix: "berth-workflow-" });
    try {
      await using _registry = await startRegistry(engine);
      const { jobs } = parse(await Deno.readTextFile(`${ROOT}.github/workflows/release.yml`));
      await makeOrigin(`${folder}/origin`);
      await Deno.mkdir(`${folder}/bin`);
      await Deno.mkdir(`${folder}/home`);
      const noted = `${folder}/gh`;
      await Deno.writeTextFile(`${folder}/bin/gh`, `#!/bin/sh\nprintf '%s\\n' "$@" >${noted}\n`, {
        mode: 0o755,
      });
      const variables = {
        PATH: `${folder}/bin:${Deno.env.get("PATH")}`,
        HOME: `${folder}/home`,
        DOCKER_HOST: `unix://${engine.socket}`,
        GITHUB_REF_NAME: `v${VERSION}`,
        GITHUB_SHA: "0".repeat(40),
        GITHUB_ACTOR: "ada",
        GITHUB_SERVER_URL: "https://github.com",
        GITHUB_REPOSITORY: "berth/berth",
        ...Object.fromEntries(
          ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"].flatMap((key) =>
            Deno.env.has(key) ? [[key, Deno.env.get(key)!]] : []
          ),
        ),
      };
      const run = new Run(folder, (line) => engine.sandbox!.run(line), variables);
      for (const name of ["shared", "binary", "prepared", "image"]) {
        await run.job(name, jobs[name].steps.map((step: Step) => name === "binary" ? asDryRun(step) : step));
      }
      // The engine's network has no way out, so what was fetched above is used.
      const place = ".ci/toolchain/node_modules/.bin";
      const npm = `#!/bin/sh\nmkdir -p ${place} && ln -s ${Deno.execPath()} ${place}/deno\n`;
      await Deno.writeTextFile(`${folder}/bin/npm`, npm, { mode: 0o755 });
      for (
        const other of [
          "berth-aarch64-apple-darwin",
          "berth-aarch64-unknown-linux-gnu",
          "berth-x86_64-pc-windows-msvc.exe",
        ]
      ) {
        await Deno.writeTextFile(`${folder}/artifacts/file-shared/${other}`, `made elsewhere: ${other}`);
      }
      await run.job("publish", jobs.publish.steps.map(asLocal), true);

      const files = (await Deno.readTextFile(noted)).split("\n").filter((word) =>
        word.startsWith("dist/release/")
      );
      const sums = await Deno.readTextFile(`${folder}/publish/dist/release/SHA256SUMS`);
      for (
        const name of [
          ...[
            `berth-client-${VERSION}.tgz`,
            `berth-${VERSION}-packaging.tar.gz`,
            `berth-${VERSION}.spdx.json`,
          ],
          ...[
            `berth_${VERSION}_${ARCH}.deb`,
            "berth.rb",
            "berth.berth.installer.yaml",
            "berth.container",
            "berth.service",
          ],
        ]
      ) {
        assert.ok(files.includes(`dist/release/${name}`), `${name} is not attached: ${files}`);
        assert.ok(sums.includes(`  ${name}\n`), `${name} has no sum`);
      }
      const installer = parse(
        await Deno.readTextFile(`${folder}/publish/dist/release/berth.berth.installer.yaml`),
      );
      assert.match(installer.Installers[0].InstallerSha256, /^[0-9A-F]{64}$/);
      const formula = await Deno.readTextFile(`${folder}/publish/dist/release/berth.rb`);
      for (const [, url, sum] of formula.matchAll(/url "(\S+)"\n\s+sha256 "(\S+)"/g)) {
        assert.ok(sums.includes(`${sum}  ${url!.slice(url!.lastIndexOf("/") + 1)}\n`), url);
      }

      const [files_, ...images] = run.attested;
      assert.equal(files_, "dist/release/*");
      assert.equal(images.length, 2);
      for (const image of images) assert.match(image, /@sha256:[0-9a-f]{64}$/);
      const [major, minor] = VERSION.split(".");
      for (const tag of [VERSION, `${major}.${minor}`, major, "latest"]) {
        for (const [at, suffix] of ["", "-ssh"].entries()) {
          const pulled = await engine.cli("pull", `${PUBLISHED}:${tag}${suffix}`);
          assert.ok(
            pulled.includes(images[at]!.slice(images[at]!.indexOf("sha256:"))),
            `${tag}${suffix}: ${pulled}`,
          );
        }
      }
      assert.equal(await engine.cli("run", "--rm", `${PUBLISHED}:latest`, "version"), `berth ${VERSION}`);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
  reason,
);

/** A clone of what lies here, with the changelog of the day of the release. */
async function makeOrigin(path: string): Promise<void> {
  const script = `
    set -e
    git -C ${ROOT} ls-files -z --cached --others --exclude-standard | tar -C ${ROOT} --null --ignore-failed-read -T - -c 2>/dev/null | { mkdir -p ${path}; tar -C ${path} -x; }
    cd ${path}
    sed -i '0,/^## ${VERSION}, not released$/s//## ${VERSION}/' CHANGELOG.md
    git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -q -m "a release"`;
  assert.equal(await onHost(script), 0);
}

/** The base of a binary comes from a server that no test may ask. */
function asDryRun(step: Step): Step {
  return step.run === undefined
    ? step
    : { ...step, run: step.run.replace('--tag "$GITHUB_REF_NAME"', "--dry-run") };
}

/** The registry of the engine's network has no account, and another name. */
function asLocal(step: Step): Step {
  if (step.run === undefined) return step;
  return {
    ...step,
    run: step.run.replaceAll("ghcr.io", HOST).replaceAll(
      "docker manifest create",
      "docker manifest create --insecure",
    ).replaceAll("docker manifest push", "docker manifest push --insecure"),
  };
}

Deno.test("nothing of a release is published before every other job has passed, and by nobody alone", async () => {
  const { jobs } = parse(await Deno.readTextFile(`${ROOT}.github/workflows/release.yml`));
  for (const [name, { permissions, needs, environment, strategy, steps }] of Object.entries<Job>(jobs)) {
    if (strategy !== undefined) assert.equal(strategy["fail-fast"], false, name);
    const writes = Object.values(permissions).includes("write");
    const pushes = steps.some(({ run = "" }) => /docker push|gh release|npm publish/.test(run));
    assert.deepEqual([writes, pushes], [name === "publish", name === "publish"], name);
    if (name !== "publish") continue;
    assert.equal(environment, "release");
    const waited = new Set([needs].flat());
    for (const one of [...waited]) for (const other of [jobs[one!].needs ?? []].flat()) waited.add(other);
    assert.deepEqual([...waited].sort(), Object.keys(jobs).filter((one) => one !== "publish").sort());
  }
});

interface Job {
  readonly permissions: Readonly<Record<string, string>>;
  readonly needs?: string | readonly string[];
  readonly environment?: string;
  readonly strategy?: { readonly "fail-fast"?: boolean };
  readonly steps: readonly Step[];
}

Deno.test("every base image is pinned by its digest", async () => {
  const pinned = /^[\w./:-]+@sha256:[0-9a-f]{64}$/;
  const images: string[] = [];
  for await (const { name } of Deno.readDir(`${ROOT}.github/workflows`)) {
    const { jobs } = parse(await Deno.readTextFile(`${ROOT}.github/workflows/${name}`));
    for (const { container } of Object.values<{ container?: string | { image: string } }>(jobs)) {
      if (container !== undefined) images.push(typeof container === "string" ? container : container.image);
    }
  }
  images.push(/^ARG BUILDER=(\S+)$/m.exec(await Deno.readTextFile(`${ROOT}Dockerfile`))![1]!);
  for (const name of ["berth-caddy", "berth-postgres"]) {
    const text = await Deno.readTextFile(`${ROOT}packaging/${name}/compose.yaml`);
    for (const [, image] of text.matchAll(/_IMAGE:-((?:caddy|postgres)[^}]*)\}/g)) images.push(image!);
  }
  assert.ok(images.length >= 7, images.join(" "));
  for (const image of images) assert.match(image, pinned);
});
