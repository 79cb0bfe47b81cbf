/** The bundle, which an image and a binary run: it answers as the sources do, and a stack in it names them. */
import assert from "node:assert/strict";
import { BUNDLE, bundledFiles, bundleProgram } from "../../tools/bundle.ts";
import { lateEntries, lockedPackages } from "../../tools/program.ts";
import { runBerth, startBerthProcess } from "../support/berth_process.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";

/** Slow, and of the same class as another test. */
const proof = Deno.env.get("BERTH_PROOF") === "1" ? Deno.test : Deno.test.ignore;
const ROOT = new URL("../../", import.meta.url);
const SOURCE = new URL("main.ts", ROOT).pathname;
await bundleProgram();

const scriptOf = (path: string) => path === "main.ts" ? path : path.replace(/\.ts$/, ".js");

/** The bundle in another folder, as in an image. */
async function copied(): Promise<AsyncDisposable & { readonly path: string; readonly main: string }> {
  const path = await Deno.makeTempDir({ prefix: "berth-bundle-" });
  for (const file of await bundledFiles()) {
    const to = `${path}/program/${file}`;
    await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
    await Deno.copyFile(new URL(file, BUNDLE), to);
  }
  const { unstable } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  await Deno.writeTextFile(`${path}/program/deno.json`, JSON.stringify({ unstable }));
  return {
    path,
    main: `${path}/program/main.ts`,
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/** Runs a script of its own, which says one value. */
async function told(script: string): Promise<unknown> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-prompt",
      `--config=${ROOT.pathname}deno.json`,
      `data:text/javascript,${encodeURIComponent(script)}`,
    ],
    stdin: "null",
  }).output();
  const said = new TextDecoder().decode(stdout);
  assert.notEqual(said, "", new TextDecoder().decode(stderr));
  return JSON.parse(said);
}

Deno.test("a bundled service serves the documents and the page of its sources, also where its folder is gone meanwhile", async () => {
  await using bundle = await copied();
  await using own = await startBerthProcess();
  await using bundled = await startBerthProcess({ main: bundle.main });
  const both = [own, bundled];
  const keys = await Promise.all(both.map((berth) => berth.setUp()));
  const ask = (path: string) =>
    Promise.all(both.map(async ({ url }, at) => {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${keys[at]}` } });
      return [answer.status, (await answer.text()).replaceAll(url, "")] as const;
    }));

  const before = ["/", "/main.js"].map(ask);
  for (const [one, other] of await Promise.all(before)) assert.deepEqual(other, one);
  await Deno.rename(`${bundle.path}/program`, `${bundle.path}/away`);
  for (
    const path of ["/api/openapi.json", "/api/asyncapi.json", "/api/docs", "/api/containers", "/api/overview"]
  ) {
    const [one, other] = await ask(path);
    assert.equal(one![0], 200, path);
    assert.deepEqual(other, one, path);
  }
});

Deno.test("the bundled command line says what that of the sources says, and parses a large file in its worker", async () => {
  await using bundle = await copied();
  const services = Array.from(
    { length: 400 },
    (_, at) => `  s${at}:\n    image: "web:1"\n    ports: ["${8000 + at}:80"]\n`,
  );
  await using folder = await workspaceFolder({ "compose.yaml": `services:\n${services.join("")}` });
  for (
    const words of [["--help"], ["version"], ["completion", "bash"], ["validate", folder.path], ["nothing"]]
  ) {
    const [own, bundled] = await Promise.all(
      [SOURCE, bundle.main].map((main) => runBerth(words, {}, null, main)),
    );
    assert.deepEqual(bundled, own, words[0]);
    if (words[0] === "validate") assert.match(bundled!.stdout, /400 units/);
  }
});

Deno.test("each module that is found by its path is in the bundle, with the same exports, and a worker answers", async () => {
  const entries = await lateEntries();
  assert.ok(entries.length > 30, `only ${entries.length}`);
  const workers = entries.filter((path) => path.endsWith("_worker.ts"));
  assert.equal(workers.length, 2);
  const modules = entries.filter((path) => !workers.includes(path));
  const exportsOf = (files: readonly string[]) =>
    told(`
      const all = await Promise.all(${JSON.stringify(files)}.map((file) => import(file)));
      console.log(JSON.stringify(all.map((one) => Object.keys(one).sort())));
    `);
  const placed = (root: URL, name: (path: string) => string) =>
    modules.map((path) => new URL(name(path), root).href);

  assert.deepEqual(await exportsOf(placed(BUNDLE, scriptOf)), await exportsOf(placed(ROOT, (path) => path)));
  const answered = await told(`
    const worker = new Worker("${new URL("artifacts/registry/watch_worker.js", BUNDLE)}", { type: "module" });
    worker.onmessage = ({ data }) => { console.log(JSON.stringify(data)); worker.terminate(); };
    worker.postMessage({ what: "answer" });
  `);
  assert.deepEqual(answered, { is: "answering" });
});

Deno.test("a stack in the bundle names the sources", async () => {
  const stack = await told(`
    const { composeApp } = await import("${new URL("app/app.js", BUNDLE)}");
    console.log(JSON.stringify(await composeApp({ config: {} }, { plugins: [] }, null).catch(({ stack }) => stack)));
  `);
  assert.match(String(stack), /\/app\/app\.ts:\d+/);
});

Deno.test("the bundle has every package's notice, no language of zod's, and nothing of the machine that made it", async () => {
  const notices = await Deno.readTextFile(new URL("LICENSES", BUNDLE));
  const parts = new Map(
    notices.split(/^-{80}$/m).map((part) => [part.trim().replace(/:[^]*/, ""), part]),
  );
  const page = new URL("page/deno.lock", ROOT).pathname;
  for (const { name, version } of [...await lockedPackages(), ...await lockedPackages(page)]) {
    assert.match(parts.get(`${name} ${version}`) ?? "", /permission|Redistribution/i, name);
  }
  for (const path of await bundledFiles()) {
    const text = await Deno.readTextFile(new URL(path, BUNDLE));
    assert.ok(!text.includes(ROOT.pathname) && !/\/npm\/[\w.:-]+\//.test(text.replaceAll('"npm/', "")), path);
    assert.ok(!text.includes("createRequire"), path);
    assert.ok(!/npm\/zod\/[\d.]+\/v4\/locales\/(?!en\.js)/.test(text), `${path}: import zod as a namespace`);
  }
});

proof("a bundle is made once, anew where its sources were others, and the same again elsewhere", async () => {
  assert.equal(await bundleProgram(), null);
  const folder = await Deno.makeTempDir({ prefix: "berth-bundle-" });
  try {
    const other = new URL(`file://${folder}/other/`);
    await Deno.mkdir(other);
    await Deno.writeTextFile(new URL("digest", other), "0".repeat(64));
    assert.match(await bundleProgram(other) ?? "", /^The program is bundled/);
    assert.deepEqual(await bundledFiles(other), await bundledFiles());
    for (const path of await bundledFiles()) {
      const texts = [other, BUNDLE].map((root) => Deno.readTextFile(new URL(path, root)));
      const [one, usual] = await Promise.all(texts);
      assert.equal(one, usual, path);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
