/** The scroll position in a list that may be longer than a browser can make an element. */

/** Browsers end between 17 and 33 million. */
const MOST = 8_000_000;

export class Scroll {
  readonly #most: number;
  /** The distance of the view's top from the list's top in pixels, whatever the element's own position is. */
  top = 0;
  #at = 0;

  constructor(most = MOST) {
    this.#most = most;
  }

  /** Returns the height of the element. */
  heightOf(content: number): number {
    return Math.min(content, this.#most);
  }

  /**
   * The element was scrolled to there: step by step where it was a little, and by its share of the whole where it was
   * far. `after` says what is so many pixels after a place, where that is not just the sum.
   */
  moved(
    at: number,
    view: number,
    content: number,
    after: ((place: number, pixels: number) => number) | null = null,
  ): void {
    const height = this.heightOf(content);
    const step = at - this.#at;
    this.#at = at;
    if (after !== null && Math.abs(step) < 2 * view) this.top = after(this.top, step);
    else if (height === content || at <= 0) this.top = at;
    else if (at + view >= height - 1) this.top = content - view;
    else if (Math.abs(step) < 2 * view) this.top += step;
    else this.top = at / (height - view) * (content - view);
    this.#bound(view, content);
  }

  /** The element's own position for where the reader is. */
  place(view: number, content: number): number {
    this.#bound(view, content);
    const height = this.heightOf(content);
    this.#at = height === content || content <= view
      ? this.top
      : Math.round(this.top / (content - view) * (height - view));
    return this.#at;
  }

  /** Takes over the element's position as the browser rounded it. */
  placed(at: number): void {
    this.#at = at;
  }

  /** Returns the place in the element for content this many pixels above the top of the view. */
  offsetOf(above: number): number {
    return this.#at - above;
  }

  #bound(view: number, content: number): void {
    this.top = Math.max(0, Math.min(this.top, content - view));
  }
}
