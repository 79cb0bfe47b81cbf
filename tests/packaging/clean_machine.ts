/** Runs a tool of the project as on a machine where nothing was fetched before: an empty home and empty caches. */
import { noRegistry } from "../support/npm_registry.ts";
import { type MadeFolder, onceARun } from "../support/once_a_run.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const { deno: version } = JSON.parse(await Deno.readTextFile(`${ROOT}.ci/versions.json`));

const isProof = Deno.env.get("BERTH_PROOF") === "1";
const reason = isProof ? await noRegistry() : null;
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

const PREPARE = ["tools/image.ts", "--ssh", "--prepare"];

/** Prepares an image as on a clean machine, in a folder that goes with the returned value. */
export async function cleanImage(): Promise<MadeFolder> {
  const path = await Deno.makeTempDir({ prefix: "berth-image-" });
  await runClean(...PREPARE, "--out", path);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Prepares an image once for all files of a run, from the packages that this machine has; as on a clean one in the proof. */
export async function preparedImage(): Promise<MadeFolder> {
  if (isProof) return await cleanImage();
  return await onceARun("image", async (path) => {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", ...PREPARE, "--out", path],
      cwd: ROOT,
      stdin: "null",
    }).output();
    if (!success) throw new Error(`The image was not prepared:\n${new TextDecoder().decode(stderr)}`);
    await Deno.chmod(path, 0o755);
  });
}
