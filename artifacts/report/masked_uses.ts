/** Finds the variables that a file uses where its text is masked, as in a password or the user of a URL. */

import { looksSecret, type Span } from "../../core/secrets.ts";
import type { ArtifactFile } from "../artifact.ts";
import { replaceExpressions } from "../env/interpolate.ts";
import { parseNow } from "../files/parse_file.ts";
import { YAML_BUDGETS } from "../yaml/budgets.ts";
import { entriesOf, textOf, valueAt } from "../yaml/values.ts";
import { secretsIn } from "./masked_text.ts";
import { secretsInPlain } from "./plain_secrets.ts";

const known = new WeakMap<ArtifactFile, ReadonlySet<string>>();

/** Returns their names; all of its variables where nobody can tell. */
export function maskedUses(file: ArtifactFile): ReadonlySet<string> {
  let names = known.get(file);
  if (names === undefined) known.set(file, names = find(file));
  return names;
}

/** Each variable becomes a word of its own, so that what masks a word masks the variable. */
function find(file: ArtifactFile): ReadonlySet<string> {
  const hidden = new Set(namedSecrets(file));
  if (!file.text.includes("$")) return hidden;
  const names: string[] = [];
  const text = replaceExpressions(file.text, (name) => tokenOf(names.push(name) - 1));
  const spans = spansIn(file, text);
  for (const [start, end] of spans) {
    for (const [, index] of text.slice(Math.max(0, start - TOKEN), end + TOKEN).matchAll(TOKENS)) {
      const name = names[Number(index)];
      if (name !== undefined) hidden.add(name);
    }
  }
  return hidden;
}

/** Masked values, and further ones that may be secrets: a password of a program that nobody knows is masked nowhere. */
function spansIn(file: ArtifactFile, text: string): readonly Span[] {
  if (file.kind === "env") return secretsOfLines(file.path, text);
  if (!file.sound) return [[0, text.length]];
  const suspect = [...secretsInPlain({ path: "compose.yaml", text }), ...blocksOf(text, COMMANDS)];
  if (text.length <= YAML_BUDGETS.inlineLength) {
    return [...suspect, ...secretsIn(parseNow({ path: file.path, kind: file.kind, text, hash: "" }))];
  }
  // Parsing it would hold up everybody else. Lines are enough where no alias takes a value elsewhere.
  if (file.aliases.length > 0) return [[0, text.length]];
  return [...suspect, ...blocksOf(text, EXTENSIONS)];
}

/** Keys below which no name says what is a secret. */
const COMMANDS = /^\s*(?:- +)?["']?(?:command|entrypoint|test|post_start|pre_stop|content)["']?\s*:/;
const EXTENSIONS = /^\s*(?:- +)?["']?x-[\w.-]+["']?\s*:/;

/** The values of such keys, with all that is indented below. */
function* blocksOf(text: string, keys: RegExp): Iterable<Span> {
  let below: number | null = null;
  for (const { 0: line, index } of text.matchAll(/^.*$/gm)) {
    const content = line.trim();
    if (content === "") continue;
    const indent = line.length - line.trimStart().length;
    const isBelow: boolean = below !== null &&
      (indent > below || (indent === below && content.startsWith("- ")));
    if (!isBelow) below = keys.test(line) ? indent : null;
    if (below !== null) yield [index, index + line.length];
  }
}

const tokenOf = (index: number): string => `zqv${String(index).padStart(7, "0")}vqz`;
const TOKENS = /zqv(\d{7})vqz/g;
const TOKEN = tokenOf(0).length;

/** Values whose name looks secret, and what looks like a secret in all others. */
function secretsOfLines(path: string, text: string): Span[] {
  const spans = [...secretsInPlain({ path: `${path}.conf`, text })];
  for (const { 0: line, 1: name, index } of text.matchAll(/^\s*(?:export\s+)?([\w.-]+)\s*[=:].*$/gm)) {
    if (looksSecret(name!)) spans.push([index, index + line.length]); // it matched
  }
  return spans;
}

/** The variables that secrets are made of. */
function* namedSecrets({ documents }: ArtifactFile): Iterable<string> {
  for (const document of documents) {
    for (const section of ["secrets", "configs"]) {
      for (const [, { value }] of entriesOf(valueAt(document, section))) {
        const name = textOf(valueAt(value, "environment"));
        if (name !== null) yield name;
      }
    }
  }
}
