/** Runs a tool of the project as on a machine where nothing was fetched before: an empty home and empty caches. */
import { noRegistry } from "../support/npm_registry.ts";
import { type MadeFolder, onceARun } from "../support/once_a_run.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const { deno: version } = JSON.parse(await Deno.readTextFile(`${ROOT}.ci/versions.json`));

const reason = await noRegistry();
if (reason !== null) {
  console.error(`NOT RUN: building from an empty cache, because ${reason}; this machine's own cache is used`);
}

/** Variables of this machine that a tool may see; none names a cache. */
const KEPT = ["PATH", "LANG", "TMPDIR", "SSL_CERT_FILE", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS"];

/** @throws Error with the tool's own words. */
export async function runClean(...args: readonly string[]): Promise<string> {
  const home = await Deno.makeTempDir({ prefix: "berth-clean-" });
  try {
    const clean = {
      HOME: home,
      NPM_CONFIG_CACHE: `${home}/npm`,
      DENO_DIR: `${home}/deno`,
      ...Object.fromEntries(
        KEPT.flatMap((name) => [[name, Deno.env.get(name) ?? ""]]).filter(([, value]) => value),
      ),
    };
    const words = ["run", "-A", ...args];
    const [program, all] = reason === null
      ? ["npx", ["-y", `deno@${version}`, ...words]]
      : [Deno.execPath(), words];
    const { success, stdout, stderr } = await new Deno.Command(program as string, {
      args: all as string[],
      cwd: ROOT,
      stdin: "null",
      ...(reason === null ? { clearEnv: true, env: clean } : {}),
    }).output();
    const text = new TextDecoder();
    if (!success) throw new Error(`${args.join(" ")} failed:\n${text.decode(stderr)}`);
    return text.decode(stdout);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

/** Prepares an image as on a clean machine, once for all files of a run. */
export async function preparedImage(): Promise<MadeFolder> {
  return await onceARun("image", async (path) => {
    await runClean("tools/image.ts", "--ssh", "--prepare", "--out", path);
    await Deno.chmod(path, 0o755);
  });
}
