/** The blocks of the documentation that are marked to be run, run: each page in a network, a home and a folder of its own. */
import assert from "node:assert/strict";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** A comment, which no reader sees, before the block. */
const MARKED = /^<!-- run -->\n\n```sh\n([^]*?)^```$/gm;

async function pages(): Promise<readonly (readonly [name: string, blocks: readonly string[]])[]> {
  const names = ["README.md"];
  for await (const { name } of Deno.readDir(`${ROOT}docs`)) {
    if (name.endsWith(".md")) names.push(`docs/${name}`);
  }
  const found: (readonly [string, readonly string[]])[] = [];
  for (const name of names.sort()) {
    const text = await Deno.readTextFile(ROOT + name);
    const blocks = [...text.matchAll(MARKED)].map(([, block]) => block!);
    assert.equal(
      blocks.length,
      text.split("<!-- run -->").length - 1,
      `${name}: a mark stands before no sh block`,
    );
    if (blocks.length > 0) found.push([name, blocks]);
  }
  return found;
}

interface Ran {
  readonly code: number;
  readonly text: string;
}

/** All blocks in one shell that ends at the first mistake and says what it runs. */
async function runBlocks(blocks: readonly string[]): Promise<Ran> {
  const home = await Deno.makeTempDir({ prefix: "berth-docs-" });
  try {
    await Deno.mkdir(`${home}/bin`);
    await Deno.mkdir(`${home}/projects`);
    await Deno.writeTextFile(
      `${home}/projects/compose.yaml`,
      "name: shop\nservices:\n  web:\n    image: nginx:1.27\n",
    );
    const run = `exec '${Deno.execPath()}' run -A '${ROOT}main.ts'`;
    await Deno.writeTextFile(`${home}/bin/berth`, `#!/bin/sh\n${run} "$@"\n`, { mode: 0o755 });
    const script = `ip link set lo up\n${await withPostgres()}\ncd "$HOME"\nset -euo pipefail\n${
      blocks.map(marked).join("\n")
    }\nkill $(jobs -p) || true\n`;
    const { code, stdout, stderr } = await new Deno.Command("unshare", {
      args: [
        ..."--map-root-user --net --pid --mount --fork --kill-child --mount-proc timeout 300 bash -c".split(
          " ",
        ),
        script,
      ],
      env: {
        HOME: home,
        PATH: `${home}/bin:${Deno.env.get("PATH")}`,
        DENO_DIR: await cacheFolder(),
      },
      clearEnv: true,
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    return { code, text: `${text.decode(stdout)}\n${text.decode(stderr)}` };
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

/** An empty database of the user `berth`, behind the socket where Debian has it. */
async function withPostgres(): Promise<string> {
  if (server === null) return "true";
  await server.sql("DROP DATABASE IF EXISTS berth");
  await server.database("berth");
  return `mount -t tmpfs none /run && mkdir /run/postgresql && mount --bind '${server.folder}' /run/postgresql`;
}

function marked(block: string, at: number): string {
  return `echo '--- block ${at + 1}' >&2\n${block}`;
}

async function cacheFolder(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

const canRun = Deno.build.os === "linux" &&
  await new Deno.Command("unshare", {
    args: ["--map-root-user", "--net", "--pid", "--mount", "--fork", "true"],
  })
    .output().then(({ success }) => success, () => false);
if (!canRun) {
  console.error("NOT RUN: the blocks of the documentation, because namespaces cannot be made here");
}

const server = CANNOT_RUN_POSTGRES === null && canRun ? await sharedPostgres() : null;
const found = await pages();

Deno.test("the documentation has blocks that are marked to be run", () => {
  const count = found.reduce((sum, [, blocks]) => sum + blocks.length, 0);
  assert.ok(found.some(([name]) => name === "docs/operations.md") && count >= 8, `${count} blocks`);
});

for (const [name, blocks] of found) {
  const ignore = !canRun || (server === null && blocks.some((block) => block.includes("BERTH_DATABASE_URL")));
  Deno.test(`what ${name} shows to be run can be run as it stands`, { ignore }, async () => {
    const { code, text } = await runBlocks(blocks);
    assert.equal(code, 0, text);
    for (const [, file] of blocks.join("").matchAll(/\bberth restore (\S+)/g)) {
      assert.ok(text.includes(`The store is as in ${file};`), text); // a step of `a && b` that fails ends no shell
    }
  });
}

Deno.test("a block that fails is noticed, and which one it is", { ignore: !canRun }, async () => {
  const { code, text } = await runBlocks(["true\n", "berth sevre\n", "true\n"]);
  assert.equal(code, 64, text);
  assert.match(text, /there is no command "sevre"/);
  assert.ok(text.includes("--- block 2") && !text.includes("--- block 3"));
});
