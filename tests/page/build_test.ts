/** The build of the page and its answers: the same bytes twice, nothing of others, and a reason where it is not. */
import assert from "node:assert/strict";
import { buildPage } from "../../page/build.ts";
import { dashboard } from "../../plugins/dashboard/plugin.ts";
import { otherRuntimes } from "../client/runtimes.ts";
import { startService } from "../support/service.ts";

/** Slow, and of the same class as another test. */
const proof = Deno.env.get("BERTH_PROOF") === "1" ? Deno.test : Deno.test.ignore;
const PAGE = new URL("../../page/", import.meta.url);
await buildPage();

async function textsBelow(
  folder: URL,
  texts = new Map<string, string>(),
  below = "",
): Promise<Map<string, string>> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(below || ".", folder))) {
    const path = below + name;
    if (isDirectory) await textsBelow(folder, texts, `${path}/`);
    else texts.set(path, await Deno.readTextFile(new URL(path, folder)));
  }
  return texts;
}

async function infoOf(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return new TextDecoder().decode(stdout);
}

async function copied(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isFile } of Deno.readDir(from)) {
    if (/^(?:built|shots)/.test(name)) continue; // what is made
    if (isDirectory) await copied(`${from}/${name}`, `${to}/${name}`);
    else if (isFile) await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

Deno.test("two builds of the same sources are equal byte by byte, and a second one is not made", async () => {
  const folder = await Deno.makeTempDir({ prefix: "berth-build-" });
  try {
    const other = new URL(`file://${folder}/built/`);
    const [done, ...further] = (await Promise.all([buildPage(other), buildPage(other)])).sort();
    assert.match(done ?? "", /^The page is built/);
    assert.deepEqual(further, [null], "of two that begin at once one builds");
    assert.deepEqual(await textsBelow(other), await textsBelow(new URL("built/", PAGE)));
    assert.equal(await buildPage(other), null);

    const html = await Deno.readTextFile(new URL("index.html", other));
    await Deno.writeTextFile(new URL("index.html", other), html.replace(/[0-9a-f]{64}/, "0".repeat(64)));
    assert.notEqual(await buildPage(other), null);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

proof(
  "a build is the same wherever it is started, and wherever the sources and their packages lie",
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "berth-build-" });
    try {
      const cache = new URL(JSON.parse(await infoOf()).denoDir + "/", "file:///").pathname;
      for (const name of ["page", "client"]) {
        await copied(new URL(`../../${name}/`, import.meta.url).pathname, `${folder}/checkout/${name}`);
      }
      await Deno.mkdir(`${folder}/cache`);
      for (const name of ["npm", "dl"]) {
        await Deno.symlink(`${cache}${name}`, `${folder}/cache/${name}`);
      }
      const { success, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-config", "--no-lock", "-A", `${folder}/checkout/page/build.ts`],
        env: { DENO_DIR: `${folder}/cache` },
        cwd: folder,
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      assert.deepEqual(
        await textsBelow(new URL(`file://${folder}/checkout/page/built/`)),
        await textsBelow(new URL("built/", PAGE)),
      );
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

/** Namespaces of XML, the stand-in with which the client checks path templates, and whom xterm's licence thanks. */
const NAMES_ONLY = ["http://www.w3.org", "http://h", "http://bellard.org", "https://github.com"];

Deno.test("the built page names no other host", async () => {
  for (const [path, text] of await textsBelow(new URL("built/", PAGE))) {
    const hosts = [...text.matchAll(/\bhttps?:\/\/[\w.-]+/g)].map(([host]) => host);
    assert.deepEqual(hosts.filter((host) => !NAMES_ONLY.includes(host)), [], path);
  }
});

/** Builtins that the oldest browsers of docs/page.md lack. */
const TOO_NEW = new RegExp(
  [
    String
      .raw`\b(?:Async)?DisposableStack\b|\bSuppressedError\b|\bURLPattern\b|\bTemporal\b|\bFloat16Array\b`,
    String.raw`\bPromise\.try\b|\bRegExp\.escape\b|\bError\.isError\b|\bURL\.parse\b|\bIterator\.\w`,
    String.raw`\bIntl\.DurationFormat\b`,
    String.raw`\.(?:to|from|setFrom)(?:Hex|Base64)\(|\.(?:isSubsetOf|isSupersetOf|isDisjointFrom)\(`,
    String.raw`\.(?:symmetricDifference|intersection)\(`,
    String
      .raw`\b(?:keys|values|entries)\(\)\.(?:map|filter|take|drop|flatMap|reduce|toArray|some|every|find)\(`,
  ].join("|"),
  "g",
);

Deno.test("the built page has no builtin that the oldest promised browsers lack", async () => {
  for (const [path, text] of await textsBelow(new URL("built/", PAGE))) {
    if (!path.endsWith(".js")) continue;
    const found = [...text.matchAll(TOO_NEW)].map(({ 0: one, index }) =>
      `${one} in ${text.slice(index, index + 60)}`
    );
    assert.deepEqual(found, [], path);
  }
});

const [oldest] = await otherRuntimes();
if (oldest?.path === undefined) console.warn(`SKIPPED: the page parses on an old engine: ${oldest?.absent}`);

Deno.test({
  name: "the built page parses on Node 20, whose engine is older than those of the oldest promised browsers",
  ignore: oldest?.path === undefined,
  async fn() {
    const built = new URL("built/", PAGE);
    const scripts = [...(await textsBelow(built)).keys()].filter((path) => path.endsWith(".js"));
    assert.ok(scripts.length >= 6, `${scripts}`);
    // One process for all: a module of the `vm` is parsed and not run.
    const parse = `const { SourceTextModule } = require("node:vm");
      for (const path of process.argv.slice(1)) {
        try {
          new SourceTextModule(require("node:fs").readFileSync(path, "utf8"));
        } catch (error) {
          console.log(path + ": " + error);
        }
      }`;
    const paths = scripts.map((path) => new URL(path, built).pathname);
    const { success, stdout, stderr } = await new Deno.Command(oldest!.path!, {
      args: ["--experimental-vm-modules", "--no-warnings", "-e", parse, ...paths],
      stdin: "null",
    }).output();
    const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assert.deepEqual([success, said], [true, ""]);
  },
});

Deno.test("no source of the page makes markup or styles out of text (R48)", async () => {
  const found: string[] = [];
  for (const [path, text] of await textsBelow(PAGE)) {
    if (!/\.tsx?$/.test(path)) continue;
    for (
      const [bad] of text.matchAll(
        /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|\bstyle=|document\.write/g,
      )
    ) {
      found.push(`${path}: ${bad}`);
    }
  }
  assert.deepEqual(found, []);
});

Deno.test("the page is served at / with its policy, to strangers too, and its parts by tag", async () => {
  await using berth = await startService({ install: [dashboard] });
  const { status, headers, text } = await berth.anonymous().call("GET /");
  assert.equal(status, 200);
  assert.match(text, /<script type="module" src="\/main.js">/);
  // For a browser that cannot run the script, which puts the page in its place.
  const [, sentence = ""] =
    /<div id="page">\s*<p hidden>([^<]+)<\/p>/.exec(text)?.map((one) => one.replaceAll(/\s+/g, " ")) ?? [];
  const docs = await Deno.readTextFile(new URL("../docs/page.md", PAGE));
  const promised = /\*\*(Chrome and Edge \d+), (Firefox \d+), (Safari [\d.]+)\*\*/.exec(docs)?.slice(1) ?? [];
  assert.equal(promised.length, 3);
  for (const one of promised) assert.ok(sentence.includes(one.replace("and", "or")), `${one}: ${sentence}`);
  const policy = headers.get("content-security-policy") ?? "";
  for (
    const part of [
      "script-src 'self'",
      "style-src 'self'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]
  ) {
    assert.ok(policy.includes(part), policy);
  }
  const script = await berth.anonymous().call("GET /main.js");
  const again = await berth.anonymous().call("GET /main.js", undefined, {
    headers: { "if-none-match": script.headers.get("etag") ?? "" },
  });
  assert.deepEqual([script.status, again.status], [200, 304]);
  const api = await berth.call("GET /api/nowhere", undefined, { headers: { accept: "text/html" } });
  assert.deepEqual([api.status, api.body.code], [404, "not_found"]);
});

Deno.test("with the plugin off / is 404 with the reason; unbuilt, it says which command builds it", async () => {
  await using off = await startService({ install: [dashboard], plugins: [] });
  const { status, body } = await off.call("GET /");
  assert.deepEqual([status, body.code], [404, "plugin_disabled"]);
  assert.match(body.title, /"dashboard" is switched off/);

  const folder = await Deno.makeTempDir({ prefix: "berth-unbuilt-" });
  try {
    const files = new URL(`file://${folder}/built/`);
    await using unbuilt = await startService({
      install: [{ ...dashboard, site: { ...dashboard.site!, files } }],
    });
    const missing = await unbuilt.call("GET /");
    assert.deepEqual([missing.status, missing.body.code], [404, "not_found"]);
    assert.match(missing.body.title, /deno task page/);
    await buildPage(files);
    assert.equal((await unbuilt.call("GET /")).status, 200);
    assert.deepEqual(unbuilt.bugs(), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
