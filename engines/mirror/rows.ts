/** Rows in memory, with a version that rises when one of them changes. */

/** Tells whether a row that is read is another one. */
interface Told {
  readonly text: string;
  readonly whole: string | undefined;
}

export class Rows<Row> {
  readonly #rows = new Map<string, Row>();
  readonly #told = new Map<string, Told>();
  #version = 0;
  #reads = 0;

  get version(): number {
    return this.#version;
  }

  /** Rises with every row that is read, whether it is another or not. */
  get reads(): number {
    return this.#reads;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  values(): IterableIterator<Row> {
    return this.#rows.values();
  }

  keys(): IterableIterator<string> {
    return this.#rows.keys();
  }

  /**
   * Returns whether the row changed. The row object is replaced unless `whole`, a digest of all that the engine told,
   * is the one of before, so that what is cached by the old object is known to be old.
   */
  put(key: string, row: Row, whole?: string): boolean {
    this.#reads += 1;
    const text = JSON.stringify(row);
    const before = this.#told.get(key);
    const isNew = before?.text !== text;
    if (isNew || whole === undefined || before?.whole !== whole) {
      this.#rows.set(key, row);
      this.#told.set(key, { text, whole });
    }
    if (isNew) this.#version += 1;
    return isNew;
  }

  delete(key: string): boolean {
    if (!this.#rows.delete(key)) return false;
    this.#told.delete(key);
    this.#version += 1;
    return true;
  }

  clear(): void {
    if (this.#rows.size > 0) this.#version += 1;
    this.#rows.clear();
    this.#told.clear();
  }

  /** Replaces all rows by these. */
  replace(rows: Iterable<readonly [string, Row]>): void {
    const kept = new Set<string>();
    for (const [key, row] of rows) {
      this.put(key, row);
      kept.add(key);
    }
    for (const key of [...this.#rows.keys()]) if (!kept.has(key)) this.delete(key);
  }
}
