/** The log file: kept open, appended to in batches, rotated by size, and found again when somebody moved it. */

/** Bytes a batch may hold before it is written without waiting for the tick. */
const BATCH = 65_536;
const TICK_MS = 100;
const LOOK_AGAIN_MS = 2_000;

export interface RotatingFileOptions {
  readonly path: string;
  readonly maxBytes: number;
  /** How many older files stay. */
  readonly keep: number;
}

export class RotatingFile implements Disposable {
  readonly path: string;
  /** Why lines are being lost at the moment, or null. */
  failure: string | null = null;
  readonly #maxBytes: number;
  readonly #keep: number;
  readonly #encoder = new TextEncoder();
  #file: Deno.FsFile | null;
  #inode: number | null;
  #size: number;
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
    [this.#file, this.#inode, this.#size] = openForAppend(options.path);
  }

  /** `line` comes without its line end. */
  write(line: string): void {
    this.#batch.push(line);
    this.#batchLength += line.length + 1;
    if (this.#batchLength >= BATCH) this.flush();
    else if (this.#timer === undefined) {
      const timer = setTimeout(() => this.flush(), TICK_MS);
      Deno.unrefTimer(timer);
      this.#timer = timer;
    }
  }

  /** Writes what waits. What the disk refuses is dropped, counted, and reported in the file later. */
  flush(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#batch.length === 0) return;
    const lines = this.#batch;
    this.#batch = [];
    this.#batchLength = 0;
    try {
      this.#findAgain();
      if (this.#lost > 0) {
        lines.unshift(
          `{"time":"${
            new Date().toISOString()
          }","level":"error","message":"Log lines were lost","lost":${this.#lost}}`,
        );
      }
      const bytes = this.#encoder.encode(lines.join("\n") + "\n");
      if (this.#size > 0 && this.#size + bytes.length > this.#maxBytes) this.#rotate();
      this.#append(bytes);
      this.#lost = 0;
      this.failure = null;
    } catch (error) {
      this.#lost += lines.length;
      this.failure = error instanceof Error ? error.name : "unknown";
    }
  }

  [Symbol.dispose](): void {
    this.flush();
    this.#file?.close();
    this.#file = null;
  }

  #append(bytes: Uint8Array): void {
    if (this.#file === null) [this.#file, this.#inode, this.#size] = openForAppend(this.path);
    let written = 0;
    while (written < bytes.length) {
      const count = this.#file.writeSync(bytes.subarray(written));
      written += count;
      this.#size += count;
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

/** Refuses a link or a device in place of the file. */
function openForAppend(path: string): [Deno.FsFile, number | null, number] {
  try {
    if (!Deno.lstatSync(path).isFile) throw new TypeError(`"${path}" is not a regular file`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
  const there = file.statSync();
  return [file, there.ino, there.size];
}
