/** Reads a regular expression into a program of few kinds of steps. What cannot be found in linear time is refused. */

/** Code units, as ranges that are in order and do not touch. */
export type Units = readonly (readonly [from: number, to: number])[];

export type Step =
  | { readonly kind: "unit"; readonly units: Units; next: number }
  | { readonly kind: "either"; next: number; other: number }
  | { readonly kind: "where"; readonly at: "start" | "end" | "word" | "notWord"; next: number }
  | { readonly kind: "found" };

export interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
}

/** The reason for which a pattern is refused. */
export type Refusal = "unfinished" | "unknown" | "long";

export class PatternError extends Error {
  constructor(readonly reason: Refusal) {
    super(reason);
  }
}

const MOST_CHARACTERS = 200;
const MOST_STEPS = 400;
const MOST_DEPTH = 20;
const LAST = 0xffff;
const WIDE = 1_000;

const DIGITS: Units = [[48, 57]];
export const WORD: Units = [[48, 57], [65, 90], [95, 95], [97, 122]];
const SPACES: Units = [[9, 13], [32, 32], [0xa0, 0xa0], [0x2028, 0x2029], [0xfeff, 0xfeff]];

type Node =
  | { readonly kind: "unit"; readonly units: Units }
  | { readonly kind: "where"; readonly at: "start" | "end" | "word" | "notWord" }
  | { readonly kind: "all" | "any"; readonly parts: readonly Node[] }
  | { readonly kind: "times"; readonly part: Node; readonly from: number; readonly to: number };

/** Throws `PatternError`. */
export function programOf(text: string, matchCase: boolean): Program {
  if (text.length > MOST_CHARACTERS) throw new PatternError("long");
  return compiled(new Reader(text, matchCase).read());
}

class Reader {
  #at = 0;
  #depth = 0;

  constructor(private readonly text: string, private readonly matchCase: boolean) {}

