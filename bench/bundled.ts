/** A few lines for a browser with all that they import, by the bundler that builds the page. */

const PAGE = new URL("../page/", import.meta.url);

export async function bundled(source: string): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "berth-bench-" });
  try {
    const [from, to] = [`${folder}/from.ts`, `${folder}/to.js`];
    await Deno.writeTextFile(from, source);
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["bundle", "--config", new URL("deno.json", PAGE).pathname, "--platform=browser", "--format=iife"],
        ...["--minify", "--output", to, from],
      ],
      env: { NO_COLOR: "1" },
      stdin: "null",
      stdout: "null",
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr).trim());
    return await Deno.readTextFile(to);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
