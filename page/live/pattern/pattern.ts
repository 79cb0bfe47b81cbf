/** Finds a regular expression in linear time, whatever it is and whatever is read: no pattern can hang the page. */
import { type Program, programOf, type Step, type Units, WORD } from "./parse.ts";

/** The neighbour of a character: nothing, a word character, or another one. */
const enum Beside {
  Nothing,
  Word,
  Other,
}

/** All places that the program may be at between two characters. */
interface State {
  readonly places: readonly number[];
  readonly before: Beside;
  /** By the kind of the next character. */
  readonly next: (Move | undefined)[];
  end: boolean | undefined;
}

interface Move {
  readonly to: State;
  /** It was found before this character. */
  readonly isFound: boolean;
}

/** States that are remembered; with more all are forgotten and made anew. */
const MOST_STATES = 1_000;
/** Characters that are looked at to mark what was found in one line. */
const MARKING = 20_000;

/** The same program as an automaton whose states are made when they are first reached. */
class Automaton {
  readonly #steps: readonly Step[];
  readonly #start: number;
  /** Begins anew at every character. */
  readonly #isAnywhere: boolean;
  readonly #kinds: Uint16Array;
  readonly #isWord: readonly boolean[];
  /** A character of each kind. */
  readonly #examples: readonly number[];
  #states = new Map<string, State>();

  constructor({ steps, start }: Program, isAnywhere: boolean) {
    this.#steps = steps;
    this.#start = start;
    this.#isAnywhere = isAnywhere;
    const sets = steps.flatMap((step) => step.kind === "unit" ? [step.units] : []);
    const borders = new Set([0]);
    for (const [from, to] of [...sets, WORD].flat()) borders.add(from).add(to + 1);
    this.#examples = [...borders].filter((unit) => unit <= 0xffff).sort((one, other) => one - other);
    this.#isWord = this.#examples.map((unit) => holds(WORD, unit));
    this.#kinds = new Uint16Array(0x10000);
    this.#examples.forEach((unit, kind) => this.#kinds.fill(kind, unit, this.#examples[kind + 1] ?? 0x10000));
  }

  begin(before: Beside): State {
    return this.#state([this.#start], before);
  }

  besideOf(unit: number): Beside {
    return this.#isWord[this.#kinds[unit]!] ? Beside.Word : Beside.Other;
  }

  move(state: State, unit: number): Move {
    const kind = this.#kinds[unit]!; // has all of them
    return state.next[kind] ??= this.#move(state, kind);
  }

  isFoundAtEnd(state: State): boolean {
    return state.end ??= this.#reach(state, Beside.Nothing).has(0);
  }

  #move(state: State, kind: number): Move {
    const after = this.#isWord[kind] ? Beside.Word : Beside.Other;
    const reached = this.#reach(state, after);
    const places = new Set<number>(this.#isAnywhere ? [this.#start] : []);
    for (const at of reached) {
      const step = this.#steps[at]!;
      if (step.kind === "unit" && holds(step.units, this.#examples[kind]!)) places.add(step.next);
    }
    return { to: this.#state([...places].sort((one, other) => one - other), after), isFound: reached.has(0) };
  }

  /** Every step that can be reached without a character. */
  #reach({ places, before }: State, after: Beside): Set<number> {
    const isBorder = (before === Beside.Word) !== (after === Beside.Word);
    const holdsAt = {
      start: before === Beside.Nothing,
      end: after === Beside.Nothing,
      word: isBorder,
      notWord: !isBorder,
    };
    const reached = new Set<number>();
    const waiting = [...places];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (reached.has(at)) continue;
      reached.add(at);
      const step = this.#steps[at]!;
      if (step.kind === "either") waiting.push(step.next, step.other);
      else if (step.kind === "where" && holdsAt[step.at]) waiting.push(step.next);
    }
    return reached;
  }

  #state(places: readonly number[], before: Beside): State {
    const key = `${before} ${places.join()}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      if (this.#states.size >= MOST_STATES) this.#states = new Map();
      this.#states.set(key, state = { places, before, next: [], end: undefined });
    }
    return state;
  }
}

function holds(units: Units, unit: number): boolean {
  return units.some(([from, to]) => unit >= from && unit <= to);
}

export class Pattern {
  readonly #program: Program;
  readonly #anywhere: Automaton;
  #madeHere: Automaton | undefined;

  /** Throws `PatternError`. */
  constructor(text: string, matchCase: boolean) {
    this.#program = programOf(text, matchCase);
    this.#anywhere = new Automaton(this.#program, true);
  }

  get #here(): Automaton {
    return this.#madeHere ??= new Automaton(this.#program, false);
  }

  isIn(text: string): boolean {
    let state = this.#anywhere.begin(Beside.Nothing);
    for (let at = 0; at < text.length; at++) {
      const move = this.#anywhere.move(state, text.charCodeAt(at));
      if (move.isFound) return true;
      state = move.to;
    }
    return this.#anywhere.isFoundAtEnd(state);
  }

  /** Returns the matches, the longest at each place; in long texts only the first ones. */
  spansIn(text: string): readonly (readonly [start: number, end: number])[] {
    const spans: (readonly [number, number])[] = [];
    let left = MARKING;
    for (let start = 0; start < text.length && left > 0;) {
      let state = this.#here.begin(
        start === 0 ? Beside.Nothing : this.#here.besideOf(text.charCodeAt(start - 1)),
      );
      let end = -1;
      let at = start;
      for (; at < text.length && state.places.length > 0 && left > 0; at++, left--) {
        const move = this.#here.move(state, text.charCodeAt(at));
        if (move.isFound) end = at;
        state = move.to;
      }
      if (at === text.length && this.#here.isFoundAtEnd(state)) end = at;
      if (end > start) spans.push([start, end]);
      start = Math.max(start + 1, end);
      left--;
    }
    return spans;
  }
}
