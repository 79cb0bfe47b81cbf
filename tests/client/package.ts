/** The client as a stranger gets it: the tarball of a release, installed into a folder of its own. */
import { packClient } from "../../tools/npm_package.ts";

const client = new URL("../../client/", import.meta.url);
const ROOT = new URL("../../", import.meta.url);

/** The file of each entry of the package. */
const ENTRIES = {
  "@berth/client": "client/mod.ts",
  "@berth/client/connect": "client/connect.ts",
  "@berth/client/live": "client/live.ts",
  "@berth/client/stream": "client/stream.ts",
};

/** A folder with the package in its `node_modules`; removed on disposal. */
export interface Installed extends AsyncDisposable {
  readonly folder: string;
}

/** Packs the client and installs the tarball. */
export async function installPacked(): Promise<Installed> {
  const folder = await Deno.makeTempDir({ prefix: "berth-packed-" });
  const tarball = `${folder}/${await packClient(folder)}`;
  const target = `${folder}/node_modules/@berth/client`;
  await Deno.mkdir(target, { recursive: true });
  await command("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"], folder);
  await Deno.writeTextFile(`${folder}/package.json`, `{"private":true,"type":"module"}`);
  return { folder, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

/** Bundles a script with `deno bundle`. */
export async function bundle(entry: URL, output: string, options: readonly string[] = []): Promise<void> {
  await command(Deno.execPath(), ["bundle", "--quiet", "-o", output, ...options, entry.pathname], client);
}

/** The suite as one file for Node 20, Bun and browsers, the client in it or left to the package. */
export async function bundleSuite(
  esbuild: string,
  output: string,
  client: "inside" | "apart",
): Promise<void> {
  const found = client === "inside"
    ? Object.entries(ENTRIES).map(([name, file]) => `--alias:${name}=${new URL(file, ROOT).pathname}`)
    : ["--external:@berth/client", "--external:@berth/client/*"];
  const entry = new URL("./suite/run.ts", import.meta.url).pathname;
  await command(esbuild, [
    "--bundle",
    "--format=esm",
    "--target=es2022",
    `--outfile=${output}`,
    ...found,
    entry,
  ], ROOT);
}

/** Runs it; fails with what it said. */
export async function command(program: string, args: string[], cwd: string | URL): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd,
    stdin: "null",
    env: { NO_COLOR: "1" },
    signal: AbortSignal.timeout(120_000),
  }).output();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (!success) throw new Error(`${program} ${args.join(" ")}: ${said}`);
  return said;
}
