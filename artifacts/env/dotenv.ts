/** `.env` files as Compose reads them: names, values, places, and what is wrong with a line. */

import type { ArtifactFile, Entry, Finding, Mapping, Node } from "../artifact.ts";
import { interpolateText } from "./interpolate.ts";
import type { Parsed } from "../yaml/parse.ts";

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
const FINDINGS = 50;
const LINES = 20_000;
/** Characters that variables in values may grow to, all together. */
const EXPANDED = 1024 * 1024;

/** One mapping of names to values. Values may use names that were set on lines before. */
export function parseDotenv(file: ArtifactFile): Parsed {
  const text = file.text;
  const entries = new Map<string, Entry>();
  const findings: Finding[] = [];
  const known = (name: string): string | undefined => {
    const value = entries.get(name)?.value;
    return value?.kind === "scalar" && typeof value.value === "string" ? value.value : undefined;
  };
  const wrong = (start: number, end: number, message: string) => {
    if (findings.length < FINDINGS) {
      findings.push({ code: "env/dotenv-syntax", message, at: { file, start, end } });
    }
  };

  let expanded = 0;
  let lines = 0;
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length) {
    if (++lines > LINES) {
      const message = `Over ${LINES} lines, the rest is not read`;
      findings.push({ code: "fs/limit-reached", message, at: { file, start: at, end: at } });
      break;
    }
    let lineEnd = text.indexOf("\n", at);
    if (lineEnd === -1) lineEnd = text.length;
    let start = at;
    while (start < lineEnd && /\s/.test(text[start]!)) start++;
    at = lineEnd + 1;
    if (start >= lineEnd || text[start] === "#") continue;
    const exported = /^export[ \t]+/.exec(text.slice(start, Math.min(lineEnd, start + 64)));
    if (exported) start += exported[0].length;
    const line = text.slice(start, lineEnd);
    const separator = line.search(/[=:]/);
    const name = (separator === -1 ? line : line.slice(0, separator)).trim();
    const key = { file, start, end: start + name.length };
    if (!NAME.test(name)) {
      wrong(
        start,
        start + line.trimEnd().length,
        "This line sets no variable: a name must stand before the sign",
      );
      continue;
    }
    if (separator === -1) {
      // Compose takes it over from its own environment, which is never ours.
      entries.set(name, { key, value: { kind: "scalar", file, start: key.end, end: key.end, value: null } });
      continue;
    }
    let valueAt = start + separator + 1;
    while (valueAt < lineEnd && (text[valueAt] === " " || text[valueAt] === "\t")) valueAt++;
    const quote = text[valueAt];
    let raw: string;
    let valueEnd: number;
    if ((quote === '"' || quote === "'") && valueAt < lineEnd) {
      const close = closing(text, valueAt, quote);
      if (close === -1) {
        wrong(valueAt, text.slice(valueAt, lineEnd).trimEnd().length + valueAt, `The quote is never closed`);
        continue;
      }
      raw = text.slice(valueAt + 1, close);
      valueEnd = close + 1;
      at = text.indexOf("\n", valueEnd);
      at = at === -1 ? text.length : at + 1;
      if (quote === '"') raw = unescape(raw);
    } else {
      const whole = text.slice(valueAt, lineEnd);
      const comment = whole.search(/(?:^|\s)#/);
      raw = (comment === -1 ? whole : whole.slice(0, comment)).trim();
      valueEnd = valueAt + raw.length;
    }
    let value: string | null = raw;
    if (quote !== "'" && expanded < EXPANDED && raw.includes("$")) {
      const result = interpolateText(raw, known);
      value = result.problem ? raw : result.value;
      expanded += value.length;
    }
    const scalar: Node = { kind: "scalar", file, start: valueAt, end: valueEnd, value };
    entries.set(name, { key, value: scalar });
  }
  const mapping: Mapping = { kind: "mapping", file, start: 0, end: text.length, entries };
  return { documents: [mapping], findings, sound: true };
}

/** The next line that opens a quote would close this one, so what is never closed is searched for once. */
function closing(text: string, open: number, quote: string): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\" && quote === '"') at++;
    else if (text[at] === quote) return at;
  }
  return -1;
}

function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\([nrt"\\$])/g, (_, sign: string) => {
    if (sign === "n") return "\n";
    if (sign === "r") return "\r";
    if (sign === "t") return "\t";
    return sign === "$" ? "$$" : sign;
  });
}
