/** `.env` files as Compose reads them: names, values, places, and what is wrong with a line. */

import type { ArtifactFile, Entry, Finding, Mapping, Node, Scalar } from "../artifact.ts";
import type { Parsed } from "../yaml/parse.ts";
import { interpolateText, type Lookup } from "./interpolate.ts";

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
const FINDINGS = 50;
const LINES = 20_000;
/** Characters that variables in values may grow to, all together. */
const EXPANDED = 1024 * 1024;

const nothing: Lookup = () => undefined;

/**
 * One mapping of names to values. Values may use names of `outside`, then those of lines before, then those of
 * `before`, which are of files that were read earlier.
 */
export function parseDotenv(file: ArtifactFile, outside: Lookup = nothing, before: Lookup = nothing): Parsed {
  return new DotenvParser(file, outside, before).parse();
}

class DotenvParser {
  readonly #file: ArtifactFile;
  readonly #text: string;
  readonly #entries = new Map<string, Entry>();
  readonly #findings: Finding[] = [];
  #expanded = 0;
  /** The offset of the next line. */
  #at: number;

  readonly #outside: Lookup;
  readonly #before: Lookup;

  constructor(file: ArtifactFile, outside: Lookup, before: Lookup) {
    this.#file = file;
    this.#outside = outside;
    this.#before = before;
    this.#text = file.text;
    this.#at = file.text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  parse(): Parsed {
    const file = this.#file;
    for (let lines = 1; this.#at < this.#text.length; lines++) {
      if (lines > LINES) {
        const message = `Over ${LINES} lines; the rest was not read`;
        this.#findings.push({
          code: "fs/limit-reached",
          message,
          at: { file, start: this.#at, end: this.#at },
        });
        break;
      }
      this.#line();
    }
    const mapping: Mapping = {
      kind: "mapping",
      file,
      start: 0,
      end: this.#text.length,
      entries: this.#entries,
    };
    return { documents: [mapping], findings: this.#findings, sound: true, aliases: [] };
  }

  /** Reads one line, or more where a quoted value goes on. */
  #line(): void {
    const text = this.#text;
    let lineEnd = text.indexOf("\n", this.#at);
    if (lineEnd === -1) lineEnd = text.length;
    let start = this.#at;
    while (start < lineEnd && isSpace(text[start]!)) start++;
    this.#at = lineEnd + 1;
    if (start >= lineEnd || text[start] === "#") return;
    const exported = /^export[ \t]+/.exec(text.slice(start, Math.min(lineEnd, start + 64)));
    if (exported) start += exported[0].length;
    const line = text.slice(start, lineEnd);
    const separator = line.search(/[=:]/);
    const name = trimmed(separator === -1 ? line : line.slice(0, separator));
    const key = { file: this.#file, start, end: start + name.length };
    if (!NAME.test(name)) {
      const message = "Not a variable: a line needs the form NAME=value";
      this.#wrong(start, start + line.trimEnd().length, message);
    } else if (separator === -1) {
      // Compose takes it over from what surrounds the file; its own environment is never ours.
      const outside = this.#outside(name) ?? null;
      const value: Node = { kind: "scalar", file: this.#file, start: key.end, end: key.end, value: outside };
      this.#entries.set(name, { key, value });
    } else {
      const value = this.#value(start + separator + 1, lineEnd);
      if (value !== null) this.#entries.set(name, { key, value });
    }
  }

  /** The value behind the sign; null where its quote is never closed. */
  #value(from: number, lineEnd: number): Node | null {
    const text = this.#text;
    let start = from;
    while (start < lineEnd && (text[start] === " " || text[start] === "\t")) start++;
    const quote = start < lineEnd ? text[start] : undefined;
    let raw: string;
    let end: number;
    if (quote === '"' || quote === "'") {
      const close = closing(text, start, quote);
      if (close === -1) {
        this.#wrong(start, start + text.slice(start, lineEnd).trimEnd().length, "The quote is never closed");
        return null;
      }
      raw = text.slice(start + 1, close);
      end = close + 1;
      const newline = text.indexOf("\n", end);
      this.#at = newline === -1 ? text.length : newline + 1;
      raw = quote === '"' ? unescape(raw) : raw.replaceAll("\\'", "'");
    } else {
      const whole = text.slice(start, lineEnd);
      const comment = whole.indexOf(" #");
      raw = trimmed(comment === -1 ? whole : whole.slice(0, comment));
      end = start + raw.length;
    }
    const expanded = quote === "'" ? { value: raw } : this.#expand(raw);
    return { kind: "scalar", file: this.#file, start, end, ...expanded };
  }

  /** Puts variables in. Where Compose refuses the value, or a limit is reached, the value is not known. */
  #expand(raw: string): Pick<Scalar, "value" | "unknown"> {
    if (!raw.includes("$")) return { value: raw };
    if (this.#expanded >= EXPANDED) return { value: raw, unknown: true };
    const { value, problem } = interpolateText(raw, (name) => this.#known(name));
    this.#expanded += value.length;
    return problem ? { value: raw, unknown: true } : { value };
  }

  #known(name: string): string | undefined {
    const outside = this.#outside(name);
    if (outside !== undefined) return outside;
    const value = this.#entries.get(name)?.value;
    return value?.kind === "scalar" && typeof value.value === "string" ? value.value : this.#before(name);
  }

  #wrong(start: number, end: number, message: string): void {
    if (this.#findings.length >= FINDINGS) return;
    this.#findings.push({ code: "env/dotenv-syntax", message, at: { file: this.#file, start, end } });
  }
}

/** To Compose a byte order mark within a file is a letter. */
const isSpace = (sign: string): boolean => sign !== "\ufeff" && /\s/.test(sign);

function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text[start]!)) start++;
  while (end > start && isSpace(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** The end of a quoted value; -1 where the quote is never closed, which happens once a file at most. */
function closing(text: string, open: number, quote: string): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote) return at;
  }
  return -1;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  // A dollar gets its meaning when variables are substituted.
  $: "$$",
};

/** Of a text in double quotes; `\\c` stays, and so does every other backslash. */
function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\(?:0([0-7]{3})|([abfnrtv$"\\]))/g,
    (_, octal: string | undefined, sign: string) =>
      octal === undefined ? ESCAPES[sign] ?? sign : String.fromCharCode(parseInt(octal, 8)),
  );
}
