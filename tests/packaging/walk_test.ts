/**
 * docs/operations.md, "Docker, from nothing to gone", command by command as it stands on the page: with git, Node and Docker
 * alone, an empty home and no cache. What stands in for what a test cannot have: an image of this machine's Debian and Node
 * for the base that is pulled, a stand-in for nginx, `docker-compose` for `docker compose`, a clone of this repository for
 * the one on the internet, root for the user (so the doctor finds that one risk), and a proxy that leads to the npm registry and nowhere else. The upgrade begins at the commit
 * that brought `Dockerfile`, where the repository has its history.
 */
import assert from "node:assert/strict";
import { IMAGE, REPOSITORY } from "../../tools/names.ts";
import { run } from "../../tools/run.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { noRegistry } from "../support/npm_registry.ts";
import { quoted } from "../support/sandbox.ts";
import { proofEngine } from "../support/shared_engine.ts";
import { importBuilder } from "./builder_image.ts";
import { inside } from "./inside.ts";

const { engine: shared, test } = await proofEngine("docker");
const ROOT = new URL("../../", import.meta.url).pathname;
const PROXY_PORT = 3128;
const BUILDER = "berth-builder:test";
const MARKED = /^<!-- walk -->\n\n```sh\n([^]*?)^```$/gm;

/** The traces of each block of the page, in order. */
const RESULTS: readonly { readonly name: string; readonly said: RegExp }[] = [
  { name: "build", said: /Successfully tagged ghcr\.io\/berth\/berth|naming to ghcr\.io\/berth\/berth/ },
  { name: "start", said: /^ready$/m },
  { name: "set up and log in", said: /Signed in to [^]*\bberth\b[^]*runs as root[^]*0 wrong, 1 risky/ },
  { name: "plan and apply", said: /shop[^]*shop-web-1/ },
  { name: "edit a file", said: /labels: \{team: shop\}/ },
  {
    name: "back up and restore",
    said: /The store was copied to \/data\/backup\.db[^]*The store is as in \/data\/backup\.db/,
  },
  { name: "upgrade", said: /before-upgrade\.db[^]*^ready$/m },
  { name: "uninstall", said: /shop-web-1/ },
];

const reason = shared === null ? null : await noRegistry();

