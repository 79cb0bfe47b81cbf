/** Things that take long to make and that no test changes: made once for all files of `deno task test`. */

const run = Deno.env.get("BERTH_TEST_RUN");

/** A folder, which stays as long as it is needed. */
export type MadeFolder = AsyncDisposable & { readonly path: string };

/**
 * Returns the folder of this name that all files of a run share, and makes it if it is the first to ask. A file that runs
 * alone, as in `deno task proof`, has one of its own.
 */
export async function onceARun(name: string, make: (path: string) => Promise<void>): Promise<MadeFolder> {
  if (run === undefined) {
    const path = await Deno.makeTempDir({ prefix: `berth-${name}-` });
    await make(path);
    return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
  }
  const path = `${run}/${name}`;
  using lock = await Deno.open(`${path}.lock`, { create: true, write: true });
  await lock.lock(true);
  if (!await Deno.stat(path).then(() => true, () => false)) {
    // In one step, so that nobody takes what was left half done
    const folder = await Deno.makeTempDir({ dir: run });
    await make(folder);
    await Deno.rename(folder, path);
  }
  return { path, [Symbol.asyncDispose]: () => Promise.resolve() };
}
