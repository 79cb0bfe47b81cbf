/** A folder of one test's own, with the texts it asks for, gone at the end. */

export class PlantedFolder implements AsyncDisposable {
  constructor(readonly path: string) {}

  async write(path: string, text: string | Uint8Array): Promise<void> {
    const full = `${this.path}/${path}`;
    await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
    if (typeof text === "string") await Deno.writeTextFile(full, text);
    else await Deno.writeFile(full, text);
  }

  async remove(path: string): Promise<void> {
    await Deno.remove(`${this.path}/${path}`, { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true }).catch(() => {});
  }
}

/** The real path, as reading wants it; paths end in a file, or in `/` for an empty folder. */
export async function plant(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<PlantedFolder> {
  const folder = new PlantedFolder(await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-planted-" })));
  for (const [path, text] of Object.entries(files)) {
    if (path.endsWith("/")) await Deno.mkdir(`${folder.path}/${path}`, { recursive: true });
    else await folder.write(path, text);
  }
  return folder;
}
