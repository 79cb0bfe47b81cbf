/** Rows in memory, with a version that rises when one of them changes. */

interface Kept<Row> {
  readonly row: Row;
  readonly text: string;
  readonly whole: string | undefined;
}

export class Rows<Row> {
  readonly #rows = new Map<string, Kept<Row>>();
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
    return this.#rows.get(key)?.row;
  }

  *values(): IterableIterator<Row> {
    for (const { row } of this.#rows.values()) yield row;
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
    const before = this.#rows.get(key);
    const isNew = before?.text !== text;
    if (isNew || whole === undefined || before?.whole !== whole) this.#rows.set(key, { row, text, whole });
    if (isNew) this.#version += 1;
    return isNew;
  }

  delete(key: string): boolean {
    if (!this.#rows.delete(key)) return false;
    this.#version += 1;
    return true;
  }

  clear(): void {
    if (this.#rows.size > 0) this.#version += 1;
    this.#rows.clear();
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
