/** The log file: kept open, appended to in batches, rotated by size, and found again when somebody moved it. */

/** Bytes a batch may hold before it is written without waiting for the tick. */
const BATCH = 65_536;
const TICK_MS = 100;
const LOOK_AGAIN_MS = 2_000;
const LINE_END = 10;

interface RotatingFileOptions {
  readonly path: string;
  readonly maxBytes: number;
  /** The number of older files to keep. */
  readonly keep: number;
}

export class RotatingFile implements Disposable {
  readonly path: string;
  /** The reason for which lines are being lost at the moment, or null. */
  failure: string | null = null;
  /** The number of lines lost since the start. */
  dropped = 0;
  readonly #maxBytes: number;
  readonly #keep: number;
  readonly #encoder = new TextEncoder();
  #file: Deno.FsFile | null;
  #inode: number | null;
  #size: number;
  /** True if the file ends within a line: berth was killed, or the disk took only a part. */
  #torn: boolean;
  /** Line ends written so far. */
  #ends = 0;
  #lookedAt = performance.now();
  #batch: string[] = [];
  #batchLength = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lost = 0;

  /** Opens the file at once, so that a folder that cannot be written is known at start. */
  constructor(options: RotatingFileOptions) {
    this.path = options.path;
    this.#maxBytes = options.maxBytes;
    this.#keep = options.keep;
    [this.#file, this.#inode, this.#size, this.#torn] = openForAppend(options.path);
    if (this.#torn) this.#lost = 1;
  }

  /** `line` comes without its line end. */
  write(line: string): void {
    this.#batch.push(line);
    this.#batchLength += line.length + 1;
    if (this.#batchLength >= BATCH) this.flush();
    else if (this.#timer === undefined) this.#flushIn(TICK_MS);
  }

  /** Writes what waits. What the disk refuses is dropped, counted, and told in the file as soon as that can be. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#batch.length === 0 && this.#lost === 0) return;
    const bytes = this.#encoder.encode(this.#batch.map((line) => line + "\n").join(""));
    let unwritten = this.#batch.length;
    this.#batch = [];
    this.#batchLength = 0;
    try {
      this.#findAgain();
      if (this.#size > 0 && this.#size + bytes.length > this.#maxBytes) this.#rotate();
      this.#open();
      if (this.#torn) this.#append(new Uint8Array([LINE_END]));
      if (this.#lost > 0) {
        this.#append(this.#encoder.encode(lossLine(this.#lost)));
        this.#lost = 0;
      }
      const before = this.#ends;
      try {
        this.#append(bytes);
      } finally {
        unwritten -= this.#ends - before;
      }
      this.failure = null;
    } catch (error) {
      this.#lost += unwritten;
      this.dropped += unwritten;
      this.failure = error instanceof Error ? error.name : "unknown";
      this.#flushIn(LOOK_AGAIN_MS);
    }
  }

  [Symbol.dispose](): void {
    this.flush();
    clearTimeout(this.#timer);
    this.#file?.close();
    this.#file = null;
  }

  #flushIn(ms: number): void {
    this.#timer = setTimeout(() => this.flush(), ms);
    Deno.unrefTimer(this.#timer);
  }

  #open(): Deno.FsFile {
    if (this.#file === null) {
      [this.#file, this.#inode, this.#size, this.#torn] = openForAppend(this.path);
    }
    return this.#file;
  }

  #append(bytes: Uint8Array): void {
    const file = this.#open();
    for (let written = 0; written < bytes.length;) {
      const taken = bytes.subarray(written, written + file.writeSync(bytes.subarray(written)));
      written += taken.length;
      this.#size += taken.length;
      this.#torn = taken.at(-1) !== LINE_END;
      for (let at = taken.indexOf(LINE_END); at !== -1; at = taken.indexOf(LINE_END, at + 1)) this.#ends += 1;
    }
  }

  /** logrotate and people rename or truncate the file; berth looks every two seconds. */
  #findAgain(): void {
    const now = performance.now();
    if (this.#file !== null && now - this.#lookedAt < LOOK_AGAIN_MS) return;
    this.#lookedAt = now;
    let there: Deno.FileInfo | null = null;
    try {
      there = Deno.lstatSync(this.path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    if (there !== null && there.isFile && there.ino === this.#inode && this.#file !== null) {
      this.#size = there.size;
      return;
    }
    this.#file?.close();
    this.#file = null;
  }

  #rotate(): void {
    this.#file?.close();
    this.#file = null;
    for (let age = this.#keep; age >= 1; age--) {
      const older = `${this.path}.${age}`;
      const newer = age === 1 ? this.path : `${this.path}.${age - 1}`;
      try {
        Deno.renameSync(newer, older);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    if (this.#keep === 0) Deno.removeSync(this.path);
  }
}

function lossLine(lost: number): string {
  const time = new Date().toISOString();
  return `{"time":"${time}","level":"error","message":"Log lines were lost","lost":${lost}}\n`;
}

/** The file, its inode, its size, and whether it ends within a line. Refuses a link or a device in its place. */
function openForAppend(path: string): [Deno.FsFile, number | null, number, boolean] {
  try {
    if (!Deno.lstatSync(path).isFile) throw new TypeError(`"${path}" is not a regular file`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const file = Deno.openSync(path, { append: true, create: true, read: true, mode: 0o600 });
  const { ino, size } = file.statSync();
  const last = new Uint8Array(1);
  if (size > 0) {
    file.seekSync(-1, Deno.SeekMode.End);
    file.readSync(last);
  }
  return [file, ino, size, size > 0 && last[0] !== LINE_END];
}
