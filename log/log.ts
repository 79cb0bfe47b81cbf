/** berth's log: structured lines to the console and to a rotating file. */
import { type AccessLine, type Log, LOG_LEVELS, type LogFields, type LogLevel } from "../core/log.ts";
import { Console, type ConsoleStream, prettyLine } from "./console.ts";
import { RotatingFile } from "./file.ts";
import { formatAccess, formatLine } from "./line.ts";

interface LogOptions {
  readonly level: LogLevel;
  /** Null writes no file. */
  readonly path: string | null;
  /** Stands in every line, where several processes write. */
  readonly replica?: string;
  readonly maxBytes?: number;
  readonly keep?: number;
  /** Null keeps the console quiet. */
  readonly console?: ConsoleStream | null;
}

/** The log and what only its owner does with it. */
export interface OpenLog extends Log, AsyncDisposable {
  /** Null while there is no file. */
  readonly path: string | null;
  /** Hands waiting lines to the file, so that a reader finds them. */
  flush(): void;
  /** Returns the reason for which lines do not reach the file, or null. */
  failure(): string | null;
  /** Returns the number of lines that did not reach the file since the start. */
  dropped(): number;
}

/** @throws Deno.errors when the file cannot be opened for writing. */
export function openLog(options: LogOptions): OpenLog {
  const file = options.path === null ? null : new RotatingFile({
    path: options.path,
    maxBytes: options.maxBytes ?? 10 * 1024 * 1024,
    keep: options.keep ?? 5,
  });
  const console = options.console === null ? null : new Console(options.console ?? Deno.stderr);
  const least = LOG_LEVELS.indexOf(options.level);
  const write = (line: string) => {
    file?.write(line);
    if (console !== null) console.write(console.pretty ? prettyLine(line) : line);
  };
  // The console is for berth's own messages; every request is in the file.
  const writeAccess = options.level === "debug" || file === null ? write : (line: string) => file.write(line);
  const { replica } = options;
  const log = writer({ write, writeAccess, least, replica }, replica === undefined ? undefined : { replica });
  return Object.assign(log, {
    path: options.path,
    flush: () => file?.flush(),
    failure: () => file?.failure ?? null,
    dropped: () => file?.dropped ?? 0,
    async [Symbol.asyncDispose]() {
      file?.[Symbol.dispose]();
      await console?.flush();
    },
  });
}

interface Outlets {
  readonly write: (line: string) => void;
  readonly writeAccess: (line: string) => void;
  readonly least: number;
  readonly replica: string | undefined;
}

function writer(outlets: Outlets, always: LogFields | undefined): Log {
  const { write, writeAccess, least } = outlets;
  const at = (level: LogLevel) => {
    const enabled = LOG_LEVELS.indexOf(level) >= least;
    return (message: string, fields?: LogFields) => {
      if (!enabled) return;
      const all = always === undefined ? fields : { ...always, ...fields };
      write(formatLine(now(), level, message, all));
    };
  };
  const accessEnabled = LOG_LEVELS.indexOf("info") >= least;
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    access(entry: AccessLine) {
      if (accessEnabled) writeAccess(formatAccess(now(), entry, outlets.replica));
    },
    with: (fields) => writer(outlets, { ...always, ...fields }),
  };
}

let lastMs = 0;
let lastText = "";

/** The time as text, made once a millisecond: under load most lines share it. */
function now(): string {
  const ms = Date.now();
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = new Date(ms).toISOString();
  }
  return lastText;
}