test(
  "what docs/operations.md says of Docker, from nothing to gone, holds command by command",
  async (engine) => {
    const page = await Deno.readTextFile(`${ROOT}docs/operations.md`);
    const blocks = [...page.matchAll(MARKED)].map(([, block]) => block!);
    assert.equal(blocks.length, RESULTS.length);
    const folder = await Deno.makeTempDir({ prefix: "berth-walk-" });
    await using stack = new AsyncDisposableStack();
    stack.defer(async () => void await run("rm", ["-rf", folder]));
    await importBuilder(engine, BUILDER);
    await engine.cli("tag", FIXTURE, "nginx:1.27-alpine");
    const hasHistory = await makeOrigin(`${folder}/origin`);
    await openWayOut(engine, folder, stack);
    await makePrograms(engine, folder);
    const home = `${folder}/home`;
    await Deno.mkdir(home);

    const shell = [`set -euo pipefail`, `cd`];
    for (const [at, block] of blocks.entries()) {
      const isUpgrade = RESULTS[at]!.name === "upgrade";
      const image = (when: string) => `docker inspect -f '{{.Image}}' berth > ${folder}/${when}`;
      if (isUpgrade) shell.push(`git -C ${folder}/origin reset -q --hard newest`, image("before"));
      shell.push(`exec >${folder}/${at} 2>&1`, `echo '--- ${RESULTS[at]!.name}'`);
      if (isUpgrade) {
        // Weeks later, in another shell.
        shell.push(`bash -euo pipefail -c ${quoted(block)}`, image("after"));
        shell.push(`git -C ~/src/berth status --porcelain --ignored > ${folder}/status`);
      } else shell.push(block);
    }
    await Deno.writeTextFile(`${folder}/walk`, shell.join("\n"));
    const env = {
      HOME: home,
      PATH: `${folder}/bin`,
      DOCKER_HOST: `unix://${engine.socket}`,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.${folder}/origin.insteadOf`,
      GIT_CONFIG_VALUE_0: REPOSITORY,
    };
    const set = Object.entries(env).map(([key, value]) => quoted(`${key}=${value}`)).join(" ");
    const code = await engine.sandbox!.run(`timeout 900 env -i ${set} bash ${folder}/walk </dev/null`);

    const said = await Promise.all(
      blocks.map((_, at) => Deno.readTextFile(`${folder}/${at}`).catch(() => "")),
    );
    assert.equal(code, 0, said.filter((text) => text !== "").at(-1));
    for (const [at, { name, said: expected }] of RESULTS.entries()) assert.match(said[at]!, expected, name);
    const [before, after] = await Promise.all(
      ["before", "after"].map((when) => Deno.readTextFile(`${folder}/${when}`)),
    );
    assert.equal(before === after, !hasHistory, "the upgrade is another image");
    assert.equal(await Deno.readTextFile(`${folder}/status`), "", "nothing of berth's is in the checkout");
    const project = await Deno.readTextFile(`${home}/projects/shop/compose.yaml`);
    assert.match(project, /team: shop/, "the projects stay");
    const { Config: { Labels } } = (await engine.ask("GET /containers/shop-web-1/json")).json;
    assert.equal(Labels.team, "shop", "what was edited was applied");
    assert.equal((await engine.ask(`GET /images/${IMAGE}:0.1.0/json`)).status, 404);
    await engine.cli("rm", "-f", "shop-web-1");
  },
  reason,
);

test("a build that reaches no registry says so in one sentence, and what to do", async (engine) => {
  await importBuilder(engine, BUILDER);
  const args = ["build", "--network=none", "--build-arg", `BUILDER=${BUILDER}`, ROOT];
  await assert.rejects(engine.cli(...args), /The npm registry cannot be reached\. Build where it can be/);
}, reason);

test(
  "README's first command starts berth and its page for a user without rights who has Node alone",
  async (engine) => {
    const readme = await Deno.readTextFile(`${ROOT}README.md`);
    const command = /^## Start\n[^]*?^```sh\ngit clone [^\n]*\n(npx [^#\n]*?) *#/m.exec(readme)?.[1];
    assert.match(command ?? "", /task serve$/);
    const folder = await Deno.makeTempDir({ prefix: "berth-walk-" });
    await using stack = new AsyncDisposableStack();
    stack.defer(async () => void await run("rm", ["-rf", folder]));
    await openWayOut(engine, folder, stack);
    await makePrograms(engine, folder);
    await makeOrigin(`${folder}/origin`);
    await run("git", ["clone", "-q", "--branch", "newest", `${folder}/origin`, `${folder}/home/berth`]);
    await run("chown", ["-R", "1234:1234", `${folder}/home`]);
    await Deno.chmod(folder, 0o755);
    const env = `HOME=${folder}/home PATH=${folder}/bin HTTPS_PROXY=http://127.0.0.1:${PROXY_PORT}`;
    const trust = "NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt DENO_TLS_CA_STORE=system"; // as the builder has it
    const user =
      `setpriv --reuid 1234 --regid 1234 --clear-groups env -i -C ${folder}/home/berth ${env} ${trust}`;
    await engine.sandbox!.run(
      `${user} bash -c ${quoted(`exec ${command}`)} >${folder}/said 2>&1 </dev/null & readme=$!`,
    );

    let words = "";
    await eventually("it says what to do next, or ends", async () => {
      words = await Deno.readTextFile(`${folder}/said`);
      return words.includes("The key goes into") || await engine.sandbox!.run("kill -0 $readme") !== 0;
    }, { timeoutMs: 60_000 }).catch((error) => assert.fail(`${error}: ${words}`));
    const curl = (/^ +(curl [^]*?\n.*)$/m.exec(words)?.[1] ?? "").replace(/\\\n */, ""); // in one line
    const setUp = await inside(engine, "bash", "-c", curl);
    assert.match(setUp.out, /"key":"/, `${words}\n${setUp.error}`);
    const page = await inside(engine, "curl", "-sS", /open(?:ing)?\s+(\S+?)#setup=/.exec(words)?.[1] ?? "");
    assert.match(page.out, /<meta name="berth:build"/, words);
    await engine.sandbox!.run("kill $readme; wait $readme");
    // npx ends before what it started, which still writes into the home.
    await eventually(
      "all that the user started has ended",
      async () => await engine.sandbox!.run("pkill -u 1234") !== 0,
    );
  },
  reason,
);

/**
 * A repository whose branch stands at the first commit that has the Dockerfile; `newest` is what lies here. Returns false
 * where both are the same, because there is no history.
 */
async function makeOrigin(path: string): Promise<boolean> {
  const first =
    (await run("git", ["log", "--diff-filter=A", "--format=%H", "--", "Dockerfile"], ROOT).catch(() => ""))
      .trim().split("\n").at(-1);
  if (!first) console.error("NOT RUN: an upgrade from an earlier commit, because there is no history here");
  const script = `
    set -e
    git clone -q ${ROOT} "$0" && cd "$0" && git checkout -q -B main
    git -C ${ROOT} ls-files -z --cached --others --exclude-standard | tar -C ${ROOT} --null --ignore-failed-read -T - -c 2>/dev/null | tar -x
    git add -A && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m newest && git tag newest
    git reset -q --hard "\${1:-HEAD}"`;
  await run("bash", ["-c", script, path, ...(first ? [first] : [])]);
  return Boolean(first);
}

/** git, Node, Docker and what every shell has, and nothing else. */
async function makePrograms(engine: TestEngine, folder: string): Promise<void> {
  await Deno.mkdir(`${folder}/bin`);
  const programs = [
    "bash",
    "cat",
    "chmod",
    "cp",
    "curl",
    "env",
    "git",
    "grep",
    "id",
    "mkdir",
    "mv",
    "node",
    "npm",
    "npx",
  ];
  programs.push("printf", "rm", "sed", "sh", "sleep", "tail", "tar", "test", "tr");
  for (const name of programs) {
    const path = (await run("bash", ["-c", `type -P ${name}`])).trim();
    await Deno.symlink(path, `${folder}/bin/${name}`);
  }
  const own =
    `#!/bin/sh\nexec /usr/bin/stat $(printf '%s\\n' "$@" | sed s,^/var/run/docker.sock$,${engine.socket},)\n`;
  await Deno.writeTextFile(`${folder}/bin/stat`, own, { mode: 0o755 });
  const docker = (await run("bash", ["-c", "type -P docker"])).trim();
  const compose = (await run("bash", ["-c", "type -P docker-compose"])).trim();
  const build =
    `--network=host --build-arg BUILDER=${BUILDER} --build-arg HTTPS_PROXY=http://127.0.0.1:${PROXY_PORT}`;
  await Deno.writeTextFile(
    `${folder}/bin/docker`,
    `#!/bin/sh
case "$1" in
  compose) shift; export BERTH_DOCKER_SOCKET=${engine.socket}; exec ${compose} "$@" ;;
  build) shift; exec ${docker} build ${build} "$@" ;;
  *) exec ${docker} "$@" ;;
esac
`,
    { mode: 0o755 },
  );
}

/** Both halves of the way to the npm registry. */
async function openWayOut(engine: TestEngine, folder: string, stack: AsyncDisposableStack): Promise<void> {
  const script = new URL("way_out.ts", import.meta.url).pathname;
  const start = ["run", "--no-config", "--no-lock", "-A", script];
  const outside = new Deno.Command(Deno.execPath(), {
    args: [...start, "outside", `${folder}/way`],
    stdin: "null",
    stderr: "null",
  }).spawn();
  stack.defer(async () => {
    try {
      outside.kill();
    } catch { // it has ended by itself
    }
    await outside.status;
  });
  await eventually("the way out is open", () => Deno.stat(`${folder}/way`).then(() => true, () => false));
  const inside = [Deno.execPath(), ...start, "inside", `${folder}/way`, String(PROXY_PORT)].map(quoted).join(
    " ",
  );
  await engine.sandbox!.run(`${inside} >/dev/null 2>&1 & way=$!`);
  stack.defer(async () => void await engine.sandbox!.run("kill $way"));
}
