/** Secrets in a text that no parser knows, as a mounted configuration file: what may be one counts as one. */

import { declaredSpans, formSpans, joined, MASK, type Span } from "../../core/secrets.ts";
import type { ArtifactFile } from "../artifact.ts";
import { baseName } from "../files/paths.ts";

/** A word of which what follows may be a secret: wider than a name in a file that is parsed. */
const SUSPECT = /pass|secret|token|key|auth|cred|pwd|salt|hash|private|cookie|jwt|signing/i;
const WORD = /[\w.-]{1,128}/g;
/** Between a name and its value. */
const SEPARATOR = /^["'>)\]}]*[\s:=,>"'(]*/;
/** A name without a value on its line: it may stand below. */
const NOTHING = /^[\s:=>|{["'(,+-]*$/;
/** A hash of a password, which can be guessed from it. */
const HASH = /\$(?:apr1|2[abxy]?|5|6|7|y|sha1|argon2\w{1,3}|scrypt|pbkdf2[\w-]*)\$\S{1,512}/g;
/** Files that are secrets by their names. */
const SECRET_FILE =
  /pass|secret|token|cred|private|jwt|(?:^|[._-])key|^id_[a-z0-9]+$|\.(?:key|pem|p12|pfx|jks|kdbx)$/i;

export function secretsInPlain({ path, text }: Pick<ArtifactFile, "path" | "text">): Span[] {
  if (SECRET_FILE.test(baseName(path))) return text === "" ? [] : [[0, text.length]];
  const hashes = [...text.matchAll(HASH)].map(({ 0: hash, index }): Span => [index, index + hash.length]);
  const spans = [...formSpans(text), ...declaredSpans(text), ...hashes, ...namedInLines(text)];
  return joined(spans).filter(([start, end]) =>
    text.slice(start, end).trim() !== "" && text.slice(start, end) !== MASK
  );
}

/** The text behind a suspect word on its line; without one, that of the next line, and all that is indented below. */
function* namedInLines(text: string): Iterable<Span> {
  let below: number | null = null;
  let isFirst = false;
  for (const { 0: line, index } of text.matchAll(/^.*$/gm)) {
    const content = line.trim();
    if (content === "") continue;
    const indent = line.length - line.trimStart().length;
    if (below !== null && (isFirst || indent > below)) {
      yield [index + indent, index + line.trimEnd().length];
      isFirst = false;
      continue;
    }
    below = null;
    for (const { 0: word, index: at } of line.matchAll(WORD)) {
      if (!SUSPECT.test(word)) continue;
      const rest = line.slice(at + word.length);
      if (NOTHING.test(rest)) {
        below = indent;
        isFirst = true;
      } else {
        const start = at + word.length + (SEPARATOR.exec(rest)?.[0].length ?? 0);
        const end = line.trimEnd().length;
        if (start < end) yield [index + start, index + end];
      }
      break;
    }
  }
}
