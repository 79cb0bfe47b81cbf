/** The view of a log: which lines are drawn and where, and that it stays at the end only while the reader is there. */
import type { Moved, Search } from "../../live/lines.ts";
import { Heights } from "./heights.ts";
import { Scroll } from "./scroll.ts";

const LINE = 18;
/** Drawn beyond both ends of the view, so that scrolling shows no gaps. */
const MORE = 20;

/** The lines that are to be shown, as they are now. */
export interface Content {
  readonly amount: number;
  readonly search: Search | null;
  /** The number of the first line that is still there. */
  readonly gone: number;
  /** The number of the line that comes in next. */
  readonly end: number;
  readonly indexOf: (number: number) => number;
  /** Long lines are broken instead of running out of the view. */
  readonly isWrapped: boolean;
  readonly isPaused: boolean;
}

export interface Elements {
  readonly box: HTMLElement;
  readonly space: HTMLElement;
  readonly drawn: HTMLElement;
}

export class Viewport {
  readonly #redraw: () => void;
  readonly #heights = new Heights(LINE);
  #scroll = new Scroll();
  #height = 600;
  #content: Content | null = null;
  /** The height of the list in places; once its end is drawn, so that it ends with the view. */
  #length = 0;
  #isAtEnd = true;
  /** The number of the next line when the reader left the end. */
  #seen = 0;
  /** The number of the first line when the reader's place was counted. */
  #first = 0;
  /** A line to bring into view, and that the view stays there when the search ends. */
  #wanted: number | null = null;
  #isHeld = false;
  /** The line that stays the first in view, and how far above it begins. */
  #anchor: readonly [number: number, above: number] | null = null;
  /** True if the element has to be scrolled to the reader's place; never while the user scrolls it. */
  #isMoved = true;
  /** A line that was brought to the top of the view has what is before it in view, too. */
  #isLifted = false;
  #drawn = { first: 0, last: 0 };

