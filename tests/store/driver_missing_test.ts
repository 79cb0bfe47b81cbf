/** A start on PostgreSQL without its driver and without a network says the command that fetches the driver. */
import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);
const REGISTRY = "registry.npmjs.org";

/** Makes a cache of the runtime with the packages of the service but those of the driver. */
async function cacheWithoutDriver(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const names = Object.keys(imports).filter((name) => name !== "pg");
  const cache = await Deno.makeTempDir({ prefix: "berth-cache-" });
  const folder = `${cache}/npm/${REGISTRY}`;
  await Deno.mkdir(folder, { recursive: true });
  const from = names.map((name) => `${npmCache}/${REGISTRY}/${name}`);
  assert.ok((await new Deno.Command("cp", { args: ["-r", ...from, folder] }).output()).success);
  return cache;
}

Deno.test("A start that cannot fetch the driver for PostgreSQL says the command that does", async () => {
  const cache = await cacheWithoutDriver();
  const data = await Deno.makeTempDir({ prefix: "berth-data-" });
  try {
    await Deno.writeTextFile(`${data}/key`, "k".repeat(43), { mode: 0o600 });
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "main.ts", "serve"],
      cwd: ROOT,
      env: {
        DENO_DIR: cache,
        HTTPS_PROXY: "http://127.0.0.1:1",
        HTTP_PROXY: "http://127.0.0.1:1",
        BERTH_DATA: data,
        BERTH_PORT: "0",
        BERTH_ENGINES: "none",
        BERTH_SEALING_KEY_FILE: `${data}/key`,
        BERTH_DATABASE_URL: "postgres://berth@127.0.0.1:1/berth",
      },
      stdin: "null",
    }).output();
    const said = new TextDecoder().decode(stderr);
    assert.equal(code, 1, said);
    assert.match(said, /^berth: .*driver for PostgreSQL.*"deno cache store\/postgres\/store\.ts"/m);
    assert.doesNotMatch(said, /Uncaught|file:\/\//);
  } finally {
    for (const folder of [cache, data]) await Deno.remove(folder, { recursive: true });
  }
});
