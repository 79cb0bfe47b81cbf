/** The log as every part of berth may use it: to write a line, and to read lines back. */

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Extra values of a line. Secrets in known places are masked; errors are written with their causes. */
export type LogFields = Readonly<Record<string, unknown>>;

/** One answered request in the access log. */
export interface AccessLine {
  readonly method: string;
  /** Without its query, which may hold what nobody should read later. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly requestId: string;
  readonly peer: string;
  readonly caller: string | null;
  readonly code: string | null;
}

/** Writing never throws and never waits. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  access(entry: AccessLine): void;
  /** The same log, with these fields on every line. */
  with(fields: LogFields): Log;
}

/** Which lines a reader wants; every limit is the caller's to set. */
export interface LogQuery {
  readonly lines: number;
  /** The least level shown. */
  readonly level?: LogLevel;
  /** Case-insensitive text that a line must hold. */
  readonly text?: string;
}

/** One line as it stands in the file, or a gap where lines could not be read. */
export type LogChunk = { readonly line: string } | { readonly gap: string };

export interface LogFiles {
  readonly path: string;
  readonly size: number;
  /** Older files, newest first. */
  readonly rotated: readonly string[];
}

/** Reads berth's own log file. */
export interface LogReader {
  files(): Promise<LogFiles>;
  /** The last lines that fit the query, oldest first. */
  tail(query: LogQuery): Promise<readonly LogChunk[]>;
  /** The tail, and then every new line, until the signal fires. */
  follow(query: LogQuery, signal: AbortSignal): AsyncIterable<LogChunk>;
}
