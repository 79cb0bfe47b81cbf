/** Makes several files, all of them or none; one that is there with the very text counts as made. */

import { rmdir } from "node:fs/promises";
import { createFile } from "./create_file.ts";
import { openFolder } from "./folder.ts";
import { baseName, folderOf, fullOf } from "./paths.ts";
import { SafeReader } from "./safe_reader.ts";
import { sha256 } from "./sha256.ts";
import { removeIfThere } from "./writing.ts";

/** A file to make. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
  /** True if only its owner may read it. */
  readonly isPrivate: boolean;
}

/**
 * Makes the files in their order, and resolves to the paths of what is new, with the folders. Throws what `createFile`
 * does; what was made before is removed then, if nobody has written into it.
 */
export async function createFiles(
  root: string,
  files: readonly NewFile[],
  hidden: readonly string[],
): Promise<readonly string[]> {
  const reader = new SafeReader(root, undefined, hidden, false);
  const missing: NewFile[] = [];
  for (const file of files) if (await reader.hash(file.path) !== sha256(file.text)) missing.push(file);
  const made: NewFile[] = [];
  const folders: string[] = [];
  try {
    for (const file of missing) {
      folders.push(...await createFile(root, file.path, { ...file, hidden }));
      made.push(file);
    }
    return [...folders, ...made.map(({ path }) => path)];
  } catch (error) {
    await removeMade(root, made, [...folders, ...made.map(({ path }) => path)], hidden);
    throw error;
  }
}

/** Removes what `createFiles` has made of these files, if nobody has written into it, and its folders if they are empty. */
export async function removeMade(
  root: string,
  files: readonly NewFile[],
  made: readonly string[],
  hidden: readonly string[],
): Promise<void> {
  const reader = new SafeReader(root, undefined, hidden, false);
  for (const path of made.toReversed()) {
    const file = files.find((one) => one.path === path);
    if (file === undefined) await removeFolder(root, path).catch(() => {}); // others may use it
    else if (await reader.hash(path) === sha256(file.text)) await removeIn(root, path).catch(() => {});
  }
}

async function removeIn(root: string, path: string): Promise<void> {
  using folder = await openFolder(root, fullOf(root, folderOf(path)));
  if (folder !== null) await removeIfThere(folder.at(baseName(path)));
}

async function removeFolder(root: string, path: string): Promise<void> {
  using folder = await openFolder(root, fullOf(root, folderOf(path)));
  if (folder !== null) await rmdir(folder.at(baseName(path)));
}
