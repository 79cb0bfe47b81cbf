/** Code as `deno fmt` would have it. */

/** The files as this project formats them. */
export async function formatted(files: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const folder = await Deno.makeTempDir({ prefix: "berth-format-" });
  try {
    for (const [name, text] of files) await Deno.writeTextFile(`${folder}/${name}`, text);
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["fmt", "--quiet", "--config", config, folder],
      stdin: "null",
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const read = async (name: string) => [name, await Deno.readTextFile(`${folder}/${name}`)] as const;
    return new Map(await Promise.all([...files.keys()].map(read)));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
