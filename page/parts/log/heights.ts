/**
 * The positions of a long list's rows: all of one height, or each as high as its text, which is known once it
 * is drawn.
 */

/**
 * A place in the list is a number of pixels as if every row were `row` high, so that rows that are not drawn have one,
 * too. How far two places are from each other on the screen is told by what was measured.
 */
export class Heights {
  readonly #least: number;
  #row: number;
  #areEqual = true;
  #first = 0;
  /** The top of each drawn row below the first one, and the end of the last one. */
  #tops: readonly number[] = [0];

  constructor(least: number) {
    this.#least = least;
    this.#row = least;
  }

  /** The assumed height of a row: its fixed height, or about the mean of the rows drawn last. */
  get row(): number {
    return this.#row;
  }

  /** Switches between equal and individual heights. Returns the factor by which places grow. */
  become(areEqual: boolean): number {
    if (this.#areEqual === areEqual) return 1;
    this.#areEqual = areEqual;
    this.#tops = [0];
    this.#first = 0;
    return this.settle();
  }

  /** Measures the drawn rows, from the row of this index on. */
  measure(drawn: HTMLElement, first: number): void {
    const begin = drawn.getBoundingClientRect().top;
    const ends = [...drawn.children].map((row) => row.getBoundingClientRect().bottom - begin);
    this.#first = first;
    this.#tops = [0, ...ends];
  }

  /** Takes the mean of what was measured. Returns by what places grow with that. */
  settle(): number {
    const before = this.#row;
    const amount = this.#tops.length - 1;
    this.#row = amount === 0 ? this.#least : this.#tops[amount]! / amount;
    return this.#row / before;
  }

  /** Returns the distance of a place from the first drawn row. */
  below(place: number): number {
    const index = place / this.#row - this.#first;
    const amount = this.#tops.length - 1;
    if (index < 0) return index * this.#row;
    if (index >= amount) return this.#tops[amount]! + (index - amount) * this.#row;
    const [top, end] = [this.#tops[Math.floor(index)]!, this.#tops[Math.floor(index) + 1]!];
    return top + (index % 1) * (end - top);
  }

  /** The place that is so far below the first drawn row. */
  placeAt(below: number): number {
    const amount = this.#tops.length - 1;
    const end = this.#tops[amount]!;
    if (below < 0) return this.#first * this.#row + below;
    if (below >= end) return (this.#first + amount) * this.#row + below - end;
    let at = 0;
    while (this.#tops[at + 1]! <= below) at++;
    const [top, next] = [this.#tops[at]!, this.#tops[at + 1]!];
    return (this.#first + at + (below - top) / (next - top)) * this.#row;
  }

  /** The place that is so many pixels of the screen after another one. */
  after(place: number, pixels: number): number {
    return this.placeAt(this.below(place) + pixels);
  }
}
