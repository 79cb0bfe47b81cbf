/** Reads the log file: which files there are, their last lines, and new ones. */
import type { LogFiles, LogReader } from "../core/log.ts";
import { follow } from "./follow.ts";
import { regularFile } from "./lines.ts";
import { MAX_ROTATED, tail } from "./tail.ts";

/** `flush` hands waiting lines to the file before each look. */
export function logReader(path: string, flush: () => void = () => {}): LogReader {
  return {
    async files(): Promise<LogFiles> {
      flush();
      const rotated: string[] = [];
      for (let age = 1; age <= MAX_ROTATED; age++) {
        if (await regularFile(`${path}.${age}`) === null) break;
        rotated.push(`${path}.${age}`);
      }
      return { path, size: (await regularFile(path))?.size ?? 0, rotated };
    },
    tail(query) {
      flush();
      return tail(path, query);
    },
    follow: (query, signal) => follow(path, query, signal, flush),
  };
}
