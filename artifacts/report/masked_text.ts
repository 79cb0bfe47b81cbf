/** The text of a file with its secrets masked. Lines stay, and so do the columns before a mask. */

import {
  argumentSpans,
  declaredSpans,
  formSpans,
  joined,
  looksSecret,
  MASK,
  maskDeclared,
  type Span,
} from "../../core/secrets.ts";
import { nearest } from "../../core/nearest.ts";
import type { ArtifactFile, Node, Scalar } from "../artifact.ts";
import { commentedSecrets } from "./commented_secrets.ts";
import { everyValue } from "./every_value.ts";
import { secretsInPlain } from "./plain_secrets.ts";

/** A mask in a text: where it stands there, and what it stands for. */
interface Mask {
  readonly at: number;
  readonly hidden: string;
}

/** A text with its secrets masked. */
export interface Masked {
  readonly text: string;
  /** In their order. */
  readonly masks: readonly Mask[];
}

const known = new WeakMap<ArtifactFile, Masked>();

/** Made once for each text. */
export function maskedOf(file: ArtifactFile): Masked {
  let masked = known.get(file);
  if (masked === undefined) known.set(file, masked = maskSpans(file.text, secretsIn(file)));
  return masked;
}

export function maskedText(file: ArtifactFile): string {
  return maskedOf(file).text;
}

/** A text that a file declares, as it is shown. */
export type Show = (text: string) => string;

/** Returns how a declared text is shown to callers who may see secrets, and to all others. */
export const showing = (reveal: boolean): Show => reveal ? (text) => text : maskDeclared;

/** Every line of a span has a mask of its own, behind what indents it: a finding's line and column stay true. */
export function maskSpans(text: string, spans: readonly Span[]): Masked {
  const masks: Mask[] = [];
  let masked = "";
  let at = 0;
  for (const [start, end] of spans) {
    masked += text.slice(at, start);
    for (const [index, line] of text.slice(start, end).split("\n").entries()) {
      const [, indent = "", hidden = "", ending = ""] = /^(\s*)([\s\S]*?)(\r?)$/.exec(line)!; // matches any text
      masked += (index === 0 ? "" : "\n") + indent;
      if (hidden !== "") {
        masks.push({ at: masked.length, hidden });
        masked += MASK;
      }
      masked += ending;
    }
    at = end;
  }
  return { text: masked + text.slice(at), masks };
}

