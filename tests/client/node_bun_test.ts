/** The client's promises on Node and Bun, on the packed tarball, each in a process that must end by itself. */
import { equal, ok } from "node:assert/strict";
import { bundleSuite, command, installPacked } from "./package.ts";
import { playground } from "./playground.ts";
import { esbuild, otherRuntimes } from "./runtimes.ts";
import { promises } from "./suite/all.ts";

const runtimes = await otherRuntimes();
const bundler = await esbuild();

for (const { name, runtime, ...own } of runtimes) {
  const absent = own.absent ?? bundler.absent;
  const path = absent === undefined ? own.path : undefined;
  if (path === undefined) console.warn(`SKIPPED: the client's promises on ${name}: ${absent}`);
  Deno.test({
    name: `client: the promises are kept on ${name}, which then ends by itself`,
    ignore: path === undefined,
    async fn(t) {
      await using installed = await installPacked();
      const manifest = `${installed.folder}/node_modules/@berth/client/package.json`;
      const entries = Object.keys(JSON.parse(await Deno.readTextFile(manifest)).exports);
      const loading = `${installed.folder}/load.mjs`;
      await Deno.writeTextFile(
        loading,
        entries.map((one) => `import ${JSON.stringify(`@berth/client${one.slice(1)}`)};\n`).join(""),
      );
      await t.step("every entry loads", async () => {
        ok(entries.length >= 5, `${entries}`);
        await command(path ?? "", [loading], installed.folder);
      });
      await using servers = await playground();
      const script = `${installed.folder}/suite.mjs`;
      await bundleSuite(bundler.path ?? "", script, "apart");
      const ground = JSON.stringify({ ...servers.ground, runtime });
      const { code, stdout, stderr } = await new Deno.Command(path ?? "", {
        args: [...(runtime === "node" ? ["--expose-gc"] : []), script, ground],
        cwd: installed.folder,
        stdin: "null",
        signal: AbortSignal.timeout(240_000),
      }).output();
      const said = new TextDecoder().decode(stderr).slice(-2000);
      const lines = new TextDecoder().decode(stdout).trim().split("\n").map((line) =>
        JSON.parse(line || "{}")
      );
      equal(lines.pop()?.name, "end", said);
      equal(lines.length, promises.filter(({ not }) => !not.includes(runtime)).length);
      for (const { name, error } of lines) await t.step(name, () => ok(!error, error));
      equal(code, 0, said);
    },
  });
}
