/** The folder that an image is built from, as a tar: counted before the first byte is sent. */

import { baseName } from "../../artifacts/files/paths.ts";
import { Tree, type TreeEntry, TreeRefusal } from "../../artifacts/files/tree.ts";
import { concat } from "../../core/bytes.ts";
import { isOwnFile } from "../../core/own_files.ts";
import { TAR_END, tarHeader, tarPadding } from "../../core/tar.ts";
import { DockerIgnore } from "./docker_ignore.ts";

/** The most that a context may hold. */
const CONTEXT_LIMITS = { entries: 200_000, bytes: 2 * 1_024 ** 3, ignoreBytes: 256 * 1_024 };

export interface ContextPlace {
  /** The real path of the workspace. */
  readonly root: string;
  /** The real path of the context, at or below it. */
  readonly path: string;
  /** Real paths that are never read. */
  readonly hidden: readonly string[];
  readonly allowHardLinks: boolean;
}

export interface Context {
  readonly entries: readonly TreeEntry[];
  readonly bytes: number;
  /** The archive; to be read once. */
  tar(): ReadableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * Looks through the context. `dockerfile` is its path in the context, or a text in place of a file, which gets that
 * path. Throws `TreeRefusal`.
 */
export async function contextOf(
  place: ContextPlace,
  dockerfile: { readonly path: string; readonly text?: string },
): Promise<Context> {
  const all = new Tree(place.root, place.path, { ...place, judge: () => "take" });
  const ignore = await ignoreOf(all, dockerfile.path);
  const needed = [dockerfile.path, ".dockerignore"];
  const isNeeded = (path: string) => needed.some((one) => one === path || one.startsWith(`${path}/`));
  const tree = new Tree(place.root, place.path, {
    ...place,
    // It would be gone before it is sent, or lie in the image.
    judge: (path) => isOwnFile(baseName(path)) ? "skip" : isNeeded(path) ? "take" : ignore.judge(path),
  });
  const entries: TreeEntry[] = [];
  let bytes = 0;
  for await (const entry of tree.entries()) {
    entries.push(entry);
    bytes += entry.size;
    if (entries.length > CONTEXT_LIMITS.entries || bytes > CONTEXT_LIMITS.bytes) throw tooLarge();
  }
  return { entries, bytes, tar: () => ReadableStream.from(inPieces(archive(tree, entries, dockerfile))) };
}

/** A file beside the Dockerfile that bears its name comes before the one of the context. */
async function ignoreOf(tree: Tree, dockerfile: string): Promise<DockerIgnore> {
  for (const path of [`${dockerfile}.dockerignore`, ".dockerignore"]) {
    const size = await tree.sizeOf(path);
    if (size === null) continue;
    if (size > CONTEXT_LIMITS.ignoreBytes) {
      throw new TreeRefusal(`"${path}" is over ${CONTEXT_LIMITS.ignoreBytes} bytes`);
    }
    const parts = await Array.fromAsync(tree.bytes({ path, size }));
    const text = await new Blob(parts).text();
    try {
      return new DockerIgnore(text);
    } catch (cause) {
      if (cause instanceof RangeError) throw new TreeRefusal(cause.message, { cause });
      throw cause;
    }
  }
  return new DockerIgnore("");
}

async function* archive(
  tree: Tree,
  entries: readonly TreeEntry[],
  { path, text }: { readonly path: string; readonly text?: string },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const sent = entries.filter((entry) => text === undefined || entry.path !== path);
  for await (const { entry, parts } of readAhead(tree, sent)) {
    yield tarHeader(entry);
    if (entry.kind !== "file") continue;
    yield* parts;
    if (entry.size % 512 !== 0) yield tarPadding(entry.size);
  }
  if (text !== undefined) {
    const bytes = new TextEncoder().encode(text);
    yield tarHeader({ path, kind: "file", mode: 0o644, size: bytes.length, changed: 0 });
    yield bytes;
    yield tarPadding(bytes.length);
  }
  yield TAR_END;
}

type Parts = AsyncIterable<Uint8Array<ArrayBuffer>> | Iterable<Uint8Array<ArrayBuffer>>;

/** Small files that are read while those before them are sent: each takes several calls to the system. */
const AHEAD = 16;
const SMALL = 64 * 1_024;

/** Yields the entries in their order, each file with its bytes. */
async function* readAhead(
  tree: Tree,
  entries: readonly TreeEntry[],
): AsyncGenerator<{ readonly entry: TreeEntry; readonly parts: Parts }> {
  const reading: Promise<Parts>[] = [];
  const begin = async (entry: TreeEntry | undefined): Promise<Parts> => {
    if (entry?.kind !== "file") return [];
    return entry.size > SMALL ? tree.bytes(entry) : await Array.fromAsync(tree.bytes(entry));
  };
  try {
    for (const [at, entry] of entries.entries()) {
      while (reading.length < AHEAD) {
        const next = begin(entries[at + reading.length]);
        next.catch(() => {}); // thrown where it is awaited, or of no interest any more
        reading.push(next);
      }
      yield { entry, parts: await reading.shift()! };
    }
  } finally {
    await Promise.allSettled(reading);
  }
}

const PIECE = 256 * 1_024;

/** Joins small parts: most files of a context are smaller than what is worth a write. */
async function* inPieces(
  parts: AsyncIterable<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const part of parts) {
    waiting.push(part);
    bytes += part.length;
    if (bytes < PIECE) continue;
    yield concat(waiting);
    waiting = [];
    bytes = 0;
  }
  yield concat(waiting);
}

const tooLarge = () =>
  new TreeRefusal(
    `it holds more than ${CONTEXT_LIMITS.entries} entries or ${
      CONTEXT_LIMITS.bytes / 1_024 ** 3
    } GiB; name what the ` +
      "build does not need in .dockerignore",
  );
