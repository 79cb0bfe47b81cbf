/** The promises of the package as a package: its size, its independence, its documentation, its readiness for JSR. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { packClient } from "../../tools/npm_package.ts";
import { REPOSITORY } from "../../tools/names.ts";
import { isLeftToProof } from "../proof/long.ts";
import { bundle, command, installPacked } from "./package.ts";
import { playground } from "./playground.ts";

const client = new URL("../../client/", import.meta.url);
const MOST_BYTES = 4710;

const long = (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore: isLeftToProof(name), fn });

Deno.test("111 the core is at most 4.6 KB, bundled, minified and compressed", async () => {
  const folder = await Deno.makeTempDir({ prefix: "berth-size-" });
  try {
    await bundle(new URL("mod.ts", client), `${folder}/core.js`, ["--minify", "--platform", "browser"]);
    const code = await Deno.readFile(`${folder}/core.js`);
    const size = gzipSync(code, { level: 9 }).byteLength;
    ok(size <= MOST_BYTES, `it is ${size} bytes`);
    match(new TextDecoder().decode(code), /StatusError/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("112 no file of the client imports anything above its folder, or any package", async () => {
  const { specifiers } = await graph();
  ok(specifiers.length > 10);
  for (const specifier of specifiers) ok(specifier.startsWith(client.href), specifier);
});

Deno.test("102 every symbol of the client is documented", async () => {
  const { exports: entries } = JSON.parse(await Deno.readTextFile(new URL("deno.json", client)));
  const files: string[] = Object.values(entries);
  deepEqual(files.length, 5);
  await command(Deno.execPath(), ["doc", "--lint", "--quiet", ...files], client);
});

long("102 JSR would take the client", async () => {
  const said = await command(Deno.execPath(), ["publish", "--dry-run", "--allow-dirty"], client);
  match(said, /Dry run complete/);
});

Deno.test("102 verifyTls: false needs no more of Deno than --allow-net", async () => {
  await using servers = await playground();
  const { port } = servers.ground.https["private CA"];
  const script = `import { Client, Endpoint } from ${JSON.stringify(new URL("mod.ts", client).href)};
    using client = new Client({ baseUrl: "https://127.0.0.1:${port}", timeoutS: 3600 });
    console.log((await client.get(new Endpoint("echo"))).statusCode);`;
  const folder = await Deno.makeTempDir({ prefix: "berth-net-" });
  try {
    await Deno.writeTextFile(`${folder}/script.ts`, script);
    const args = [
      "run",
      "--no-prompt",
      "--no-check",
      "--allow-net=127.0.0.1",
      "--quiet",
      `${folder}/script.ts`,
    ];
    match(await command(Deno.execPath(), args, client), /^200$/m);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the packed tarball has every entry, with types", async () => {
  await using installed = await installPacked();
  const target = `${installed.folder}/node_modules/@berth/client`;
  const { name, exports: entries, dependencies } = JSON.parse(
    await Deno.readTextFile(`${target}/package.json`),
  );
  equal(name, "@berth/client");
  equal(dependencies, undefined);
  deepEqual(Object.keys(entries).sort(), [".", "./berth", "./connect", "./live", "./stream"]);
  for (const { types, import: code } of Object.values(entries) as { types: string; import: string }[]) {
    ok((await Deno.stat(`${target}/${types}`)).isFile && (await Deno.stat(`${target}/${code}`)).isFile);
  }
});

const hasNpm = await new Deno.Command("npm", { args: ["--version"], stdin: "null" }).output()
  .then(({ success }) => success, () => false);
if (!hasNpm) console.warn("SKIPPED: npm installs the client: npm is not installed");

Deno.test({
  name:
    "npm installs the tarball of a release from nothing, with what its page shows, and Node runs the example",
  ignore: !hasNpm,
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "berth-npm-" });
    try {
      const tarball = `${folder}/${await packClient(folder)}`;
      await Deno.mkdir(`${folder}/app`);
      await Deno.writeTextFile(`${folder}/app/package.json`, '{"private":true,"type":"module"}');
      // Offline, with an empty cache: it needs nothing besides itself.
      const args = ["install", "--offline", "--no-audit", "--no-fund", "--cache", `${folder}/cache`, tarball];
      await command("npm", args, `${folder}/app`);

      const target = `${folder}/app/node_modules/@berth/client`;
      const manifest = JSON.parse(await Deno.readTextFile(`${target}/package.json`));
      match(manifest.description, /^A small typed HTTP client/);
      equal(manifest.license, "MIT");
      deepEqual(manifest.repository, { type: "git", url: `git+${REPOSITORY}.git`, directory: "client" });
      deepEqual([manifest.engines, manifest.sideEffects], [{ node: ">=20.16" }, false]);
      deepEqual(manifest.publishConfig, { access: "public", provenance: true });
      for (const name of ["README.md", "CHANGELOG.md", "LICENSE"]) {
        ok((await Deno.stat(`${target}/${name}`)).isFile, name);
      }
      await using servers = await playground();
      await Deno.copyFile(new URL("./examples/odata.mjs", import.meta.url), `${folder}/app/odata.mjs`);
      match(
        await command("node", ["odata.mjs", `${servers.ground.http}/v4`], `${folder}/app`),
        /^200 \/Nodes\(7/,
      );
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** Every module that the client's entries reach. */
async function graph(): Promise<{ specifiers: string[] }> {
  const specifiers = new Set<string>();
  for (const entry of ["mod.ts", "stream.ts", "connect.ts", "live.ts", "berth/mod.ts"]) {
    const { modules } = JSON.parse(await command(Deno.execPath(), ["info", "--json", entry], client));
    for (const { specifier } of modules) specifiers.add(specifier);
  }
  return { specifiers: [...specifiers] };
}

Deno.test("every example of the client's README compiles", async () => {
  const examples = (await Deno.readTextFile(new URL("README.md", client))).match(/^```ts$/gm) ?? [];
  ok(examples.length >= 7, `only ${examples.length}`);
  await command(Deno.execPath(), ["check", "--doc-only", "README.md"], client);
});
