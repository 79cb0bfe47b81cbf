/** Finds the parts of the program that are known by their path: modules that are read late, workers, and the page. */

/** In a bundle, all that does not begin a file of its own lies beside `main.ts`. */
const IS_BUNDLED = !import.meta.url.endsWith("/core/place.ts");
const ROOT = new URL(IS_BUNDLED ? "./" : "../", import.meta.url);

/**
 * Returns the address of a module or a folder by its path from the folder of `main.ts`. An import of it is no constant, so
 * that the runtime reads it then and not before the first line runs. `tools/bundle.ts` finds the calls by their text.
 */
export function placeOf(path: string): URL {
  return new URL(IS_BUNDLED ? path.replace(/\.ts$/, ".js") : path, ROOT);
}
