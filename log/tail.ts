/** Reads the end of the log file, across rotation. */
import { LOG_LEVELS, type LogChunk, type LogLevel, type LogQuery } from "../core/log.ts";
import { linesFromEnd, openRegular, shown } from "./lines.ts";

/** The characters that a search with a filter reads back. */
const MAX_SCAN = 64 * 1024 * 1024;
/** The most rotated files that are read. */
export const MAX_ROTATED = 100;

/** The end of the tail: the file with this inode, before this offset. */
interface TailEnd {
  readonly inode: number | null;
  readonly offset: number;
}

/** The last lines that fit, oldest first; without `ending`, of all that is in the files now. */
export async function tail(path: string, query: LogQuery, ending?: TailEnd): Promise<readonly LogChunk[]> {
  if (query.lines === 0) return [];
  const wanted = matcher(query);
  const found: LogChunk[] = [];
  let budget = MAX_SCAN;
  let end = ending;
  for (let age = 0; age <= MAX_ROTATED && found.length < query.lines; age++) {
    using file = await openRegular(age === 0 ? path : `${path}.${age}`);
    // The newest may be missing for a moment while somebody rotates it.
    if (file === null && age > 0) break;
    if (file === null) continue;
    if (end !== undefined && (await file.stat()).ino !== end.inode) continue;
    for await (const line of linesFromEnd(file, end?.offset)) {
      budget -= line.length;
      if (budget < 0) {
        found.push({ gap: "older lines were not searched" });
        return found.reverse();
      }
      if (!wanted(line)) continue;
      found.push({ line: shown(line) });
      if (found.length >= query.lines) break;
    }
    end = undefined;
  }
  return found.reverse();
}

const LEVEL_AT = `{"time":"2026-01-01T00:00:00.000Z","level":"`.length;

/** Returns a test for lines of the level that contain the text. */
export function matcher({ level, text }: LogQuery): (line: string) => boolean {
  const least = level === undefined ? 0 : LOG_LEVELS.indexOf(level);
  const needle = text?.toLowerCase();
  return (line) =>
    (least === 0 || levelOf(line) >= least) && (needle === undefined || line.toLowerCase().includes(needle));
}

/** Our own lines have the level at a fixed place; others are shown as `info`. */
function levelOf(line: string): number {
  const end = line.indexOf('"', LEVEL_AT);
  const level = LOG_LEVELS.indexOf(line.slice(LEVEL_AT, end) as LogLevel);
  return level === -1 ? LOG_LEVELS.indexOf("info") : level;
}
