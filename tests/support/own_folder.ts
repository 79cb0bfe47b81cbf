/** An empty folder for one test, by its real path; it is removed with all that is in it. */
export async function ownFolder(prefix: string): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix }));
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
