/** Small files that hold a secret: readable by their owner alone, there whole or not at all. */
import { ServiceError } from "../../core/error.ts";

/** Far more than any of them holds. */
const MAX_BYTES = 4096;

/** The text of the file, or null when there is none. Refuses a file that others may read. */
export async function readPrivateFile(path: string): Promise<string | null> {
  try {
    using file = await Deno.open(path);
    const { mode, size, isFile } = await file.stat();
    if (!isFile || size > MAX_BYTES) throw refusal(path, "it is not a small regular file");
    if (mode !== null && (mode & 0o077) !== 0) {
      throw refusal(path, "others may read it; allow its owner alone (chmod 600)");
    }
    const bytes = new Uint8Array(MAX_BYTES);
    const read = await file.read(bytes);
    return new TextDecoder().decode(bytes.subarray(0, read ?? 0)).trim();
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return null;
    if (thrown instanceof ServiceError) throw thrown;
    throw refusal(path, "it cannot be read", thrown);
  }
}

/** Replaces the file in one step. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await place(path, text, (partial) => Deno.rename(partial, path));
}

/** Makes the file unless it is there; of several processes one makes it. Says whether this one did. */
export async function makePrivateFile(path: string, text: string): Promise<boolean> {
  let made = true;
  await place(path, text, async (partial) => {
    try {
      // A link, unlike a rename, fails when the name is taken.
      await Deno.link(partial, path);
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.AlreadyExists)) throw thrown;
      made = false;
    }
    await Deno.remove(partial);
  });
  return made;
}

async function place(path: string, text: string, name: (partial: string) => Promise<void>): Promise<void> {
  const partial = `${path}.${crypto.randomUUID()}.partial`;
  try {
    {
      using file = await Deno.open(partial, { createNew: true, write: true, mode: 0o600 });
      const bytes = new TextEncoder().encode(`${text}\n`);
      for (let at = 0; at < bytes.byteLength;) at += await file.write(bytes.subarray(at));
      await file.sync();
    }
    await name(partial);
  } catch (cause) {
    await Deno.remove(partial).catch(() => {});
    throw refusal(path, "it cannot be written", cause);
  }
}

function refusal(path: string, why: string, cause?: unknown): ServiceError {
  return new ServiceError("store_unavailable", `Cannot use the file "${path}": ${why}`, { cause });
}
