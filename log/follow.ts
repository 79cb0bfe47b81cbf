/** Follows the log file by inode, so that no rename loses a line. */
import { pause } from "../core/pause.ts";
import type { LogChunk, LogQuery } from "../core/log.ts";
import { chunksOf, LineSplitter, openRegular, regularFile, shown } from "./lines.ts";
import { matcher, MAX_ROTATED, tail } from "./tail.ts";

const POLL_MS = 200;

/** The tail, then every new line until the signal fires. */
export async function* follow(
  path: string,
  query: LogQuery,
  signal: AbortSignal,
  flush: () => void,
): AsyncGenerator<LogChunk> {
  const wanted = matcher(query);
  flush();
  let file = await openRegular(path);
  try {
    let offset = file === null ? 0 : (await file.stat()).size;
    // The tail ends where following begins: lines that arrive between the two belong to the second.
    const ending = file === null ? undefined : { inode: (await file.stat()).ino, offset };
    for (const chunk of await tail(path, query, ending)) yield chunk;
    const lines = new LineSplitter();
    while (!signal.aborted) {
      flush();
      if (file !== null) {
        if ((await file.stat()).size < offset) {
          // Truncated in place; what stood there between our last read and now is not known.
          offset = 0;
          lines.end();
          yield { gap: "the file was cut" };
        }
        await file.seek(offset, Deno.SeekMode.Start);
        for await (const bytes of chunksOf(file)) {
          offset += bytes.length;
          for (const line of lines.push(bytes)) if (wanted(line)) yield { line: shown(line) };
          if (signal.aborted) return;
        }
      }
      const next: Successor | null = await successorOf(path, file);
      if (next !== null) {
        if (next.gap) yield { gap: "the file was replaced" };
        for (const line of lines.end()) if (wanted(line)) yield { line: shown(line) };
        file?.close();
        file = next.file;
        offset = 0;
      } else {
        await pause(POLL_MS, signal);
      }
    }
  } finally {
    file?.close();
  }
}

interface Successor {
  readonly file: Deno.FsFile;
  /** True when files between ours and this one may have gone unseen. */
  readonly gap: boolean;
}

/** The file that continues after `current`: the next newer one while ours is among the rotated, else the newest. */
async function successorOf(path: string, current: Deno.FsFile | null): Promise<Successor | null> {
  const newest = await regularFile(path);
  if (current === null) {
    const file = newest === null ? null : await openRegular(path);
    return file === null ? null : { file, gap: false };
  }
  const inode = (await current.stat()).ino;
  if (newest === null || newest.ino === inode) return null;
  for (let age = 1; age <= MAX_ROTATED; age++) {
    const older = await regularFile(`${path}.${age}`);
    if (older === null) break;
    if (older.ino !== inode) continue;
    const file = await openRegular(age === 1 ? path : `${path}.${age - 1}`);
    return file === null ? null : { file, gap: false };
  }
  const file = await openRegular(path);
  return file === null ? null : { file, gap: true };
}
