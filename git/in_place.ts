/** Writes into files that a container has mounted by themselves: they keep their inode, so that the container reads the new text. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { baseName, folderOf } from "../artifacts/files/paths.ts";
import type { Decision } from "./changes.ts";
import { blobId } from "./folder_state.ts";
import { heldFolder } from "./folders.ts";
import { SourceFailure } from "./failure.ts";

interface InPlaceOptions {
  readonly root: string;
  readonly contents: (ids: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
  readonly chunk?: number;
}

/** Does work with a path, and notes that path where it fails. */
type FailingAt = <T>(path: string, work: () => Promise<T>) => Promise<T>;

const CHUNK = 64 * 1024;

export class InPlace {
  readonly #options: InPlaceOptions;
  readonly #decisions: readonly Decision[];

  constructor(options: InPlaceOptions, decisions: readonly Decision[]) {
    this.#options = options;
    this.#decisions = decisions;
  }

  /** Throws before anything happens where one cannot be written; `failingAt` notes its path. */
  async mustBeWritable(failingAt: FailingAt): Promise<void> {
    for (const { path } of this.#decisions) {
      await failingAt(path, async () => {
        await using _ = await this.#open(path);
      });
    }
  }

  /** Writes all of them, a piece at a time. Where one cannot be written, those before get their old text back. */
  async *write(failingAt: FailingAt): AsyncGenerator<void> {
    const written: { readonly path: string; readonly old: Uint8Array }[] = [];
    for (const decision of this.#decisions) {
      const { path, to } = decision;
      const text = (await this.#options.contents([to!.id])).get(to!.id)!; // it is written
      try {
        await using file = await failingAt(path, () => this.#open(path));
        const old = await contentOf(file);
        if (blobId(old, to!.id) !== ("id" in decision.now ? decision.now.id : "")) {
          throw new SourceFailure(`"${path}" was changed while the commit was written`);
        }
        written.push({ path, old });
        yield* this.#overwrite(file, text);
      } catch (error) {
        for (const { path, old } of written) await this.#restore(path, old);
        throw new Unwritten(error);
      }
    }
  }

  async #open(path: string): Promise<FileHandle> {
    using folder = await heldFolder(this.#options.root, folderOf(path));
    const flags = constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW;
    return await open(folder.at(baseName(path)), flags);
  }

  /** Overwrites first and shortens afterwards: whoever reads meanwhile finds no empty file. */
  async *#overwrite(file: FileHandle, text: Uint8Array): AsyncGenerator<void> {
    const chunk = this.#options.chunk ?? CHUNK;
    for (let at = 0; at < text.length;) {
      const { bytesWritten } = await file.write(text, at, Math.min(chunk, text.length - at), at);
      at += bytesWritten;
      yield;
    }
    await file.truncate(text.length);
    await file.sync();
    yield;
  }

  async #restore(path: string, old: Uint8Array): Promise<void> {
    await using file = await this.#open(path);
    for await (const _ of this.#overwrite(file, old));
  }
}

/** Nothing was written after all: every file that was written in place has its old text again. */
export class Unwritten extends Error {
  constructor(cause: unknown) {
    super("Cannot write in place", { cause });
  }
}

/**
 * Returns true if a text is one that was being written over another when that was interrupted: it begins as the one and
 * goes on as the other.
 */
export function isHalfWritten(seen: Uint8Array, one: Uint8Array, other: Uint8Array): boolean {
  return isMixed(seen, one, other) || isMixed(seen, other, one);
}

/** The new text up to some place, and the old one from there. */
function isMixed(seen: Uint8Array, fresh: Uint8Array, old: Uint8Array): boolean {
  let at = 0;
  while (at < seen.length && at < fresh.length && seen[at] === fresh[at]) at++;
  if (seen.length !== Math.max(at, old.length)) return false;
  for (let rest = at; rest < seen.length; rest++) if (seen[rest] !== old[rest]) return false;
  return true;
}

async function contentOf(file: FileHandle): Promise<Uint8Array> {
  const { size } = await file.stat();
  const buffer = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(buffer, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