  read(): Node {
    const node = this.#any();
    if (this.#at < this.text.length) throw new PatternError("unfinished"); // a `)` too many
    return node;
  }

  get #next(): string {
    return this.text[this.#at] ?? "";
  }

  #takes(text: string): boolean {
    if (!this.text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #any(): Node {
    if (++this.#depth > MOST_DEPTH) throw new PatternError("long");
    const parts = [this.#all()];
    while (this.#takes("|")) parts.push(this.#all());
    this.#depth--;
    return { kind: "any", parts };
  }

  #all(): Node {
    const parts: Node[] = [];
    while (this.#next !== "" && this.#next !== "|" && this.#next !== ")") parts.push(this.#times());
    return { kind: "all", parts };
  }

  #times(): Node {
    const part = this.#one();
    const [from, to] = this.#bounds();
    if (from === 1 && to === 1) return part;
    if (part.kind === "where") throw new PatternError("unknown");
    this.#takes("?"); // the shortest is found where the longest is
    if (/[*+?]/.test(this.#next)) throw new PatternError("unknown");
    return { kind: "times", part, from, to };
  }

  #bounds(): readonly [number, number] {
    if (this.#takes("*")) return [0, Infinity];
    if (this.#takes("+")) return [1, Infinity];
    if (this.#takes("?")) return [0, 1];
    const counted = /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(this.text.slice(this.#at, this.#at + 10));
    if (counted === null) return [1, 1];
    this.#at += counted[0].length;
    const from = Number(counted[1]);
    const to = counted[2] === undefined ? from : counted[3] === "" ? Infinity : Number(counted[3]);
    if (to < from) throw new PatternError("unfinished");
    return [from, to];
  }

  #one(): Node {
    if (this.#takes("(")) {
      if (!this.#takes("?:") && this.#next === "?") throw new PatternError("unknown");
      const inner = this.#any();
      if (!this.#takes(")")) throw new PatternError("unfinished");
      return inner;
    }
    if (this.#takes("[")) return { kind: "unit", units: this.#set() };
    if (this.#takes("^")) return { kind: "where", at: "start" };
    if (this.#takes("$")) return { kind: "where", at: "end" };
    if (this.#takes(".")) return this.#unit([[0, LAST]]);
    if (/[*+?]/.test(this.#next)) throw new PatternError("unfinished");
    if (this.#takes("\\b")) return { kind: "where", at: "word" };
    if (this.#takes("\\B")) return { kind: "where", at: "notWord" };
    return this.#unit(this.#units());
  }

  #unit(units: Units): Node {
    return { kind: "unit", units: this.matchCase ? units : inBothCases(units) };
  }

  /** One character, or what an escape stands for. */
  #units(): Units {
    const unit = this.#next;
    if (unit === "") throw new PatternError("unfinished");
    this.#at++;
    if (unit !== "\\") return only(unit.charCodeAt(0));
    const escaped = this.#next;
    if (escaped === "") throw new PatternError("unfinished");
    this.#at++;
    const known = ESCAPES[escaped];
    if (known !== undefined) return known;
    if (escaped === "x" || escaped === "u") {
      const digits = escaped === "x" ? 2 : 4;
      const code = this.text.slice(this.#at, this.#at + digits);
      if (!/^[0-9a-f]+$/i.test(code) || code.length < digits) throw new PatternError("unfinished");
      this.#at += digits;
      return only(Number.parseInt(code, 16));
    }
    if (/[a-z0-9]/i.test(escaped)) throw new PatternError("unknown"); // a back reference, a class of Unicode
    return only(escaped.charCodeAt(0));
  }

  #set(): Units {
    const isOther = this.#takes("^");
    const found: (readonly [number, number])[] = [];
    for (let isFirst = true; isFirst || this.#next !== "]"; isFirst = false) {
      if (this.#next === "" || isFirst && this.#next === "]") throw new PatternError("unfinished");
      const one = this.#units();
      const isRange = this.#next === "-" && this.text[this.#at + 1] !== "]";
      if (!isRange) {
        found.push(...one);
        continue;
      }
      this.#at++;
      const last = this.#units();
      const [from, to] = [one[0]![0], last[0]![0]]; // a set of units has one range at least
      if (one.length > 1 || last.length > 1 || to < from) throw new PatternError("unfinished");
      found.push([from, to]);
    }
    this.#at++;
    // In both cases first: what is neither `a` nor `A` is meant by `[^a]`.
    const units = joined(this.matchCase ? found : inBothCases(found));
    return isOther ? others(units) : units;
  }
}

const ESCAPES: Readonly<Record<string, Units>> = {
  d: DIGITS,
  D: others(DIGITS),
  w: WORD,
  W: others(WORD),
  s: SPACES,
  S: others(SPACES),
  t: only(9),
  n: only(10),
  v: only(11),
  f: only(12),
  r: only(13),
};

function only(unit: number): Units {
  return [[unit, unit]];
}

function joined(units: Units): Units {
  const all: [number, number][] = [];
  for (const [from, to] of units.toSorted(([one], [other]) => one - other)) {
    const last = all.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
}

function others(units: Units): Units {
  const all: [number, number][] = [];
  let at = 0;
  for (const [from, to] of units) {
    if (from > at) all.push([at, from - 1]);
    at = to + 1;
  }
  if (at <= LAST) all.push([at, LAST]);
  return all;
}

function inBothCases(units: Units): Units {
  const more: (readonly [number, number])[] = [...units];
  for (const [from, to] of units) {
    if (to - from > WIDE) continue; // it has both cases of nearly all
    for (let unit = from; unit <= to; unit++) {
      const text = String.fromCharCode(unit);
      for (const other of [text.toLowerCase(), text.toUpperCase()]) {
        if (other.length === 1 && other !== text) more.push([other.charCodeAt(0), other.charCodeAt(0)]);
      }
    }
  }
  return joined(more);
}

/** Thompson's construction: each step knows what comes next, and nothing ever goes back in the text. */
function compiled(node: Node): Program {
  const steps: Step[] = [{ kind: "found" }];
  const add = (step: Step): number => {
    if (steps.length >= MOST_STEPS) throw new PatternError("long");
    return steps.push(step) - 1;
  };
  let left = MOST_STEPS * 10; // what is empty can be written many times over without a step
  const before = (one: Node, next: number): number => {
    if (left-- === 0) throw new PatternError("long");
    switch (one.kind) {
      case "unit":
        return add({ kind: "unit", units: one.units, next });
      case "where":
        return add({ kind: "where", at: one.at, next });
      case "all":
        return one.parts.reduceRight((after, part) => before(part, after), next);
      case "any":
        return one.parts.map((part) => before(part, next)).reduce((next, other) =>
          add({ kind: "either", next, other })
        );
      case "times": {
        let at = next;
        if (one.to === Infinity) {
          const again: Step = { kind: "either", next: 0, other: next };
          at = add(again);
          again.next = before(one.part, at);
        }
        const most = one.to === Infinity ? one.from : one.to;
        for (let more = one.from; more < most; more++) {
          at = add({ kind: "either", next: before(one.part, at), other: next });
        }
        for (let must = 0; must < one.from; must++) at = before(one.part, at);
        return at;
      }
    }
  };
  return { start: before(node, 0), steps };
}