/** Returns the places of secrets in a file, in order and without overlaps. */
export function secretsIn(file: ArtifactFile): Span[] {
  const { text, kind } = file;
  if (kind === "secret") return text === "" ? [] : [[0, text.length]];
  if (kind === "config" || kind === "mounted" || kind === "other") return secretsInPlain(file);
  if (kind === "env") return joined([...valuesOfLines(text), ...valuesOf(file)]);
  // Of two values with one name the parser keeps one.
  if (!file.sound || file.findings.some(({ code }) => code === "yaml/duplicate-key")) {
    return joined([...everyValue(text)].filter(([start, end]) => text.slice(start, end) !== MASK));
  }
  const spans: Span[] = [...among(text, formSpans(text), 0)];
  for (const { 0: comment, index } of text.matchAll(/(?:^|[ \t])#.*$/gm)) {
    spans.push(...among(comment, declaredSpans(comment), index), ...namedInLines(comment, /^.*$/gm, index));
  }
  spans.push(...commentedSecrets(text));
  for (const document of file.documents) if (document.file === file) collect(document, file, spans);
  return joined(spans.filter(([start, end]) => text.slice(start, end) !== MASK));
}

const NAME_OF_LINE = /^\s*(?:export\s+)?[A-Za-z_][\w.-]*\s*[=:]\s*/;
/** Not within a word, or a long one would be tried at each of its letters. */
const NAME_IN_COMMENT = /(?<![\w.-])[\w.-]+\s*[=:]\s*/;

/** All of an environment file but its names and comments: what a quote continues has no name at all. */
function* valuesOfLines(text: string): Iterable<Span> {
  for (const { 0: line, index } of text.matchAll(/^.*$/gm)) {
    const isComment = line.trimStart().startsWith("#");
    const name = (isComment ? NAME_IN_COMMENT : NAME_OF_LINE).exec(line);
    const before = name === null ? "" : line.slice(0, name.index + name[0].length);
    const indent = line.length - line.trimStart().length;
    if (line.trim() === "" || (before === "" && isComment)) continue;
    const start = before === "" ? indent : before.length;
    const end = line.trimEnd().length;
    if (start < end) yield [index + start, index + end];
  }
}

/** As the parser saw them, over several lines too. */
function* valuesOf({ documents: [document] }: ArtifactFile): Iterable<Span> {
  if (document?.kind !== "mapping") return;
  for (const { value } of document.entries.values()) {
    if (value.start < value.end) yield [value.start, value.end];
  }
}

/** The author's own words among what was found in a text that begins at the offset. */
function* among(text: string, spans: readonly Span[], offset: number): Iterable<Span> {
  for (const [start, end] of spans) {
    for (const [from, to] of literal(text.slice(start, end))) {
      yield [offset + start + from, offset + start + to];
    }
  }
}

/** `name: value` and `name = value` with the name of a secret, where no parser says what is what. */
function* namedInLines(text: string, lines: RegExp, offset: number): Iterable<Span> {
  for (const { 0: line, index } of text.matchAll(lines)) {
    for (const match of line.matchAll(/([\w.-]{1,128})["']?[ \t]*[:=][ \t]+(?=\S)|([\w.-]{1,128})=(?=\S)/g)) {
      if (!looksSecret(match[1] ?? match[2]!)) continue; // one of the two matched
      const start = match.index + match[0].length;
      for (const [from, to] of literal(line.slice(start).trimEnd())) {
        yield [offset + index + start + from, offset + index + start + to];
      }
    }
  }
}

/** Collects secrets by the names of keys and by the words before an argument. */
function collect(node: Node, file: ArtifactFile, spans: Span[], isOwn = false): void {
  if (node.file !== file) return;
  if (node.kind === "mapping") {
    for (const [name, { value }] of node.entries) {
      const isAuthors = isOwn || name.startsWith("x-");
      // `secrets` of Compose names them, and holds none.
      if (name !== "secrets" && looksSecret(name)) {
        for (const one of scalarsIn(value, isAuthors && NAMES_SECRETS.test(name))) {
          if (one.file === file) spans.push(...whole(one));
        }
      }
      collect(value, file, spans, isAuthors);
    }
    const program = node.entries.get("entrypoint")?.value;
    for (const [name, { value }] of program === undefined ? [] : node.entries) {
      if (isCommand(name)) spans.push(...ofCommand(program!, value)); // only with one
    }
  } else if (node.kind === "list") {
    for (const [index, [from, to]] of argumentSpans(wordsOf(node))) {
      spans.push(...part(node.items[index]!, from, to));
    }
    for (const item of node.items) collect(item, file, spans, isOwn);
  } else if (typeof node.value === "string") {
    const sign = node.value.indexOf("=");
    if (sign > 0 && looksSecret(node.value.slice(0, sign))) spans.push(...part(node, sign + 1));
    const [start, end] = inside(node);
    const text = file.text.slice(start, end);
    spans.push(...among(text, declaredSpans(text), start));
    if (isBlock(node)) spans.push(...namedInLines(rawOf(node), /^.*$/gm, node.start));
  }
}

/** Says of a misspelt key, too, that it is most likely a command: it is no less secret for it. */
const isCommand = (name: string): boolean => name.length < 12 && nearest(name, ["command"], 2) !== null;

/** An extension that ends so holds secrets at any depth; "x-auth" may be the template of a service. */
const NAMES_SECRETS = /(?:pass(?:word|wd|phrase)|secret|token|key|credential)s?$/i;

/** Returns the texts of a value and of its items, and those within them if it is deep. */
function scalarsIn(value: Node, isDeep: boolean): Scalar[] {
  if (value.kind === "scalar") return [value];
  if (value.kind === "list") {
    return value.items.flatMap((item) => isDeep || item.kind === "scalar" ? scalarsIn(item, isDeep) : []);
  }
  return isDeep ? [...value.entries.values()].flatMap((entry) => scalarsIn(entry.value, true)) : [];
}

/** The secrets in `command` that only its program in `entrypoint` tells. */
function* ofCommand(entrypoint: Node, command: Node): Iterable<Span> {
  const program = wordsOf(entrypoint);
  if (command.kind === "list") {
    for (const [index, [from, to]] of argumentSpans([...program, ...wordsOf(command)])) {
      if (index >= program.length) yield* part(command.items[index - program.length]!, from, to);
    }
  } else if (command.kind === "scalar") {
    const before = `${program.join(" ")} `;
    const [start, end] = inside(command);
    for (const [from, to] of declaredSpans(before + command.file.text.slice(start, end))) {
      if (from >= before.length) yield [start + from - before.length, start + to - before.length];
    }
  }
}

function wordsOf(node: Node): string[] {
  const items = node.kind === "list" ? node.items : [node];
  return items.map((item) => item.kind === "scalar" ? String(item.value ?? "") : "");
}

const rawOf = ({ file, start, end }: Node): string => file.text.slice(start, end);

const isBlock = (node: Scalar): boolean => /^[|>]/.test(rawOf(node));

/** Returns the place of a scalar's text, without its quotes or the sign of a block. */
function inside(node: Scalar): Span {
  const raw = rawOf(node);
  if (/^["']/.test(raw) && raw.length > 1) return [node.start + 1, node.end - 1];
  return isBlock(node) ? [node.start + raw.indexOf("\n") + 1, node.end] : [node.start, node.end];
}

function* whole(node: Scalar): Iterable<Span> {
  if (node.value === null || node.value === "" || typeof node.value === "boolean") return;
  const [start, end] = inside(node);
  for (const [from, to] of literal(node.file.text.slice(start, end))) yield [start + from, start + to];
}

/** A part of a scalar; where it is written otherwise than it is read, as with escapes, all of it. */
function* part(node: Node, from: number, to?: number): Iterable<Span> {
  if (node.kind !== "scalar" || typeof node.value !== "string") return;
  const [start, end] = inside(node);
  const text = node.file.text.slice(start, end);
  if (text !== node.value) return yield* whole(node);
  for (const [first, last] of literal(text.slice(from, to))) {
    yield [start + from + first, start + from + last];
  }
}

/** A reference as it stands alone: it says where a secret comes from, and nothing of it. */
const REFERENCES = /^(?:\$[A-Za-z_]\w*|\$\{[A-Za-z_]\w*(?::?\?[^{}]*)?\})+$/;
const WITH_DEFAULT = /^(\$\{[A-Za-z_]\w*:?[-+])([\s\S]*)\}$/;

/** The author's own words in a value: all of it, or the default of the one variable that it is. */
function* literal(value: string): Iterable<Span> {
  if (value.trim() === "" || REFERENCES.test(value)) return;
  const [, before, fallback] = WITH_DEFAULT.exec(value) ?? [];
  if (before === undefined || fallback === undefined) return yield [0, value.length];
  for (const [start, end] of literal(fallback)) yield [before.length + start, before.length + end];
}
