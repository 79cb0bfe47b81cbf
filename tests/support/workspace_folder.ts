/** A folder made of texts, for tests that read one. */
import type { Model } from "../../artifacts/artifact.ts";
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";

/** Texts by path. A path ending in `/` is a folder; a text beginning with `-> ` makes a symbolic link. */
export type Files = Readonly<Record<string, string>>;

export interface WorkspaceFolder extends AsyncDisposable {
  /** Its real path. */
  readonly path: string;
  write(files: Files): Promise<void>;
  read(): Promise<Model>;
}

/** A folder of the given name in a temporary one of its own. */
export async function workspaceFolder(files: Files, name = "shop"): Promise<WorkspaceFolder> {
  const around = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth_files_" }));
  const path = `${around}/${name}`;
  await Deno.mkdir(path);
  const write = async (files: Files) => {
    for (const [file, text] of Object.entries(files)) {
      const whole = `${path}/${file}`;
      await Deno.mkdir(file.endsWith("/") ? whole : whole.slice(0, whole.lastIndexOf("/")), {
        recursive: true,
      });
      if (file.endsWith("/")) continue;
      if (text.startsWith("-> ")) await Deno.symlink(text.slice(3), whole);
      else await Deno.writeFile(whole, bytesOf(text));
    }
  };
  await write(files);
  return {
    path,
    write,
    read: () => new WorkspaceReader(path).read(),
    [Symbol.asyncDispose]: () => Deno.remove(around, { recursive: true }),
  };
}

/** UTF-8, but for lone surrogates from `\udc80` on, which stand for the bytes that no UTF-8 has. */
function bytesOf(text: string): Uint8Array {
  const cut = text.search(/[\udc80-\udcff](?<![\ud800-\udbff].)/);
  if (cut === -1) return new TextEncoder().encode(text);
  const [before, after] = [text.slice(0, cut), text.slice(cut + 1)].map((part) =>
    new TextEncoder().encode(part)
  );
  return Uint8Array.from([...before!, text.charCodeAt(cut) & 0xff, ...after!]);
}
