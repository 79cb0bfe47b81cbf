/** Lines out of a log file: forwards in chunks, backwards from the end, and only from a regular file. */

import { concat } from "../core/bytes.ts";
import { visible } from "./line.ts";

const CHUNK = 65_536;
/** A longer line was not written by berth: it is cut, so that memory stays bounded. */
const MAX_LINE = 262_144;

const decoder = new TextDecoder();
const decode = (parts: readonly Uint8Array[]) =>
  decoder.decode(parts.length === 1 ? parts[0] : concat(parts));

/** Lines from the last to the first, read in chunks from the end. A last line without its end is still being written. */
export async function* linesFromEnd(file: Deno.FsFile, end?: number): AsyncGenerator<string> {
  let position = end ?? (await file.stat()).size;
  /** The bytes of a line whose start is not read yet, in file order. */
  let rest: Uint8Array[] = [];
  let restLength = 0;
  let complete = false;
  while (position > 0) {
    const length = Math.min(CHUNK, position);
    position -= length;
    const bytes = await readAt(file, position, length);
    let upTo = bytes.length;
    for (let at = bytes.lastIndexOf(10); at !== -1; at = at === 0 ? -1 : bytes.lastIndexOf(10, at - 1)) {
      if (complete) {
        const part = bytes.subarray(at + 1, upTo);
        const line = decode([part, ...rest]);
        if (line !== "") yield line;
      }
      complete = true;
      rest = [];
      restLength = 0;
      upTo = at;
    }
    if (complete && upTo > 0) {
      rest.unshift(bytes.slice(0, upTo));
      restLength += upTo;
      while (restLength > MAX_LINE && rest.length > 1) restLength -= rest.pop()!.length;
    }
    if (bytes.length < length) break;
  }
  if (complete && rest.length > 0) yield decode(rest);
}

async function readAt(file: Deno.FsFile, position: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  await file.seek(position, Deno.SeekMode.Start);
  let read = 0;
  while (read < length) {
    const count = await file.read(bytes.subarray(read));
    if (count === null) break;
    read += count;
  }
  return bytes.subarray(0, read);
}

export async function* chunksOf(file: Deno.FsFile): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(CHUNK);
  for (let count = await file.read(buffer); count !== null && count > 0; count = await file.read(buffer)) {
    yield buffer.subarray(0, count);
  }
}

/** Whole lines out of chunks; what is longer than a line may be is cut. */
export class LineSplitter {
  #rest: Uint8Array[] = [];
  #restLength = 0;

  *push(bytes: Uint8Array): Generator<string> {
    let from = 0;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
      const line = decode([...this.#rest, bytes.subarray(from, at)]);
      this.#rest = [];
      this.#restLength = 0;
      from = at + 1;
      if (line !== "") yield line;
    }
    if (from < bytes.length && this.#restLength < MAX_LINE) {
      this.#rest.push(bytes.slice(from));
      this.#restLength += bytes.length - from;
    }
  }

  /** Returns the rest of the file that has no line end. */
  end(): string[] {
    const line = decode(this.#rest);
    this.#rest = [];
    this.#restLength = 0;
    return line === "" ? [] : [line];
  }
}

/** Only a regular file is read, never a link, a device or a pipe. */
export async function regularFile(path: string): Promise<Deno.FileInfo | null> {
  try {
    const there = await Deno.lstat(path);
    return there.isFile ? there : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Opens what `lstat` saw, and nothing that took its place in between. */
export async function openRegular(path: string): Promise<Deno.FsFile | null> {
  const seen = await regularFile(path);
  if (seen === null) return null;
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  const opened = await file.stat();
  if (opened.ino === seen.ino && opened.dev === seen.dev) return file;
  file.close();
  return null;
}

/** The line as a reader gets it: berth's own record, or other text wrapped in one, with control characters escaped. */
export function shown(line: string): string {
  const clean = visible(line);
  if (clean.startsWith('{"time":"') && clean.endsWith("}")) return clean;
  return JSON.stringify({ time: "", level: "info", message: clean });
}
