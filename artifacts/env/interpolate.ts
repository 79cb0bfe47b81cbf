/** Puts variables into values as Compose does: `$V`, `${V}`, `:-`, `-`, `:?`, `?`, `:+`, `+`, nested, `$$`. */

export type Lookup = (name: string) => string | undefined;

interface Interpolated {
  readonly value: string;
  /** True if the value of a variable is in it, and not the author's text alone. */
  readonly filled: boolean;
  /** Names that are not set and have no default: the value is unknown. */
  readonly unset: readonly string[];
  /** Names that were looked up, each once. */
  readonly names: readonly string[];
  readonly problem:
    | { readonly kind: "required" | "invalid"; readonly text: string; readonly name: string }
    | null;
}

/**
 * Returns a text with what `put` makes of its name in place of each variable. The text that an expression puts in its
 * place, as a default, stands before that.
 */
export function replaceExpressions(text: string, put: (name: string) => string, depth = 0): string {
  let result = "";
  let at = 0;
  for (;;) {
    const dollar = text.indexOf("$", at);
    if (dollar === -1) return result + text.slice(at);
    result += text.slice(at, dollar);
    const isBraced = text[dollar + 1] === "{" && depth <= NESTING;
    const close = isBraced ? closing(text, dollar + 2, dollar + LONGEST) : -1;
    const name = nameAt(text, dollar + (isBraced ? 2 : 1));
    if (text[dollar + 1] === "$") {
      result += "$$";
      at = dollar + 2;
    } else if (close !== -1) {
      const operand = text.slice(dollar + 2 + name.length, close).replace(/^:?[-+?]/, "");
      result += replaceExpressions(operand, put, depth + 1) + (name === "" ? "" : put(name));
      at = close + 1;
    } else if (name !== "") {
      result += put(name); // the rest of one that never ends is text
      at = dollar + (isBraced ? 2 : 1) + name.length;
    } else {
      result += "$";
      at = dollar + 1;
    }
  }
}

/** Characters of one expression in a whole file. */
const LONGEST = 1_024;
const NESTING = 20;
const LENGTH = 64 * 1024;

export function interpolateText(text: string, lookup: Lookup): Interpolated {
  const run = new Run(lookup);
  const value = run.expand(text, 0);
  return { value, filled: run.filled, unset: run.unset, names: [...run.names], problem: run.problem };
}

class Run {
  readonly unset: string[] = [];
  readonly names = new Set<string>();
  filled = false;
  problem: Interpolated["problem"] = null;
  readonly #lookup: Lookup;

  constructor(lookup: Lookup) {
    this.#lookup = (name) => {
      this.names.add(name);
      return lookup(name);
    };
  }

  expand(text: string, depth: number): string {
    let result = "";
    let at = 0;
    for (;;) {
      const dollar = text.indexOf("$", at);
      if (dollar === -1 || this.problem) return result + text.slice(at);
      result += text.slice(at, dollar);
      if (result.length > LENGTH) return this.#invalid(text, "");
      const next = text[dollar + 1];
      if (next === "$") {
        result += "$";
        at = dollar + 2;
      } else if (next === "{") {
        const close = closing(text, dollar + 2);
        if (close === -1 || depth > NESTING) return this.#invalid(text.slice(dollar), "");
        result += this.#braced(text.slice(dollar + 2, close), depth);
        at = close + 1;
      } else {
        const name = nameAt(text, dollar + 1);
        // "$(date)" and "$1" are left to the shell, as Compose does by now.
        result += name === "" ? "$" : this.#value(name);
        at = dollar + 1 + name.length;
      }
    }
  }

  #braced(inside: string, depth: number): string {
    const name = nameAt(inside, 0);
    if (name === "") return this.#invalid(`\${${inside}}`, "");
    let rest = inside.slice(name.length);
    if (rest === "") return this.#value(name);
    const emptyCounts = rest.startsWith(":");
    if (emptyCounts) rest = rest.slice(1);
    const operator = rest[0];
    const operand = rest.slice(1);
    const value = this.#lookup(name);
    const isSet = value !== undefined && !(emptyCounts && value === "");
    switch (operator) {
      case "-":
        return isSet ? this.#fill(value) : this.expand(operand, depth + 1);
      case "+":
        return isSet ? this.expand(operand, depth + 1) : "";
      case "?":
        if (isSet) return this.#fill(value);
        this.problem ??= { kind: "required", text: operand.slice(0, 200), name };
        return "";
      default:
        return this.#invalid(`\${${inside}}`, name);
    }
  }

  #value(name: string): string {
    const value = this.#lookup(name);
    if (value === undefined) this.unset.push(name);
    return this.#fill(value ?? "");
  }

  #fill(value: string): string {
    this.filled ||= value !== "";
    return value;
  }

  #invalid(text: string, name: string): string {
    this.problem ??= { kind: "invalid", text: text.slice(0, 100), name };
    return "";
  }
}

/** The brace that ends the expression, over nested ones. */
function closing(text: string, from: number, to = text.length): number {
  let depth = 0;
  for (let at = from; at < Math.min(to, text.length); at++) {
    if (text[at] === "$" && text[at + 1] === "{") {
      depth++;
      at++;
    } else if (text[at] === "}") {
      if (depth === 0) return at;
      depth--;
    }
  }
  return -1;
}

function nameAt(text: string, at: number): string {
  NAME.lastIndex = at;
  return NAME.exec(text)?.[0] ?? "";
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
