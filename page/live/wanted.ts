/** What is looked for in a log: a text or a pattern, and only lines that tell of an error. */
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
  /** Why the pattern is not taken: then nothing is found. */
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

  /** Where the next line that may fit is, or something in it; -1 for nowhere. */
  indexIn(folded: string, start: number): number {
    if (this.refusal !== null) return -1;
    return this.#text === "" ? start : folded.indexOf(this.#text, start);
  }

  /** Whether a line fits that holds the text. */
  fits(line: string, kind: string): boolean {
    return (this.#pattern === null || this.#pattern.isIn(line.slice(0, MOST_CHARACTERS))) &&
      (!this.asked.onlyErrors || isError(line, kind));
  }

  /** Where it is in a piece of a line, to be marked. */
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
