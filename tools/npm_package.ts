/** Packs the client for npm: what `deno pack` makes, with what npm's own page shows and bundlers ask for. */
import { REPOSITORY } from "./names.ts";
import { ROOT } from "./program.ts";
import { run } from "./run.ts";

/** Fields of `package.json` that `deno pack` does not write. */
const FIELDS = {
  description: "A small typed HTTP client for Deno, Node, Bun and browsers, and all endpoints of berth",
  repository: { type: "git", url: `git+${REPOSITORY}.git`, directory: "client" },
  homepage: `${REPOSITORY}#readme`,
  bugs: `${REPOSITORY}/issues`,
  engines: { node: ">=20.16" },
  sideEffects: false,
  publishConfig: { access: "public", provenance: true },
};

/** Writes `berth-client-VERSION.tgz` into `out`, which both `npm publish` and `npm install` take. Returns its name. */
export async function packClient(out: string): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "berth-client-" });
  try {
    await run(Deno.execPath(), ["pack", "--allow-dirty", "-o", `${folder}/made.tgz`], `${ROOT}client`);
    await run("tar", ["-xzf", `${folder}/made.tgz`, "-C", folder]);
    const manifest = JSON.parse(await Deno.readTextFile(`${folder}/package/package.json`));
    await Deno.writeTextFile(
      `${folder}/package/package.json`,
      `${JSON.stringify({ ...manifest, ...FIELDS }, null, 2)}\n`,
    );
    const name = `berth-client-${manifest.version}.tgz`;
    await run("tar", ["-czf", `${out}/${name}`, "-C", folder, "package"]);
    return name;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) console.log(await packClient(Deno.args[0] ?? "."));
