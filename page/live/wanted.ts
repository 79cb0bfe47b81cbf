/** The search in a log: a text or a pattern, and only lines that tell of an error. */
import { isError } from "./log_level.ts";
import { PatternError, type Refusal } from "./pattern/parse.ts";
import { Pattern } from "./pattern/pattern.ts";

export interface Asked {
  readonly text: string;
  readonly isPattern: boolean;
  readonly matchCase: boolean;
  readonly onlyErrors: boolean;
}

/** A longer line is only looked at so far for a pattern. */
const MOST_CHARACTERS = 64 * 1024;

export class Wanted {
  readonly #text: string;
  readonly #pattern: Pattern | null;
  /** The reason for which the pattern is refused; nothing is found then. */
  readonly refusal: Refusal | null = null;

  constructor(private readonly asked: Asked) {
    const { text, isPattern, matchCase } = asked;
    this.#text = isPattern ? "" : matchCase ? text : text.toLowerCase();
    let pattern: Pattern | null = null;
    try {
      if (isPattern && text !== "") pattern = new Pattern(text, matchCase);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      this.refusal = error.reason;
    }
    this.#pattern = pattern;
  }

  /** Lines as they are compared. */
  folded(lines: string): string {
    return this.#text === "" || this.asked.matchCase ? lines : lines.toLowerCase();
  }

  /** Returns the place of the next possible match; -1 for none. */
  indexIn(folded: string, start: number): number {
    if (this.refusal !== null) return -1;
    return this.#text === "" ? start : folded.indexOf(this.#text, start);
  }

  /** True if a line that contains the text is a match. */
  fits(line: string, kind: string): boolean {
    return (this.#pattern === null || this.#pattern.isIn(line.slice(0, MOST_CHARACTERS))) &&
      (!this.asked.onlyErrors || isError(line, kind));
  }

  /** Returns the matches within a piece of a line, to be marked. */
  spansIn(text: string): readonly (readonly [start: number, end: number])[] {
    if (this.#pattern !== null) return this.#pattern.spansIn(text);
    if (this.#text === "") return [];
    const folded = this.folded(text);
    if (folded.length !== text.length) return []; // places would not fit
    const spans: (readonly [number, number])[] = [];
    for (
      let at = folded.indexOf(this.#text);
      at !== -1;
      at = folded.indexOf(this.#text, at + this.#text.length)
    ) {
      spans.push([at, at + this.#text.length]);
    }
    return spans;
  }
}
