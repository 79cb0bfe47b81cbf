/** The version that runs on a data folder, in a file of its own: `berth doctor` reads it, and strangers are not told. */
import { readPrivateFile, writePrivateFile } from "../auth/sealing/private_file.ts";
import { ServiceError } from "../core/error.ts";
import type { Log } from "../core/log.ts";
import { VERSION } from "../version.ts";

const pathIn = (dataFolder: string) => `${dataFolder}/running-version`;

/** Writes it. A folder that takes no file any more costs the doctor's answer alone. */
export async function tellVersion(dataFolder: string, log: Log): Promise<void> {
  try {
    await writePrivateFile(pathIn(dataFolder), VERSION);
  } catch (error) {
    log.warn("berth doctor will not know which version runs", { error });
  }
}

/** Returns the version that started last; null where nothing tells. */
export async function lastVersion(dataFolder: string): Promise<string | null> {
  try {
    const text = await readPrivateFile(pathIn(dataFolder));
    return text !== null && /^[\w.+-]{1,50}$/.test(text) ? text : null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return null;
  }
}
