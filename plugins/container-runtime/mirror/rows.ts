/** Rows in memory, each with its JSON text, and a number that changes with them. */

export class Rows<Row> {
  readonly #rows = new Map<string, { readonly row: Row; readonly text: string }>();
  #version = 0;

  get version(): number {
    return this.#version;
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
   * Whether that changed anything. The row is another object even then, so that what was derived from an older
   * reading, and may hold more than the row does, is known to be old.
   */
  put(key: string, row: Row): boolean {
    const text = JSON.stringify(row);
    const isNew = this.#rows.get(key)?.text !== text;
    this.#rows.set(key, { row, text });
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

  /** Exactly these, and none else. */
  replace(rows: Iterable<readonly [string, Row]>): void {
    const kept = new Set<string>();
    for (const [key, row] of rows) {
      this.put(key, row);
      kept.add(key);
    }
    for (const key of [...this.#rows.keys()]) if (!kept.has(key)) this.delete(key);
  }
}
