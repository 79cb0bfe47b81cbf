/** Makes the text of a YAML document out of plain values, for files that berth writes itself. */

import { Document, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";

/** Texts that every version of YAML takes for text when they have no quotes. */
const PLAIN = /^(?:[A-Za-z_][\w./@-]*|\/[\w./@-]+|\.\/[\w./@-]+)$/;
/** Words that some version takes for something else, whatever their case. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;

/** Line ends of YAML 1.1 and signs that no editor shows: they only stand in texts with quotes. */
// deno-lint-ignore no-control-regex -- these are the ones to find
const UNSEEN = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A text that stands for a variable of the project's `.env`. */
export class Variable {
  constructor(readonly name: string) {}
}

/** A value of a document. Its texts are plain, and mean what they say whatever `$` is in them. */
export type Yaml = string | number | boolean | null | Variable | readonly Yaml[] | {
  readonly [key: string]: Yaml;
};

/** Each line of a text in quotes is one line of the file, and no variable is put into it. */
export function yamlText(value: Yaml): string {
  const document = new Document();
  document.contents = nodeOf(value);
  const text = document.toString({ lineWidth: 0, doubleQuotedAsJSON: true });
  return text.replace(UNSEEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Makes each node in its final form: a second walk through the document takes as long as the first. */
function nodeOf(value: Yaml): Node {
  if (value instanceof Variable) return scalarOf(`\${${value.name}}`);
  // Names are never interpolated, and every `$` of a value would be.
  if (typeof value === "string") return scalarOf(value.replaceAll("$", "$$$$"));
  if (value === null || typeof value !== "object") return new Scalar(value);
  if (isList(value)) {
    const list = new YAMLSeq();
    list.items = value.map(nodeOf);
    return list;
  }
  const map = new YAMLMap();
  map.items = Object.entries(value).map(([key, one]) => new Pair(scalarOf(key), nodeOf(one)));
  return map;
}

const isList = (value: object): value is readonly Yaml[] => Array.isArray(value);

function scalarOf(value: string): Scalar {
  const node = new Scalar(value);
  node.type = PLAIN.test(value) && !WORDS.test(value) ? Scalar.PLAIN : Scalar.QUOTE_DOUBLE;
  return node;
}