  /** `redraw` is called when there is something else to draw. */
  constructor(redraw: () => void) {
    this.#redraw = redraw;
  }

  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  /** How many lines came in since the reader left the end. */
  get unseen(): number {
    return (this.#content?.end ?? 0) - this.#seen;
  }

  /** Takes the lines as they are now. Returns which of them to draw, by their places in the list. */
  take(content: Content): { readonly first: number; readonly last: number } {
    if (this.#content === null) this.#first = content.gone;
    else if (content.search !== this.#content.search) this.#begin();
    this.#content = content;
    const grown = this.#heights.become(!content.isWrapped);
    if (grown !== 1) this.#moveTo(this.#scroll.top * grown);
    const { row } = this.#heights;
    this.#length = content.amount * row;
    if (this.#isAtEnd && !content.isPaused) this.#seen = content.end;
    this.#keepPlace(content);
    if (this.#isAtEnd) this.#moveTo(this.#length - this.#height);
    this.#bringWanted(content);
    const { top } = this.#scroll;
    const fitting = Math.ceil(this.#height / LINE) + 1;
    const above = Math.max(0, Math.min(Math.floor(top / row), content.amount - fitting));
    this.#drawn = {
      first: Math.max(0, above - MORE),
      last: Math.min(content.amount, Math.floor(top / row) + fitting + MORE),
    };
    return this.#drawn;
  }

  /** Puts what was drawn to its place. */
  place({ box, space, drawn }: Elements): void {
    const { isWrapped } = this.#content!; // it was drawn
    const scroll = this.#scroll;
    if (isWrapped) this.#measure(drawn);
    space.style.height = `${scroll.heightOf(this.#length)}px`;
    if (this.#isMoved) {
      box.scrollTop = scroll.place(this.#height, this.#length);
      if (isWrapped) scroll.placed(box.scrollTop);
    }
    this.#isMoved = false;
    const above = isWrapped ? this.#heights.below(scroll.top) : scroll.top - this.#drawn.first * LINE;
    drawn.style.translate = `0 ${scroll.offsetOf(above)}px`;
  }

  /** Follows the size of the element. Returns the way to end that. */
  watch(box: HTMLElement): () => void {
    const observer = new ResizeObserver(() => {
      this.#height = box.clientHeight;
      this.#redraw(); // another width breaks lines elsewhere
    });
    observer.observe(box);
    return () => observer.disconnect();
  }

  /** The reader scrolled the element. */
  scrolled({ scrollTop: at, clientHeight: seen }: HTMLElement): void {
    const { isWrapped } = this.#content!;
    const [heights, scroll] = [this.#heights, this.#scroll];
    const before = scroll.top;
    scroll.moved(at, seen, this.#length, isWrapped ? (place, pixels) => heights.after(place, pixels) : null);
    // The element ends where the list does not: it goes on.
    const isAtEdge = at <= 0 || at + seen >= scroll.heightOf(this.#length) - 1;
    if (isWrapped && isAtEdge) this.#isMoved = true;
    const isAtEnd = scroll.top + seen >= this.#length - heights.row;
    if (before === scroll.top && isAtEnd === this.#isAtEnd) return;
    this.#isAtEnd = isAtEnd;
    this.#redraw();
  }

  /** The reader has stopped: the element takes the position that belongs to the place. */
  rested(): void {
    if (!this.#content!.isWrapped && this.#scroll.heightOf(this.#length) === this.#length) return;
    this.#isMoved = true;
    this.#redraw();
  }

  /** Brings a line into view. */
  goTo(number: number): void {
    this.#wanted = number;
    this.#isHeld = true;
    this.#isAtEnd = false;
    this.#redraw();
  }

  /** Lines came in before others: the first one in view stays where it is. */
  moved({ numberOf }: Moved): void {
    if (this.#content?.search !== null) return; // the search tells by itself how many came in
    const { row } = this.#heights;
    const top = this.#first + Math.floor(this.#scroll.top / row);
    this.#anchor = [numberOf(top), this.#scroll.top % row];
  }

  /** The place in the list of the first line that is wholly in view. */
  get top(): number {
    return Math.ceil(this.#scroll.top / this.#heights.row);
  }

  /** Scrolls as little as shows the line at this place in the list. */
  show(index: number): void {
    const [heights, height] = [this.#heights, this.#height];
    const [top, end] = this.#edgesOf(index);
    if (top < 0) this.#moveTo(index * heights.row);
    else if (end > height) this.#moveTo(heights.after((index + 1) * heights.row, -height));
    else return;
    this.#isAtEnd = index === this.#content!.amount - 1;
    this.#redraw();
  }

  toBegin(): void {
    this.#moveTo(0);
    this.#isAtEnd = false;
    this.#redraw();
  }

  toEnd(): void {
    this.#moveTo(this.#length);
    this.#isAtEnd = this.#length > 0;
    this.#redraw();
  }

  /** Another search shows other lines: their end, if no line is to be held. */
  #begin(): void {
    this.#scroll = new Scroll();
    this.#isMoved = true;
    if (!this.#isHeld) this.#isAtEnd = true;
    this.#isHeld = false;
  }

  #moveTo(top: number): void {
    this.#scroll.top = top;
    this.#isMoved = true;
  }

  /** Lines that were let go above the view do not move the ones in it. */
  #keepPlace({ gone, indexOf }: Content): void {
    const { row } = this.#heights;
    if (this.#anchor !== null) {
      const [number, above] = this.#anchor;
      this.#moveTo(indexOf(number) * row + above);
      this.#anchor = null;
    } else if (this.#first !== gone) this.#moveTo(this.#scroll.top - (gone - this.#first) * row);
    this.#first = gone;
  }

  #bringWanted({ indexOf, isWrapped }: Content): void {
    if (this.#wanted === null) return;
    const index = indexOf(this.#wanted);
    if (index < 0) return;
    this.#wanted = null;
    const [top, end] = this.#edgesOf(index);
    if (top >= 0 && end <= this.#height) return;
    const { row } = this.#heights;
    this.#moveTo(isWrapped ? index * row : index * row - this.#height / 2);
    this.#isLifted = isWrapped;
  }

  /** Takes the heights of broken lines as they were drawn. */
  #measure(drawn: HTMLElement): void {
    const { amount } = this.#content!;
    const [heights, scroll] = [this.#heights, this.#scroll];
    heights.measure(drawn, this.#drawn.first);
    if (this.#isLifted) scroll.top = Math.max(0, heights.after(scroll.top, -this.#height / 3));
    this.#isLifted = false;
    if (this.#isMoved) scroll.top *= heights.settle();
    this.#length = amount * heights.row;
    if (this.#drawn.last !== amount) return;
    const end = Math.max(0, heights.after(this.#length, -this.#height));
    if (this.#isAtEnd || scroll.top > end) scroll.top = end;
    this.#length = end + this.#height;
  }

  /** Returns the distances of a line's edges from the top of the view. */
  #edgesOf(index: number): readonly [top: number, end: number] {
    const { row } = this.#heights;
    const from = this.#heights.below(this.#scroll.top);
    return [this.#heights.below(index * row) - from, this.#heights.below((index + 1) * row) - from];
  }
}
