/** The project's own TypeScript files, for the rules that are held by reading them. */

const root = new URL("../../", import.meta.url);

/** Their paths from the root of the project. */
export async function* sources(folder = ""): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(new URL(folder || ".", root))) {
    const path = folder + entry.name;
    if (entry.isDirectory) {
      if (!entry.name.startsWith(".") && !["node_modules", "fixtures", "dist"].includes(entry.name)) {
        yield* sources(`${path}/`);
      }
    } else if (/\.tsx?$/.test(entry.name)) yield path;
  }
}
